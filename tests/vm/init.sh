#!/bin/sh
# init.sh - PID 1 of the guest: mounts, then runs what comes over the second serial port.
#
# Command: one line, a shell script in base64. Answer: "EXIT LENGTH LENGTH", then that many bytes of its stdout and stderr.
# The first line of all is "ready".
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t securityfs securityfs /sys/kernel/security
mount -t tmpfs tmpfs /tmp
mount -t tmpfs tmpfs /run
ip link set lo up
stty -F /dev/ttyS1 raw -echo
exec 3<>/dev/ttyS1
echo ready >&3
while read -r line <&3; do
	echo "$line" | base64 -d >/run/command
	sh /run/command </dev/null >/run/out 2>/run/err 3<&-
	echo "$? $(stat -c %s /run/out) $(stat -c %s /run/err)" >&3
	cat /run/out /run/err >&3
done
poweroff -f
