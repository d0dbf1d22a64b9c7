/* SPDX-License-Identifier: MIT
 * What is rendered from a plan made by hand: exact text, and what OpenMetrics has besides. */
#include "expo/expo.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bits.h"
#include "expo_scene.h"

/* The first line in which two texts differ is what one wants to see. */
static void expect_text(const char *got, const char *want)
{
	unsigned line = 1;

	while (*got && *got == *want) {
		line += *got == '\n';
		got++;
		want++;
	}
	if (*got != *want) {
		while (got[-1] != '\n') {
			got--;
			want--;
		}
		fail_msg("line %u\n is: %.*s\n not: %.*s", line, (int)strcspn(got, "\n"), got,
			 (int)strcspn(want, "\n"), want);
	}
}

#define FAMILY(name, type, help) "# HELP " name " " help "\n# TYPE " name " " type "\n"
#define INVALID(socket, foreign) \
	"uncored_samples_invalid_total{socket=\"" socket "\",reason=\"foreign\"} " foreign "\n" \
	"uncored_samples_invalid_total{socket=\"" socket "\",reason=\"reset\"} 0\n" \
	"uncored_samples_invalid_total{socket=\"" socket "\",reason=\"late\"} 0\n" \
	"uncored_samples_invalid_total{socket=\"" socket "\",reason=\"read_error\"} 0\n" \
	"uncored_samples_invalid_total{socket=\"" socket "\",reason=\"refused\"} 0\n" \
	"uncored_samples_invalid_total{socket=\"" socket "\",reason=\"stopped\"} 0\n" \
	"uncored_samples_invalid_total{socket=\"" socket "\",reason=\"stalled\"} 0\n" \
	"uncored_samples_invalid_total{socket=\"" socket "\",reason=\"offline\"} 0\n" \
	"uncored_samples_invalid_total{socket=\"" socket "\",reason=\"hidden\"} 0\n" \
	"uncored_samples_invalid_total{socket=\"" socket "\",reason=\"conflict\"} 0\n" \
	"uncored_samples_invalid_total{socket=\"" socket "\",reason=\"no_data\"} 0\n" \
	"uncored_samples_invalid_total{socket=\"" socket "\",reason=\"paused\"} 0\n"

/* Samples up to 10 us, 50 us, 100 us and 100 ms, and all: buckets are cumulative. */
#define LATE_NAME(socket, le) \
	"uncored_tick_lateness_seconds_bucket{socket=\"" socket "\",le=\"" le "\"} "
#define LATENESS(socket, us10, us50, us100, ms100, all, sum) \
	LATE_NAME(socket, "1e-05") us10 "\n" LATE_NAME(socket, "2e-05") us10 "\n" \
	LATE_NAME(socket, "5e-05") us50 "\n" \
	LATE_NAME(socket, "0.0001") us100 "\n" LATE_NAME(socket, "0.0002") us100 "\n" \
	LATE_NAME(socket, "0.0005") us100 "\n" \
	LATE_NAME(socket, "0.001") us100 "\n" LATE_NAME(socket, "0.002") us100 "\n" \
	LATE_NAME(socket, "0.005") us100 "\n" \
	LATE_NAME(socket, "0.01") us100 "\n" LATE_NAME(socket, "0.1") ms100 "\n" \
	LATE_NAME(socket, "+Inf") all "\n" \
	"uncored_tick_lateness_seconds_sum{socket=\"" socket "\"} " sum "\n" \
	"uncored_tick_lateness_seconds_count{socket=\"" socket "\"} " all "\n"

#define MODEL_LABEL "model=\"a \\\"Xeon\\\" \\\\ <i>'X7560'</i> & caf\xc3\xa9\","

