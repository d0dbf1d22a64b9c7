# SPDX-License-Identifier: MIT
# Fuzz targets, one per parser; the stored inputs are replayed by `make check`.
# make fuzz: searches for more with clang's libFuzzer, FUZZ_SECONDS for each target (600).
# make fuzz-coverage: how much of each parser the stored inputs reach.
# What a search finds, made small (-minimize_crash=1), goes into corpus/ with the cure.
# make check-long searches for half a minute each, and leaves the corpora as they are.
fuzz fuzz-coverage:
	@$(AM_TESTS_ENVIRONMENT) python3 -B $(top_srcdir)/tests/fuzz/search.py $@
check-long: check-long-fuzz
check-long-fuzz:
	@if command -v clang >/dev/null; then \
		FUZZ_SECONDS=30 FUZZ_KEEP=1 $(MAKE) $(AM_MAKEFLAGS) fuzz; \
	else echo "SKIP: no clang, no search by fuzzing"; fi
fuzz-sources: $(BUILT_SOURCES)
.PHONY: fuzz fuzz-coverage fuzz-sources check-long-fuzz
EXTRA_DIST += tests/fuzz/corpus tests/fuzz/conf.dict tests/fuzz/search.py tests/fuzz/tls_corpus.py

test_programs += \
	tests/fuzz/fuzz_conf \
	tests/fuzz/fuzz_spec \
	tests/fuzz/fuzz_curve \
	tests/fuzz/fuzz_cpulist \
	tests/fuzz/fuzz_cpuinfo \
	tests/fuzz/fuzz_pmu \
	tests/fuzz/fuzz_terms \
	tests/fuzz/fuzz_accept \
	tests/fuzz/fuzz_plan \
	tests/fuzz/fuzz_state \
	tests/fuzz/fuzz_desc \
	tests/fuzz/fuzz_host \
	tests/fuzz/fuzz_machine \
	tests/fuzz/fuzz_pci \
	tests/fuzz/fuzz_request \
	tests/fuzz/fuzz_response \
	tests/fuzz/fuzz_snapshot \
	tests/fuzz/fuzz_tls \
	tests/fuzz/fuzz_tree \
	tests/fuzz/fuzz_verified
tests_fuzz_fuzz_conf_SOURCES = tests/fuzz/fuzz_conf.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_spec_SOURCES = tests/fuzz/fuzz_spec.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_curve_SOURCES = tests/fuzz/fuzz_curve.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_cpulist_SOURCES = tests/fuzz/fuzz_cpulist.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_cpuinfo_SOURCES = tests/fuzz/fuzz_cpuinfo.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_pmu_SOURCES = tests/fuzz/fuzz_pmu.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_terms_SOURCES = tests/fuzz/fuzz_terms.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_accept_SOURCES = tests/fuzz/fuzz_accept.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_plan_SOURCES = tests/fuzz/fuzz_plan.c tests/fuzz/fuzz.h tests/fuzz/mutate.c \
	tests/fuzz/replay.c $(sysfs_tree_files)
tests_fuzz_fuzz_state_SOURCES = tests/fuzz/fuzz_state.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_desc_SOURCES = tests/fuzz/fuzz_desc.c tests/fuzz/fuzz.h tests/fuzz/scene.h \
	tests/fuzz/replay.c
tests_fuzz_fuzz_host_SOURCES = tests/fuzz/fuzz_host.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_machine_SOURCES = tests/fuzz/fuzz_machine.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_pci_SOURCES = tests/fuzz/fuzz_pci.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_request_SOURCES = tests/fuzz/fuzz_request.c tests/fuzz/fuzz.h tests/fuzz/scene.h \
	tests/fuzz/replay.c
tests_fuzz_fuzz_response_SOURCES = tests/fuzz/fuzz_response.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_snapshot_SOURCES = tests/fuzz/fuzz_snapshot.c tests/fuzz/fuzz.h \
	tests/fuzz/replay.c src/ctl/snapshot_read.c src/ctl/snapshot_read.h
tests_fuzz_fuzz_tls_SOURCES = tests/fuzz/fuzz_tls.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_tree_SOURCES = tests/fuzz/fuzz_tree.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_verified_SOURCES = tests/fuzz/fuzz_verified.c tests/fuzz/fuzz.h tests/fuzz/replay.c
