# files of tests/golden
