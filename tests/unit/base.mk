# SPDX-License-Identifier: MIT
# unit tests of base
if HAVE_CMOCKA
test_programs += tests/unit/test_arena tests/unit/test_base tests/unit/test_cmdline \
	tests/unit/test_command \
	tests/unit/test_query tests/unit/test_state_dir
tests_unit_test_state_dir_SOURCES = tests/unit/test_state_dir.c tests/unit/temp_dir.h
endif
