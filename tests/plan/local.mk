# SPDX-License-Identifier: MIT
# Plans: placement, lowering, names, refusals.
sysfs_trees = tests/plan/sysfs/dies.txt tests/plan/sysfs/digits.txt \
	tests/plan/sysfs/gnr_lts.txt tests/plan/sysfs/meshes.txt tests/plan/sysfs/numbers.txt \
	tests/plan/sysfs/spr_lts.txt tests/plan/sysfs/unnamed.txt tests/plan/sysfs/vera_old.txt \
	tests/plan/sysfs/zen4_nps4.txt
EXTRA_DIST += tests/plan/plan_test.h tests/plan/groups.h tests/plan/sysfs_tree.h \
	tests/plan/ready.tsv $(sysfs_trees)
sysfs_tree_files = tests/plan/sysfs_tree.c tests/plan/sysfs_tree.h
check_PROGRAMS += tests/plan/make_tree
tests_plan_make_tree_SOURCES = tests/plan/make_tree.c $(sysfs_tree_files)
if HAVE_CMOCKA
test_programs += tests/plan/test_assign tests/plan/test_spec tests/plan/test_plan_nehalem_ex \
	tests/plan/test_plan_perf tests/plan/test_plan_metrics tests/plan/test_plan_named \
	tests/plan/test_plan_random \
	tests/plan/test_plan_refused tests/plan/test_plan_pmus tests/plan/test_plan_pmus_odd \
	tests/plan/test_plan_units \
	tests/plan/test_plan_platforms tests/plan/test_pmu_names tests/plan/test_plan_families \
	tests/plan/test_plan_nvidia \
	tests/plan/test_defaults tests/plan/test_plan_windows tests/plan/test_rounds_perf \
	tests/plan/test_defaults_metrics tests/plan/test_defaults_fits \
	tests/plan/test_defaults_room \
	tests/plan/test_plan_locations \
	tests/plan/test_defaults_lacks tests/plan/test_no_memory \
	tests/plan/test_names tests/plan/test_one_row tests/plan/test_rounds_join \
	tests/plan/test_sets \
	tests/plan/test_typed tests/plan/test_types \
	tests/plan/test_whole tests/plan/test_parts
tests_plan_test_names_SOURCES = tests/plan/test_names.c tests/plan/pmus_fixture.h \
	tests/plan/plan_test.h tests/catalog/tsv.c tests/catalog/tsv.h $(sysfs_tree_files)
tests_plan_test_sets_SOURCES = tests/plan/test_sets.c tests/plan/pmus_fixture.h \
	tests/plan/plan_test.h $(sysfs_tree_files)
tests_plan_test_types_SOURCES = tests/plan/test_types.c tests/plan/pmus_fixture.h \
	tests/plan/plan_test.h $(sysfs_tree_files)
tests_plan_test_typed_SOURCES = tests/plan/test_typed.c tests/plan/pmus_fixture.h \
	tests/plan/plan_test.h $(sysfs_tree_files)
tests_plan_test_whole_SOURCES = tests/plan/test_whole.c tests/plan/plan_test.h \
	tests/unit/fake_perf.h $(sysfs_tree_files)
tests_plan_test_parts_SOURCES = tests/plan/test_parts.c tests/plan/plan_test.h \
	$(sysfs_tree_files)
tests_plan_test_one_row_SOURCES = tests/plan/test_one_row.c tests/plan/plan_test.h \
	tests/unit/expo_scene.h
tests_plan_test_one_row_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=cat_processor_by_name
tests_plan_test_no_memory_SOURCES = tests/plan/test_no_memory.c tests/plan/plan_test.h \
	$(sysfs_tree_files)
tests_plan_test_no_memory_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup,--wrap=free
tests_plan_test_spec_SOURCES = tests/plan/test_spec.c tests/plan/plan_test.h
tests_plan_test_plan_nehalem_ex_SOURCES = tests/plan/test_plan_nehalem_ex.c tests/plan/plan_test.h \
	tests/plan/groups.h
tests_plan_test_plan_metrics_SOURCES = tests/plan/test_plan_metrics.c tests/plan/plan_test.h \
	tests/plan/groups.h
tests_plan_test_plan_named_SOURCES = tests/plan/test_plan_named.c tests/plan/plan_test.h \
	tests/plan/groups.h
tests_plan_test_plan_random_SOURCES = tests/plan/test_plan_random.c tests/plan/plan_test.h
tests_plan_test_plan_refused_SOURCES = tests/plan/test_plan_refused.c tests/plan/plan_test.h \
	tests/plan/groups.h
tests_plan_test_plan_windows_SOURCES = tests/plan/test_plan_windows.c tests/plan/plan_test.h
tests_plan_test_plan_perf_SOURCES = tests/plan/test_plan_perf.c tests/plan/plan_test.h
tests_plan_test_plan_units_SOURCES = tests/plan/test_plan_units.c tests/plan/pmus_fixture.h \
	tests/plan/plan_test.h $(sysfs_tree_files)
tests_plan_test_plan_pmus_SOURCES = tests/plan/test_plan_pmus.c tests/plan/pmus_fixture.h \
	tests/plan/plan_test.h $(sysfs_tree_files)
tests_plan_test_plan_pmus_odd_SOURCES = tests/plan/test_plan_pmus_odd.c \
	tests/plan/pmus_fixture.h tests/plan/plan_test.h $(sysfs_tree_files)
tests_plan_test_plan_platforms_SOURCES = tests/plan/test_plan_platforms.c tests/plan/plan_test.h \
	$(sysfs_tree_files)
tests_plan_test_plan_nvidia_SOURCES = tests/plan/test_plan_nvidia.c tests/plan/plan_test.h \
	$(sysfs_tree_files)
tests_plan_test_pmu_names_SOURCES = tests/plan/test_pmu_names.c tests/plan/plan_test.h
tests_plan_test_rounds_perf_SOURCES = tests/plan/test_rounds_perf.c tests/plan/plan_test.h \
	$(sysfs_tree_files)
tests_plan_test_rounds_join_SOURCES = tests/plan/test_rounds_join.c tests/plan/plan_test.h \
	tests/plan/groups.h
tests_plan_test_defaults_fits_SOURCES = tests/plan/test_defaults_fits.c tests/plan/plan_test.h \
	$(sysfs_tree_files)
tests_plan_test_plan_locations_SOURCES = tests/plan/test_plan_locations.c \
	tests/plan/plan_test.h $(sysfs_tree_files)
tests_plan_test_defaults_lacks_SOURCES = tests/plan/test_defaults_lacks.c tests/plan/plan_test.h \
	$(sysfs_tree_files)
tests_plan_test_defaults_metrics_SOURCES = tests/plan/test_defaults_metrics.c \
	tests/plan/plan_test.h $(sysfs_tree_files) \
	tests/catalog/tsv.c tests/catalog/tsv.h
tests_plan_test_plan_families_SOURCES = tests/plan/test_plan_families.c tests/plan/plan_test.h
tests_plan_test_defaults_SOURCES = tests/plan/test_defaults.c tests/plan/defaults_fixture.h \
	tests/plan/plan_test.h $(sysfs_tree_files)
tests_plan_test_defaults_room_SOURCES = tests/plan/test_defaults_room.c \
	tests/plan/defaults_fixture.h tests/plan/plan_test.h $(sysfs_tree_files)
endif
