# SPDX-License-Identifier: MIT
libuncored_a_SOURCES += \
	src/plan/constant.h \
	src/plan/distribution_same.c \
	src/plan/knee.h \
	src/plan/location.h \
	src/plan/metric.h \
	src/plan/plan.c \
	src/plan/plan.h \
	src/plan/program.c \
	src/plan/program.h \
	src/plan/slot.h \
	src/plan/slot_labels.c \
	src/plan/slot_labels.h \
	src/plan/socket.h
