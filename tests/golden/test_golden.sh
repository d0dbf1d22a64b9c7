#!/bin/bash
# SPDX-License-Identifier: MIT
# What uncored plans, writes, exposes and complains about, compared with what was judged right
# before. UPDATE_GOLDEN=1 (make update-golden) writes the files anew: read the difference before you
# commit it.
here=${top_srcdir:?}/tests/golden
bin=${top_builddir:?}
ctl=$bin/uncorectl daemon=$bin/uncored golden=$bin/tests/golden/golden
unset JOURNAL_STREAM
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
bad=0

# golden FILE COMMAND...: stdout and, after a failure, its exit code
golden() {
	local file=$1
	shift
	(cd "$here/conf" && "$@") >"$work/out" 2>"$work/err"
	local code=$?
	cat "$work/err" >>"$work/out"
	[ $code = 0 ] || echo "exit code $code" >>"$work/out"
	if [ -n "$UPDATE_GOLDEN" ]; then
		cp "$work/out" "$here/expected/$file"
	elif ! diff -u "$here/expected/$file" "$work/out"; then
		echo "FAIL: $file is not as expected: $*"
		bad=1
	fi
}

for c in memory links filters turns windows; do
	golden $c.plan.txt "$ctl" plan -v -c $c.conf -p nehalem-ex --sockets 1
	golden $c.writes.txt "$golden" writes $c.conf
done
golden default.plan.txt "$ctl" plan -c default.conf -p nehalem-ex --sockets 1
golden default.prom "$golden" page default.conf prometheus
golden turns.prom "$golden" page turns.conf prometheus
golden turns.openmetrics "$golden" page turns.conf openmetrics
golden links.prom "$golden" page links.conf prometheus

golden encode-session.json "$ctl" encode bbox/CONFLICTS -p nehalem-ex --counter 3 --json
golden encode-flits.json \
	"$ctl" encode rbox/FLITS_SENT,port=1,iperf=1 -p nehalem-ex --counter 3 --json
golden encode-fvc.json "$ctl" encode mbox/FVC_EV1:BBOX_RSP_ACK -p nehalem-ex --json
golden encode-match.json "$ctl" encode sbox1/TO_R_PROG_EV,match=0x80000000000 -p nehalem-ex --json
golden encode-fixed.json "$ctl" encode wbox/CLOCKTICKS -p nehalem-ex --json

for c in "$here"/conf/bad-*.conf; do
	c=${c##*/}
	golden "${c%.conf}.txt" "$daemon" --check-config -c "$c" --processor nehalem-ex
done

# The writes worked out by hand stand in the transcripts.
while read -r c phase register value; do
	case $c in '' | '#'*) continue ;; esac
	if ! awk -v p="$phase" '/^#/ { on = $2 == p } on' "$here/expected/$c.writes.txt" |
		grep -q "^socket 0: W $register $value "; then
		echo "FAIL: $c: no write of $value to $register in phase $phase"
		bad=1
	fi
done <"$here/judged.txt"
exit $bad
