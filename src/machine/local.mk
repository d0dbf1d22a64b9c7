# SPDX-License-Identifier: MIT
libuncored_a_SOURCES += \
	src/machine/choose.c src/machine/choose.h \
	src/machine/cpu_of.c src/machine/cpu_of.h \
	src/machine/constants.c src/machine/constants.h \
	src/machine/curve.c src/machine/curve.h src/machine/curve_knee.c \
	src/machine/machine.c src/machine/machine.h \
	src/machine/machine_plan.c \
	src/machine/name_given.c src/machine/name_given.h \
	src/machine/perf_try.c src/machine/perf_try.h \
	src/machine/regio_open.c src/machine/regio_open.h \
	src/machine/simulated.c src/machine/simulated.h \
	src/machine/there.c src/machine/there.h
