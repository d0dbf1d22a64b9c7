lint_tests = tests/lint/python.sh tests/lint/rooms.sh tests/lint/shell.sh tests/lint/unused.sh
TESTS += $(lint_tests)
EXTRA_DIST += $(lint_tests)
