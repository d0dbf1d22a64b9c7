# files of tests/model
if HAVE_CMOCKA
model_tests = tests/model/test_registers tests/model/test_other_registers tests/model/test_rates tests/model/test_faults tests/model/test_two_tables
check_PROGRAMS += $(model_tests)
TESTS += $(model_tests)
tests_model_test_registers_SOURCES = tests/model/test_registers.c tests/model/model_test.h
tests_model_test_registers_LDADD = $(test_libs)
tests_model_test_registers_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_model_test_other_registers_SOURCES = tests/model/test_other_registers.c tests/model/model_test.h
tests_model_test_other_registers_LDADD = $(test_libs)
tests_model_test_other_registers_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_model_test_rates_SOURCES = tests/model/test_rates.c tests/model/model_test.h
tests_model_test_rates_LDADD = $(test_libs)
tests_model_test_rates_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_model_test_faults_SOURCES = tests/model/test_faults.c tests/model/model_test.h
tests_model_test_faults_LDADD = $(test_libs)
tests_model_test_faults_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_model_test_two_tables_SOURCES = tests/model/test_two_tables.c tests/catalog/choice.h
tests_model_test_two_tables_LDADD = $(test_libs)
tests_model_test_two_tables_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
endif
include tests/model/whole.mk
