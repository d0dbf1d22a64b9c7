# SPDX-License-Identifier: MIT
if HAVE_CMOCKA
test_programs += tests/unit/test_sampler tests/unit/test_sampler_invalid \
	tests/unit/test_sampler_time \
	tests/unit/test_histogram tests/unit/test_realtime tests/unit/test_sampler_perf \
	tests/unit/test_sampler_clocks tests/unit/test_sampler_moved \
	tests/unit/test_sampler_shares tests/unit/test_sampler_full \
	tests/unit/test_sampler_channels tests/unit/test_ring tests/unit/test_derive
tests_unit_test_sampler_SOURCES = tests/unit/test_sampler.c tests/unit/sampler_fixture.h
tests_unit_test_sampler_invalid_SOURCES = tests/unit/test_sampler_invalid.c \
	tests/unit/sampler_fixture.h
tests_unit_test_sampler_channels_SOURCES = tests/unit/test_sampler_channels.c \
	tests/unit/hand_series.h
tests_unit_test_sampler_full_SOURCES = tests/unit/test_sampler_full.c tests/unit/sampler_fixture.h
tests_unit_test_sampler_time_SOURCES = tests/unit/test_sampler_time.c tests/unit/sampler_fixture.h
tests_unit_test_sampler_perf_SOURCES = tests/unit/test_sampler_perf.c tests/unit/perf_fixture.h \
	tests/unit/fake_perf.h tests/plan/plan_test.h \
	$(sysfs_tree_files)
tests_unit_test_sampler_perf_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/plan $(CMOCKA_CFLAGS)
tests_unit_test_sampler_clocks_SOURCES = tests/unit/test_sampler_clocks.c \
	tests/unit/perf_fixture.h tests/unit/fake_perf.h tests/plan/plan_test.h \
	$(sysfs_tree_files)
tests_unit_test_sampler_clocks_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/plan $(CMOCKA_CFLAGS)
tests_unit_test_sampler_moved_SOURCES = tests/unit/test_sampler_moved.c \
	tests/unit/sampler_fixture.h
tests_unit_test_sampler_shares_SOURCES = tests/unit/test_sampler_shares.c \
	tests/unit/perf_fixture.h tests/unit/fake_perf.h tests/unit/expo_scene.h \
	tests/unit/expo_plan.h tests/unit/hand_series.h tests/plan/plan_test.h $(sysfs_tree_files)
tests_unit_test_sampler_shares_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/plan $(CMOCKA_CFLAGS)
endif
