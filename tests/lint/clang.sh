#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# clang.sh - clang has nothing to warn of, with the flags of configure, whichever compiler makes the
# programs. It compiles nothing: warnings that only an optimizer finds are not looked for.
set -u
src=$(cd "${top_srcdir:-$(dirname "$0")/../..}" && pwd) || exit 99
cd "${top_builddir:-$src}" || exit 99
clang=$(command -v clang || compgen -c clang- | grep -xE 'clang-[0-9]+' | sort -V | tail -1)
[ -n "$clang" ] || { echo "SKIP: clang is not installed"; exit 77; }

flags=() sources=() what=
while read -r line; do
	case $what:$line in
	*:flags | *:sources) what=$line ;;
	flags:*) flags+=("$line") ;;
	sources:*.c)
		[ -e "$line" ] || line=$src/$line
		sources+=("$line") ;;
	esac
done < <(env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s compiled)
[ "${#sources[@]}" -gt 300 ] || { echo "make compiled: only ${sources[*]}"; exit 1; }
printf '%s\0' "${sources[@]}" | sort -zu |
	xargs -0 -n 16 -P "$(nproc)" "$clang" -fsyntax-only -Werror "${flags[@]}" || exit 1
echo "${#sources[@]} files"
