# SPDX-License-Identifier: MIT
libuncored_a_SOURCES += \
	src/sample/slot_check.c \
	src/sample/active.c \
	src/sample/commit.c \
	src/sample/counters.c \
	src/sample/daemon_metrics.h \
	src/sample/histogram.c src/sample/histogram.h \
	src/sample/inputs.c \
	src/sample/layout.c src/sample/layout.h \
	src/sample/slot_read.c \
	src/sample/realtime.c src/sample/realtime.h \
	src/sample/ring.c src/sample/ring.h \
	src/sample/rotate.c \
	src/sample/sampler.c src/sample/sampler.h \
	src/sample/slot_time.c \
	src/sample/span.c \
	src/sample/channels.c src/sample/standing.c \
	src/sample/state.h \
	src/sample/thread.c \
	src/sample/turns.c \
	src/sample/metric_samples.c \
	src/sample/overflow_time.c \
	src/sample/wrap.c
