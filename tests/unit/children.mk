# SPDX-License-Identifier: MIT
# unit tests of children
if HAVE_CMOCKA
test_programs += tests/unit/test_children_http_log tests/unit/test_children_listen \
	tests/unit/test_children_supervisor
endif
