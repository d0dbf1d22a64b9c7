# unit tests of access
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_regio \
	tests/unit/test_pci \
	tests/unit/test_regio_pci \
	tests/unit/test_counting_regs \
	tests/unit/test_counting_regs_restore \
	tests/unit/test_counting_regs_turns \
	tests/unit/test_counting_model \
	tests/unit/test_counting_perf \
	tests/unit/test_counting_perf_fake \
	tests/unit/test_lock \
	tests/unit/test_state \
	tests/unit/test_state_restore
TESTS += tests/unit/test_regio \
	tests/unit/test_pci \
	tests/unit/test_regio_pci \
	tests/unit/test_counting_regs \
	tests/unit/test_counting_regs_restore \
	tests/unit/test_counting_regs_turns \
	tests/unit/test_counting_model \
	tests/unit/test_counting_perf \
	tests/unit/test_counting_perf_fake \
	tests/unit/test_lock \
	tests/unit/test_state \
	tests/unit/test_state_restore
tests_unit_test_regio_SOURCES = tests/unit/test_regio.c tests/unit/temp_dir.h tests/unit/fake_regio.h
tests_unit_test_regio_LDADD = $(test_libs)
tests_unit_test_regio_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_pci_SOURCES = tests/unit/test_pci.c tests/unit/pci_tree.h tests/unit/temp_dir.h
tests_unit_test_pci_LDADD = $(test_libs)
tests_unit_test_pci_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_regio_pci_SOURCES = tests/unit/test_regio_pci.c tests/unit/pci_tree.h tests/unit/temp_dir.h
tests_unit_test_regio_pci_LDADD = $(test_libs)
tests_unit_test_regio_pci_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_counting_regs_SOURCES = tests/unit/test_counting_regs.c tests/unit/regs_fixture.h tests/unit/fake_regio.h
tests_unit_test_counting_regs_LDADD = $(test_libs)
tests_unit_test_counting_regs_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_counting_regs_turns_SOURCES = tests/unit/test_counting_regs_turns.c tests/unit/regs_fixture.h tests/unit/fake_regio.h
tests_unit_test_counting_regs_turns_LDADD = $(test_libs)
tests_unit_test_counting_regs_turns_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_counting_regs_restore_SOURCES = tests/unit/test_counting_regs_restore.c tests/unit/regs_fixture.h tests/unit/fake_regio.h
tests_unit_test_counting_regs_restore_LDADD = $(test_libs)
tests_unit_test_counting_regs_restore_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_counting_model_SOURCES = tests/unit/test_counting_model.c
tests_unit_test_counting_model_LDADD = $(test_libs)
tests_unit_test_counting_model_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_counting_perf_SOURCES = tests/unit/test_counting_perf.c
tests_unit_test_counting_perf_LDADD = $(test_libs)
tests_unit_test_counting_perf_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_counting_perf_fake_SOURCES = tests/unit/test_counting_perf_fake.c tests/unit/fake_perf.h
tests_unit_test_counting_perf_fake_LDADD = $(test_libs)
tests_unit_test_counting_perf_fake_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_lock_SOURCES = tests/unit/test_lock.c tests/unit/temp_dir.h
tests_unit_test_lock_LDADD = $(test_libs)
tests_unit_test_lock_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_state_restore_SOURCES = tests/unit/test_state_restore.c tests/unit/temp_dir.h tests/unit/fake_regio.h
tests_unit_test_state_restore_LDADD = $(test_libs)
tests_unit_test_state_restore_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_state_SOURCES = tests/unit/test_state.c tests/unit/temp_dir.h tests/unit/fake_regio.h
tests_unit_test_state_LDADD = $(test_libs)
tests_unit_test_state_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
endif
