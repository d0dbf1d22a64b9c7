# SPDX-License-Identifier: MIT
libuncored_a_SOURCES += \
	src/planner/planning.h \
	src/planner/groups.c \
	src/planner/items.c \
	src/planner/locations.c \
	src/planner/named.c \
	src/planner/pins.c \
	src/planner/plan_build.c \
	src/planner/plan_build.h \
	src/planner/defaults.c \
	src/planner/defaults.h \
	src/planner/ready.c \
	src/planner/restoring.c src/planner/restoring.h \
	src/planner/series_name.c \
	src/planner/series_name.h \
	src/planner/series.c \
	src/planner/windows.c
