TESTS += tests/lint/rooms.sh tests/lint/shell.sh
EXTRA_DIST += tests/lint/rooms.sh tests/lint/shell.sh
