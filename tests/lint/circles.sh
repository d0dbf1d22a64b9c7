#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# circles.sh - inside a room, too, calls go one way: no file of it calls another that calls it back,
# directly or through others. The objects of a build say who calls whom.
set -u
src=$(cd "${top_srcdir:-$(dirname "$0")/../..}" && pwd) || exit 99
cd "${top_builddir:-.}" || exit 99
[ -f libuncored.a ] || { echo "there is no libuncored.a in $PWD: make first"; exit 99; }
command -v nm >/dev/null || { echo "SKIP: nm is not installed (Debian: binutils)"; exit 77; }
bad=0 calls=0

for room in "$src"/src/*/; do
	room=$(basename "$room")
	# an object whose source is gone is of an earlier build
	objects=()
	for c in "$src/src/$room"/*.c "$src/src/$room"/*/*.c; do
		o=${c#"$src/"} o=${o%.c}.o
		[ -f "$o" ] && objects+=("$o")
	done
	[ "${#objects[@]}" -gt 0 ] || continue
	# "CALLER CALLED", a line each. Tables that point to each other are no calls.
	pairs=$(nm -A -g "${objects[@]}" | awk '
		{ file = $1; sub(/:.*/, "", file); sub(/.*\//, "", file); sub(/\.o$/, "", file) }
		$(NF - 1) ~ /^[TW]$/ { of[$NF] = file }
		$(NF - 1) == "U" { asks[file, $NF] = 1 }
		END {
			for (pair in asks) {
				split(pair, part, SUBSEP)
				if (part[2] in of)
					print part[1], of[part[2]]
			}
		}' | sort)
	[ -z "$pairs" ] && continue
	calls=$((calls + $(wc -l <<<"$pairs")))
	found=$(tsort <<<"$pairs" 2>&1 >/dev/null) && continue
	echo "src/$room: files that call each other in a circle; move what they share into a file"
	echo "that calls none of them:"
	# a name a line: the files of one circle, between two lines about a loop
	sed 's/^tsort: //; s/^-: input contains a loop:$/ circle:/' <<<"$found"
	bad=1
done
[ "$calls" -gt 100 ] || { echo "only $calls calls between files were found"; exit 1; }
exit "$bad"
