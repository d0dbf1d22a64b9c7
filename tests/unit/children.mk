# SPDX-License-Identifier: MIT
# unit tests of children
EXTRA_DIST += tests/unit/listen_test.h
if HAVE_CMOCKA
test_programs += tests/unit/test_children_http_log tests/unit/test_children_listen \
	tests/unit/test_children_listen_files tests/unit/test_children_listen_passed \
	tests/unit/test_children_supervisor
endif
