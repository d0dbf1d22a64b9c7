# unit tests of access
