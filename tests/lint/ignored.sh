#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ignored.sh - git overlooks all that a build makes, so that one in the source tree leaves `git
# status` clean, too.
set -u
src=$(cd "${top_srcdir:-$(dirname "$0")/../..}" && pwd) || exit 99
cd "${top_builddir:-$src}" || exit 99
command -v git >/dev/null || { echo "SKIP: git is not installed"; exit 77; }
git -C "$src" rev-parse -q --git-dir >/dev/null 2>&1 || {
	echo "SKIP: this is no clone, or another user's"
	exit 77
}

made=$(env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s built) || exit 99
[ "$(wc -l <<<"$made")" -gt 50 ] || { echo "make built: only $made"; exit 1; }
seen=$(git -C "$src" check-ignore --no-index --stdin --non-matching --verbose <<<"$made" |
	sed -n 's/^::\t//p')
[ -z "$seen" ] && exit 0
echo "not in .gitignore:"
echo "$seen"
exit 1
