libuncored_a_SOURCES += \
	src/plan/assign.c \
	src/plan/build.h \
	src/plan/groups.c \
	src/plan/labels.c \
	src/plan/lower_perf.c \
	src/plan/lower_regs.c \
	src/plan/metric_rows.c src/plan/metric_rows.h \
	src/plan/metrics.c \
	src/plan/perf_facts.c \
	src/plan/perf_list.c \
	src/plan/perf_pmus.c \
	src/plan/perf_terms.c \
	src/plan/plan.c src/plan/plan.h \
	src/plan/program.h \
	src/plan/ready.c src/plan/ready.h \
	src/plan/rounds.c src/plan/rounds_perf.c \
	src/plan/spec.c src/plan/spec_keys.c \
	src/plan/text.c \
	src/plan/watch.c \
	src/plan/windows.c
if HAVE_LIBPFM
libuncored_a_SOURCES += src/plan/lower_pfm.c
else
libuncored_a_SOURCES += src/plan/lower_pfm_disabled.c
endif
