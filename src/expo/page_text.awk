# SPDX-License-Identifier: MIT
# page_text.awk - page.css and page.js as C strings, page_css and page_js. Comments are left out;
# a line that is indented goes on with the line before. With -v plain=1: what the string holds.
function end() { if (name) print plain ? "" : "\t\"\\n\";" }
FNR == 1 {
	end()
	name = FILENAME
	sub(/\./, "_", name)
	if (!plain)
		print "static const char " name "[] ="
	n = 0
}
/^\t*\/\*/, /\*\/$/ { next }
{
	goes_on = sub(/^\t/, "") || !n++
	if (plain) {
		printf "%s%s", goes_on ? "" : "\n", $0
		next
	}
	gsub(/[\\"]/, "\\\\&")
	print "\t" (goes_on ? "" : "\"\\n\" ") "\"" $0 "\""
}
END { end() }
