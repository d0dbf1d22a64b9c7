# SPDX-License-Identifier: MIT
# Fuzz targets, one per parser; the stored inputs are replayed by `make check`.
#
# To search for new ones, in a directory of its own ($SRC: this one), with clang and its libclang-rt:
#   $SRC/configure CC=clang CFLAGS="-g -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined" && make
#   clang -std=gnu17 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -D_GNU_SOURCE -I. -I$SRC/src \
#     -I$SRC/tests/fuzz -I$SRC/tests/plan $SRC/tests/fuzz/{fuzz_plan,mutate}.c $SRC/tests/plan/sysfs_tree.c libuncored.a \
#     -ljansson -lconfig -lseccomp -lcap-ng -lprotobuf-c -lz -o fuzz_plan         # the others: their file alone, without mutate.c
#   mkdir found; top_srcdir=$SRC ./fuzz_plan -max_total_time=1800 -timeout=20 -dict=$SRC/tests/fuzz/conf.dict found $SRC/tests/fuzz/corpus/plan \
#     $SRC/tests/golden/conf $SRC/conf
# What it finds, made small (-minimize_crash=1), goes into corpus/ with the cure.
EXTRA_DIST += tests/fuzz/corpus tests/fuzz/conf.dict tests/fuzz/mutate.c

test_programs += tests/fuzz/fuzz_conf
tests_fuzz_fuzz_conf_SOURCES = tests/fuzz/fuzz_conf.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_conf_CPPFLAGS = $(AM_CPPFLAGS) $(LIBCONFIG_CFLAGS) -I$(srcdir)/tests/fuzz -DFUZZ_CORPUS='"conf"'

test_programs += tests/fuzz/fuzz_spec
tests_fuzz_fuzz_spec_SOURCES = tests/fuzz/fuzz_spec.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_spec_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/fuzz -DFUZZ_CORPUS='"spec"'

test_programs += tests/fuzz/fuzz_cpulist
tests_fuzz_fuzz_cpulist_SOURCES = tests/fuzz/fuzz_cpulist.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_cpulist_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/fuzz -DFUZZ_CORPUS='"cpulist"'

test_programs += tests/fuzz/fuzz_cpuinfo
tests_fuzz_fuzz_cpuinfo_SOURCES = tests/fuzz/fuzz_cpuinfo.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_cpuinfo_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/fuzz -DFUZZ_CORPUS='"cpuinfo"'

test_programs += tests/fuzz/fuzz_pmu
tests_fuzz_fuzz_pmu_SOURCES = tests/fuzz/fuzz_pmu.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_pmu_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/fuzz -DFUZZ_CORPUS='"pmu"'

test_programs += tests/fuzz/fuzz_terms
tests_fuzz_fuzz_terms_SOURCES = tests/fuzz/fuzz_terms.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_terms_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/fuzz -DFUZZ_CORPUS='"terms"'

test_programs += tests/fuzz/fuzz_accept
tests_fuzz_fuzz_accept_SOURCES = tests/fuzz/fuzz_accept.c tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_accept_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/fuzz -DFUZZ_CORPUS='"accept"'

test_programs += tests/fuzz/fuzz_plan
tests_fuzz_fuzz_plan_SOURCES = tests/fuzz/fuzz_plan.c tests/fuzz/fuzz.h tests/fuzz/replay.c $(sysfs_tree_files)
tests_fuzz_fuzz_plan_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/fuzz -I$(srcdir)/tests/plan -DFUZZ_CORPUS='"plan"'
