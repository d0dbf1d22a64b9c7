# SPDX-License-Identifier: MIT
libuncored_a_SOURCES += \
	src/lower/lower.h \
	src/lower/lower_lists.c \
	src/lower/lower_perf.c \
	src/lower/lower_regs.c \
	src/lower/lower_table.c \
	src/lower/lower_overflow_window.c \
	src/lower/perf_facts.c
