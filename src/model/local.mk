# SPDX-License-Identifier: MIT
# files of src/model
libuncored_a_SOURCES += \
	src/model/model.c src/model/model.h src/model/model_internal.h \
	src/model/model_ivytown.c src/model/model_ivytown.h \
	src/model/ivytown_events.c \
	src/model/ivytown_map.c \
	src/model/model_nehalem.c \
	src/model/model_nehalem_ex.c \
	src/model/nehalem_ex_events.c \
	src/model/nehalem_ex_redirect.c \
	src/model/perf_kernel.c src/model/perf_kernel.h src/model/perf_kernel_internal.h \
	src/model/perf_kernel_event.c src/model/perf_kernel_new.c \
	src/model/server.c src/model/server.h \
	src/model/workload.c
