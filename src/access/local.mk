# SPDX-License-Identifier: MIT
libuncored_a_SOURCES += \
	src/access/counting.h src/access/regs.h \
	src/access/counting_perf.c src/access/perf_engine.h \
	src/access/counting_perf_open.c \
	src/access/counting_perf_rise.c \
	src/access/counting_perf_try.c src/access/perf_permission.c \
	src/access/perf_sys_model.c \
	src/access/counting_regs.c \
	src/access/counting_regs_new.c \
	src/access/counting_regs_program.c \
	src/access/counting_regs_restore.c \
	src/access/lock.c \
	src/access/overflow_windows.c \
	src/access/regio.c src/access/regio.h \
	src/access/regio_model.c \
	src/access/regio_msr.c \
	src/access/regio_pci.c \
	src/access/regio_trace.c \
	src/access/saved_regs.c \
	src/access/state.c
