#!/bin/sh
# SPDX-License-Identifier: MIT
# certify.sh - does uncored count rightly on this machine? Measures it once, and leaves one file.
#
#     sudo ./certify.sh [--quick] [-o FILE] [PACKAGE.deb... | TARBALL | DIRECTORY]
#
# Installs the packages, or takes the programs from the tarball or directory (of a build, or of
# `make install DESTDIR=`); with neither: of a build beside this script, or what is installed. Runs
# doctor and verify, in a directory of its own and on a socket of its own; then removes all that it
# brought. The file (uncored-certificate.json) is below 200 kB, and says nothing of whose machine
# this is: no name of a host, serial number, address. docs/verified/README.md has the steps.
# Options for the programs come from UNCORED_OPTIONS and UNCORECTL_OPTIONS.
set -u

me=certify.sh
most=200000 # bytes
out=uncored-certificate.json
quick=
work=
pid=
purge=

say() { echo "$me: $*" >&2; }
fail() { # CODE WORDS...
	code=$1
	shift
	say "$*"
	exit "$code"
}
usage() { sed -n 's/^# \{0,1\}//; 2,13p' "$0" >&2; }

# shellcheck disable=SC2317
stop() {
	[ -n "$pid" ] || return 0
	kill -TERM "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	pid=
}
# What it brought goes again, however it ends.
# shellcheck disable=SC2317 # a trap calls it
clean() {
	stop
	if [ -n "$purge" ]; then
		# shellcheck disable=SC2086 # a list of words
		DEBIAN_FRONTEND=noninteractive dpkg --purge $purge >"$work/purge" 2>&1 ||
			say "could not remove $purge: $(tail -n 1 "$work/purge")"
	fi
	[ -z "$work" ] || rm -rf "$work"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# ---- the programs

packages() { dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null |
	sed -n 's/^installed //p' | sort; }

install_packages() { # FILE.deb...
	packages | grep -qx uncored && fail 69 "uncored is installed already: give no package"
	packages >"$work/before"
	say "installing $*"
	if command -v apt-get >/dev/null; then
		for f; do
			case $f in */*) set -- "$@" "$f" ;; *) set -- "$@" "./$f" ;; esac
			shift
		done
		DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" \
			>"$work/install" 2>&1
	else
		dpkg -i "$@" >"$work/install" 2>&1
	fi
	code=$?
	packages >"$work/after"
	purge=$(sort "$work/before" "$work/before" "$work/after" | uniq -u | tr '\n' ' ')
	[ "$code" -eq 0 ] || fail 69 "cannot be installed: $(tail -n 3 "$work/install")"
	# The service counts, too, and there are only so many counters.
	command -v systemctl >/dev/null && systemctl stop uncored
}

# Copies, because each program looks for the others beside itself.
take_programs() { # DIRECTORY
	mkdir "$work/bin"
	for name in uncored uncored-http uncorectl; do
		found=
		for at in "$1" "$1"/bin "$1"/sbin "$1"/libexec/uncored "$1"/usr/bin "$1"/usr/sbin \
			"$1"/usr/libexec/uncored "$1"/usr/local/bin "$1"/usr/local/sbin \
			"$1"/usr/local/libexec/uncored; do
			[ -z "$found" ] && [ -f "$at/$name" ] && found=$at/$name
		done
		[ -n "$found" ] || fail 69 "there is no $name in $1"
		cp "$found" "$work/bin/$name"
	done
	PATH=$work/bin:$PATH
}

while [ $# -gt 0 ]; do
	case $1 in
	--quick) quick=--quick ;;
	-o) [ $# -gt 1 ] || { usage; exit 64; }
		out=$2
		shift ;;
	-h | --help)
		usage
		exit 0 ;;
	-*)
		usage
		exit 64 ;;
	*) break ;;
	esac
	shift
done
[ "$(id -u)" -eq 0 ] || fail 77 "counting needs root: run it with sudo"
command -v systemctl >/dev/null && systemctl -q is-active uncored 2>/dev/null &&
	fail 75 "uncored counts here already: systemctl stop uncored"
umask 022
work=$(mktemp -d) || exit 75
here=$(dirname "$0")/..
case ${1-} in
*.deb) install_packages "$@" ;;
"")
	if [ -x "$here/build/uncored" ]; then
		take_programs "$here/build"
	else
		command -v uncored >/dev/null ||
			fail 69 "uncored is not here: give a package, a tarball or a directory"
	fi ;;
*)
	if [ -d "$1" ]; then
		take_programs "$1"
	else
		mkdir "$work/unpacked"
		tar -C "$work/unpacked" -xf "$1" || fail 69 "$1 is no tarball"
		take_programs "$work/unpacked"
	fi ;;
esac
uncorectl --version >"$work/version" 2>&1 || fail 69 "does not run here: $(cat "$work/version")"

# ---- the measurement

# Whose machine it is, as far as the machine knows: each in a line.
identity() {
	hostname
	hostname -f
	cat /etc/machine-id /sys/class/net/*/address
	cat /sys/class/dmi/id/product_serial /sys/class/dmi/id/product_uuid \
		/sys/class/dmi/id/board_serial /sys/class/dmi/id/chassis_serial
}
owned() { # FILE: of whoever called sudo
	[ -z "${SUDO_UID-}" ] || chown "$SUDO_UID:${SUDO_GID-$SUDO_UID}" "$1"
}
# Ends where one of these stands in the file. What is measured is not lost: it is kept apart.
tells_nobody() { # FILE [APART]
	identity 2>/dev/null | grep -E '^[A-Za-z0-9.:-]{4,}$' |
		grep -Ev '^(localhost|00:00:00:00:00:00)$' | sort -u >"$work/identity"
	if grep -Fwi -f "$work/identity" "$1" >"$work/told" && [ -s "$work/identity" ]; then
		say "the file would tell whose machine this is, and is not left:"
		say "$(cut -c1-100 "$work/told")"
		[ -n "${2-}" ] || fail 70 \
			"a host that is named like a word of it needs another name (hostname)"
		rm -f "$2"
		(umask 077 && cp "$1" "$2") || exit 77
		owned "$2"
		say "$2 has what was measured, for you alone. Take that word out"
		say "where it is a name; what every such file has (verify) tells nothing. Then:"
		fail 70 "mv $2 $out"
	fi
}

# What verify found beside what is right, of each metric: "memory_read_bytes_total copies".
not_right() { # VERIFY.json
	awk -F '"' '$2 == "metric" { metric = $4 }
		/"causes": \[/ { inside = 1; next }
		/]/ { inside = 0 }
		inside && $2 != "right" { found[metric " " $2] }
		/"agrees": false/ { found["perf disagrees"] }
		END { for (f in found) print f }' "$1" | sort | paste -sd , - | sed 's/,/, /g'
}

mkdir -m 711 "$work/run"
mkdir -m 755 "$work/state"
chmod 711 "$work"
echo 'interval = "'"$([ -n "$quick" ] && echo 100ms || echo 1s)"'";' >"$work/uncored.conf"
of_uncored="-c $work/uncored.conf --path-run $work/run --path-state $work/state"
of_ctl="--path-run $work/run --path-state $work/state ${UNCORECTL_OPTIONS-}"
url=unix:$work/run/http

# doctor says which files it read: no path that somebody chose.
# shellcheck disable=SC2086 # a list of words, here and below
(cd "$work" && uncorectl doctor --json -c uncored.conf --path-run run --path-state state \
	${UNCORECTL_OPTIONS-}) >"$work/doctor.json" 2>"$work/doctor.said"
doctor=$?
# What is known before the measurement: afterwards its minutes would be lost.
# shellcheck disable=SC2086
{ cat "$work/doctor.json" /sys/class/dmi/id/bios_version
	uncorectl capture ${UNCORECTL_OPTIONS-}; } >"$work/known" 2>/dev/null
tells_nobody "$work/known"
# shellcheck disable=SC2086
uncored --listen "$url" $of_uncored ${UNCORED_OPTIONS-} >"$work/log" 2>&1 &
pid=$!
n=0
until uncorectl top --batch -r 1 --url "$url" >/dev/null 2>&1; do
	n=$((n + 1))
	if [ $n -gt 100 ] || ! kill -0 "$pid" 2>/dev/null; then
		say "uncored does not count here: $(tail -n 1 "$work/log")"
		break
	fi
	sleep 0.2
done
say "moving memory for ${quick:+less than }a minute; the machine should do nothing else"
# shellcheck disable=SC2086
uncorectl verify --json $quick --url "$url" $of_ctl >"$work/verify" 2>"$work/verify.said"
verify=$?
grep -E '^uncorectl: (not )?kept|^[0-9]* (of|more) ' -v "$work/verify.said" >&2
[ "$verify" -ne 1 ] || say "verify found: $(not_right "$work/verify")"
curve=
if [ "$verify" -eq 0 ] && [ -z "$quick" ]; then
	say "looking for the knee of the memory, for three minutes"
	# shellcheck disable=SC2086
	uncorectl verify --curve --url "$url" $of_ctl >"$work/curve.said" 2>&1
	curve=$?
	[ "$curve" -eq 0 ] || say "no curve: $(tail -n 1 "$work/curve.said")"
fi
stop

# ---- the file

# A member whose value is a document, where there is one.
member() { # NAME FILE
	[ -s "$2" ] || return 0
	printf ',\n"%s":\n' "$1"
	cat "$2"
}
{
	printf '{"format": "uncored-certificate-1",\n"exit": {"doctor": %d, "verify": %d' \
		"$doctor" "$verify"
	[ -z "$curve" ] || printf ', "curve": %d' "$curve"
	printf '}'
	member doctor "$work/doctor.json"
	member verify "$work/verify"
	member curve "$work/state/curve.json"
	echo '}'
} >"$work/certificate"

tells_nobody "$work/certificate" "$out.private"
bytes=$(wc -c <"$work/certificate")
[ "$bytes" -lt $most ] || fail 70 "the file would have $bytes bytes, more than $most"
cp "$work/certificate" "$out" || exit 77
owned "$out"
say "$out has $bytes bytes; docs/verified/README.md says what to do with it"
exit "$verify"
