# SPDX-License-Identifier: MIT
# unit tests of children
EXTRA_DIST += tests/unit/listen_test.h
if HAVE_CMOCKA
test_programs += tests/unit/test_children_http_log tests/unit/test_children_listen \
	tests/unit/test_children_listen_files tests/unit/test_children_listen_passed \
	tests/unit/test_children_supervisor \
	tests/unit/test_systemd tests/unit/test_systemd_of_image
# with what the image has in place of libsystemd
tests_unit_test_systemd_of_image_SOURCES = tests/unit/test_systemd.c contrib/container/systemd.c
tests_unit_test_systemd_of_image_LDADD = $(CMOCKA_LIBS)
endif
