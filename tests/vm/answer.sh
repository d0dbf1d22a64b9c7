#!/bin/sh
# SPDX-License-Identifier: MIT
# answer.sh - runs what comes over the second serial port of the guest
# (ANSWER= of the kernel's command line names another).
#
# Command: one line, a shell script in base64. Answer: "EXIT LENGTH LENGTH", then that many bytes of
# its stdout and stderr. The first line of all is "ready".
tty=/dev/${ANSWER:-ttyS1}
stty -F "$tty" raw -echo
exec 3<>"$tty"
echo ready >&3
while read -r line <&3; do
	echo "$line" | base64 -d >/run/command
	sh /run/command </dev/null >/run/out 2>/run/err 3<&-
	echo "$? $(stat -c %s /run/out) $(stat -c %s /run/err)" >&3
	cat /run/out /run/err >&3
done
