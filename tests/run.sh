#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh - run a test that is a program or a shell script: COMMAND...; run-py.sh runs those in
# Python.
#
# With CI=true a test fails that is skipped, wholly or in part, because something is "not
# installed": it would stay green for ever, untried. The log, which automake's test-driver makes of
# stdout, tells.
"$@"
rc=$?
log=/proc/$$/fd/1
if [ "${CI-}" = true ] && [ -f "$log" ] && grep -qi 'skip.*not installed' "$log"; then
	echo "FAIL: where CI=true nothing may be missing"
	exit 1
fi
exit "$rc"
