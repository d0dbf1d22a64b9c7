#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# owners.sh - what one file of src/sample owns no other file there writes.
#
# Most of it is a struct that only its file defines, or that others get const, so that the compiler
# sees to it. These are open, as every tick reads them.
set -u
src=$(cd "${top_srcdir:-$(dirname "$0")/../..}" && pwd)/src/sample || exit 99
bad=0
gets='([-+|&*]?=[^=]|\+\+|--)'

# owner FILE MEMBER...: `s->MEMBER` or `st[i].MEMBER`, or a member of it, gets a value elsewhere
owner() {
	local file=$1 member found
	shift
	for member; do
		grep -q "[>.]$member\b" "$src/$file" || { echo "$file has no $member"; bad=1; }
		found=$(grep -nE "(s->|st(\[[a-z]\]\.|->))$member\b(\.[a-z_]+)* *$gets" \
			"$src"/*.[ch] | grep -v "/$file:")
		[ -z "$found" ] && continue
		printf '%s is of %s alone:\n%s\n' "$member" "$file" "$found"
		bad=1
	done
}

owner span.c clock window
owner slot_read.c read
owner slot_time.c times times_of_round
owner rotate.c round running ops tick
owner turns.c turns
owner overflow_time.c overflow_time
owner metric_samples.c distributions
owner counters.c counters
owner active.c active
owner slot_check.c arming
owner standing.c standing moved

# One word, one thing: active seconds are what is published (active.c); what counted has counted.
found=$(grep -nE '\bactive' "$src"/*.[ch] |
	grep -vE '/(active\.c|layout\.[ch]|daemon_metrics\.h):' |
	grep -vE 'active_(new|span|publish)|struct active|active seconds|metric_active|active\.c')
[ -z "$found" ] && exit $bad
printf 'active means published active seconds:\n%s\n' "$found"
exit 1
