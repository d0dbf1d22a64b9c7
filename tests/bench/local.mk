# SPDX-License-Identifier: MIT
# Measurements, not tests: `make bench` prints ratios taken in one run, and fails where a goal is
# missed. `make check` only sees that the floors measure what they say.
bench_programs = tests/bench/first_scrape tests/bench/flood tests/bench/floor_http \
	tests/bench/floor_perf tests/bench/floor_pread tests/bench/floor_timer \
	tests/bench/load
bench_scripts = tests/bench/bench.py tests/bench/report.py tests/bench/svg.py \
	tests/bench/common.py tests/bench/rows_device.py tests/bench/rows_format.py \
	tests/bench/rows_growth.py tests/bench/rows_http.py tests/bench/rows_perf.py \
	tests/bench/rows_plan.py tests/bench/rows_start.py tests/bench/rows_timer.py \
	tests/bench/standin.py tests/bench/trees.py tests/bench/fleet.py
if HAVE_CMOCKA
bench_programs += tests/bench/floor_format
endif
check_PROGRAMS += $(bench_programs)
TESTS += tests/bench/smoke.py
tests_bench_first_scrape_SOURCES = tests/bench/first_scrape.c tests/bench/bench.h
# With the rig of tests/model, which is made with cmocka.
tests_bench_floor_format_SOURCES = tests/bench/floor_format.c tests/bench/bench.h \
	tests/model/rig.c tests/model/rig.h
tests_bench_flood_SOURCES = tests/bench/flood.c tests/bench/bench.h
tests_bench_floor_http_SOURCES = tests/bench/floor_http.c tests/bench/bench.h
tests_bench_floor_http_LDADD = $(MHD_LIBS)
tests_bench_floor_timer_SOURCES = tests/bench/floor_timer.c tests/bench/bench.h
tests_bench_load_SOURCES = tests/bench/load.c tests/bench/bench.h
tests_bench_floor_perf_SOURCES = tests/bench/floor_perf.c tests/bench/bench.h
tests_bench_floor_pread_SOURCES = tests/bench/floor_pread.c tests/bench/bench.h
CLEANFILES += tests/bench/wide_msr.so
check_DATA += tests/bench/wide_msr.so
EXTRA_DIST += $(bench_scripts) tests/bench/README.md tests/bench/smoke.py tests/bench/wide_msr.c \
	BENCHMARKS.md docs/growth.svg

# Preloaded, so not linked with anything of ours.
tests/bench/wide_msr.so: tests/bench/wide_msr.c tests/bench/bench.h
	@$(MKDIR_P) tests/bench
	$(AM_V_CCLD)$(CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) \
		$(HARDEN_CFLAGS) $(CFLAGS) -fPIC -shared -o $@ \
		$(top_srcdir)/tests/bench/wide_msr.c

# BENCH="device http": only these parts.
BENCH =
bench: all $(bench_programs) tests/bench/wide_msr.so
	$(AM_TESTS_ENVIRONMENT) python3 -B $(top_srcdir)/tests/bench/bench.py $(BENCH)

# All of it, into BENCHMARKS.md; five minutes of a machine that has nothing else to do.
bench-report: all $(bench_programs) tests/bench/wide_msr.so
	$(AM_TESTS_ENVIRONMENT) python3 -B $(top_srcdir)/tests/bench/bench.py --report $(top_srcdir)
.PHONY: bench bench-report
