# unit tests of expo
EXTRA_DIST += tests/unit/expo_plan.h tests/unit/expo_scene.h
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_expo tests/unit/test_expo_digits tests/unit/test_expo_formats
TESTS += tests/unit/test_expo tests/unit/test_expo_digits tests/unit/test_expo_formats
tests_unit_test_expo_SOURCES = tests/unit/test_expo.c
tests_unit_test_expo_LDADD = $(test_libs)
tests_unit_test_expo_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS)
tests_unit_test_expo_digits_SOURCES = tests/unit/test_expo_digits.c
tests_unit_test_expo_digits_LDADD = $(test_libs)
tests_unit_test_expo_digits_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_expo_formats_SOURCES = tests/unit/test_expo_formats.c
tests_unit_test_expo_formats_LDADD = $(test_libs)
tests_unit_test_expo_formats_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) $(ZLIB_CFLAGS)
endif
