# SPDX-License-Identifier: MIT
e2e_tests = tests/e2e/again.py tests/e2e/anomalies.py tests/e2e/bootstrap.py \
	tests/e2e/certificate.py \
	tests/e2e/installed.py tests/e2e/intervals.py tests/e2e/api.py \
	tests/e2e/catalog.py tests/e2e/check_config.py tests/e2e/children.py tests/e2e/cli.py \
	tests/e2e/container.py tests/e2e/curve.py \
	tests/e2e/dashboard.py tests/e2e/device.py tests/e2e/device_disturbed.py \
	tests/e2e/doctor.py tests/e2e/doctor_pci.py \
	tests/e2e/documents.py tests/e2e/drawn.py tests/e2e/encode.py tests/e2e/families.py \
	tests/e2e/fleet.py tests/e2e/formats.py \
	tests/e2e/gaps.py tests/e2e/hosts.py tests/e2e/kills.py \
	tests/e2e/knee.py tests/e2e/lookup.py tests/e2e/machines.py \
	tests/e2e/misspelt.py tests/e2e/metrics.py tests/e2e/lifecycle.py \
	tests/e2e/machine_names.py tests/e2e/reload.py tests/e2e/log.py tests/e2e/service.py \
	tests/e2e/serving.py tests/e2e/prometheus.py \
	tests/e2e/tampered.py tests/e2e/nginx.py tests/e2e/tls.py tests/e2e/tls_files.py \
	tests/e2e/top.py tests/e2e/top_terminal.py \
	tests/e2e/pause.py tests/e2e/perf_tree.py tests/e2e/perf_real.py tests/e2e/pinning.py \
	tests/e2e/locations.py tests/e2e/odd_trees.py tests/e2e/old_kernels.py \
	tests/e2e/sampling_path.py tests/e2e/search_words.py \
	tests/e2e/simulated.py \
	tests/e2e/soak.py tests/e2e/stalled.py tests/e2e/starting.py tests/e2e/stat.py \
	tests/e2e/stuck.py tests/e2e/verify.py tests/e2e/waiting.py tests/e2e/walks.py \
	tests/e2e/whole.py tests/e2e/wall.py
TESTS += $(e2e_tests) tests/e2e/completion.sh
EXTRA_DIST += tests/e2e/completion.sh tests/e2e/search_words.tsv

# What takes long in a test: of those whose names have the first word ("": of all), in the file of
# the second.
long_test = $(AM_TESTS_ENVIRONMENT) sh -c '\
	command -v python3 >/dev/null || { echo "SKIP: python3 is not installed"; exit 0; }; \
	UNCORED_TEST_LONG=1 UNCORED_TEST_ONLY=$$1 python3 -B $(top_srcdir)/tests/e2e/$$2.py || \
	test $$? = 77' long_test
.PHONY: check-long check-long-verify check-long-perf check-long-tls check-long-serving \
	check-long-gaps check-long-drawn \
	check-long-device
check-long: check-long-verify check-long-perf check-long-tls check-long-serving check-long-gaps \
	check-long-drawn check-long-device
# Each miscount of uncorectl verify, from end to end.
check-long-verify: all
	@$(long_test) each_miscount verify
# The rates of this machine's counters beside those of perf stat, for 30 s.
check-long-perf: all
	@$(long_test) rates perf_real
# Handshakes as fast as this machine can, for half a minute each kind of key.
check-long-tls: all
	@$(long_test) shake tls
# Two minutes of scrapes, a million requests; faults by another seed; CPUs that come and go.
check-long-serving: all
	@$(long_test) many_scrapes serving && $(long_test) any_methods serving
check-long-gaps: all $(msrfs_programs)
	@$(long_test) "" gaps
# The dashboards over ten minutes; it draws them into tests/e2e/*.svg.
check-long-drawn: all
	@$(long_test) "" drawn
check-long-device: all $(msrfs_programs)
	@$(long_test) storm device_disturbed

# The filters' tables, as wall.py reads them.
check_PROGRAMS += tests/e2e/calls_table
tests_e2e_calls_table_SOURCES = tests/e2e/calls_table.c
tests_e2e_calls_table_LDADD = libuncored.a

# Preloaded by anomalies.py and kills.py, so not linked with anything of ours.
e2e_preloaded = tests/e2e/fail_nth.so tests/e2e/record.so
CLEANFILES += $(e2e_preloaded)
check_DATA += $(e2e_preloaded)
EXTRA_DIST += tests/e2e/record.c
$(e2e_preloaded): %.so: %.c
	@$(MKDIR_P) tests/e2e
	$(AM_V_CCLD)$(CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) \
		$(CFLAGS) -U_FORTIFY_SOURCE -fPIC -shared -o $@ $<

# Each call and allocation, once and from then on, 1,000 kills, who is stuck for 60 s, 10,000
# reloads: three quarters of an hour.
.PHONY: check-long-anomalies
check-long: check-long-anomalies
check-long-anomalies: all $(msrfs_programs) $(e2e_preloaded)
	@$(AM_TESTS_ENVIRONMENT) for t in anomalies kills stuck soak; do \
		UNCORED_TEST_LONG=1 python3 -B $(top_srcdir)/tests/e2e/$$t.py || test $$? = 77 || \
		exit 1; done
EXTRA_DIST += $(e2e_tests) tests/e2e/spoil.c tests/e2e/parsing.c tests/e2e/late.c tests/e2e/step.c \
	tests/e2e/died.c tests/e2e/fail_nth.c tests/e2e/harness.py tests/e2e/inside.py \
	tests/e2e/service_sockets.py \
	tests/e2e/device_files.py tests/e2e/fail_nth.py tests/e2e/made_machine.py \
	tests/e2e/terminal.py \
	tests/e2e/tls_server.py \
	tests/e2e/boards.py tests/e2e/board_svg.py docs/soak.svg \
	tests/e2e/schema.py tests/run.sh tests/run-py.sh
