# SPDX-License-Identifier: MIT
# The daemon's inside on the register model: totals against ground truth.
if HAVE_CMOCKA
whole_tests = tests/model/test_exact tests/model/test_families tests/model/test_foreign \
	tests/model/test_disturbed tests/model/test_restored tests/model/test_random \
	tests/model/test_noalloc tests/model/test_threads tests/model/test_windows \
	tests/model/test_windows_disturbed tests/model/test_windows_faults \
	tests/model/test_windows_chain tests/model/test_windows_restored \
	tests/model/test_windows_samples \
	tests/model/test_turns tests/model/test_month \
	tests/model/test_workloads \
	tests/model/test_samples tests/model/test_resolutions tests/model/test_family_traits \
	tests/model/test_any_moment
model_rig = tests/model/rig.c tests/model/rig.h
test_programs += $(whole_tests)

tests_model_test_exact_SOURCES = tests/model/test_exact.c $(model_rig)
tests_model_test_families_SOURCES = tests/model/test_families.c tests/model/families.h $(model_rig)
tests_model_test_family_traits_SOURCES = tests/model/test_family_traits.c $(model_rig)
tests_model_test_foreign_SOURCES = tests/model/test_foreign.c tests/model/solo.h $(model_rig)
tests_model_test_disturbed_SOURCES = tests/model/test_disturbed.c tests/model/solo.h $(model_rig)
tests_model_test_any_moment_SOURCES = tests/model/test_any_moment.c tests/model/restored.h \
	$(model_rig)
tests_model_test_any_moment_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pthread_create
tests_model_test_month_SOURCES = tests/model/test_month.c tests/model/families.h $(model_rig)
tests_model_test_turns_SOURCES = tests/model/test_turns.c $(model_rig)
tests_model_test_workloads_SOURCES = tests/model/test_workloads.c $(model_rig)
tests_model_test_restored_SOURCES = tests/model/test_restored.c tests/model/restored.h $(model_rig)
tests_model_test_random_SOURCES = tests/model/test_random.c $(model_rig)
tests_model_test_noalloc_SOURCES = tests/model/test_noalloc.c tests/model/forbidden.h $(model_rig)
tests_model_test_threads_SOURCES = tests/model/test_threads.c $(model_rig)
tests_model_test_resolutions_SOURCES = tests/model/test_resolutions.c tests/model/samples.h \
	$(model_rig)
tests_model_test_samples_SOURCES = tests/model/test_samples.c tests/model/samples.h $(model_rig)
tests_model_test_windows_SOURCES = tests/model/test_windows.c tests/model/windows.h $(model_rig)
tests_model_test_windows_disturbed_SOURCES = tests/model/test_windows_disturbed.c \
	tests/model/windows.h $(model_rig)
tests_model_test_windows_faults_SOURCES = tests/model/test_windows_faults.c tests/model/windows.h \
	$(model_rig)
tests_model_test_windows_chain_SOURCES = tests/model/test_windows_chain.c tests/model/windows.h \
	$(model_rig)
tests_model_test_windows_samples_SOURCES = tests/model/test_windows_samples.c \
	tests/model/windows.h $(model_rig)
tests_model_test_windows_restored_SOURCES = tests/model/test_windows_restored.c \
	tests/model/windows.h $(model_rig)

# What a Prometheus would scrape meanwhile; tests/e2e/gaps.py reads it.
check_PROGRAMS += tests/model/gaps
tests_model_gaps_SOURCES = tests/model/gaps.c tests/model/served.h tests/plan/plan_test.h \
	tests/unit/fake_perf.h $(sysfs_tree_files) $(model_rig)
tests_model_gaps_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/plan -I$(top_srcdir)/tests/unit \
	$(CMOCKA_CFLAGS)
endif

CLEANFILES += tests/model/forbidden_calls.so
check_DATA += tests/model/forbidden_calls.so
EXTRA_DIST += tests/model/forbidden_calls.c

# Preloaded by tests/e2e/sampling_path.py, so not linked with anything of ours.
tests/model/forbidden_calls.so: tests/model/forbidden_calls.c tests/model/forbidden.h
	@$(MKDIR_P) tests/model
	$(AM_V_CCLD)$(CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) \
		$(CFLAGS) -U_FORTIFY_SOURCE -fPIC -shared -o $@ \
		$(top_srcdir)/tests/model/forbidden_calls.c

# A day of 784 counters, every write at which a kill can happen, random seeds: some minutes.
.PHONY: check-long check-long-model
check-long: check-long-model
check-long-model: $(whole_tests)
	@for t in $(whole_tests); do \
		echo "$$t (long)"; UNCORED_TEST_LONG=1 ./$$t || [ $$? = 77 ] || exit 1; done
