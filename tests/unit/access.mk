# SPDX-License-Identifier: MIT
# unit tests of access
if HAVE_CMOCKA
test_programs += tests/unit/test_regio tests/unit/test_pci tests/unit/test_regio_pci \
	tests/unit/test_counting_regs tests/unit/test_counting_regs_restore \
	tests/unit/test_counting_regs_turns tests/unit/test_counting_model \
	tests/unit/test_counting_perf tests/unit/test_counting_perf_fake \
	tests/unit/test_counting_perf_cpus \
	tests/unit/test_perf_permission tests/unit/test_lock \
	tests/unit/test_state tests/unit/test_state_restore tests/unit/test_service_user
tests_unit_test_regio_SOURCES = tests/unit/test_regio.c tests/unit/temp_dir.h \
	tests/unit/fake_regio.h
tests_unit_test_pci_SOURCES = tests/unit/test_pci.c tests/unit/pci_tree.h tests/unit/temp_dir.h
tests_unit_test_regio_pci_SOURCES = tests/unit/test_regio_pci.c tests/unit/pci_tree.h \
	tests/unit/temp_dir.h
tests_unit_test_counting_regs_SOURCES = tests/unit/test_counting_regs.c tests/unit/regs_fixture.h \
	tests/unit/fake_regio.h
tests_unit_test_counting_regs_turns_SOURCES = tests/unit/test_counting_regs_turns.c \
	tests/unit/regs_fixture.h tests/unit/fake_regio.h
tests_unit_test_counting_regs_restore_SOURCES = tests/unit/test_counting_regs_restore.c \
	tests/unit/regs_fixture.h tests/unit/fake_regio.h
tests_unit_test_counting_perf_fake_SOURCES = tests/unit/test_counting_perf_fake.c \
	tests/unit/perf_engine_fixture.h tests/unit/fake_perf.h
tests_unit_test_counting_perf_cpus_SOURCES = tests/unit/test_counting_perf_cpus.c \
	tests/unit/perf_engine_fixture.h tests/unit/fake_perf.h
tests_unit_test_lock_SOURCES = tests/unit/test_lock.c tests/unit/temp_dir.h
tests_unit_test_service_user_SOURCES = tests/unit/test_service_user.c tests/unit/temp_dir.h
tests_unit_test_state_restore_SOURCES = tests/unit/test_state_restore.c tests/unit/temp_dir.h \
	tests/unit/fake_regio.h
tests_unit_test_state_SOURCES = tests/unit/test_state.c tests/unit/temp_dir.h \
	tests/unit/fake_regio.h
endif
