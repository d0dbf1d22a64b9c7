# SPDX-License-Identifier: MIT
# unit tests of conf
EXTRA_DIST += tests/unit/conf_test.h tests/unit/conf_parse.h
if HAVE_CMOCKA
test_programs += tests/unit/test_conf tests/unit/test_conf_apart tests/unit/test_conf_keys \
	tests/unit/test_conf_mistakes tests/unit/test_conf_spec tests/unit/test_conf_tree
endif
