#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-options.sh - the manual pages say what the programs do: every option in --help stands in the
# page and the other way round, the examples' output is what comes out, and mandoc has nothing to
# say against the markup. (The keys of the configuration: tests/unit/test_conf_keys.c.)
set -u
src=$(cd "${top_srcdir:-$(dirname "$0")/..}" && pwd) || exit 99
bin=$(cd "${top_builddir:-$src}" && pwd) || exit 99
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
bad=0
complain() { echo "$*"; bad=1; }

compare() { # what, in one place, in the other: two sorted lists
	comm -23 "$2" "$3" | while read -r x; do echo "$1: $x is missing in the manual page"; done
	comm -13 "$2" "$3" | while read -r x; do echo "$1: $x is only in the manual page"; done
	cmp -s "$2" "$3" || bad=1
	[ -s "$2" ] || complain "$1: nothing found to compare"
}

options_of_help() { # -c, --config FILE ... anywhere
	"$1" --help | grep -oE '(^| )(--[a-z][a-z-]*|-[a-z],)' | tr -d ' ,' | sort -u
}

options_of_page() { # .It Fl c , Fl -config Ar file
	sed -n 's/^\.It Fl /Fl /p' "$1" | grep -oE 'Fl [-a-z]+' | sed 's/Fl /-/' | sort -u
}

for page in uncored.8 uncorectl.1; do
	program=${page%.*}
	options_of_help "$bin/$program" >"$tmp/help"
	options_of_page "$src/man/$page" >"$tmp/page"
	compare "$program" "$tmp/help" "$tmp/page"
	while read -r option; do
		timeout 10 "$bin/$program" "${option}x" >"$tmp/said" 2>&1
		[ $? = 64 ] || complain "$program takes ${option}x"
	done < <(grep '^--' "$tmp/help")
done

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

# the specifications in examples of configurations are good ones
awk -v dir="$tmp" '/^\.Bd -literal/ { f = dir "/example" ++n ".conf"; on = 1; next }
	/^\.Ed/ { on = 0 } on { print > f }' "$src/man/uncored.conf.5"
for f in "$tmp"/example*.conf; do
	grep -q perf/ "$f" && continue # depends on the machine
	"$bin/uncored" -c "$f" --processor nehalem-ex --check-config ||
		complain "uncored.conf.5: $(basename "$f" .conf) is refused"
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
