# SPDX-License-Identifier: MIT
# unit tests of machine
if HAVE_CMOCKA
test_programs += tests/unit/test_choose
endif
