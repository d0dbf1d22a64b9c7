#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# prefix.sh - configure puts units below the prefix, whether it was given or not; with /usr where
# the machine's systemd looks.
set -u
src=$(cd "${top_srcdir:-$(dirname "$0")/../..}" && pwd) || exit 99
build=$(cd "${top_builddir:-$src}" && pwd) || exit 99
[ -e "$src/config.status" ] && {
	echo "SKIP: configured in the source tree, and so for no other directory"
	exit 77
}
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
# what the build's configure found, to be quick
sed -n '/^## Cache variables/,/^## Output/s/^\(ac_cv_[a-z0-9_]*=.*\)/\1/p' "$build/config.log" |
	grep -v '^ac_cv_env_' >cache
bad=0
systemds=$(pkg-config --variable=systemdsystemunitdir systemd 2>/dev/null)
# shellcheck disable=SC2016 # make expands it
below='${prefix}/lib/systemd/system'
while read -r option dir; do
	[ "$option" = none ] && option=
	"$src/configure" -q --no-create --cache-file=cache ${option:+"$option"} >said 2>&1 || {
		cat said
		exit 1
	}
	found=$(sed -n 's/^S\["systemdsystemunitdir"\]="\(.*\)"$/\1/p' config.status)
	[ "$found" = "$dir" ] || { echo "configure $option: units in $found, not $dir"; bad=1; }
done <<END
none $below
--prefix=/usr/local $below
--prefix=/usr ${systemds:-$below}
END
exit "$bad"
