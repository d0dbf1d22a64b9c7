# SPDX-License-Identifier: MIT
EXTRA_DIST += \
	tests/catalog/checkout.py tests/catalog/ivytown_events.tsv \
	tests/catalog/ivytown_registers.tsv \
	tests/catalog/libpfm.py \
	tests/catalog/metrics.tsv \
	tests/catalog/nehalem_events.tsv \
	tests/catalog/nehalem_ex_events.tsv \
	tests/catalog/nehalem_ex_fields.tsv \
	tests/catalog/nehalem_ex_registers.tsv \
	tests/catalog/perfmon.py \
	tests/catalog/perfmon_read.py \
	tests/catalog/perfmon_rows.py \
	tests/catalog/perfmon.tsv \
	tests/catalog/published.py \
	tests/catalog/westmere_ex_events.tsv

if HAVE_CMOCKA
check_PROGRAMS += tests/catalog/published
tests_catalog_published_SOURCES = tests/catalog/published.c tests/plan/plan_test.h \
	$(sysfs_tree_files)
tests_catalog_published_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/plan $(CMOCKA_CFLAGS)
TESTS += tests/catalog/published.py tests/catalog/checkout.py
# for quickcheck, which builds what it runs alone
tests/catalog/published.py: tests/catalog/published tests/plan/make_tree
test_programs += tests/catalog/test_check tests/catalog/test_check_perf \
	tests/catalog/test_cpus tests/catalog/test_encode tests/catalog/test_ivytown_events \
	tests/catalog/test_ivytown_filters \
	tests/catalog/test_ivytown_registers tests/catalog/test_ivytown_rules \
	tests/catalog/test_metrics tests/catalog/test_nehalem tests/catalog/test_nehalem_ex_boxes \
	tests/catalog/test_nehalem_ex_decode tests/catalog/test_nehalem_ex_events \
	tests/catalog/test_processors tests/catalog/test_westmere_ex

check_tables = tests/catalog/check.c tests/catalog/check.h tests/catalog/check_box.c \
	tests/catalog/check_event.c tests/catalog/check_metric.c tests/catalog/check_perf.c \
	tests/catalog/check_spec.c tests/catalog/check_tables.h

tests_catalog_test_check_SOURCES = $(check_tables) tests/catalog/test_check.c \
	tests/catalog/complaints.h tests/catalog/fake.c tests/catalog/fake.h

tests_catalog_test_check_perf_SOURCES = $(check_tables) tests/catalog/test_check_perf.c \
	tests/catalog/complaints.h

tests_catalog_test_encode_SOURCES = tests/catalog/test_encode.c tests/catalog/fake.c \
	tests/catalog/fake.h

ivt_files = tests/catalog/ivt.h tests/catalog/names.h tests/catalog/selection.h \
	tests/catalog/tsv.c tests/catalog/tsv.h
tests_catalog_test_ivytown_events_SOURCES = tests/catalog/test_ivytown_events.c $(ivt_files)

tests_catalog_test_ivytown_filters_SOURCES = tests/catalog/test_ivytown_filters.c $(ivt_files)

tests_catalog_test_ivytown_registers_SOURCES = tests/catalog/test_ivytown_registers.c \
	tests/catalog/registers.h $(ivt_files)

tests_catalog_test_ivytown_rules_SOURCES = tests/catalog/test_ivytown_rules.c $(ivt_files)

tests_catalog_test_metrics_SOURCES = tests/catalog/test_metrics.c tests/catalog/tsv.c \
	tests/catalog/tsv.h

tests_catalog_test_nehalem_SOURCES = tests/catalog/test_nehalem.c tests/catalog/selection.h \
	tests/catalog/tsv.c tests/catalog/tsv.h

tests_catalog_test_westmere_ex_SOURCES = tests/catalog/test_westmere_ex.c tests/catalog/tsv.c \
	tests/catalog/tsv.h

tests_catalog_test_processors_SOURCES = $(check_tables) tests/catalog/test_processors.c \
	tests/catalog/selection.h

tests_catalog_test_nehalem_ex_boxes_SOURCES = $(check_tables) \
	tests/catalog/test_nehalem_ex_boxes.c tests/catalog/ex.h tests/catalog/registers.h \
	tests/catalog/names.h tests/catalog/tsv.c tests/catalog/tsv.h

tests_catalog_test_nehalem_ex_decode_SOURCES = tests/catalog/test_nehalem_ex_decode.c \
	tests/catalog/ex.h tests/catalog/names.h

tests_catalog_test_nehalem_ex_events_SOURCES = tests/catalog/test_nehalem_ex_events.c \
	tests/catalog/ex.h tests/catalog/names.h tests/catalog/tsv.c tests/catalog/tsv.h
endif
