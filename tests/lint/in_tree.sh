#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# in_tree.sh - a build in the source tree, ./configure && make, as many do it: the programs run, a
# test of it passes, git sees nothing of it, and make clean leaves nothing. `make check-tree`: it
# takes a minute of two CPUs.
set -eu
src=$(cd "${top_srcdir:-$(dirname "$0")/../..}" && pwd)
command -v git >/dev/null || { echo "SKIP: git is not installed"; exit 77; }
git -C "$src" rev-parse -q --git-dir >/dev/null 2>&1 || {
	echo "SKIP: this is no clone, or another user's"
	exit 77
}
unset MAKEFLAGS MFLAGS MAKELEVEL
at=$(mktemp -d)
trap 'rm -rf "$at"' EXIT

# What git knows of this tree, as it is now.
git -C "$src" ls-files -z | tar -C "$src" --null -T - --ignore-failed-read -cf - |
	tar -xf - -C "$at"
cd "$at"
git init -q . && git add -A
built() { autoreconf -fi && ./configure CFLAGS=-O0 && make -j2; }
built >log 2>&1 || { tail -30 log; echo "it does not build in the source tree"; exit 1; }
for program in uncored uncorectl; do
	./$program --version | grep -q "^$program " || { echo "$program does not run"; exit 1; }
done
one=tests/unit/test_ring
make check check_PROGRAMS=$one TESTS=$one >log 2>&1 ||
	{ tail -30 log; echo "$one fails in the source tree"; exit 1; }
rm log
seen=$(git status --porcelain --untracked-files | grep -v '^A ' || true)
[ -z "$seen" ] || { echo "git sees what the build made:"; echo "$seen"; exit 1; }
make clean >/dev/null
left=$(find . -name '*.o' -o -name uncored -type f)
[ -z "$left" ] || { echo "make clean leaves:"; echo "$left"; exit 1; }
