# unit tests of verify
if HAVE_CMOCKA
test_programs += tests/unit/test_verify_bank tests/unit/test_verify_load
endif
