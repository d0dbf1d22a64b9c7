# unit tests of expo
