# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# chroot.sh - a chroot of a Debian release, for programs that build in one; they source this.
#
# It has build-essential and the Build-Depends, nothing of this machine. It lies in a temporary
# directory; what is mounted in it and runs there has namespaces of its own, and ends with them.

# chroot_alone PROGRAM ARGUMENT... - runs `PROGRAM --inside DIRECTORY ARGUMENT...` in such namespaces,
# where DIRECTORY holds stdin as source.tar, and is gone afterwards. Returns its exit code. As root.
chroot_alone() {
	local rc=0
	at=$(mktemp -d "${TMPDIR:-/tmp}/uncored-chroot.XXXXXX") pid=''
	trap chroot_end EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	chmod 755 "$at"
	cat >"$at/source.tar"
	unshare --mount --pid --fork --kill-child "$1" --inside "$at" "${@:2}" </dev/null &
	pid=$!
	wait "$pid" || rc=$?
	pid=''
	return "$rc"
}

# Of a namespace of processes the first takes all with it; unshare waits for it.
chroot_end() {
	local first
	if [ -n "$pid" ]; then
		first=$(cat "/proc/$pid/task/$pid/children" || true)
		[ -z "$first" ] || kill -KILL "${first% }" || true
		wait "$pid" || true
	fi
	rm -rf --one-file-system "$at"
}

# chroot_make ROOT SUITE - the release in ROOT, with its processes and terminals, and a user
# `builder`.
chroot_make() {
	debootstrap --variant=buildd "$2" "$1"
	mount -t proc proc "$1/proc"
	mount -t devpts devpts "$1/dev/pts"
	mkdir -p "$1/build"
	chroot "$1" useradd --create-home builder
	chroot "$1" apt-get update -q
}

# chroot_unpack ROOT PLACE - source.tar of chroot_alone() in the directory ROOT/PLACE.
chroot_unpack() {
	mkdir -p "$1/$2"
	tar -x -C "$1/$2" <"$at/source.tar"
}

# chroot_depends ROOT PLACE - what the source there needs to be built.
chroot_depends() {
	chroot "$1" apt-get build-dep -q -y --no-install-recommends "/$2"
}
