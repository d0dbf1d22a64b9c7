#!/usr/bin/env bash
# rooms.sh - the architecture, checked: a room includes only rooms above it, a foreign library has one home,
# every .c begins with config.h. Reads the source tree only.
set -u
cd "${top_srcdir:-$(dirname "$0")/../..}" || exit 99

# room: rooms that it may include (design: the table of rooms, from the ground up)
declare -A may=(
	[base]=""
	[topo]="base"
	[catalog]="base"
	[conf]="base"
	[plan]="base topo catalog conf"
	[model]="base"
	[access]="base topo plan model"
	[derive]="base plan"
	[sample]="base plan access derive"
	[expo]="base catalog plan sample derive"
	[http]="base"
	[daemon]="base topo catalog conf plan model access derive sample expo http"
	[ctl]="base topo catalog conf plan expo"
)
declare -A home=(
	[libconfig.h]="conf" [microhttpd.h]="http" [seccomp.h]="http" [cap-ng.h]="daemon" [jansson.h]="expo ctl"
	[zlib.h]="expo" [linux/perf_event.h]="access plan" [perfmon/]="plan" [systemd/]="daemon"
)
bad=0 files=0
say() { echo "$1"; bad=1; }

for room in src/*/; do
	room=$(basename "$room")
	[ -n "${may[$room]+x}" ] || say "src/$room: not a room of the table"
done
while IFS= read -r f; do
	files=$((files + 1))
	room=$(echo "$f" | cut -d/ -f2)
	case $f in
	*.c) [ "$(grep -m1 '^#include' "$f")" = '#include "config.h"' ] || say "$f: the first include is not config.h" ;;
	esac
	head -c 400 "$f" | grep -q "$(basename "$f") - " || say "$f: no header comment"
	while IFS= read -r inc; do
		other=${inc%%/*}
		[ "$inc" = config.h ] && continue
		case " $room ${may[$room]-} " in *" $other "*) ;; *) say "$f: includes $inc, a room it must not know" ;; esac
	done < <(sed -n 's/^#include "\(.*\)"/\1/p' "$f")
	while IFS= read -r inc; do
		for lib in "${!home[@]}"; do
			case $inc in
			"$lib"*) case " ${home[$lib]} " in *" $room "*) ;; *) say "$f: <$inc> has its home in ${home[$lib]}" ;; esac ;;
			esac
		done
	done < <(sed -n 's/^#include <\(.*\)>/\1/p' "$f")
done < <(find src -name '*.[ch]' | sort)
[ "$files" -gt 50 ] || say "only $files files seen"
echo "$files files checked"
exit $bad
