# SPDX-License-Identifier: MIT
# unit tests of http and serve
EXTRA_DIST += tests/unit/http_server.h tests/unit/confine_test.h
if HAVE_CMOCKA
test_programs += tests/unit/test_hosts tests/unit/test_http_client tests/unit/test_http_response \
	tests/unit/test_http tests/unit/test_http_grammar tests/unit/test_confine \
	tests/unit/test_confine_calls tests/unit/test_http_deadlines \
	tests/unit/test_http_connection tests/unit/test_http_limits tests/unit/test_http_stream \
	tests/unit/test_serve_history
endif
if HAVE_CMOCKA
tests_unit_test_http_limits_SOURCES = tests/unit/test_http_limits.c tests/unit/http_server.h \
	src/serve/uncored_http_sendmsg.c
endif
