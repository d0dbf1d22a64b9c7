# SPDX-License-Identifier: MIT
libuncored_a_SOURCES += \
	src/spec/kernel.h \
	src/spec/perf_instead.c \
	src/spec/perf_list.c \
	src/spec/perf_places.c \
	src/spec/perf_odd.c \
	src/spec/perf_pmus.c \
	src/spec/perf_resolve.c \
	src/spec/perf_tables.c \
	src/spec/perf_terms.c \
	src/spec/perf_unnamed.c \
	src/spec/refuse.h \
	src/spec/resolve.h \
	src/spec/spec.h \
	src/spec/spec_keys.c \
	src/spec/spec_names.c \
	src/spec/spec_parse.c \
	src/spec/spec_raw.c \
	src/spec/spec_resolve.c
if HAVE_LIBPFM
libuncored_a_SOURCES += src/spec/perf_pfm.c src/spec/pfm_contradicted.h
else
libuncored_a_SOURCES += src/spec/perf_pfm_disabled.c
endif
