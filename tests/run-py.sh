#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run-py.sh - run a Python test for automake's TAP driver, so that each of its parts is counted by
# itself.
#
# A script that prints no plan ("1..N") is one test: its exit code says how it went, 77 that it was
# skipped. With CI=true a part fails that is skipped because something is "not installed" (run.sh
# says why).
result() { # one line of TAP
	if [ "${CI-}" = true ] && [[ $1 =~ ^ok\ .*\ #\ SKIP.*not\ installed ]]; then
		printf 'not %s; where CI=true nothing may be missing\n' "${1/ # SKIP/:}"
	else
		printf '%s\n' "$1"
	fi
}
if ! command -v python3 >/dev/null; then
	echo 1..1
	result "ok 1 - ${1##*/} # SKIP python3 is not installed"
	exit 0
fi
planned=false; last=''; rc=''
while IFS= read -r line; do
	case $line in
	1..*) planned=true ;;
	SKIP:*) last=$line ;;
	"exit code "*) rc=${line#exit code }; continue ;;
	esac
	result "$line"
done < <(python3 -B "$@" 2>&1; echo "exit code $?")
$planned && exit "$rc"
echo 1..1
case $rc in
0) echo "ok 1 - ${1##*/}" ;;
77) result "ok 1 - ${1##*/} # SKIP ${last#SKIP: }" ;;
*) echo "not ok 1 - ${1##*/}: exit code $rc" ;;
esac
