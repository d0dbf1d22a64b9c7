# SPDX-License-Identifier: MIT
# How close to its limit memory is: measured curves of real machines, played by simulated servers.
if HAVE_CMOCKA
check_PROGRAMS += tests/curves/played
tests_curves_played_SOURCES = tests/curves/played.c tests/model/kernel_fixture.h \
	tests/model/served.h tests/unit/conf_parse.h $(sysfs_tree_files)
tests_curves_played_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/plan \
	-I$(top_srcdir)/tests/model $(CMOCKA_CFLAGS)
endif
TESTS += tests/curves/alerts.py tests/curves/counts.py tests/curves/headroom.py \
	tests/curves/limit.py
# A week of each share of reads, and each mistake in the rules: ten minutes.
.PHONY: check-long-curves
check-long: check-long-curves
check-long-curves: tests/curves/played
	@$(AM_TESTS_ENVIRONMENT) UNCORED_TEST_LONG=1 \
		python3 -B $(top_srcdir)/tests/curves/limit.py || test $$? = 77
EXTRA_DIST += tests/curves/alerts.py tests/curves/counts.py tests/curves/counts.tsv \
	tests/curves/curves.py tests/curves/headroom.py tests/curves/limit.py \
	tests/curves/epyc7742.tsv tests/curves/grace.tsv tests/curves/spr8480.tsv \
	tests/curves/xeon5218.tsv
