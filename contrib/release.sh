#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# release.sh - what is published of a version, made twice, and signed.
#
# release.sh [--key KEY] DIR [SUITE], as root, in a clean git checkout; `make release` calls it. In
# DIR there are then: the source as a tar file, Debian's packages for SUITE (trixie), the image as
# an OCI layout in a tar file, what changed, the sums of all, and with --key a signature of the
# source and of the sums, by gpg.
#
# All is made twice, in directories, with clocks, time zones, locales and masks of files that
# differ; what is not the same to the byte is named, and nothing is published. Without --key it is
# a trial: CHANGELOG.md need not have a section of the version yet.
set -eu -o pipefail
self=$(realpath "$0") top=$(realpath "$(dirname "$0")/..")
# shellcheck source=debian/chroot.sh
. "$top/debian/chroot.sh"

die() { echo "release.sh: $*" >&2; exit 1; }

# Archives that have nothing of who made them, where and when, but the date of the commit.
alike=(tar --sort=name --owner=0 --group=0 --numeric-owner '--mode=go=rX,u+rw,a-s' --format=posix
	'--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime')

# In the chroot, in a directory with the source: the packages, the tar file of the source, and from
# that what the image holds; all to $1.
make_all() {
	local into=$1 version=$2 at=$PWD tree=$PWD/uncored-$2
	mkdir -p "$into" packages
	tar -c --exclude=./packages . | tar -x -C packages --one-top-level=source
	(cd packages/source && DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -j"$(nproc)" -us -uc -b)
	cp packages/*.deb "$into"
	autoreconf -fi >/dev/null
	mkdir made image
	(cd made && ../configure -q)
	make -s -C made dist \
		am__tar="${alike[*]} --mtime=@$SOURCE_DATE_EPOCH --create \"\$\$tardir\""
	cp "made/uncored-$version.tar.xz" "$into"
	tar -x -f "$into/uncored-$version.tar.xz"
	(cd image && "$tree/configure" -q --prefix=/usr CFLAGS="-g -O2 -ffile-prefix-map=$at=.")
	make -s -C image -j"$(nproc)"
	bash "$tree/contrib/container/rootfs.sh" image "$into/rootfs"
}

# make_in PLACE MASK ZONE LOCALE CLOCK... - make_all() there; CLOCK: a command in front.
make_in() {
	local place=$1 mask=$2 zone=$3 locale=$4
	shift 4
	chroot_unpack "$root" "$place"
	chroot "$root" env -i PATH="$PATH" HOME=/root SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" \
		TZ="$zone" LC_ALL="$locale" "$@" bash -c "umask $mask; cd '/$place' &&
			exec bash contrib/release.sh --make '/$place-made' '$version'"
	made+=("$root/$place-made")
}

# The image from what it holds, as an OCI layout whose times are those of the commit.
make_image() { # DIRECTORY with rootfs
	local store=$at/store
	cp "$top/contrib/container/Containerfile" "$1"
	buildah --root "$store" --runroot "$store-run" --storage-driver vfs bud --isolation chroot \
		--timestamp "$SOURCE_DATE_EPOCH" -t "uncored:$version" "$1"
	buildah --root "$store" --runroot "$store-run" --storage-driver vfs push \
		"uncored:$version" "oci:$1/image:uncored:$version"
	buildah --root "$store" --runroot "$store-run" --storage-driver vfs rmi --all --force
	"${alike[@]}" --mtime="@$SOURCE_DATE_EPOCH" --create -C "$1/image" \
		-f "$1/uncored-$version-image.tar" .
	rm -r "$1/image" "$1/rootfs" "$1/Containerfile"
}

inside() { # DIR SUITE VERSION
	local into=$1 suite=$2 version=$3 section=$3 made=() root=$at/root sums n
	export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin
	unset TMPDIR
	chroot_make "$root" "$suite"
	chroot_unpack "$root" build/depends
	chroot_depends "$root" build/depends
	chroot "$root" apt-get install -q -y --no-install-recommends autoconf automake faketime \
		libcap2-bin locales
	chroot "$root" localedef -i de_DE -f UTF-8 de_DE.UTF-8
	make_in build/first 022 UTC C.UTF-8 nice -n 0
	make_in build/in/another/directory 077 Pacific/Apia de_DE.UTF-8 \
		NO_FAKE_STAT=1 DONT_FAKE_MONOTONIC=1 faketime -f +400d
	for n in "${made[@]}"; do make_image "$n"; done
	sums=$(cd "${made[0]}" && sha256sum -- *)
	if ! (cd "${made[1]}" && sha256sum --check --quiet - <<<"$sums"); then
		die "made twice, it is not the same; nothing is published"
	fi
	cp "${made[0]}"/* "$into"
	grep -qF "## [$version]" "$top/CHANGELOG.md" || section=Unreleased
	awk -v section="[$section]" '/^## / { on = $2 == section } on' \
		"$top/CHANGELOG.md" >"$into/CHANGES-$version.md"
	[ -s "$into/CHANGES-$version.md" ] || die "CHANGELOG.md says nothing below [$section]"
	(cd "$into" && sha256sum -- uncored* CHANGES* >SHA256SUMS)
}

main() {
	local key='' version into
	if [ "${1-}" = --key ]; then key=$2; shift 2; fi
	[ -n "${1-}" ] || die "name a directory for what is made"
	cd "$top"
	[ -z "$(git status --porcelain)" ] || die "git status names changes: commit them"
	version=$(sed -n 's/^AC_INIT(\[uncored\], \[\(.*\)\], \[\], .*/\1/p' configure.ac)
	if [ -n "$key" ] && ! grep -qF "## [$version]" CHANGELOG.md; then
		die "CHANGELOG.md has no section [$version]: name what is unreleased so"
	fi
	mkdir -p "$1"
	into=$(realpath "$1")
	[ -z "$(ls "$into")" ] || die "$into is not empty"
	SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
	export SOURCE_DATE_EPOCH
	chroot_alone "$self" "$into" "${2:-trixie}" "$version" < <(git archive --prefix=./ \
		--add-virtual-file=.tarball-revision:"$(git describe --always --abbrev=12)" HEAD)
	if [ -n "$key" ]; then
		for f in "uncored-$version.tar.xz" SHA256SUMS; do
			gpg --local-user "$key" --armor --detach-sign "$into/$f"
		done
	fi
	echo "made twice, the same: $into; signed: ${key:-no}"
	cat "$into/SHA256SUMS"
}

case ${1-} in
--make) make_all "$2" "$3" ;;
--inside) at=$2; inside "${@:3}" ;;
*) main "$@" ;;
esac
