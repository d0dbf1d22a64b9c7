# SPDX-License-Identifier: MIT
bin_PROGRAMS += uncorectl
uncorectl_LDADD = $(count_libs) $(SYSTEMD_LIBS) $(GNUTLS_LIBS)
uncorectl_SOURCES = \
	src/ctl/ctl.h src/ctl/child.c src/ctl/cmd_capture.c src/ctl/cmd_decode.c \
	src/ctl/cmd_describe.c src/ctl/describe_row.c src/ctl/cmd_pause.c src/ctl/doctor.c \
	src/ctl/doctor.h src/ctl/doctor_find.c src/ctl/doctor_finding.c src/ctl/doctor_json.c \
	src/ctl/doctor_registers.c src/ctl/doctor_pmus.c src/ctl/cmd_encode.c src/ctl/cmd_list.c \
	src/ctl/group_parts.c src/ctl/guess.c src/ctl/human.c src/ctl/list_filter.c \
	src/ctl/cmd_stat.c src/ctl/stat.h \
	src/ctl/stat_conf.c src/ctl/stat_count.c src/ctl/stat_gains.c src/ctl/stat_lines.c \
	src/ctl/stat_report.c src/ctl/cmd_top.c src/ctl/top.h src/ctl/top_screen.c \
	src/ctl/top_terminal.c src/ctl/top_units.c \
	src/ctl/running.c \
	src/ctl/cmd_verify.c src/ctl/verify_curve.c src/ctl/verify_report.c \
	src/ctl/verify_rows.h \
	src/ctl/verify_run.h src/ctl/verify_witness.c src/ctl/verify_witness.h src/ctl/uncorectl.c \
	src/ctl/snapshot_read.c src/ctl/snapshot_read.h \
	src/ctl/list_groups.c src/ctl/list_metrics.c src/ctl/out.c src/ctl/fail.c \
	src/ctl/list_kernel.c src/ctl/of_series.c src/ctl/rests.c src/ctl/cmd_plan.c \
	src/ctl/search.c src/ctl/search_print.c \
	src/ctl/search_lacks.c src/ctl/search_lacks.h \
	src/ctl/search_words.c src/ctl/search_words.h
