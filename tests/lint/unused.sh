#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# unused.sh - a function that other files may call is called by one, and what no file calls is not
# there.
#
# Of each symbol that an object shows, another object or a test must know the name.
set -u
src=$(cd "${top_srcdir:-$(dirname "$0")/../..}" && pwd) || exit 99
cd "${top_builddir:-.}" || exit 99
[ -f libuncored.a ] || { echo "there is no libuncored.a in $PWD: make first"; exit 99; }
grep -q 'define UNCORED_SANITIZED 1' config.h && {
	echo "SKIP: sanitizers add symbols of their own"
	exit 77
}
command -v nm >/dev/null || { echo "SKIP: nm is not installed (Debian: binutils)"; exit 77; }

# an object whose source is gone is of an earlier build
mapfile -t objects < <(
	find src/daemon/uncored.o src/serve/uncored_http.o src/ctl -name '*.o' |
		while IFS= read -r o; do [ -f "$src/${o%.o}.c" ] && echo "$o"; done
	echo libuncored.a)
# protobuf-c's names have two underscores; libmicrohttpd calls gnutls_global_init()
shown=$(nm --defined-only -g "${objects[@]}" |
	awk 'NF == 3 && $3 !~ /^(main|gnutls_global_init)$|__/ { print $3 }' | sort -u)
called=$(nm -u "${objects[@]}" | awk '$1 == "U" { print $2 }' | sort -u)
[ "$(wc -l <<<"$shown")" -gt 100 ] || { echo "only these symbols were found: $shown"; exit 1; }
bad=0
while IFS= read -r name; do
	grep -qrw --include='*.[ch]' -e "$name" "$src/tests" && continue
	echo "$name: no other file calls it; make it static, or take it out"
	bad=1
done < <(comm -23 <(echo "$shown") <(echo "$called"))
exit "$bad"
