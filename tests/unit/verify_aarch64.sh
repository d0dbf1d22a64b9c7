#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# verify_aarch64.sh - the load and the judgement of uncorectl verify on aarch64, under qemu-user:
# the kernels move and count each byte. No figures: qemu's are of no use.
#
# Left out: what asks about this process, which is qemu itself.
set -eu
cc=aarch64-linux-gnu-gcc
src=${top_srcdir:-.}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static) || {
	echo "SKIP: qemu-user is not installed"
	exit 77
}
if ! command -v $cc >/dev/null || ! echo '#include <stdio.h>' | $cc -E - >/dev/null 2>&1; then
	echo "SKIP: gcc-aarch64-linux-gnu or libc6-dev-arm64-cross is not installed"
	exit 77
fi
cp "$src/tests/unit/small_cmocka.h" "$dir/cmocka.h"
export UNCORED_TEST_SKIP="test_no_memory test_nothing_left"
for t in load bank; do
	$cc -std=gnu17 -O2 -Wall -Wextra -static -D_GNU_SOURCE \
		-include "${top_builddir:-.}/config.h" -I"$dir" -I"$src/src" \
		-o "$dir/$t" "$src/tests/unit/test_verify_$t.c" \
		"$src"/src/verify/*.c "$src"/src/topo/{topo,memory,sysfile,cpuinfo}.c \
		"$src"/src/base/*.c -lm -lpthread
	"$qemu" "$dir/$t"
done
"${cc%gcc}objdump" -d --disassemble=load_chunk "$dir/load" | grep -qw stnp || {
	echo "the kernel of LOAD_STREAM has no store that goes past the caches"
	exit 1
}
