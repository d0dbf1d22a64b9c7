# SPDX-License-Identifier: MIT
# unit tests of verify
if HAVE_CMOCKA
test_programs += tests/unit/test_verify_bank tests/unit/test_verify_load \
	tests/unit/test_verify_pace
endif
TESTS += tests/unit/verify_aarch64.sh
EXTRA_DIST += tests/unit/verify_aarch64.sh tests/unit/small_cmocka.h
