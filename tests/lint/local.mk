# SPDX-License-Identifier: MIT
lint_tests = tests/lint/apart.sh tests/lint/circles.sh tests/lint/clang.sh tests/lint/ignored.sh \
	tests/lint/layout.sh \
	tests/lint/named.py tests/lint/owners.sh tests/lint/packages.py tests/lint/prefix.sh \
	tests/lint/python.sh \
	tests/lint/reliability.py tests/lint/rooms.sh tests/lint/shell.sh \
	tests/lint/skips.sh tests/lint/style.py tests/lint/unused.sh
TESTS += $(lint_tests)
EXTRA_DIST += $(lint_tests) tests/lint/numbers.py tests/lint/in_tree.sh tests/reliability.tsv \
	RELIABILITY.md

# Another build, in a source tree.
check-tree:
	@$(AM_TESTS_ENVIRONMENT) bash $(top_srcdir)/tests/lint/in_tree.sh || test $$? = 77
check-long: check-tree
.PHONY: check-tree

# The table of what may fail, from the tests' own list.
reliability:
	@top_srcdir=$(top_srcdir) python3 -B $(top_srcdir)/tests/lint/reliability.py --write
.PHONY: reliability

# All files that a build makes, for ignored.sh.
built:
	@printf '%s\n' $(PROGRAMS) $(check_PROGRAMS) $(LIBRARIES) $(BUILT_SOURCES) $(CLEANFILES) \
		$(check_DATA) $(TEST_LOGS) config.status config.h Makefile
.PHONY: built

# What every compiler is given, and every source of C, for clang.sh.
compiled:
	@printf '%s\n' flags $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(FUSE_CFLAGS) \
		-I$(top_srcdir)/tests/plan -I$(top_srcdir)/tests/unit $(CPPFLAGS) $(HARDEN_CFLAGS)
	@printf '%s\n' sources $(SOURCES)
.PHONY: compiled
