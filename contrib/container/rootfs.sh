#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# rootfs.sh BUILD DIR - what the image holds, from a build tree: the programs with the small
# libraries inside (contrib/local.mk), the other libraries that they load, the machines that
# --machine knows, a configuration; no shell, no package manager.
set -eu -o pipefail
build=$1 root=$2
umask 022

rm -rf "$root"
mkdir -p "$root"
make -s -C "$build" install DESTDIR="$(realpath "$root")/all" >/dev/null
[ -e "$root/all/usr/sbin/uncored" ] || {
	echo "rootfs.sh: $build installs elsewhere; configure it with --prefix=/usr" >&2
	exit 1
}
for program in usr/sbin/uncored usr/libexec/uncored/uncored-http usr/bin/uncorectl; do
	linked=contrib/container/$(basename "$program")
	make -s -C "$build" "$linked" >/dev/null
	install -D -s "$build/$linked" "$root/$program"
	LD_PRELOAD="" ldd "$root/$program" | grep -oE '/[^ ]+' | while read -r library; do
		[ -e "$root$library" ] || install -D "$(realpath "$library")" "$root$library"
	done
done
mkdir -p "$root/usr/share/uncored"
mv "$root/all/usr/share/uncored/machines" "$root/usr/share/uncored/"
rm -r "$root/all"
mkdir -p "$root/run/uncored" "$root/etc" "$root/proc" "$root/sys" "$root/dev" "$root/tmp"
# On a machine without counters it waits, as under systemd, instead of being started over and over.
cat >"$root/etc/uncored.conf" <<'EOF'
listen = [ "0.0.0.0:10062" ];
without_counters = "serve";
EOF
printf 'root:x:0:0::/:/\nuncored:x:65532:65532::/:/\n' >"$root/etc/passwd"
printf 'root:x:0:\nuncored:x:65532:\n' >"$root/etc/group"
setcap cap_perfmon=ep "$root/usr/sbin/uncored"
