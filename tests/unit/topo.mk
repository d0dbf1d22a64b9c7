# unit tests of topo
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_topo tests/unit/test_topo_pmus
TESTS += tests/unit/test_topo tests/unit/test_topo_pmus
tests_unit_test_topo_SOURCES = tests/unit/test_topo.c tests/unit/temp_dir.h
tests_unit_test_topo_LDADD = $(test_libs)
tests_unit_test_topo_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_topo_pmus_SOURCES = tests/unit/test_topo_pmus.c tests/unit/temp_dir.h
tests_unit_test_topo_pmus_LDADD = $(test_libs)
tests_unit_test_topo_pmus_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
check_PROGRAMS += tests/unit/test_host
TESTS += tests/unit/test_host
tests_unit_test_host_SOURCES = tests/unit/test_host.c tests/unit/temp_dir.h
tests_unit_test_host_LDADD = $(test_libs)
tests_unit_test_host_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
endif
