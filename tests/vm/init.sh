#!/bin/sh
# SPDX-License-Identifier: MIT
# init.sh - PID 1 of the guest: mounts, then answers (answer.sh).
#
# In an image with systemd that is PID 1 and answers as a service; from a tmpfs, because services
# get their file systems by moving the root, which cannot be done with an initramfs.
[ $$ = 1 ] || { echo "init.sh is PID 1 of a guest, and nothing else" >&2; exit 1; }
/bin/busybox --install -s /bin
if [ -e /lib/systemd/systemd ]; then
	modules=/lib/modules/$(uname -r)
	mkdir -p "$modules"
	mv /*.ko "$modules"
	for m in "$modules"/*.ko; do echo "${m##*/}:"; done >"$modules/modules.dep"
	mkdir /new
	mount -t tmpfs -o size=80% tmpfs /new
	cp -a /answer.sh /bin /etc /lib* /sbin /usr /new
	mkdir /new/dev /new/proc /new/run /new/sys /new/tmp /new/var
	exec switch_root /new /lib/systemd/systemd
fi
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t securityfs securityfs /sys/kernel/security
mount -t tmpfs tmpfs /tmp
mount -t tmpfs tmpfs /run
ip link set lo up
sh /answer.sh
poweroff -f
