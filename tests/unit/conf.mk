# unit tests of conf
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_conf
TESTS += tests/unit/test_conf
tests_unit_test_conf_SOURCES = tests/unit/test_conf.c
tests_unit_test_conf_LDADD = $(test_libs)
tests_unit_test_conf_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
check_PROGRAMS += tests/unit/test_conf_spec
TESTS += tests/unit/test_conf_spec
tests_unit_test_conf_spec_SOURCES = tests/unit/test_conf_spec.c
tests_unit_test_conf_spec_LDADD = $(test_libs)
tests_unit_test_conf_spec_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
endif
