# SPDX-License-Identifier: MIT
# A real kernel with its msr and intel-uncore drivers, in qemu: `make check-vm`, no part of `make
# check`. Those that decide in CI look at what is true, whatever time it takes; the others plant
# bugs by the dozen, build packages, measure a load, or wait a minute for each machine.
vm_deciding = tests/vm/nehalem_ex.py tests/vm/ivytown.py tests/vm/skylake_x.py \
	tests/vm/ice_lake.py tests/vm/others.py tests/vm/registers.py tests/vm/energy.py \
	tests/vm/permissions.py tests/vm/service.py tests/vm/driver.py \
	tests/vm/disturbed.py tests/vm/live.py tests/vm/arm64.py
vm_tests = $(vm_deciding) tests/vm/minute.py tests/vm/package.py tests/vm/planted.py \
	tests/vm/mutants.py tests/vm/verified.py tests/vm/curve.py
vm_module = tests/vm/module/Kbuild tests/vm/module/clock.c tests/vm/module/commands.c \
	tests/vm/module/counting.h tests/vm/module/curve.c tests/vm/module/machine.c \
	tests/vm/module/pmu.c tests/vm/module/registers.c tests/vm/module/traffic.c \
	tests/vm/dmc620/Kbuild tests/vm/dmc620/dmc620_counts.c
TESTS += tests/vm/boot.py tests/vm/counts.py
EXTRA_DIST += $(vm_tests) tests/vm/README.md tests/vm/boot.py tests/vm/counts.py \
	tests/vm/checks.py tests/vm/guest.py tests/vm/image.py tests/vm/answer.sh tests/vm/init.sh \
	tests/vm/described.py tests/vm/channels.py tests/vm/cross.py tests/vm/mesh.py \
	tests/vm/truth.py tests/vm/events.tsv tests/vm/public_events.py tests/vm/certificate.json \
	$(vm_module)

vm_programs = tests/vm/perf_reader tests/vm/refuse_perf tests/vm/tsc_rate
check_PROGRAMS += tests/vm/perf_reader tests/vm/refuse_perf tests/vm/tsc_rate
tests_vm_perf_reader_SOURCES = tests/vm/perf_reader.c
tests_vm_refuse_perf_SOURCES = tests/vm/refuse_perf.c
tests_vm_tsc_rate_SOURCES = tests/vm/tsc_rate.c

# What was measured is worth seeing also when all is well.
if HAVE_CMOCKA
vm_programs += tests/model/test_perf_kernel_real
endif
check-vm check-vm-deciding: all $(vm_programs)
	@case $@ in *-deciding) set -- $(vm_deciding) ;; *) set -- $(vm_tests) ;; esac; \
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS="$$*"; r=$$?; \
	for t in "$$@"; do sed -n "s,^# *,$$(basename $$t .py): ,p" $${t%.py}.log; done; exit $$r

clean-local: clean-vm
clean-vm:
	rm -rf tests/vm/kernel tests/vm/kernel.lock \
		tests/vm/headers-* tests/vm/arm64 tests/vm/arm64.lock
.PHONY: check-vm check-vm-deciding clean-vm
