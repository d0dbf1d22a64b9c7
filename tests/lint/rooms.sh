#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# rooms.sh - the architecture, checked: a room includes only rooms above it, also by way of what it
# includes, and has a use for each that it may include; a foreign library has one home; documents
# draw and list these rooms. Reads the source tree only, without what a build writes into it.
set -u
cd "${top_srcdir:-$(dirname "$0")/../..}" || exit 99

# room: rooms that it may include (design: the table of rooms, from the ground up)
declare -A may=(
	[base]=""
	[topo]="base"
	[catalog]="base"
	[spec]="base topo catalog"
	[conf]="base catalog spec"
	[plan]="base catalog spec"
	[schedule]="base topo catalog spec plan"
	[lower]="base topo catalog spec plan schedule"
	[metric]="base topo catalog spec conf plan schedule"
	[planner]="base topo catalog spec conf plan schedule lower metric"
	[model]="base topo"
	[access]="base topo plan model"
	[derive]="base plan"
	[sample]="base plan access derive"
	[machine]="base topo catalog spec conf plan planner model access"
	[expo]="base topo catalog spec plan sample derive"
	[http]="base"
	[process]="base sample"
	[serve]="base plan sample expo http process"
	[children]="base sample process"
	[verify]="base topo"
	[daemon]="base topo catalog spec conf plan planner access sample machine"
	[ctl]="base topo catalog spec conf plan planner machine expo http verify"
)
may[daemon]+=" expo process children"
declare -A home=(
	[libconfig.h]="conf" [microhttpd.h]="http" [gnutls/]="http"
	[cap-ng.h]="process"
	[jansson.h]="expo ctl machine" [zlib.h]="expo" [protobuf-c/]="expo"
	[linux/perf_event.h]="access model spec" [perfmon/]="spec" [systemd/]="daemon children"
	[dlfcn.h]="spec"
)
bad=0
say() { echo "$1"; bad=1; }

for room in src/*/; do
	room=$(basename "$room")
	[ -n "${may[$room]+x}" ] || say "src/$room: not a room of the table"
done
# The documents have the same rooms: a picture and a table, a table from the ground up.
same() { # WHERE ROOM...
	local where=$1
	shift
	diff <(printf '%s\n' "${!may[@]}" | sort) <(printf '%s\n' "$@" | sort -u) >/dev/null ||
		say "$where: not the rooms of src/"
}
read_rooms() { mapfile -t rooms < <(grep -oP "$1" "$2"); }
read_rooms '\[ \K[a-z]+(?= \])' docs/architecture.md
same "the picture of docs/architecture.md" "${rooms[@]}"
read_rooms '^\| \K(?!room )[a-z]+(?= \|)' docs/architecture.md
same "the table of docs/architecture.md" "${rooms[@]}"
read_rooms '^\| \K[a-z]+(?=/ \|)' <(sed -n '/^## The rooms/,/^## One value/p' HACKING.md)
same "the table of HACKING.md" "${rooms[@]}"
above=" "
for room in "${rooms[@]}"; do
	for known in ${may[$room]-}; do
		[[ $above == *" $known "* ]] || say "HACKING.md: $room/ is not below $known/"
	done
	above+="$room "
done

# What a file says of itself, a line each: "FILE header", "FILE own INCLUDE", "FILE foreign
# INCLUDE". Not of what make wrote, which stands there after a build in the tree.
not_made=()
for file in ${made_sources-}; do not_made+=(! -path "$file"); done
# shellcheck disable=SC2016 # awk expands them
facts=$(find src -name '*.[ch]' "${not_made[@]}" -print0 | sort -z | xargs -0 awk '
	FNR == 1 { n = split(FILENAME, part, "/"); print FILENAME, "file" }
	# A header says what it is below its license; of X.c without a word, X.h does.
	FNR == 2 && (/^ \*/ || part[n] ~ /\.c$/) { print FILENAME, "header" }
	/^#include [<"]/ {
		print FILENAME, (substr($2, 1, 1) == "<" ? "foreign" : "own"),
			substr($2, 2, length($2) - 2)
	}')
declare -A headed=()
files=()
while read -r f what inc; do
	room=${f#src/} room=${room%%/*}
	case $what in
	file) files+=("$f") ;;
	header) headed[$f]=1 ;;
	own)
		case " $room ${may[$room]-} " in *" ${inc%%/*} "*) ;; *)
			say "$f: includes $inc, a room it must not know" ;;
		esac ;;
	foreign)
		for lib in "${!home[@]}"; do
			case $inc in
			"$lib"*)
				case " ${home[$lib]} " in *" $room "*) ;; *)
					say "$f: <$inc> has its home in ${home[$lib]}" ;;
				esac ;;
			esac
		done ;;
	esac
done <<<"$facts"
for f in "${files[@]}"; do
	[ -n "${headed[$f]-}" ] || say "$f: no header comment"
done
# What a header brings along counts like what is included.
declare -A own=() seen=() used=()
while read -r f what inc; do
	[ "$what" = own ] && [ -f "src/$inc" ] && own[$f]+=" src/$inc"
done <<<"$facts"
reach() { # FILE ROOM BY: complain about every room behind FILE that ROOM must not know
	local h room
	for h in ${own[$1]-}; do
		room=${h#src/} room=${room%%/*}
		[ -z "${seen[$2 $h]-}" ] || continue
		seen[$2 $h]=1
		used[$2 $room]=1
		case " $2 ${may[$2]-} " in *" $room "*) ;; *)
			say "src/$2: gets $h by way of $3, a room it must not know" ;;
		esac
		reach "$h" "$2" "$h"
	done
}
for f in "${files[@]}"; do
	room=${f#src/}
	reach "$f" "${room%%/*}" "$f"
done
for room in "${!may[@]}"; do
	for known in ${may[$room]}; do
		[ -n "${used[$room $known]-}" ] || say "src/$room: has no use for $known"
	done
done
[ "${#files[@]}" -gt 50 ] || say "only ${#files[@]} files seen"
echo "${#files[@]} files checked"
exit $bad
