# files of tests/plan
