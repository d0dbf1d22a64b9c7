# unit tests of expo
EXTRA_DIST += tests/unit/expo_plan.h tests/unit/expo_scene.h
if HAVE_CMOCKA
expo_tests = tests/unit/test_expo tests/unit/test_expo_digits tests/unit/test_expo_formats tests/unit/test_expo_json tests/unit/test_expo_stalled \
	tests/unit/test_expo_values
check_PROGRAMS += $(expo_tests)
TESTS += $(expo_tests)
tests_unit_test_expo_SOURCES = tests/unit/test_expo.c
tests_unit_test_expo_LDADD = $(test_libs)
tests_unit_test_expo_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_expo_json_SOURCES = tests/unit/test_expo_json.c
tests_unit_test_expo_json_LDADD = $(test_libs)
tests_unit_test_expo_json_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
tests_unit_test_expo_stalled_SOURCES = tests/unit/test_expo_stalled.c
tests_unit_test_expo_stalled_LDADD = $(test_libs)
tests_unit_test_expo_stalled_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
tests_unit_test_expo_values_SOURCES = tests/unit/test_expo_values.c
tests_unit_test_expo_values_LDADD = $(test_libs)
tests_unit_test_expo_values_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_expo_digits_SOURCES = tests/unit/test_expo_digits.c
tests_unit_test_expo_digits_LDADD = $(test_libs)
tests_unit_test_expo_digits_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_expo_formats_SOURCES = tests/unit/test_expo_formats.c
tests_unit_test_expo_formats_LDADD = $(test_libs)
tests_unit_test_expo_formats_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) $(ZLIB_CFLAGS)
endif
