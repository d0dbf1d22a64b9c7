# unit tests of topo
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_topo
TESTS += tests/unit/test_topo
tests_unit_test_topo_SOURCES = tests/unit/test_topo.c
tests_unit_test_topo_LDADD = $(test_libs)
tests_unit_test_topo_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
check_PROGRAMS += tests/unit/test_host
TESTS += tests/unit/test_host
tests_unit_test_host_SOURCES = tests/unit/test_host.c
tests_unit_test_host_LDADD = $(test_libs)
tests_unit_test_host_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
endif
