# SPDX-License-Identifier: MIT
# page_text.awk - page.css and page.js as C strings, page_css and page_js. Comments are left out;
# a line that is indented goes on with the line before.
function end() { if (name) print "\t\"\\n\";" }
FNR == 1 { end(); name = FILENAME; sub(/\./, "_", name); print "static const char " name "[] ="; n = 0 }
/^\t*\/\*/, /\*\/$/ { next }
{
	goes_on = sub(/^\t/, "") || !n++
	gsub(/[\\"]/, "\\\\&")
	print "\t" (goes_on ? "" : "\"\\n\" ") "\"" $0 "\""
}
END { end() }
