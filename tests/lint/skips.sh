#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# skips.sh - a test that was skipped inside a program of cmocka is counted as skipped (run.sh).
set -eu
run=${top_srcdir:-.}/tests/run.sh
said=$(mktemp)
trap 'rm -f "$said"' EXIT

results() { # of a program that prints $1 and ends with $2; CI=$3
	printf '%s\n' "$1" > "$said"
	CI=$3 bash "$run" sh -c "cat '$said'; exit $2" test_x | grep -E '^(ok|not ok|1\.\.)' || true
}

expect() { # what $1 is to be, what it is
	[ "$2" = "$3" ] && return
	printf '%s:\n%s\ninstead of\n%s\n' "$1" "$3" "$2"
	exit 1
}

two='[ RUN      ] test_a
[       OK ] test_a
[ RUN      ] test_b
needs root
[  SKIPPED ] test_b
[ RUN      ] test_c
[  SKIPPED ] test_c
[  PASSED  ] 1 test(s).
[  SKIPPED ] 2 test(s), listed below:
[  SKIPPED ] test_b
[  SKIPPED ] test_c'
expect "one that says SKIP:" '1..2
ok 1 - test_x
ok 2 - test_x: test_b # SKIP no such device' "$(results '[ RUN      ] test_b
SKIP: no such device
[  SKIPPED ] test_b' 0 false)"
expect "two skipped" '1..3
ok 1 - test_x
ok 2 - test_x: test_b # SKIP needs root
ok 3 - test_x: test_c # SKIP it does not say why' "$(results "$two" 0 false)"
expect "two skipped, one failed" '1..3
not ok 1 - test_x: exit code 1
ok 2 - test_x: test_b # SKIP needs root
ok 3 - test_x: test_c # SKIP it does not say why' "$(results "$two" 1 false)"
expect "none" '1..1
ok 1 - test_x' "$(results 'ok 7 things
not ok, but no result' 0 false)"
expect "all" '1..1
ok 1 - test_x # SKIP nm is not installed' "$(results 'SKIP: nm is not installed' 77 false)"
expect "missing in CI" '1..1
not ok 1 - test_x: where CI=true nothing may be missing' \
	"$(results 'SKIP: nm is not installed' 77 true)"
expect "crashed" '1..1
not ok 1 - test_x: exit code 139' "$(results 'half a line' 139 false)"
echo "seven cases"
