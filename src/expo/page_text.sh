#!/bin/sh
# SPDX-License-Identifier: MIT
# page_text.sh DIR AWK - page.css and page.js of DIR as C strings, and PAGE_JS_DIGEST: the digest of
# what the second of them holds, as a Content-Security-Policy names a script.
set -e
LC_ALL=C
export LC_ALL
cd "$1"
strings=$("$2" -f page_text.awk page.css page.js)
script=$("$2" -v plain=1 -f page_text.awk page.js)
# what $(...) takes from its end is given back: one newline
hex=$(printf '%s\n' "$script" | sha256sum)
# 64 digits of 4 bits each are 43 of 6 bits; two zeros fill the last one
# shellcheck disable=SC2016 # awk expands them
base64=$(echo "${hex%% *}00" | "$2" '
	function bits(i) { return index("0123456789abcdef", substr($0, i, 1)) - 1 }
	function put(v) { printf "%s", substr(letters, v + 1, 1) }
	BEGIN {
		letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		letters = letters tolower(letters) "0123456789+/"
	}
	length == 66 {
		for (i = 1; i <= 66; i += 3) {
			v = bits(i) * 256 + bits(i + 1) * 16 + bits(i + 2)
			put(int(v / 64))
			if (i < 64)
				put(v % 64)
		}
		print "="
	}')
[ ${#base64} = 44 ]
printf '%s\n' "$strings" "#define PAGE_JS_DIGEST \"sha256-$base64\""
