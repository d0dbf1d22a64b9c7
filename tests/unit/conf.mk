# unit tests of conf
EXTRA_DIST += tests/unit/conf_test.h
if HAVE_CMOCKA
conf_tests = tests/unit/test_conf tests/unit/test_conf_mistakes tests/unit/test_conf_spec
check_PROGRAMS += $(conf_tests)
TESTS += $(conf_tests)
tests_unit_test_conf_SOURCES = tests/unit/test_conf.c
tests_unit_test_conf_LDADD = $(test_libs)
tests_unit_test_conf_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_conf_mistakes_SOURCES = tests/unit/test_conf_mistakes.c
tests_unit_test_conf_mistakes_LDADD = $(test_libs)
tests_unit_test_conf_mistakes_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_conf_spec_SOURCES = tests/unit/test_conf_spec.c
tests_unit_test_conf_spec_LDADD = $(test_libs)
tests_unit_test_conf_spec_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
endif
