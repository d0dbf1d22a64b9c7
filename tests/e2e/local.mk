# files of tests/e2e