static const char want_text[] =
	FAMILY("uncored_build_info", "gauge", "Version of the running uncored; always 1.")
	"uncored_build_info{version=\"0.1.0\",revision=\"abc123\"} 1\n"
	FAMILY("uncored_socket_info",
	       "gauge", "SIMULATED: no hardware is counted. Processor, model, counting "
	       "engine and reading CPU of the socket; always 1.")
	"uncored_socket_info{socket=\"0\",processor=\"nehalem-ex\"," MODEL_LABEL
	"engine=\"model\",cpu=\"4\"} 1\n"
	"uncored_socket_info{socket=\"2\",processor=\"nehalem-ex\"," MODEL_LABEL
	"engine=\"perf\",cpu=\"\"} 1\n"
	FAMILY("uncored_up", "gauge", "Whether uncored is sampling the socket.")
	"uncored_up{socket=\"0\"} 1\n"
	"uncored_up{socket=\"2\"} 1\n"
	FAMILY("uncored_rounds",
	       "gauge", "Rounds that take turns on the socket's counters; 1 means that every group "
	       "counts all the time.")
	"uncored_rounds{socket=\"0\"} 2\n"
	"uncored_rounds{socket=\"2\"} 1\n"
	FAMILY("uncored_active_seconds_total", "counter",
	       "Time during which the counters of the socket ran.")
	"uncored_active_seconds_total{socket=\"0\"} 9.999999046325684\n"
	"uncored_active_seconds_total{socket=\"2\"} 0\n"
	FAMILY("uncored_group_active_seconds_total", "counter",
	       "Time during which the group counted.")
	"uncored_group_active_seconds_total{socket=\"0\",group=\"memory\"} 5\n"
	"uncored_group_active_seconds_total{socket=\"0\",group=\"we\\\"ird\\\\\"} 5\n"
	"uncored_group_active_seconds_total{socket=\"0\",group=\"dram\"} 4.999999046325684\n"
	"uncored_group_active_seconds_total{socket=\"2\",group=\"time\"} 0\n"
	FAMILY("uncored_samples_total", "counter", "Ticks at which the counters were read.")
	"uncored_samples_total{socket=\"0\"} 10\n"
	"uncored_samples_total{socket=\"2\"} 0\n"
	FAMILY("uncored_ticks_missed_total", "counter",
	       "Ticks that were skipped because the sampler was too late.")
	"uncored_ticks_missed_total{socket=\"0\"} 1\n"
	"uncored_ticks_missed_total{socket=\"2\"} 0\n"
	FAMILY("uncored_wraps_total", "counter",
	       "Times that a counter wrapped between two reads; totals allow for it.")
	"uncored_wraps_total{socket=\"0\"} 2\n"
	"uncored_wraps_total{socket=\"2\"} 0\n"
	FAMILY("uncored_resets_total",
	       "counter",
	       "Times that a counter rose by more than it can count, because somebody set "
	       "it; the interval is left out.")
	"uncored_resets_total{socket=\"0\"} 0\n"
	"uncored_resets_total{socket=\"2\"} 0\n"
	FAMILY("uncored_foreign_writes_total", "counter",
	       "Times that uncored found a counter that another program had changed.")
	"uncored_foreign_writes_total{socket=\"0\"} 1\n"
	"uncored_foreign_writes_total{socket=\"2\"} 0\n"
	FAMILY("uncored_read_errors_total", "counter", "Failed reads of a counter.")
	"uncored_read_errors_total{socket=\"0\"} 0\n"
	"uncored_read_errors_total{socket=\"2\"} 0\n"
	FAMILY("uncored_frozen_seconds_total",
	       "counter", "Time during which all counters were stopped, either to be read together "
	       "(freeze) or after an overflow window.")
	"uncored_frozen_seconds_total{socket=\"0\"} 0\n"
	"uncored_frozen_seconds_total{socket=\"2\"} 0\n"
	FAMILY("uncored_last_sample_timestamp_seconds", "gauge",
	       "When the last sample in these values was taken, in seconds since 1970.")
	"uncored_last_sample_timestamp_seconds{socket=\"0\"} 1790000000.25\n"
	"uncored_last_sample_timestamp_seconds{socket=\"2\"} 1790000000\n"
	FAMILY("uncored_sample_duration_seconds", "gauge",
	       "How long the last read of all counters took.")
	"uncored_sample_duration_seconds{socket=\"0\"} 0.00004150002496317029\n"
	"uncored_sample_duration_seconds{socket=\"2\"} 0\n"
	FAMILY("uncored_tick_lateness_seconds", "histogram",
	       "How late each tick began.")
	LATENESS("0", "7", "7", "9", "9", "10", "0.000125")     /* socket 2 ticks once a second */
	FAMILY("uncored_sampler_pinned", "gauge",
	       "Whether the sampler is bound to its CPU, which the key cpus selects.")
	"uncored_sampler_pinned{socket=\"0\"} 0\n"
	"uncored_sampler_pinned{socket=\"2\"} 0\n"
	FAMILY("uncored_sampler_realtime", "gauge",
	       "Whether the sampler runs under SCHED_FIFO; only fast samplers may.")
	"uncored_sampler_realtime{socket=\"0\"} 1\n"
	FAMILY("uncored_realtime_fallbacks_total", "counter",
	       "Times that the sampler was returned to normal scheduling because a tick did "
	       "not end.")
	"uncored_realtime_fallbacks_total{socket=\"0\"} 2\n"
	FAMILY("uncored_samples_invalid_total", "counter",
	       "Invalid samples, counted once for each slot and tick, by reason.")
	INVALID("0", "3") INVALID("2", "0")
	/* the guard of uncore_imt_latency_cycles has failed: no sample, no metadata */
	FAMILY("uncore_memory_read_bytes_total", "counter", "Bytes read.")
	"uncore_memory_read_bytes_total{socket=\"0\"} 640\n"
	FAMILY("uncore_clock_hertz", "gauge",
	       "Clock. Of the last interval in which it was counted.")
	"uncore_clock_hertz{socket=\"0\"} 2261000192\n"
	FAMILY("uncore_bbox_imt_inserts_all_total", "counter",
	       "Requests that entered the IMT. " OVERLAP)
	"uncore_bbox_imt_inserts_all_total{socket=\"0\",unit=\"0\"} "
	"18446744073709551615\n"
	FAMILY("uncore_wbox_clockticks_total", "counter", "Uncore clock. " OVERLAP)
	"uncore_wbox_clockticks_total{socket=\"0\",unit=\"0\"} 0\n"
	/* uncore_cbox_llc_hits_total is not valid */
	FAMILY("uncore_imc_cas_count_read_total", "counter", "Reads. " OVERLAP)
	"uncore_imc_cas_count_read_total{socket=\"0\",unit=\"1\"} 9007199254740993\n"
	FAMILY("uncore_imc_cas_count_read_bytes_total", "counter", "Bytes read.")
	"uncore_imc_cas_count_read_bytes_total{socket=\"0\",unit=\"1\"} "
	"576460752303423552\n"
	FAMILY("uncore_msr_tsc_total", "counter",
	       "Time stamp counter of the reader CPU alone. " OVERLAP)
	"uncore_msr_tsc_total{socket=\"2\",unit=\"0\"} 7\n"
	/* only what counted for less time than its socket */
	FAMILY("uncored_slot_active_seconds_total", "counter",
	       "Time that the total of an event covers, if the event ever counted for less "
	       "time than its socket; divide rates by this.")
	"uncored_slot_active_seconds_total{socket=\"0\",box=\"imc\",unit=\"1\","
	"event=\"CAS_COUNT_READ\"} 4.999999046325684\n"
	FAMILY("uncored_slot_valid", "gauge",
	       "Whether the count of an event is valid now; its total is exported only then.")
	"uncored_slot_valid{socket=\"0\",box=\"bbox\",unit=\"0\",event=\"IMT_INSERTS_ALL\"} 1\n"
	"uncored_slot_valid{socket=\"0\",box=\"cbox\",unit=\"3\",event=\"LLC_HITS\",umask=\"M:E\"} "
	"0\n"
	"uncored_slot_valid{socket=\"0\",box=\"wbox\",unit=\"0\",event=\"CLOCKTICKS\"} 1\n"
	"uncored_slot_valid{socket=\"0\",box=\"imc\",unit=\"1\",event=\"CAS_COUNT_READ\"} 1\n"
	"uncored_slot_valid{socket=\"2\",box=\"msr\",unit=\"0\",event=\"TSC\"} 1\n"
	FAMILY("uncored_slot_invalid",
	       "gauge",
	       "1 while the count of an event is invalid; uncored(8), VALIDITY explains each "
	       "reason and what to do.")
	"uncored_slot_invalid{socket=\"0\",box=\"cbox\",unit=\"3\",event=\"LLC_HITS\","
	"umask=\"M:E\",reason=\"foreign\"} 1\n"
	FAMILY("uncored_metric_active_seconds_total", "counter",
	       "Time that the total of a derived metric covers, if the metric ever counted "
	       "for less time than its socket; divide rates by this.")
	"uncored_metric_active_seconds_total{socket=\"0\",metric=\"memory_read_bytes\"} 2.5\n"
	FAMILY("uncored_metric_invalid",
	       "gauge", "1 while a derived metric has no value; uncored(8), VALIDITY explains each "
	       "reason and what to do.")
	"uncored_metric_invalid{socket=\"0\",unit=\"0\",metric=\"imt_latency_cycles\","
	"reason=\"conflict\"} 1\n"
	FAMILY("uncored_config_last_reload_successful", "gauge",
	       "Whether the configuration was accepted the last time it was read.")
	"uncored_config_last_reload_successful 1\n"
	FAMILY("uncored_config_last_reload_success_timestamp_seconds", "gauge",
	       "When the configuration in use was read, in seconds since 1970.")
	"uncored_config_last_reload_success_timestamp_seconds 0\n"
	FAMILY("uncored_config_hash", "gauge", "A number of 48 bits made of the bytes of the "
	       "configuration file in use: hosts with the same file have the same.")
	"uncored_config_hash 0\n"
	FAMILY("uncored_log_lines_lost_total", "counter",
	       "Messages that were discarded because nobody read the log.")
	"uncored_log_lines_lost_total 0\n"
	FAMILY("uncored_spawner_up", "gauge", "0 after the process that starts programs has "
	       "ended: then no reload is possible, nor another http process.")
	"uncored_spawner_up 0\n"
	FAMILY("uncored_without_counters", "gauge",
	       "Whether uncored is running without anything to count; /api/v1/status says "
	       "why.")
	"uncored_without_counters 0\n"
	FAMILY("uncored_paused", "gauge", "Whether the counters are left to other tools, by "
	       "uncorectl pause: then nothing is counted.")
	"uncored_paused 0\n"
	FAMILY("uncored_stream_listeners", "gauge", "Current clients of /api/v1/stream.")
	"uncored_stream_listeners 0\n"
	FAMILY("uncored_stream_dropped_total", "counter",
	       "Clients of /api/v1/stream that were dropped because they read too slowly, "
	       "since the http process began.")
	"uncored_stream_dropped_total 0\n"
	FAMILY("process_cpu_seconds_total", "counter",
	       "CPU time of both uncored processes, user and system.")
	"process_cpu_seconds_total 0.029999732971191406\n"
	FAMILY("process_resident_memory_bytes", "gauge",
	       "Resident memory of both processes; pages that they share count twice.")
	"process_resident_memory_bytes 4194304\n"
	FAMILY("process_open_fds", "gauge", "Open file descriptors of both processes.")
	"process_open_fds 12\n"
	FAMILY("process_start_time_seconds", "gauge",
	       "When the daemon started, in seconds since 1970.")
	"process_start_time_seconds 1789999990\n";

