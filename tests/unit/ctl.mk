# SPDX-License-Identifier: MIT
# unit tests of ctl, whose files are in no library
if HAVE_CMOCKA
test_programs += tests/unit/test_ctl_decode tests/unit/test_ctl_doctor \
	tests/unit/test_ctl_fail tests/unit/test_ctl_human tests/unit/test_ctl_snapshot \
	tests/unit/test_ctl_stat_gains
tests_unit_test_ctl_decode_SOURCES = tests/unit/test_ctl_decode.c src/ctl/cmd_decode.c src/ctl/out.c
tests_unit_test_ctl_doctor_SOURCES = tests/unit/test_ctl_doctor.c src/ctl/doctor_find.c \
	src/ctl/doctor_finding.c
tests_unit_test_ctl_fail_SOURCES = tests/unit/test_ctl_fail.c src/ctl/fail.c
tests_unit_test_ctl_human_SOURCES = tests/unit/test_ctl_human.c src/ctl/human.c
tests_unit_test_ctl_snapshot_SOURCES = tests/unit/test_ctl_snapshot.c src/ctl/snapshot_read.c
tests_unit_test_ctl_stat_gains_SOURCES = tests/unit/test_ctl_stat_gains.c src/ctl/stat_gains.c \
	src/ctl/running.c src/ctl/snapshot_read.c src/ctl/out.c src/ctl/fail.c
tests_unit_test_ctl_doctor_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=realloc
endif
