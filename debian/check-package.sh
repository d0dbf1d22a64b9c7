#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-package.sh - makes the packages as Debian would, and looks at them.
#
# check-package.sh DIR [SUITE], as root; ./bootstrap check-package calls it. stdin: the source, as a
# tar file; DIR: where the packages are left; SUITE: the release that they are for (this machine's).
# The chroot has build-essential and the Build-Depends, nothing of this machine. It lies in a
# temporary directory; what is mounted in it and runs there has namespaces of its own, and ends with
# them. lintian is that of the same release, and comes when all is built. The last line counts the
# checks.
set -eu -o pipefail
self=$(realpath "$0")

# Of a namespace of processes the first takes all with it; unshare waits for it.
end() {
	local first
	if [ -n "$pid" ]; then
		first=$(cat "/proc/$pid/task/$pid/children" || true)
		[ -z "$first" ] || kill -KILL "${first% }" || true
		wait "$pid" || true
	fi
	rm -rf --one-file-system "$at"
}

if [ "$1" != --inside ]; then
	mkdir -p "$1"
	suite=${2:-$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)}
	into=$(realpath "$1") at=$(mktemp -d "${TMPDIR:-/tmp}/uncored-package.XXXXXX") pid=''
	trap end EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	chmod 755 "$at"
	cat >"$at/source.tar"
	unshare --mount --pid --fork --kill-child "$self" --inside "$at" "$into" "$suite" </dev/null &
	pid=$! rc=0
	wait "$pid" || rc=$?
	pid=''
	exit "$rc"
fi

at=$2 into=$3 suite=$4 root=$2/root
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin
unset TMPDIR
passed=0 failed=0

as_builder() { chroot "$root" su - builder -c "cd /build/uncored && $1"; }

check() { # what it is, and the command that sees it
	local said=ok
	if "${@:2}"; then passed=$((passed + 1)); else said='not ok' failed=$((failed + 1)); fi
	echo "$said - $1"
}

build() {
	as_builder "exec dpkg-buildpackage -us -uc"
}

# What `clean` leaves, beside what there was: Debian builds a package more than once.
cleaned() {
	as_builder "exec debian/rules clean" && diff "$at/before" <(files)
}

files() { (cd "$root/build/uncored" && find . -type f -print0 | sort -z | xargs -0 sha256sum); }

# It does not show what is overridden, which it would count as said: our own file does. The version
# of the policy is Debian 12's: later lintians call that old, and Debian 12's knows no newer one.
lintian() {
	chroot "$root" apt-get install -q -y --no-install-recommends lintian >/dev/null &&
		cat "$root"/build/uncored/debian/*.lintian-overrides &&
		as_builder "exec lintian --pedantic --display-info \
			--suppress-tags out-of-date-standards-version \
			--fail-on error,warning,info,pedantic ../*.changes"
}

deb() { (cd "$root" && echo build/"$1"_*.deb); }

# Each of the files that the package $1 has to have.
holds() {
	local missing=0 f list
	list=$(chroot "$root" dpkg-deb -c "$(deb "$1")")
	printf '%s\n' "$1:" "$list"
	for f in "${@:2}"; do
		grep -qE " \./$f( -> .*)?$" <<<"$list" || { echo "not there: $f"; missing=1; }
	done
	[ "$missing" = 0 ]
}

conffiles() {
	[ "$(chroot "$root" dpkg-deb -I "$(deb uncored)" conffiles)" = /etc/uncored.conf ]
}

debootstrap --variant=buildd "$suite" "$root"
mount -t proc proc "$root/proc"
mount -t devpts devpts "$root/dev/pts"
mkdir -p "$root/build/uncored"
tar -x -C "$root/build/uncored" <"$at/source.tar"
files >"$at/before"
chroot "$root" useradd --create-home builder
chroot "$root" chown -R builder: /build
chroot "$root" apt-get update -q
chroot "$root" apt-get build-dep -q -y --no-install-recommends /build/uncored

check "dpkg-buildpackage with the Build-Depends alone" build
if [ "$failed" = 0 ]; then
	check "uncored has what it should" holds uncored \
		etc/uncored.conf '(usr/)?lib/systemd/system/'uncored.{service,socket} \
		usr/bin/uncorectl usr/sbin/uncored usr/libexec/uncored/uncored-http \
		usr/lib/sysusers.d/uncored.conf usr/lib/udev/rules.d/70-uncored.rules \
		usr/share/man/man1/uncorectl.1.gz usr/share/man/man5/uncored.conf.5.gz \
		usr/share/man/man8/uncored.8.gz usr/share/uncored/machines/spr.txt \
		usr/share/bash-completion/completions/uncore{d,ctl} \
		usr/share/fish/vendor_completions.d/uncore{d,ctl}.fish \
		usr/share/zsh/vendor-completions/_uncored
	check "uncored has one conffile: /etc/uncored.conf" conffiles
	check "uncored-doc has what it should" holds uncored-doc \
		usr/share/doc/uncored/{tutorial.md,operating.md} \
		usr/share/doc/uncored/{grafana,prometheus,schema}/
	check "clean leaves the source as it was" cleaned
	check "lintian, however pedantic, has nothing to say but what is overridden" lintian
	cp "$root"/build/uncored*_* "$into"
	chown --reference="$into" "$into"/uncored*_*
	skipped=0
else
	skipped=5
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