static void test_exact_text(void **state)
{
	struct scene s;
	char *text;

	(void)state;
	scene_open(&s, &hand_plan, NULL);
	hand_words(s.words[0], s.words[1], s.daemon_values);
	scene_publish(&s);
	text = body_text(&s, EXPO_TEXT);
	expect_text(text, want_text);
	free(text);
	scene_close(&s);
}

/* OpenMetrics: TYPE, UNIT, HELP; counters and infos without their suffix; the quote escaped in
 * HELP. */
static void test_openmetrics_heads(void **state)
{
	static const struct { int line; const char *want; } rows[] = {
		{ __LINE__, "# TYPE uncored_build info\n# HELP uncored_build Version" },
		{ __LINE__, "\n# TYPE uncored_socket info\n# HELP uncored_socket SIMULATED: " },
		{ __LINE__, "\nuncored_socket_info{socket=\"0\",processor=\"nehalem-ex\","
		  MODEL_LABEL "engine=\"model\",cpu=\"4\"} 1\n" },
		{ __LINE__, "\n# TYPE uncored_frozen_seconds counter\n# UNIT uncored_frozen_seconds seconds\n# HELP uncored_frozen_seconds Time" },
		{ __LINE__, "\n# TYPE uncore_memory_read_bytes counter\n# UNIT uncore_memory_read_bytes bytes\n# HELP uncore_memory_read_bytes Bytes read.\nuncore_memory_read_bytes_total{" },
		{ __LINE__, "\n# TYPE uncore_clock_hertz gauge\n# UNIT uncore_clock_hertz hertz\n# HELP uncore_clock_hertz Clock. Of the last interval in which it was counted.\n" },
		{ __LINE__, "\n# TYPE uncore_cbox_llc_hits counter\n# HELP uncore_cbox_llc_hits Say \\\"hit\\\" \\\\ or\\nmiss. " },
		{ __LINE__, "\n# TYPE uncored_tick_lateness_seconds histogram\n# UNIT uncored_tick_lateness_seconds seconds\n# HELP " },
		{ __LINE__, "\n# TYPE process_open_fds gauge\n# HELP process_open_fds Open" },
	};
	struct scene s;
	char *text;

	(void)state;
	scene_open(&s, &hand_plan, NULL);
	hand_words(s.words[0], s.words[1], s.daemon_values);
	s.words[0][layout_of(&plan_sockets[0]).slot_reason + 1] = REASON_NONE;
	scene_publish(&s);
	text = body_text(&s, EXPO_OPENMETRICS);
	for (size_t i = 0; i < COUNT(rows); i++)
		if (!strstr(text, rows[i].want))
			fail_msg("row at line %d: not in\n%s", rows[i].line, text);
	assert_string_equal(text + strlen(text) - 7, "\n# EOF\n");
	assert_null(strstr(text, "_created"));
	free(text);
	text = body_text(&s, EXPO_TEXT);
	assert_non_null(strstr(text,
			       "\n# HELP uncore_cbox_llc_hits_total Say \"hit\" \\\\ or\\nmiss. "
			       OVERLAP "\n"));
	assert_non_null(strstr(text, "\nuncore_cbox_llc_hits_total{socket=\"0\",unit=\"3\","
				     "umask=\"M:E\"} 1234\n"));
	assert_null(strstr(text, "uncored_slot_invalid"));
	free(text);
	scene_close(&s);
}

