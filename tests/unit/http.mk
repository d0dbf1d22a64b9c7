# unit tests of http
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_http
TESTS += tests/unit/test_http
tests_unit_test_http_SOURCES = tests/unit/test_http.c
tests_unit_test_http_LDADD = $(test_libs)
tests_unit_test_http_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
endif
