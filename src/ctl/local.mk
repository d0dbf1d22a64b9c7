bin_PROGRAMS += uncorectl
uncorectl_SOURCES = \
	src/ctl/ctl.h src/ctl/decode.c src/ctl/describe.c src/ctl/doctor.c src/ctl/doctor.h src/ctl/doctor_clock.c \
	src/ctl/doctor_find.c src/ctl/doctor_json.c src/ctl/doctor_pci.c src/ctl/doctor_pmus.c src/ctl/doctor_ready.c \
	src/ctl/encode.c src/ctl/list.c src/ctl/main.c \
	src/ctl/metrics.c src/ctl/out.c src/ctl/perf.c src/ctl/plan.c
