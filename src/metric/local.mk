# SPDX-License-Identifier: MIT
libuncored_a_SOURCES += \
	src/metric/bind.h \
	src/metric/metric_bind.c \
	src/metric/metric_inputs.c \
	src/metric/metric_rows.c \
	src/metric/metric_rows.h \
	src/metric/whole.c \
	src/metric/whole.h \
	src/metric/distributions.c
