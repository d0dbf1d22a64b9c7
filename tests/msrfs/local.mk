# SPDX-License-Identifier: MIT
# files of tests/msrfs
if HAVE_FUSE
# Of the long tests, too.
msrfs_programs = tests/msrfs/uncore-msrfs tests/msrfs/uncore-passfs
check_PROGRAMS += $(msrfs_programs)
tests_msrfs_uncore_msrfs_SOURCES = tests/msrfs/msrfs.c tests/msrfs/msrfs.h tests/msrfs/tree.c \
	tests/msrfs/files.c \
	tests/msrfs/control.c
tests_msrfs_uncore_msrfs_LDADD = tests/model/libinspect.a libuncored.a $(FUSE_LIBS)
tests_msrfs_uncore_msrfs_CPPFLAGS = $(AM_CPPFLAGS) $(FUSE_CFLAGS)
tests_msrfs_uncore_passfs_SOURCES = tests/msrfs/passfs.c
tests_msrfs_uncore_passfs_LDADD = $(FUSE_LIBS)
tests_msrfs_uncore_passfs_CPPFLAGS = $(AM_CPPFLAGS) $(FUSE_CFLAGS)
endif
TESTS += tests/msrfs/test_msrfs.sh
EXTRA_DIST += tests/msrfs/test_msrfs.sh
