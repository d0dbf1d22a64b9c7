/* SPDX-License-Identifier: MIT
 * What is rendered from a plan made by hand: exact text, both formats alike, other programs'
 * parsers. */
#include "expo/expo.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <unistd.h>

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

/* ------------------------------------------------------------------ rules of the formats */

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The sample lines of a body, sorted, without those that only OpenMetrics has. Checks on the way: a
 * family's lines stand together, its metadata come once and before them. */
struct lines {
	char **v;
	size_t n;
};

static size_t family_length(const char *line)
{
	static const char *const suffixes[] = { "_total", "_info", "_bucket", "_sum",
						"_count", "_created" };
	size_t n = strcspn(line, "{ ");

	for (size_t i = 0; i < COUNT(suffixes); i++) {
		size_t len = strlen(suffixes[i]);

		if (n > len && strncmp(line + n - len, suffixes[i], len) == 0)
			return n - len;
	}
	return n;
}

static struct lines sample_lines(char *body)
{
	struct lines samples = { 0 }, families = { 0 };
	char *last = (char *)"", *save = NULL;

	samples.v = calloc(strlen(body) + 1, sizeof(*samples.v));
	families.v = calloc(strlen(body) + 1, sizeof(*families.v));
	assert_int_equal(body[strlen(body) - 1], '\n');
	assert_null(strstr(body, "\n\n"));
	assert_null(strchr(body, '\r'));
	for (char *line = strtok_r(body, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		bool meta = line[0] == '#';
		char *name = meta ? line + strlen("# HELP ") : line;

		if (strcmp(line, "# EOF") == 0)
			continue;
		name = strndup(name, family_length(name));
		if (strcmp(name, last) != 0) {
			if (!meta)
				fail_msg("no metadata before: %s", line);
			last = families.v[families.n++] = name;
		} else {
			free(name);
		}
		if (!meta && !strstr(line, "_created{"))
			samples.v[samples.n++] = line;
	}
	qsort(families.v, families.n, sizeof(*families.v), compare_lines);
	for (size_t i = 0; i < families.n; i++) {
		if (i && strcmp(families.v[i - 1], families.v[i]) == 0)
			fail_msg("family in two pieces: %s", families.v[i]);
	}
	for (size_t i = 0; i < families.n; i++)
		free(families.v[i]);
	free(families.v);
	qsort(samples.v, samples.n, sizeof(*samples.v), compare_lines);
	for (size_t i = 1; i < samples.n; i++) {
		size_t n = (size_t)(strrchr(samples.v[i], ' ') - samples.v[i]);

		if (strncmp(samples.v[i - 1], samples.v[i], n + 1) == 0)
			fail_msg("twice: %s", samples.v[i]);
	}
	return samples;
}

/* A plan as large as a machine: 8 sockets, 98 slots each in 7 groups, 40 metrics. */
#define BIG_SLOTS   98
#define BIG_METRICS 40
static struct plan *big_plan(void)
{
	static struct plan_socket sockets[8];
	static struct label unit[8];
	static const struct label any = { "umask", "ANY" };
	static struct plan plan = { .interval = NSEC_PER_SEC, .sockets = sockets, .n_sockets = 8 };
	char text[128];

	for (unsigned i = 0; i < 8 && !sockets[i].rounds; i++) {
		struct plan_socket *s = &sockets[i];

		*s = (struct plan_socket){ .id = i, .n_rounds = 1, .n_groups = 7,
					   .n_metrics = BIG_METRICS,
					   .n_metric_series = BIG_METRICS, .has_reg = true };
		s->rounds = calloc(1, sizeof(*s->rounds));
		s->rounds[0] = (struct plan_round){ .n_slots = BIG_SLOTS, .slots = calloc(BIG_SLOTS,
			sizeof(struct plan_slot)) };
		s->groups = calloc(7, sizeof(*s->groups));
		s->metrics = calloc(BIG_METRICS, sizeof(*s->metrics));
		for (unsigned g = 0; g < 7; g++) {
			snprintf(text, sizeof(text), "group%u", g);
			s->groups[g] = (struct plan_group){ strdup(text), 0,
				calloc(14, sizeof(unsigned)), 14, NSEC_PER_SEC, false };
			for (unsigned k = 0; k < 14; k++)
				s->groups[g].slots[k] = g * 14 + k;
		}
		for (unsigned k = 0; k < BIG_SLOTS; k++) {
			struct plan_slot *slot = &s->rounds[0].slots[k];

			slot->unit = k % 8;
			snprintf(text, sizeof(text), "cbox%u/EVENT_%u:ANY", slot->unit, k / 8);
			slot->identity = strdup(text);
			slot->box_name = (char *)"cbox";
			snprintf(text, sizeof(text), "EVENT_%u", k / 8);
			slot->event_name = strdup(text);
			slot->labels = (struct labels){ &any, 1 };
			snprintf(text, sizeof(text), "uncore_cbox_event_%u_total", k / 8);
			slot->family = strdup(text);
			slot->help = (char *)"An event.";
		}
		for (unsigned m = 0; m < BIG_METRICS; m++) {
			struct plan_metric *row = &s->metrics[m];

			snprintf(text, sizeof(text), "uncore_derived_%u_ratio", m / 8);
			row->family = strdup(text);
			row->name = row->family + strlen("uncore_");
			snprintf(text, sizeof(text), "%u", m % 8);
			if (!unit[m % 8].value)
				unit[m % 8] = (struct label){ "unit", strdup(text) };
			row->labels = (struct labels){ &unit[m % 8], 1 };
			row->unit = "ratio";
			row->help = (char *)"A ratio.";
			row->groups = calloc(1, sizeof(*row->groups));
			row->groups[0] = m % 7;
			row->n_groups = 1;
			row->series = m;
			row->guard_num = (struct plan_sum){ no_slot, m % 2 };
		}
		hand_series(s);
	}
	return &plan;
}

static void big_words(struct scene *s, const struct plan *p)
{
	for (unsigned i = 0; i < s->n; i++) {
		struct layout l = layout_of(&p->sockets[i]);

		s->words[i][W_NOW_WALL] = 1790000000000000000;
		for (unsigned k = 0; k < p->sockets[i].n_series; k++) {
			s->words[i][l.slot_total + k] = UINT64_MAX / (k + 1);
			s->words[i][l.slot_reason + k] = k % 11;
		}
		for (unsigned m = 0; m < p->sockets[i].n_metrics; m++) {
			double v = 1.0 / (m + 3);

			s->words[i][l.metric_reason + m] = m % 3 ? REASON_NONE : REASON_CONFLICT;
			memcpy(&s->words[i][l.metric_value + m], &v, sizeof(v));
		}
	}
	s->daemon_values[D_START_WALL_NSEC] = 1790000000000000000;
}

static void expect_same_series(struct scene *s)
{
	char *text = body_text(s, EXPO_TEXT), *om = body_text(s, EXPO_OPENMETRICS);
	struct lines a = sample_lines(text), b = sample_lines(om);

	assert_int_equal(a.n, b.n);
	assert_true(a.n > 40);
	for (size_t i = 0; i < a.n; i++)
		assert_string_equal(a.v[i], b.v[i]);
	free(a.v);
	free(b.v);
	free(text);
	free(om);
}

static void test_formats_agree(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s, &hand_plan, NULL);
	expect_same_series(&s);                 /* before the first sample */
	hand_words(s.words[0], s.words[1], s.daemon_values);
	scene_publish(&s);
	expect_same_series(&s);
	scene_close(&s);
	scene_open(&s, big_plan(), NULL);
	big_words(&s, big_plan());
	scene_publish(&s);
	expect_same_series(&s);
	scene_close(&s);
}

