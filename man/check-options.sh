#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-options.sh - the manual pages say what the programs do: every option in --help stands in the
# page and the other way round, in the list and in the SYNOPSIS of each command that takes it; so do
# the signals; the examples' output is what comes out, and mandoc has nothing to say against the
# markup. (The keys of the configuration: tests/unit/test_conf_keys.c.)
set -u
src=$(cd "${top_srcdir:-$(dirname "$0")/..}" && pwd) || exit 99
bin=$(cd "${top_builddir:-$src}" && pwd) || exit 99
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
bad=0
complain() { echo "$*"; bad=1; }

# PAGE, the heading under which it stands, what the program has, what the page has: lists of lines
# of mdoc. A line "COMMAND: .Op Fl x" belongs to the command.
compare() {
	local page=$1 heading=$2 at x
	sort -u -o "$3" "$3"
	sort -u -o "$4" "$4"
	at=man/$page:$(grep -n "^\.Sh $heading" "$src/man/$page" | cut -d: -f1)
	while read -r x; do complain "$at: $heading: add $x"; done < <(comm -23 "$3" "$4")
	while read -r x; do complain "$at: $heading: $x is none"; done < <(comm -13 "$3" "$4")
	[ -s "$3" ] || complain "$at: nothing found to compare"
}

# The options of a program as --help has them: name, letter or -, "Ar" or -, and the commands that
# take it: each, or "all".
options() {
	"$bin/$1" --help | awk '
		match($0, /^ +(-[A-Za-z], )?--[a-z-]+/) {
			left = substr($0, 1, RLENGTH); right = substr($0, RLENGTH + 1)
			name = left; sub(/.*--/, "", name)
			letter = "-"
			if (left ~ /-[A-Za-z],/) {
				letter = left
				gsub(/^ +-|,.*/, "", letter)
			}
			of = "all"
			if (match(right, /  for [a-z, ]+:/)) {
				of = substr(right, RSTART + 6, RLENGTH - 7)
				gsub(/, | and /, " ", of)
			}
			print name, letter, right ~ /^ [A-Z]/ ? "Ar" : "-", of
		}'
}

# The words of mdoc for each: .It Fl c , Fl -config Ar
list_of_options() {
	while read -r name letter argument _; do
		[ "$letter" = - ] && letter='' || letter="Fl $letter , "
		[ "$argument" = - ] && argument='' || argument=" Ar"
		echo ".It ${letter}Fl -$name$argument"
	done
}
list_of_page() { # .It Fl -cert Ar file , Fl -key Ar file is two
	sed -nE 's/^\.It Fl /Fl /p' "$1" | sed -E 's/(Ar [^,]*) , (Fl --?[a-z]+ Ar)/\1\n\2/' |
		sed -E 's/^/.It /; s/ Ar .*/ Ar/'
}

# All commands of uncorectl take the options of which nothing else is said; these stand in the list
# alone.
synopsis_of_options() {
	while read -r name letter argument of; do
		[ "$letter" = - ] && letter=-$name
		[ "$argument" = - ] && argument='' || argument=" Ar"
		case $1:$name:$of in
		*:version:all | *:help:all) echo ".Fl -$name" ;;
		uncored:*:all) echo ".Op Fl $letter$argument" ;;
		*:all) ;;
		*) for command in $of; do echo "$command: .Op Fl $letter$argument"; done ;;
		esac
	done
}
synopsis_of_page() {
	awk '/^\.Sh / { on = $2 == "SYNOPSIS"; next }
		on && /^\.Nm/ { command = "" }
		on && /^\.Cm/ && command == "" { command = $2 ": " }
		on && /^\.(Op )?Fl / {
			n = split($0, part, / \| |^\.Op |^\./)
			for (i = 1; i <= n; i++) if (part[i] ~ /^Fl -?[A-Za-z]/) {
				split(part[i], word, " ")
				way = word[2] ~ /^-(version|help)$/ ? ".Fl " : ".Op Fl "
				print command way word[2] (word[3] == "Ar" ? " Ar" : "")
			}
		}' "$1"
}

for page in uncored.8 uncorectl.1; do
	program=${page%.*}
	options "$program" >"$tmp/options"
	list_of_options <"$tmp/options" >"$tmp/list"
	list_of_page "$src/man/$page" >"$tmp/listed"
	compare "$page" OPTIONS "$tmp/list" "$tmp/listed"
	synopsis_of_options "$program" <"$tmp/options" >"$tmp/synopsis"
	synopsis_of_page "$src/man/$page" >"$tmp/shown"
	compare "$page" SYNOPSIS "$tmp/synopsis" "$tmp/shown"
	while read -r name _; do
		timeout 10 "$bin/$program" "--${name}x" >"$tmp/said" 2>&1
		[ $? = 64 ] || complain "$program takes --${name}x"
	done <"$tmp/options"
