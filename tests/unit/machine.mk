# SPDX-License-Identifier: MIT
# unit tests of machine
if HAVE_CMOCKA
test_programs += tests/unit/test_choose tests/unit/test_curve
tests_unit_test_curve_SOURCES = tests/unit/test_curve.c tests/unit/temp_dir.h
endif
