# unit tests of plan; what needs whole plans is in tests/plan
if HAVE_CMOCKA
test_programs += tests/unit/test_choose
endif
