# Measurements, not tests: `make bench` prints ratios taken in one run, and fails where a goal is missed.
EXTRA_PROGRAMS += tests/bench/floor_perf
tests_bench_floor_perf_SOURCES = tests/bench/floor_perf.c
CLEANFILES += tests/bench/floor_perf$(EXEEXT)
EXTRA_DIST += tests/bench/first_light.py tests/bench/perf.py

bench: all tests/bench/floor_perf$(EXEEXT)
	$(AM_TESTS_ENVIRONMENT) $(PYTHON3) -B $(top_srcdir)/tests/bench/first_light.py
	$(AM_TESTS_ENVIRONMENT) $(PYTHON3) -B $(top_srcdir)/tests/bench/perf.py
.PHONY: bench
