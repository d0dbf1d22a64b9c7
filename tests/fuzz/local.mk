# Fuzz targets, one per parser; the stored inputs are replayed by `make check`.
# Searching needs clang:  clang -fsanitize=fuzzer,address ... tests/fuzz/fuzz_conf.c src/... (HACKING.md)
EXTRA_DIST += tests/fuzz/corpus

check_PROGRAMS += tests/fuzz/fuzz_conf
TESTS += tests/fuzz/fuzz_conf
tests_fuzz_fuzz_conf_SOURCES = tests/fuzz/fuzz_conf.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_conf_LDADD = $(uncored_libs)
tests_fuzz_fuzz_conf_CPPFLAGS = $(AM_CPPFLAGS) $(LIBCONFIG_CFLAGS) -I$(srcdir)/tests/fuzz -DFUZZ_CORPUS='"conf"'

check_PROGRAMS += tests/fuzz/fuzz_spec
TESTS += tests/fuzz/fuzz_spec
tests_fuzz_fuzz_spec_SOURCES = tests/fuzz/fuzz_spec.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_spec_LDADD = $(uncored_libs)
tests_fuzz_fuzz_spec_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/fuzz -DFUZZ_CORPUS='"spec"'

check_PROGRAMS += tests/fuzz/fuzz_cpulist
TESTS += tests/fuzz/fuzz_cpulist
tests_fuzz_fuzz_cpulist_SOURCES = tests/fuzz/fuzz_cpulist.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_cpulist_LDADD = $(uncored_libs)
tests_fuzz_fuzz_cpulist_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/fuzz -DFUZZ_CORPUS='"cpulist"'

check_PROGRAMS += tests/fuzz/fuzz_cpuinfo
TESTS += tests/fuzz/fuzz_cpuinfo
tests_fuzz_fuzz_cpuinfo_SOURCES = tests/fuzz/fuzz_cpuinfo.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_cpuinfo_LDADD = $(uncored_libs)
tests_fuzz_fuzz_cpuinfo_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/fuzz -DFUZZ_CORPUS='"cpuinfo"'

check_PROGRAMS += tests/fuzz/fuzz_pmu
TESTS += tests/fuzz/fuzz_pmu
tests_fuzz_fuzz_pmu_SOURCES = tests/fuzz/fuzz_pmu.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_pmu_LDADD = $(uncored_libs)
tests_fuzz_fuzz_pmu_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/fuzz -DFUZZ_CORPUS='"pmu"'

check_PROGRAMS += tests/fuzz/fuzz_terms
TESTS += tests/fuzz/fuzz_terms
tests_fuzz_fuzz_terms_SOURCES = tests/fuzz/fuzz_terms.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_terms_LDADD = $(uncored_libs)
tests_fuzz_fuzz_terms_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/fuzz -DFUZZ_CORPUS='"terms"'

check_PROGRAMS += tests/fuzz/fuzz_accept
TESTS += tests/fuzz/fuzz_accept
tests_fuzz_fuzz_accept_SOURCES = tests/fuzz/fuzz_accept.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_accept_LDADD = $(uncored_libs)
tests_fuzz_fuzz_accept_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/fuzz -DFUZZ_CORPUS='"accept"'
