#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What contrib/completion offers at a place is what the programs know there.
set -eu -o pipefail
src=$(cd "${top_srcdir:-$(dirname "$0")/../..}" && pwd)
PATH=$(cd "${top_builddir:-$src}" && pwd):$PATH
# shellcheck source=/dev/null
. "$src/contrib/completion/uncorectl"

expect() { # a line, whose last word is to be completed, and what has to be offered
	local line=$1 what=$2
	read -ra COMP_WORDS <<<"$line"
	[ "${line% }" = "$line" ] || COMP_WORDS+=('')
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_uncored "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
	[ "${COMPREPLY[*]}" = "$what" ] || {
		echo "$line: offered ${COMPREPLY[*]:-nothing}, expected $what"
		exit 1
	}
}

expect "uncorectl de" "describe decode"
expect "uncorectl list me" "metrics"
expect "uncorectl list events -p neh" "nehalem nehalem-ex"
expect "uncorectl --processor wes" "westmere westmere-ex"
expect "uncorectl -p nehalem-ex describe imt_latency_s" "imt_latency_seconds"
expect "uncorectl describe -p nehalem-ex bbox/IMT_F" "bbox/IMT_FULL"
expect "uncorectl encode -p ivytown irp/CLOCKT" "irp/CLOCKTICKS"
expect "uncored --chec" "--check-config"
expect "uncored --engine mo" "model"
expect "uncorectl --quic" "--quick"
expect "uncorectl stat -o js" "json"
expect "uncorectl -p nehalem-ex stat -g mem" "memory"
# every option of both programs, and every command
for program in uncored uncorectl; do
	mapfile -t options < <("$program" --help | sed -nE 's/^ +(-[a-z], )?(--[a-z-]+).*/\2/p')
	[ "${#options[@]}" -gt 10 ] || { echo "$program --help: ${options[*]}"; exit 1; }
	for option in "${options[@]}"; do
		COMP_WORDS=("$program" "$option") COMP_CWORD=1
		_uncored "$program" "$option" "$program"
		case " ${COMPREPLY[*]} " in
		*" $option "*) ;;
		*) echo "$program: no $option"; exit 1 ;;
		esac
	done
done
