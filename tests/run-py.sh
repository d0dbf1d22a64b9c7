#!/usr/bin/env bash
# run-py.sh - run a Python test for automake's TAP driver, so that each of its parts is counted by itself.
#
# A script that prints no plan ("1..N") is one test: its exit code says how it went, 77 that it was skipped.
if [ -z "${PYTHON3-}" ]; then
	echo "1..0 # SKIP python3 is not installed"
	exit 0
fi
planned=false; last=''; rc=''
while IFS= read -r line; do
	case $line in
	1..*) planned=true ;;
	SKIP:*) last=$line ;;
	"exit code "*) rc=${line#exit code }; continue ;;
	esac
	printf '%s\n' "$line"
done < <("$PYTHON3" -B "$@" 2>&1; echo "exit code $?")
$planned && exit "$rc"
echo 1..1
case $rc in
0) echo "ok 1 - ${1##*/}" ;;
77) echo "ok 1 - ${1##*/} # SKIP ${last#SKIP: }" ;;
*) echo "not ok 1 - ${1##*/}: exit code $rc" ;;
esac
