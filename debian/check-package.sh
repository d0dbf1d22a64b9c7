#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-package.sh - makes the packages as Debian would, and looks at them.
#
# check-package.sh DIR [SUITE], as root; ./bootstrap check-package calls it. stdin: the source, as a
# tar file; DIR: where the packages are left; SUITE: the release that they are for (this machine's).
# The chroot is that of chroot.sh. lintian is that of the same release, and comes when all is built.
# The last line counts the checks.
set -eu -o pipefail
self=$(realpath "$0")

# shellcheck source=debian/chroot.sh
. "${self%/*}/chroot.sh"

if [ "$1" != --inside ]; then
	mkdir -p "$1"
	chroot_alone "$self" "$(realpath "$1")" \
		"${2:-$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)}"
	exit
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

# There is no git here; the source says what it is.
says_commit() {
	as_builder "debian/build/uncored --version" |
		grep -F "($(cat "$root/build/uncored/.tarball-revision"))"
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

chroot_make "$root" "$suite"
chroot_unpack "$root" build/uncored
files >"$at/before"
chroot "$root" chown -R builder: /build
chroot_depends "$root" build/uncored

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
	check "uncored says of which commit it is" says_commit
	check "clean leaves the source as it was" cleaned
	check "lintian, however pedantic, has nothing to say but what is overridden" lintian
	cp "$root"/build/uncored*_* "$into"
	chown --reference="$into" "$into"/uncored*_*
	skipped=0
else
	skipped=6
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
