# SPDX-License-Identifier: MIT
dist_man_MANS += man/uncored.8 man/uncored.conf.5 man/uncorectl.1
EXTRA_DIST += man/check-options.sh
TESTS += man/check-options.sh
