# SPDX-License-Identifier: MIT
# files of tests/golden
golden_confs = \
	tests/golden/conf/memory.conf tests/golden/conf/links.conf tests/golden/conf/filters.conf \
	tests/golden/conf/turns.conf tests/golden/conf/windows.conf tests/golden/conf/default.conf \
	tests/golden/conf/bad-syntax.conf tests/golden/conf/bad-keys.conf \
	tests/golden/conf/bad-events.conf tests/golden/conf/bad-group.conf \
	tests/golden/conf/bad-interval.conf tests/golden/conf/bad-metrics.conf
EXTRA_DIST += $(golden_confs) tests/golden/expected tests/golden/judged.txt \
	tests/golden/test_golden.sh \
	tests/golden/executed.py tests/golden/plans.py

# The program uses the rig of tests/model, which is made with cmocka.
if HAVE_CMOCKA
check_PROGRAMS += tests/golden/golden
TESTS += tests/golden/test_golden.sh tests/golden/executed.py tests/golden/plans.py
tests_golden_golden_SOURCES = tests/golden/golden.c tests/model/rig.c tests/model/rig.h
endif

# Read the difference before you commit it.
.PHONY: update-golden
update-golden: uncored uncorectl tests/golden/golden
	$(AM_TESTS_ENVIRONMENT) UPDATE_GOLDEN=1 \
		$(SH_LOG_COMPILER) $(srcdir)/tests/golden/test_golden.sh
