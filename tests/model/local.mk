# files of tests/model
if HAVE_CMOCKA
check_PROGRAMS += tests/model/test_registers tests/model/test_two_tables
TESTS += tests/model/test_registers tests/model/test_two_tables
tests_model_test_registers_SOURCES = tests/model/test_registers.c
tests_model_test_registers_LDADD = $(test_libs)
tests_model_test_registers_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_model_test_two_tables_SOURCES = tests/model/test_two_tables.c
tests_model_test_two_tables_LDADD = $(test_libs)
tests_model_test_two_tables_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
endif
