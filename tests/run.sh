#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh - run a test that is a program or a shell script, for automake's TAP driver: COMMAND...;
# run-py.sh runs those in Python.
#
# It is one test, whose exit code says how it went, 77 that it was skipped. Each test of cmocka in
# it that was skipped is one more: counted as skipped, with what it said before. With CI=true a test
# fails that is skipped, wholly or in part, because something is "not installed": it would stay
# green for ever, untried.
name=${*: -1}
name=${name##*/}
skipped=() said='' last='' missing=false rc=''
declare -A seen
while IFS= read -r line; do
	case $line in
	"exit code "*) rc=${line#exit code }; continue ;;
	"[ RUN      ] "*) said='' ;;
	"[  SKIPPED ] "*"test(s)"*) ;;          # cmocka's summary, which names them again
	"[  SKIPPED ] "*)
		which=${line#*] }
		[ -n "${seen[$which]-}" ] || skipped+=("$which # SKIP ${said:-it does not say why}")
		seen[$which]=1
		;;
	"["*) ;;
	SKIP:*) last=${line#SKIP: } said=$last ;;
	?*) said=$line ;;
	esac
	shopt -s nocasematch
	[[ $line =~ skip.*not\ installed ]] && missing=true
	shopt -u nocasematch
	case $line in                           # what the driver would take for a result
	ok*|"not ok"*|[0-9]*..*|"Bail out!"*) printf '# %s\n' "$line" ;;
	*) printf '%s\n' "$line" ;;
	esac
done < <("$@" 2>&1; printf '\nexit code %d\n' $?)
echo "1..$((1 + ${#skipped[@]}))"
if [ "${CI-}" = true ] && $missing; then
	echo "not ok 1 - $name: where CI=true nothing may be missing"
elif [ "$rc" = 77 ]; then
	echo "ok 1 - $name # SKIP $last"
elif [ "$rc" = 0 ]; then
	echo "ok 1 - $name"
else
	echo "not ok 1 - $name: exit code $rc"
fi
for i in "${!skipped[@]}"; do
	echo "ok $((i + 2)) - $name: ${skipped[i]}"
done
exit "$rc"
