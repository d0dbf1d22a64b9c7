# SPDX-License-Identifier: MIT
libuncored_a_SOURCES += \
	src/schedule/assign.c \
	src/schedule/assign.h \
	src/schedule/rounds.c \
	src/schedule/rounds_fit.c \
	src/schedule/rounds_join.c \
	src/schedule/rounds_perf.c \
	src/schedule/schedule.h
