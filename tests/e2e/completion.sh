#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What contrib/completion offers at a place is what the programs know there: in bash, zsh and fish.
set -eu
src=$(cd "${top_srcdir:-$(dirname "$0")/../..}" && pwd)
build=$(cd "${top_builddir:-$src}" && pwd)
PATH=$build:$PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# The shells write caches and histories there.
export HOME=$tmp XDG_CONFIG_HOME=$tmp XDG_DATA_HOME=$tmp completion=$build/contrib/completion
# As they are installed: those that are made, beside those that are not.
mkdir "$tmp/bash" "$tmp/fish"
cp "$src/contrib/completion/uncorectl" "$completion/uncored" "$tmp/bash"
cp "$src/contrib/completion/fish/uncorectl.fish" "$completion/fish/uncored.fish" "$tmp/fish"
# shellcheck source=/dev/null
. "$tmp/bash/uncorectl"

# Each: a line, whose last word is to be completed; what is offered, a word a line.
offers_bash() {
	local line=$1
	read -ra COMP_WORDS <<<"$line"
	[ "${line% }" = "$line" ] || COMP_WORDS+=('')
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_uncored "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
	printf '%s\n' "${COMPREPLY[@]}"
}

# An interactive zsh on a terminal of its own gets the line and the Tab key. Its compadd says what
# matches, between two lines END.
offers_zsh() {
	# shellcheck disable=SC2016 # of zsh
	timeout 20 zsh -f -c '
		zmodload zsh/zpty
		zpty z zsh -f -i
		zpty -w z "PS1=; source $1/child.zsh"
		while zpty -r z line && [[ $line != *READY* ]]; do :; done
		zpty -w -n z "$2"$'"'\\t'"'
		while zpty -r z line && [[ $line != *BEGIN* ]]; do :; done
		while zpty -r z line && [[ $line != *END* ]]; do
			print -r -- ${line%%[[:space:]]#}
		done
		zpty -d z' - "$tmp" "$1" | tr -d '\r'
}
cat >"$tmp/child.zsh" <<'END'
fpath=($completion/zsh $fpath)
autoload -U compinit && compinit -u -D
begin() { print; print BEGIN }
finish() { print END }
compprefuncs=(begin) comppostfuncs=(finish)
compadd() {
	typeset -a hits
	builtin compadd -A hits "$@"
	(($#hits)) && print -lr -- $hits
	return 0
}
stty -onlcr -echo
print RE''ADY
END

offers_fish() {
	# shellcheck disable=SC2016 # of fish
	fish --no-config -c 'set fish_complete_path $HOME/fish
		complete -C $argv[1] | string replace -r "\t.*" ""' "$1"
}

shells=(bash) missing=''
for shell in zsh fish; do
	if command -v "$shell" >/dev/null; then shells+=("$shell"); else missing+=" $shell"; fi
done

expect() { # a line, and what has to be offered
	local line=$1 what=$2 shell offered
	for shell in "${shells[@]}"; do
		offered=$("offers_$shell" "$line" </dev/null | sed 's,/$,,' |
			sort -u | xargs) || true
		[ "$offered" = "$what" ] || {
			echo "$shell: $line: offered ${offered:-nothing}, expected $what"
			exit 1
		}
	done
}

expect "uncorectl de" "decode describe"
expect "uncorectl list me" "metrics"
expect "uncorectl help pa" "pause"
expect "uncorectl list events -p neh" "nehalem nehalem-ex"
expect "uncorectl --machine nehalem" "nehalem nehalem_ex"
expect "uncorectl --machine gen" "genoa"
expect "uncored -p mila" "milan"
expect "uncored --processor gn" "gnr"
expect "uncorectl --processor wes" "westmere westmere-ex"
expect "uncorectl -p nehalem-ex describe imt_latency_s" "imt_latency_seconds"
expect "uncorectl describe -p nehalem-ex bbox/IMT_F" "bbox/IMT_FULL"
expect "uncorectl encode -p ivytown irp/CLOCKT" "irp/CLOCKTICKS"
expect "uncored --chec" "--check-config"
expect "uncored --engine mo" "model"
expect "uncorectl --quic" "--quick"
expect "uncorectl verify --qui" "--quick"
expect "uncorectl stat -o js" "json"
expect "uncorectl -p nehalem-ex stat -g mem" "memory"
expect "uncorectl -p nehalem-ex stat -e bbox/IMT_F" "bbox/IMT_FULL"
expect "uncorectl -p nehalem-ex stat -M imt_latency_s" "imt_latency_seconds"
# sets beside groups, of a machine as of a processor
expect "uncorectl -p zen6 stat -g num" "numa numa_latency"
expect "uncorectl --machine icx stat -g core_s" ""
expect "uncorectl --machine spr stat -g core_s" "core_states"
expect "uncorectl --machine=zen6 stat -g num" "numa numa_latency"
expect "uncorectl describe --machine zen6 memory_comm" "memory_commands"
# the value of an option is no command, and a command is none of its values
expect "uncorectl -g memory st" "stat"
expect "uncorectl --url http://localhost:10062 to" "top"
expect "uncorectl --url to" ""
expect "uncorectl -o csv -r 3 --engine perf st" "stat"
expect "uncorectl --quick ver" "verify"
expect "uncorectl --counter 1 -p ivytown encode irp/CLOCKT" "irp/CLOCKTICKS"
expect "uncorectl -c describe -p wes" "westmere westmere-ex"
expect "uncorectl --processor=ivytown encode irp/CLOCKT" "irp/CLOCKTICKS"
# each list, as the manual pages have it
expect "uncored --engine " "auto model perf registers"
expect "uncorectl --engine " "auto model perf registers"
expect "uncorectl -o " "csv json"
expect "uncorectl --output " "csv json"
expect "uncored --format " "json openmetrics prometheus"
expect "uncored --log-level " "debug err info notice warning"
expect "uncorectl list " "boxes events groups keys machines metrics processors"
cd "$src"
expect "uncorectl -c READM" "README.md"
expect "uncored --config READM" "README.md"
expect "uncored --machine READM" "README.md"
expect "uncorectl plan --machine READM" "README.md"
for option in cacert cert key; do expect "uncorectl --$option READM" "README.md"; done
expect "uncorectl top --cacert READM" "README.md"
expect "uncorectl --repeat READM" ""
expect "uncorectl stat -- cat READM" "README.md"
expect "uncored --path-run contri" "contrib"
# every option of both programs
for program in uncored uncorectl; do
	options=$("$program" --help | sed -nE 's/^ +(-[A-Za-z], )?(--[a-z-]+).*/\2/p' |
		sort | xargs)
	[ "$(wc -w <<<"$options")" -gt 10 ] || { echo "$program --help: $options"; exit 1; }
	expect "$program --" "$options"
done
[ -z "$missing" ] || { echo "SKIP: not installed:$missing; bash is checked and good"; exit 77; }