/* When each counter began, if that is asked for: a line behind each of its lines. In the order of
 * the text and, of those of the daemon, with the time of its process. */
static void test_openmetrics_created(void **state)
{
	static const struct { int line; const char *want; } rows[] = {
		{ __LINE__, "\nuncored_samples_total{socket=\"0\"} 10\n"
			    "uncored_samples_created{socket=\"0\"} 1789999991.0000003\n"
			    "uncored_samples_total{socket=\"2\"} 0\n"
			    "uncored_samples_created{socket=\"2\"} 1789999991.0000003\n#" },
		{ __LINE__, "unit=\"1\"} 9007199254740993\nuncore_imc_cas_count_read_created{"
			    "socket=\"0\",unit=\"1\"} 1789999991.0000003\n#" },
		{ __LINE__, "\nuncore_memory_read_bytes_total{socket=\"0\"} 640\n"
			    "uncore_memory_read_bytes_created{socket=\"0\"} "
			    "1789999991.0000003\n#" },
		{ __LINE__, "_count{socket=\"0\"} 10\nuncored_tick_lateness_seconds_created"
			    "{socket=\"0\"} 1789999991.5\n#" },
		{ __LINE__, "\nprocess_cpu_seconds_total 0.029999732971191406\n"
			    "process_cpu_seconds_created 1789999990\n#" },
		{ __LINE__, "\nuncored_stream_dropped_total 7\n"
			    "uncored_stream_dropped_created 1789999995.25\n#" },
	};
	struct expo_identity id = hand_identity;
	uint64_t http[D_VALUES] = { 0 };
	nsec http_began = 1789999995 * NSEC_PER_SEC + NSEC_PER_SEC / 4;
	unsigned totals = 0, created = 0;
	struct scene s;
	char *text;

	(void)state;
	id.with_created = true;
	scene_open_as(&s, &hand_plan, &id, NULL);
	hand_words(s.words[0], s.words[1], s.daemon_values);
	scene_publish(&s);
	http[D_DROPPED] = 7;
	http[D_HTTP_BEGAN] = (uint64_t)http_began;
	expo_note_http(s.r, http);
	text = body_text(&s, EXPO_OPENMETRICS);
	for (size_t i = 0; i < COUNT(rows); i++)
		if (!strstr(text, rows[i].want))
			fail_msg("row at line %d: not in\n%s", rows[i].line, text);
	for (const char *p = text; *p; p = strchr(p, '\n') + 1) {
		size_t n = strcspn(p, "{ ");

		totals += *p != '#' && strncmp(p + n - 6, "_total", 6) == 0;
		created += *p != '#' && strncmp(p + n - 8, "_created", 8) == 0;
	}
	assert_true(totals > 40);
	assert_int_equal(created, totals + 1);          /* and the distribution's */
	free(text);
	text = body_text(&s, EXPO_TEXT);
	assert_null(strstr(text, "_created"));
	free(text);
	scene_close(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact_text), cmocka_unit_test(test_openmetrics_heads),
		cmocka_unit_test(test_openmetrics_created),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
