#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# shell.sh - every shell script of the tree passes shellcheck.
set -u
cd "${top_srcdir:-$(dirname "$0")/../..}" || exit 99
command -v shellcheck >/dev/null || { echo "SKIP: shellcheck is not installed"; exit 77; }
scripts=(bootstrap .ci/run)
while IFS= read -r f; do
	scripts+=("$f")
done < <(find tests contrib man systemd src -name '*.sh' | sort)
for f in debian/*.sh debian/*.postrm debian/tests/installed; do # in a tarball there are none
	[ -e "$f" ] && scripts+=("$f")
done
shellcheck "${scripts[@]}"
