# SPDX-License-Identifier: MIT
libuncored_a_SOURCES += \
	src/catalog/catalog.c src/catalog/catalog.h src/catalog/metric_row.h src/catalog/rows.h \
	src/catalog/encode.c \
	src/catalog/decode.c \
	src/catalog/perf.c src/catalog/perf.h src/catalog/perf_tables.h \
	src/catalog/perf_amd.c src/catalog/perf_amd.h \
	src/catalog/perf_amd_df.c \
	src/catalog/perf_arm.c \
	src/catalog/perf_client.c \
	src/catalog/perf_icx.c src/catalog/perf_intel.h \
	src/catalog/perf_memory.c \
	src/catalog/perf_nhm.c \
	src/catalog/perf_power.c \
	src/catalog/perf_skx.c \
	src/catalog/perf_snbep.c \
	src/catalog/ivytown.c src/catalog/ivytown.h \
	src/catalog/ivytown_cbox.c \
	src/catalog/ivytown_ha.c \
	src/catalog/ivytown_imc.c \
	src/catalog/ivytown_irp.c \
	src/catalog/ivytown_metrics.c \
	src/catalog/ivytown_pcu.c \
	src/catalog/ivytown_qpi.c \
	src/catalog/ivytown_r2pcie.c \
	src/catalog/ivytown_r3qpi.c \
	src/catalog/ivytown_ubox.c \
	src/catalog/nehalem.c src/catalog/nehalem.h \
	src/catalog/nehalem_metrics.c \
	src/catalog/nehalem_uncore.c \
	src/catalog/nehalem_ex.c src/catalog/nehalem_ex.h \
	src/catalog/nehalem_ex_bbox.c \
	src/catalog/nehalem_ex_cbox.c \
	src/catalog/nehalem_ex_mbox.c \
	src/catalog/nehalem_ex_metrics.c \
	src/catalog/nehalem_ex_rbox.c \
	src/catalog/nehalem_ex_sbox.c \
	src/catalog/nehalem_ex_ubox.c \
	src/catalog/nehalem_ex_wbox.c
