# unit tests of plan; what needs whole plans is in tests/plan
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_choose
TESTS += tests/unit/test_choose
tests_unit_test_choose_SOURCES = tests/unit/test_choose.c
tests_unit_test_choose_LDADD = $(test_libs)
tests_unit_test_choose_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
endif
