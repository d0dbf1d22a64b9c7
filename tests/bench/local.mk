# SPDX-License-Identifier: MIT
# Measurements, not tests: `make bench` prints ratios taken in one run, and fails where a goal is
# missed. `make check` only sees that the floors measure what they say.
bench_programs = tests/bench/first_scrape tests/bench/flood tests/bench/floor_http \
	tests/bench/floor_perf tests/bench/floor_pread tests/bench/floor_sysfs \
	tests/bench/floor_timer \
	tests/bench/load
bench_scripts = tests/bench/bench.py tests/bench/report.py tests/bench/svg.py \
	tests/bench/base.py tests/bench/common.py tests/bench/rows_device.py \
	tests/bench/rows_format.py tests/bench/rows_growth.py tests/bench/rows_http.py \
	tests/bench/rows_perf.py tests/bench/rows_plan.py tests/bench/rows_server.py \
	tests/bench/rows_start.py tests/bench/rows_store.py tests/bench/rows_timer.py \
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
tests_bench_floor_sysfs_SOURCES = tests/bench/floor_sysfs.c tests/bench/bench.h
tests_bench_floor_perf_SOURCES = tests/bench/floor_perf.c tests/bench/bench.h
tests_bench_floor_pread_SOURCES = tests/bench/floor_pread.c tests/bench/bench.h
# Preloaded, so not linked with anything of ours.
bench_preloaded = tests/bench/perf_kernel.so tests/bench/wide_msr.so
CLEANFILES += $(bench_preloaded)
check_DATA += $(bench_preloaded)
EXTRA_DIST += $(bench_scripts) tests/bench/README.md tests/bench/smoke.py \
	tests/bench/perf_kernel.c tests/bench/wide_msr.c BENCHMARKS.md docs/growth.svg \
	docs/planning.svg
$(bench_preloaded): %.so: %.c tests/bench/bench.h
	@$(MKDIR_P) tests/bench
	$(AM_V_CCLD)$(CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) \
		$(HARDEN_CFLAGS) $(CFLAGS) -fPIC -shared -o $@ $<

# BENCH="device http": only these parts. BASE=REV: these of that revision, too, in turn.
BENCH =
BASE =
bench: all $(bench_programs) $(bench_preloaded) tests/plan/make_tree
	$(AM_TESTS_ENVIRONMENT) python3 -B $(top_srcdir)/tests/bench/bench.py $(BASE:%=--base %) \
		$(BENCH)

# All of it, into BENCHMARKS.md; ten minutes of a machine that has nothing else to do.
bench-report: all $(bench_programs) $(bench_preloaded) tests/plan/make_tree
	$(AM_TESTS_ENVIRONMENT) python3 -B $(top_srcdir)/tests/bench/bench.py --report $(top_srcdir)
.PHONY: bench bench-report