/* ------------------------------------------------------------------ other programs */

static char *write_temp(const char *text)
{
	char *path = strdup("/tmp/uncored-expo-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	return path;
}

/* The rendered scenes as files $1 to $3: before the first sample, by hand, large. $4 to $6: the
 * same in OpenMetrics. Fails with the output of a command that fails. */
static void expect_command(const char *command)
{
	char line[4096], out[4096] = "", *paths[6];
	size_t n = (size_t)snprintf(line, sizeof(line), "set --");
	FILE *f;

	for (int i = 0; i < 6; i++) {
		struct scene s;
		char *text;

		scene_open(&s, i % 3 == 2 ? big_plan() : &hand_plan, NULL);
		if (i % 3 == 1)
			hand_words(s.words[0], s.words[1], s.daemon_values);
		if (i % 3 == 2)
			big_words(&s, big_plan());
		if (i % 3)
			scene_publish(&s);
		text = body_text(&s, i < 3 ? EXPO_TEXT : EXPO_OPENMETRICS);
		paths[i] = write_temp(text);
		n += (size_t)snprintf(line + n, sizeof(line) - n, " %s", paths[i]);
		free(text);
		scene_close(&s);
	}
	snprintf(line + n, sizeof(line) - n, "; { %s; } 2>&1", command);
	f = popen(line, "r");
	assert_non_null(f);
	out[fread(out, 1, sizeof(out) - 1, f)] = '\0';
	if (pclose(f) != 0)
		fail_msg("%s: %s", command, out);
	for (int i = 0; i < 6; i++) {
		unlink(paths[i]);
		free(paths[i]);
	}
}

static void test_promtool(void **state)
{
	(void)state;
	if (system("command -v promtool >/dev/null") != 0) {
		print_message("skipped: promtool is not installed\n");
		skip();
	}
	expect_command("for f in $1 $2 $3; do promtool check metrics <$f || exit 1; done");
}

/* Accepted, and as many samples found as lines were sent. */
static void test_python(void **state)
{
	static const char *const pythons[] = { "python3", "/usr/bin/python3" };
	static const char program[] =
		"import sys\n"
		"from prometheus_client import parser\n"
		"from prometheus_client.openmetrics import parser as openmetrics\n"
		"for i, path in enumerate(sys.argv[1:]):\n"
		"    text = open(path).read()\n"
		"    parse = (parser if i < 3 else openmetrics).text_string_to_metric_families\n"
		"    n = sum(len(f.samples) for f in parse(text))\n"
		"    want = sum(not l.startswith(\"#\") for l in text.splitlines())\n"
		"    if n != want: sys.exit(\"%d samples of %d lines\" % (n, want))\n";
	char command[2048];

	(void)state;
	for (size_t i = 0; i < COUNT(pythons); i++) {
		snprintf(command, sizeof(command),
			 "%s -c 'import prometheus_client' 2>/dev/null", pythons[i]);
		if (system(command) != 0)
			continue;
		snprintf(command, sizeof(command), "%s -c '%s' \"$@\"", pythons[i], program);
		expect_command(command);
		return;
	}
	print_message("skipped: python3-prometheus-client is not installed\n");
	skip();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact_text), cmocka_unit_test(test_openmetrics_heads),
		cmocka_unit_test(test_openmetrics_created),
		cmocka_unit_test(test_formats_agree), cmocka_unit_test(test_promtool),
		cmocka_unit_test(test_python),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
