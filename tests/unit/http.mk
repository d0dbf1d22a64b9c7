# unit tests of http
EXTRA_DIST += tests/unit/http_server.h
if HAVE_CMOCKA
http_tests = tests/unit/test_hosts tests/unit/test_http tests/unit/test_http_grammar tests/unit/test_http_limits tests/unit/test_http_stream
check_PROGRAMS += $(http_tests)
TESTS += $(http_tests)
tests_unit_test_hosts_SOURCES = tests/unit/test_hosts.c
tests_unit_test_hosts_LDADD = $(test_libs)
tests_unit_test_hosts_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_http_SOURCES = tests/unit/test_http.c
tests_unit_test_http_LDADD = $(test_libs)
tests_unit_test_http_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_http_grammar_SOURCES = tests/unit/test_http_grammar.c
tests_unit_test_http_grammar_LDADD = $(test_libs)
tests_unit_test_http_grammar_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_http_limits_SOURCES = tests/unit/test_http_limits.c
tests_unit_test_http_limits_LDADD = $(test_libs)
tests_unit_test_http_limits_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_http_stream_SOURCES = tests/unit/test_http_stream.c
tests_unit_test_http_stream_LDADD = $(test_libs)
tests_unit_test_http_stream_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
endif
