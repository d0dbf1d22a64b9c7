# unit tests of verify
if HAVE_CMOCKA
test_programs += tests/unit/test_verify_bank
endif
