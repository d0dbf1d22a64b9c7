#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# python.sh - pyflakes has nothing to say against the Python of the tree.
set -u
cd "${top_srcdir:-$(dirname "$0")/../..}" || exit 99
command -v pyflakes3 >/dev/null || {
	echo "SKIP: pyflakes is not installed (Debian: pyflakes3)"
	exit 77
}
find tests contrib -name '*.py' -exec pyflakes3 {} +
