# SPDX-License-Identifier: MIT
# unit tests of daemon
EXTRA_DIST += tests/unit/capture.h
if HAVE_CMOCKA
test_programs += tests/unit/test_daemon_health tests/unit/test_daemon_life \
	tests/unit/test_daemon_listening \
	tests/unit/test_daemon_notify tests/unit/test_daemon_options tests/unit/test_daemon_proc \
	tests/unit/test_daemon_restore tests/unit/test_daemon_waiting
endif
