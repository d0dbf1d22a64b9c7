# Plans: placement, lowering, names, refusals.
EXTRA_DIST += tests/plan/plan_test.h tests/plan/sysfs_tree.h \
	tests/plan/sysfs/arm.txt tests/plan/sysfs/epyc.txt tests/plan/sysfs/nehalem.txt \
	tests/plan/sysfs/nehalem_ex.txt tests/plan/sysfs/skx.txt
if HAVE_CMOCKA
plan_tests = tests/plan/test_assign tests/plan/test_spec tests/plan/test_plan_nehalem_ex tests/plan/test_plan_perf \
	tests/plan/test_plan_pmus tests/plan/test_plan_families
check_PROGRAMS += $(plan_tests)
TESTS += $(plan_tests)
tests_plan_test_assign_SOURCES = tests/plan/test_assign.c
tests_plan_test_assign_LDADD = $(test_libs)
tests_plan_test_assign_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_plan_test_spec_SOURCES = tests/plan/test_spec.c tests/plan/plan_test.h
tests_plan_test_spec_LDADD = $(test_libs)
tests_plan_test_spec_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_plan_test_plan_nehalem_ex_SOURCES = tests/plan/test_plan_nehalem_ex.c tests/plan/plan_test.h
tests_plan_test_plan_nehalem_ex_LDADD = $(test_libs)
tests_plan_test_plan_nehalem_ex_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_plan_test_plan_perf_SOURCES = tests/plan/test_plan_perf.c tests/plan/plan_test.h
tests_plan_test_plan_perf_LDADD = $(test_libs)
tests_plan_test_plan_perf_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_plan_test_plan_pmus_SOURCES = tests/plan/test_plan_pmus.c tests/plan/plan_test.h tests/plan/sysfs_tree.h
tests_plan_test_plan_pmus_LDADD = $(test_libs)
tests_plan_test_plan_pmus_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_plan_test_plan_families_SOURCES = tests/plan/test_plan_families.c tests/plan/plan_test.h
tests_plan_test_plan_families_LDADD = $(test_libs)
tests_plan_test_plan_families_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
endif
