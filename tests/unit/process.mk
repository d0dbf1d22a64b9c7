# SPDX-License-Identifier: MIT
# unit tests of process
if HAVE_CMOCKA
test_programs += tests/unit/test_log
endif
