#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# layout.sh - the number by which uncored and uncored-http know that they are of one build follows
# what both have to read alike.
set -u
src=$(cd "${top_srcdir:-$(dirname "$0")/../..}" && pwd) || exit 99
build=$(cd "${top_builddir:-$src}" && pwd) || exit 99
[ -f "$build/config.h" ] || { echo "there is no config.h in $build: configure first"; exit 99; }
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cp -r "$src/src" "$tmp/src" && chmod -R u+w "$tmp/src" || exit 99
bad=0

number() {
	# shellcheck disable=SC2086 # CC may have options
	sh "$src/src/process/layout.sh" "$tmp/src" \
		${CC:-cc} -DHAVE_CONFIG_H -I"$tmp/src" -I"$build" -E -dD -
}
before=$(number)
[[ $before =~ ^[0-9a-f]{16}$ ]] || { echo "layout.sh: '$before' is no number"; exit 1; }
# FILE, what a sed script makes of it, and whether that has to be another number
while read -r file script other; do
	sed -i "$script" "$tmp/src/$file"
	cmp -s "$src/src/$file" "$tmp/src/$file" && {
		echo "$file has no place for $script"
		bad=1
	}
	after=$(number)
	[ "$([ "$after" = "$before" ] && echo same || echo other)" = "$other" ] || {
		echo "$file: $script: $before, $after"
		bad=1
	}
	cp "$src/src/$file" "$tmp/src/$file"
done <<'END'
expo/description.h s/^#include/\/*x*\/\n&/ same
expo/description.h s/DESC_U64,/DESC_NEW,&/ other
expo/description.h s/double.scale;/float\x20scale;/ other
sample/layout.h s/W_ROUND,/W_NEW,&/ other
sample/daemon_metrics.h s/SOCKET,.TICKS/SOCKET,\x20NEW/ other
sample/ring.h s/RING_BUFFERS.4/RING_BUFFERS\x205/ other
process/shared.c s/names_len,.mem_len;/mem_len,names_len;/ other
process/shared.h s/SHARED_SOCKETS_MAX.64/SHARED_SOCKETS_MAX\x2065/ other
http/http.h s/nsec.stream_deadline/nsec\x20new,stream_deadline/ same
END
exit "$bad"
