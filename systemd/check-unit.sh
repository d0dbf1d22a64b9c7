#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-unit.sh - the unit files as systemd itself judges them: no complaint, and with each drop-in
# an exposure no worse than today's. The score rates settings only; that the daemon lives under them
# is shown by tests/vm/service.py.
set -u
command -v systemd-analyze >/dev/null || { echo "SKIP: systemd-analyze is not installed"; exit 77; }
src=${top_srcdir:-$(dirname "$0")/..}
bin=${top_builddir:-$src}
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT

if ! grep -qE '^ExecStart=/[^@]*/uncored ' "$bin/systemd/uncored.service" ||
	grep -n '@[A-Za-z_]*@' "$bin/systemd/uncored.service"; then
	echo "systemd/uncored.service was not filled in"
	exit 1
fi
# What may pass by itself, exit code 75 of uncored(8), is tried again five times.
for line in Restart=on-failure RestartSec=5 'RestartPreventExitStatus=64 69 77 78 127' \
	StartLimitIntervalSec=90 StartLimitBurst=5; do
	grep -qx "$line" "$bin/systemd/uncored.service" || {
		echo "systemd/uncored.service has no line $line"
		exit 1
	}
done
# verify wants the programs to exist: the ones just built serve
sed "s|^\(Exec[A-Za-z]*=[-+]*\)/[^ ]*/uncored |\1$bin/uncored |" "$bin/systemd/uncored.service" \
	>"$tmp/uncored.service"
cp "$src/systemd/uncored.socket" "$tmp/"
said=$(SYSTEMD_LOG_LEVEL=info systemd-analyze verify --man=no \
	"$tmp/uncored.service" "$tmp/uncored.socket" 2>&1)
rc=$?
# units of the machine that ours refer to are not ours to judge
ours=$(grep -i uncored <<<"$said")
if [ -n "$ours" ]; then
	echo "systemd-analyze verify (exit code $rc):"
	echo "$ours"
	exit 1
fi

# Tenths, as systemd 252 has them, and the drop-ins that they are for. bound.conf costs the one call
# that binds a sampler to its CPU.
while read -r worst dropins; do
	cp "$tmp/uncored.service" "$tmp/rated.service"
	for dropin in $dropins; do
		cat "$src/systemd/$dropin.conf" >>"$tmp/rated.service"
	done
	if ! systemd-analyze security --offline=true --threshold="$worst" \
		"$tmp/rated.service" >"$tmp/score" 2>&1; then
		if grep -q 'unrecognized option' "$tmp/score"; then
			echo "SKIP: this systemd-analyze cannot rate a unit that is not running"
			exit 77
		fi
		cat "$tmp/score"
		if grep -q "Failed to create directory '/run/systemd" "$tmp/score"; then
			echo "SKIP: systemd-analyze wants to make /run/systemd, which only root may"
			exit 77
		fi
		echo "the unit with drop-ins \"$dropins\" is more exposed than $worst tenths"
		exit 1
	fi
	echo "$dropins: $(tail -n 1 "$tmp/score")"
done <<'END'
18
20 bound
17 loopback
10 socket
6 socket perf
END
