# unit tests of http
