#!/bin/sh
# SPDX-License-Identifier: MIT
# revision.sh SOURCE - what the source is: of a release what its tarball says, else git's word for
# the commit.
#
# Ends with 1 where git may not look (sudo make install). Where there is no git the commit is read
# without it; nobody knows then whether files were edited since: "-unchecked". Nothing is printed of
# what is neither release nor clone.
cd "$1" || exit 1
if [ -f .tarball-revision ]; then cat .tarball-revision; exit; fi
[ -e .git ] || exit 0
if command -v git >/dev/null; then
	git describe --always --dirty --abbrev=12 2>/dev/null || exit 1
	exit
fi
head=$(cat .git/HEAD 2>/dev/null)
name=${head#ref: }
if [ "$name" != "$head" ]; then
	head=$(cat ".git/$name" 2>/dev/null ||
		awk -v name="$name" '$2 == name { print $1 }' .git/packed-refs 2>/dev/null)
fi
echo "$head" | sed -n 's/^\([0-9a-f]\{12\}\).*/\1-unchecked/p'
