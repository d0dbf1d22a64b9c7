# SPDX-License-Identifier: MIT
libuncored_a_SOURCES += \
	src/catalog/catalog.c src/catalog/catalog.h src/catalog/metric_row.h \
	src/catalog/encode.c \
	src/catalog/decode.c \
	src/catalog/perf.c src/catalog/perf.h \
	src/catalog/perf_names.c \
	src/catalog/cpu.c src/catalog/cpu.h \
	src/catalog/tables/rows.h \
	src/catalog/tables/perf_tables.h \
	src/catalog/tables/perf_amd.c src/catalog/tables/perf_amd.h \
	src/catalog/tables/perf_amd_df.c \
	src/catalog/tables/perf_arm.c \
	src/catalog/tables/perf_arm_servers.c \
	src/catalog/tables/perf_client.c \
	src/catalog/tables/perf_cxl.c \
	src/catalog/tables/perf_icx.c src/catalog/tables/perf_intel.h \
	src/catalog/tables/perf_memory.c \
	src/catalog/tables/perf_nhm.c \
	src/catalog/tables/perf_nvidia.c \
	src/catalog/tables/perf_pages.c \
	src/catalog/tables/perf_power.c \
	src/catalog/tables/perf_published.c \
	src/catalog/tables/perf_skx.c \
	src/catalog/tables/perf_snbep.c \
	src/catalog/tables/ivytown.c src/catalog/tables/ivytown.h \
	src/catalog/tables/ivytown_cbox.c \
	src/catalog/tables/ivytown_ha.c \
	src/catalog/tables/ivytown_imc.c \
	src/catalog/tables/ivytown_irp.c \
	src/catalog/tables/ivytown_metrics.c \
	src/catalog/tables/ivytown_pcu.c \
	src/catalog/tables/ivytown_qpi.c \
	src/catalog/tables/ivytown_r2pcie.c \
	src/catalog/tables/ivytown_r3qpi.c \
	src/catalog/tables/ivytown_ubox.c \
	src/catalog/tables/nehalem.c src/catalog/tables/nehalem.h \
	src/catalog/tables/nehalem_metrics.c \
	src/catalog/tables/nehalem_uncore.c \
	src/catalog/tables/nehalem_ex.c src/catalog/tables/nehalem_ex.h \
	src/catalog/tables/nehalem_ex_bbox.c \
	src/catalog/tables/nehalem_ex_cbox.c \
	src/catalog/tables/nehalem_ex_mbox.c \
	src/catalog/tables/nehalem_ex_metrics.c \
	src/catalog/tables/nehalem_ex_rbox.c \
	src/catalog/tables/nehalem_ex_sbox.c \
	src/catalog/tables/nehalem_ex_ubox.c \
	src/catalog/tables/nehalem_ex_wbox.c

EXTRA_DIST += src/catalog/tables/perf_published.tsv
