# SPDX-License-Identifier: MIT
# files of tests/model
tests_model_libinspect_a_SOURCES = tests/model/inspect.c tests/model/violations.c \
	tests/model/inspect.h
if HAVE_CMOCKA
test_programs += tests/model/test_registers tests/model/test_other_registers \
	tests/model/test_rates tests/model/test_faults tests/model/test_two_tables
tests_model_test_registers_SOURCES = tests/model/test_registers.c tests/model/model_test.h
tests_model_test_other_registers_SOURCES = tests/model/test_other_registers.c \
	tests/model/model_test.h
tests_model_test_rates_SOURCES = tests/model/test_rates.c tests/model/model_test.h
tests_model_test_faults_SOURCES = tests/model/test_faults.c tests/model/model_test.h
test_programs += tests/model/test_perf_kernel tests/model/test_perf_kernel_engine \
	tests/model/test_perf_kernel_real
tests_model_test_perf_kernel_real_SOURCES = tests/model/test_perf_kernel_real.c \
	tests/model/kernel_fixture.h $(sysfs_tree_files)
tests_model_test_perf_kernel_real_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/plan
tests_model_test_perf_kernel_engine_SOURCES = tests/model/test_perf_kernel_engine.c \
	tests/model/kernel_fixture.h tests/plan/plan_test.h \
	$(sysfs_tree_files)
tests_model_test_perf_kernel_engine_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/plan
check_PROGRAMS += tests/model/server_truth
tests_model_server_truth_SOURCES = tests/model/server_truth.c tests/model/kernel_fixture.h \
	$(sysfs_tree_files)
tests_model_server_truth_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/plan $(CMOCKA_CFLAGS)
tests_model_test_perf_kernel_SOURCES = tests/model/test_perf_kernel.c tests/model/kernel_fixture.h \
	$(sysfs_tree_files)
tests_model_test_perf_kernel_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/plan
tests_model_test_two_tables_SOURCES = tests/model/test_two_tables.c tests/catalog/selection.h
endif
include tests/model/whole.mk
