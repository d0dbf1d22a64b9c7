# SPDX-License-Identifier: MIT
libuncored_a_SOURCES += \
	src/plan/planning.h \
	src/plan/groups.c \
	src/plan/items.c \
	src/plan/named.c \
	src/plan/pins.c \
	src/plan/plan.c \
	src/plan/plan.h \
	src/plan/plan_build.h \
	src/plan/defaults.c \
	src/plan/defaults.h \
	src/plan/ready.c \
	src/plan/series_name.c \
	src/plan/series_name.h \
	src/plan/series.c \
	src/plan/distribution_same.c \
	src/plan/windows.c