done

# What follows an option is a file, a directory, or something that no shell can guess; else each of
# them has a case with the words. (What they offer: tests/e2e/completion.sh.)
shells=$src/contrib/completion
for program in uncored uncorectl; do
	while read -r name what; do
		case $what in
		FILE | DIR | N | MS | DURATION | SEP | URL | ADDR:PORT) continue ;;
		esac
		grep -q -e "--$name)" "$shells/uncored.in" ||
			complain "contrib/completion/uncored.in: add, with its words, --$name)"
		grep -q -e "--$name)" "$shells/zsh/_uncored.in" ||
			complain "contrib/completion/zsh/_uncored.in: add, with its words, --$name)"
		grep -q "case $name:$what\$" "$shells/fish/uncored.fish.in" ||
			complain "contrib/completion/fish/uncored.fish.in: add case $name:$what"
	done < <("$bin/$program" --help |
		sed -nE 's/^ +(-[A-Za-z], )?--([a-z-]+) ([A-Z:]+) .*/\2 \3/p')
done

# What uncored does not leave to the kernel stands in two tables.
signals() { sed -n "/$2\[\] = {/,/};/p" "$src/$1"; }
{
	signals src/daemon/run.c signals
	signals src/daemon/uncored.c meaningless
} | grep -oE '\bSIG[A-Z0-9]+' | grep -v SIGSTKFLT >"$tmp/heeded" # which nothing sends
sort "$tmp/heeded" | uniq -d | while read -r x; do
	echo "src/daemon/uncored.c: $x is ignored, but run.c heeds it"
done >"$tmp/both"
[ -s "$tmp/both" ] && complain "$(cat "$tmp/both")"
awk '/^\.Sh / { on = $2 == "SIGNALS" } on && /^\.It Dv/' "$src/man/uncored.8" |
	grep -oE '\bSIG[A-Z0-9]+' >"$tmp/described"
compare uncored.8 SIGNALS "$tmp/heeded" "$tmp/described"

# "$ command" inside a literal block, then what it prints
awk '/^\.Bd -literal/ { on = 1; next } /^\.Ed/ { on = 0 } on' "$src/man/uncorectl.1" |
	sed 's/^\\&//; s/\\e/\\/g' >"$tmp/expected"
grep '^\$ ' "$tmp/expected" | while read -r _ program args; do
	echo "\$ $program $args"
	# shellcheck disable=SC2086
	"$bin/$program" $args 2>&1
done >"$tmp/printed"
grep -q '^\$ ' "$tmp/expected" || complain "uncorectl.1: no example found"
diff -u --label "man/uncorectl.1" "$tmp/expected" --label "what it prints" "$tmp/printed" || bad=1

# Examples of configurations count, all the time, on the machines that the sentence before them
# names, else on a Xeon 7500.
awk -v dir="$tmp" '/^\.Bd -literal/ { f = dir "/example" ++n ".conf"; on = 1
		print said >(f ".said"); said = ""; next }
	/^\.Ed/ { on = 0; next } on { print >f; next } { said = said " " $0 }' \
	"$src/man/uncored.conf.5"
for f in "$tmp"/example*.conf; do
	case $(cat "$f.said") in
	*"On a Xeon Scalable"*) where=--machine names="skx clx icx spr emr" ;;
	*"On an EPYC 9004"*) where=--machine names=genoa ;;
	*"On any machine"*) where=--machine names="spr genoa grace cmn700" ;;
	*) where=--processor names=nehalem-ex ;;
	esac
	for name in $names; do
		"$bin/uncored" -c "$f" "$where" "$name" --check-config | grep ", 1 round, " ||
			complain "uncored.conf.5: $(basename "$f" .conf) is no round of $name"
	done
done

if command -v mandoc >/dev/null; then
	for page in "$src"/man/*.[158]; do
		mandoc -T lint "$page" 2>/dev/null | grep -v 'referenced manual not found'
	done >"$tmp/lint"
	[ -s "$tmp/lint" ] && { cat "$tmp/lint"; bad=1; }
elif [ "$bad" = 0 ]; then
	echo "SKIP: mandoc is not installed; the rest is checked and good"
	exit 77
fi
exit "$bad"
