#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# apart.sh - what the linker proves: uncored-http, which parses what comes from the network, holds
# no code that could write a register or open a perf event; uncored, which does both, holds none
# that parses HTTP, and none of protobuf or zlib: it prints text and JSON. ldd sees all that either
# loads. The tables of the kernel's PMUs are for who plans: uncored-http would hold them in memory.
set -u
src=$(cd "${top_srcdir:-$(dirname "$0")/../..}" && pwd) || exit 99
cd "${top_builddir:-.}" || exit 99
[ -x uncored-http ] || { echo "there is no uncored-http in $PWD: make first"; exit 99; }
grep -q 'define UNCORED_SANITIZED 1' config.h && {
	echo "SKIP: sanitizers add libraries and symbols of their own"
	exit 77
}
command -v nm >/dev/null || { echo "SKIP: nm is not installed (Debian: binutils)"; exit 77; }
command -v ldd >/dev/null || { echo "SKIP: ldd is not installed (Debian: libc-bin)"; exit 77; }
bad=0

# What a program defines and what it asks others for, without versions.
symbols() { nm -g "$1" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u; }
# What the objects of a room define for others; those whose source has gone are of an older build.
room() {
	local c
	for c in "$src/src/$1"/*.c; do
		c=${c##*/}
		case $c in uncored*.c) ;; *) nm --defined-only -g "src/$1/${c%.c}.o" 2>&1 ;; esac
	done | awk 'NF == 3 { print $3 } /No such file/ { print > "/dev/stderr" }' | sort -u
}
# PROGRAM none|some NAME REGEX: of the names on standard input; the rows that want some show that
# the others could fail.
has() {
	local found
	found=$(grep -xE "$4" | tr '\n' ' ')
	case $2 in
	none) [ -z "$found" ] || { echo "$1 has $3: $found"; bad=1; } ;;
	some) [ -n "$found" ] || { echo "$1 has no $3, or this test does not see it"; bad=1; } ;;
	esac
}
while read -r program how kind what; do
	case $kind in
	room)
		has "$program" "$how" "$what/" '.*' < <(
			comm -12 <(symbols "$program") <(room "$what")) ;;
	symbol) has "$program" "$how" "$what" "$what" < <(symbols "$program") ;;
	library) has "$program" "$how" "$what" ".*$what.*" < <(ldd "$program") ;;
	text)
		has "$program" "$how" "$what" ".*$what.*" < <(
			tr '\0' '\n' <"$program" | grep -aE "$what") ;;
	esac
done <<'END'
uncored-http none room access
uncored-http none room model
uncored-http none room daemon
uncored-http none room conf
uncored-http none room machine
uncored-http none symbol p(read|write)v?(64)?v?2?
uncored-http none symbol (ioctl|syscall|io_.*|process_vm_.*)
uncored-http none symbol (sd_|config_|pfm_|posix_spawn|exec|fork|dl(open|m?open|sym)).*
uncored-http none symbol cat_perf.*
uncored-http none library (systemd|config|pfm)
uncored-http none text /cpu/.*msr
uncored-http some room serve
uncored-http some room http
uncored-http some symbol MHD_.*
uncored-http some symbol gnutls_global_init
uncored-http some symbol cat_nehalem_ex
uncored-http some library microhttpd
uncored-http some symbol expo_protobuf
uncored-http some symbol protobuf_c_.*
uncored-http some symbol deflate
uncored-http some library (protobuf-c|libz\.)
uncored none room http
uncored none room serve
uncored none symbol MHD_.*
uncored none symbol (expo_protobuf|expo__.*|protobuf_c_.*|deflate.*|zlib.*)
uncored none library (microhttpd|gnutls|protobuf|libz\.)
uncorectl none symbol (expo_protobuf|protobuf_c_.*|deflate.*)
uncored some room access
uncored some symbol pwrite(64)?
uncored some symbol syscall
uncored some symbol sd_event_.*
uncored some library systemd
uncored some text /cpu/.*msr
END
# Where the compiler has instructions for floor() and its like, uncored needs no libm: 0.3 MB.
# (Another library may: Debian 13's jansson.)
nm -u src/conf/metric.o | grep -qw floor ||
	has uncored none "library libm" '.*libm\..*' < <(readelf -d uncored | grep NEEDED)
exit "$bad"
