/* desc_rows.c - a plan as a description: every series that it can ever show.
 *
 * Owns:  the list of families, their HELP and order; which word values a series and which one shows it.
 * Never: values, how a body is put together.
 * Main thread; allocates.
 */
#include "config.h"

#include "expo/distribution.h"

#include "derive/derive.h"

#include <errno.h>

/* The daemon's own families; what is counted has its names and HELP from the plan. */
enum own {
	OWN_BUILD, OWN_SOCKET, OWN_UP, OWN_ROUNDS, OWN_SECONDS, OWN_SAMPLES, OWN_MISSED, OWN_LATENESS, OWN_REALTIME, OWN_FALLBACKS, OWN_INVALID, OWN_WRAPS, OWN_RESETS,
	OWN_FOREIGN, OWN_ERRORS, OWN_FROZEN, OWN_TIMESTAMP, OWN_DURATION, OWN_SLOT_VALID, OWN_SLOT_INVALID,
	OWN_METRIC_INVALID, OWN_SAMPLE_INVALID, OWN_CONFIG, OWN_LOST, OWN_DRIVER, OWN_CPU, OWN_RSS, OWN_FDS, OWN_START, OWN_LISTENERS, OWN_DROPPED,
};

static const struct build_family own[] = {
	[OWN_BUILD] = { "uncored_build_info", "Version of uncored that is running; always 1.", DESC_INFO },
	[OWN_SOCKET] = { "uncored_socket_info", "Processor family, counting engine and reading CPU of the socket; always 1.",
			 DESC_INFO },
	[OWN_UP] = { "uncored_up", "Whether the sampler of the socket ticks.", DESC_GAUGE },
	[OWN_ROUNDS] = { "uncored_rounds", "Rounds that take turns on the socket's counters; 1: every group counts all the time.",
			 DESC_GAUGE },
	[OWN_SECONDS] = { "uncored_group_active_seconds_total",
			  "Time in which the group counted; rates of its events divide by this, not by wall time.",
			  DESC_COUNTER, "seconds" },
	[OWN_SAMPLES] = { "uncored_samples_total", "Ticks at which the counters were read.", DESC_COUNTER },
	[OWN_MISSED] = { "uncored_ticks_missed_total", "Ticks skipped because the sampler came too late for them.",
			 DESC_COUNTER },
	[OWN_LATENESS] = { "uncored_tick_lateness_seconds", "How long after its time each tick began.", DESC_HISTOGRAM, "seconds" },
	[OWN_REALTIME] = { "uncored_sampler_realtime", "Whether the sampler runs under SCHED_FIFO, as fast ones may.", DESC_GAUGE },
	[OWN_FALLBACKS] = { "uncored_realtime_fallbacks_total",
			    "Times that the sampler was put back to plain scheduling because a tick would not end.", DESC_COUNTER },
	[OWN_INVALID] = { "uncored_samples_invalid_total", "Slots x ticks whose count was not valid, by reason.",
			  DESC_COUNTER },
	[OWN_WRAPS] = { "uncored_wraps_total", "Times that a counter passed its width between two reads; totals include it.",
			DESC_COUNTER },
	[OWN_RESETS] = { "uncored_resets_total",
			 "Times that a counter rose by more than it can count: it was set by somebody, and the interval is left out.",
			 DESC_COUNTER },
	[OWN_FOREIGN] = { "uncored_foreign_writes_total", "Times that a counter was found reprogrammed by somebody else.",
			  DESC_COUNTER },
	[OWN_ERRORS] = { "uncored_read_errors_total", "Reads of a counter that failed.", DESC_COUNTER },
	[OWN_FROZEN] = { "uncored_frozen_seconds_total", "Time in which all counters stood still: to be read together (freeze), or after an exact window.",
			 DESC_COUNTER, "seconds" },
	[OWN_TIMESTAMP] = { "uncored_last_sample_timestamp_seconds",
			    "When the last sample inside the shown values was taken, in seconds since 1970.", DESC_GAUGE, "seconds" },
	[OWN_DURATION] = { "uncored_sample_duration_seconds", "How long the last read of all counters took.", DESC_GAUGE, "seconds" },
	[OWN_SLOT_VALID] = { "uncored_slot_valid", "Whether the count of an event is valid now; its total is shown only then.",
			     DESC_GAUGE },
	[OWN_SLOT_INVALID] = { "uncored_slot_invalid", "1 while the count of an event is not valid; what the reason means, and what to do: uncored(8), VALIDITY.",
			       DESC_GAUGE },
	[OWN_METRIC_INVALID] = { "uncored_metric_invalid",
				 "1 while a derived metric is left out by its guard, or because its inputs were counted for different times.",
				 DESC_GAUGE },
	[OWN_SAMPLE_INVALID] = { "uncored_distribution_invalid_samples_total",
				 "Samples of a metric that were not valid, so that its distribution and its peak are without them.",
				 DESC_COUNTER },
	[OWN_CONFIG] = { "uncored_config_last_reload_successful", "Whether the configuration was accepted when last read.",
			 DESC_GAUGE },
	[OWN_LOST] = { "uncored_log_lines_lost_total", "Messages that were thrown away because nobody read the log.", DESC_COUNTER },
	[OWN_DRIVER] = { "uncored_kernel_driver_bound",
			 "Whether the kernel's own uncore driver has bound, which programs the same registers as engine registers.",
			 DESC_GAUGE },
	[OWN_CPU] = { "process_cpu_seconds_total", "CPU time of both processes of uncored, user and system.", DESC_COUNTER, "seconds" },
	[OWN_RSS] = { "process_resident_memory_bytes", "Resident memory of both processes; pages they share count twice.",
		      DESC_GAUGE, "bytes" },
	[OWN_FDS] = { "process_open_fds", "Open file descriptors of both processes.", DESC_GAUGE },
	[OWN_LISTENERS] = { "uncored_stream_listeners", "Clients of /api/v1/stream now.", DESC_GAUGE },
	[OWN_DROPPED] = { "uncored_stream_dropped_total",
			  "Clients of /api/v1/stream that were dropped because they did not take what they asked for, since the http process began.",
			  DESC_COUNTER },
	[OWN_START] = { "process_start_time_seconds", "When the daemon started, in seconds since 1970.", DESC_GAUGE, "seconds" },
};

static const struct plan_socket *socket_of(const struct builder *b, unsigned i)
{
	return &b->plan->sockets[i];
}

/* A label set that begins with the socket. */
static void labels_socket(struct builder *b, unsigned i)
{
	build_labels(b);
	build_label_number(b, "socket", socket_of(b, i)->id);
}

/* ------------------------------------------------------------------ the daemon */

static void add_build(struct builder *b)
{
	struct desc_series s = { .kind = DESC_CONST, .constant = 1 };

	build_labels(b);
	build_label(b, "version", b->id->version);
	build_label(b, "revision", b->id->revision);
	s.labels = build_labels_done(b);
	build_series(b, &own[OWN_BUILD], &s);
}

/* The box engine; perf where no box slot stands. */
static const char *socket_engine(const struct builder *b, unsigned i)
{
	return socket_of(b, i)->has_reg ? b->id->engine : "perf";
}

/* A model must not be taken for a machine: its note comes first in the HELP. */
static void add_socket_infos(struct builder *b)
{
	struct build_family f = own[OWN_SOCKET];
	struct strb help;

	strb_init(&help, BUILD_TEXT_MAX);
	strb_addf(&help, "%s%s%s", b->id->engine_note, *b->id->engine_note ? " " : "", f.help);
	if (help.failed)
		b->pool.failed = true;
	else
		f.help = help.s;
	for (unsigned i = 0; i < b->plan->n_sockets; i++) {
		struct desc_series s = { .socket = (uint16_t)i, .kind = DESC_CPU, .word = W_CPU };

		labels_socket(b, i);
		build_label(b, "processor", b->id->processor);
		build_label(b, "engine", socket_engine(b, i));
		s.labels = build_labels_done(b);
		build_series(b, &f, &s);
	}
	strb_done(&help);
}

static void add_socket_up(struct builder *b, unsigned i)
{
	struct desc_series s = { .socket = (uint16_t)i, .kind = DESC_U64, .word = W_UP };

	labels_socket(b, i);
	s.labels = build_labels_done(b);
	build_series(b, &own[OWN_UP], &s);
	s = (struct desc_series){ .labels = s.labels, .kind = DESC_CONST, .constant = socket_of(b, i)->n_rounds };
	build_series(b, &own[OWN_ROUNDS], &s);
}

static void add_groups(struct builder *b, unsigned i)
{
	const struct plan_socket *s = socket_of(b, i);

	for (unsigned g = 0; g < s->n_groups; g++) {
		const struct plan_group *group = &s->groups[g];
		struct desc_series seconds = { .socket = (uint16_t)i, .kind = DESC_NSEC, .continues = true,
					       .word = layout_of(s).group_active + g };
		struct desc_group row = { .name = strings_add_text(&b->strings, group->name), .round = group->round,
					  .first = (uint32_t)(b->members.n / sizeof(uint32_t)), .n = group->n_slots };

		labels_socket(b, i);
		build_label_group(b, group->name);
		seconds.labels = build_labels_done(b);
		row.seconds = build_series(b, &own[OWN_SECONDS], &seconds);
		pool_add(&b->groups, &row, sizeof(row));
		for (unsigned k = 0; k < group->n_slots; k++) {
			uint32_t number = layout_slot(s, group->round, group->slots[k]);

			pool_add(&b->members, &number, sizeof(number));
		}
	}
}

static nsec fastest_tick(const struct plan_socket *s)
{
	nsec tick = INT64_MAX;

	for (unsigned r = 0; r < s->n_rounds; r++)
		if (s->rounds[r].tick < tick)
			tick = s->rounds[r].tick;
	return tick;
}

/* The lateness of a tick each second is a number nobody looks at, and a page of the ready-made groups stays small. */
static void add_socket_words(struct builder *b, unsigned i)
{
	static const struct { uint8_t own, word, kind; bool sampled; } rows[] = {
		{ OWN_SAMPLES, W_TICKS, DESC_U64, false },
		{ OWN_MISSED, W_MISSED, DESC_U64, false },
		{ OWN_WRAPS, W_WRAPS, DESC_U64, false },
		{ OWN_RESETS, W_RESETS, DESC_U64, false },
		{ OWN_FOREIGN, W_FOREIGN, DESC_U64, false },
		{ OWN_ERRORS, W_READ_ERRORS, DESC_U64, false },
		{ OWN_FROZEN, W_FROZEN, DESC_NSEC, false },
		{ OWN_TIMESTAMP, W_NOW_WALL, DESC_NSEC, true },         /* not before the first sample */
		{ OWN_DURATION, W_DURATION, DESC_NSEC, true },
	};
	struct desc_labels labels;

	labels_socket(b, i);
	labels = build_labels_done(b);
	for (size_t k = 0; k < COUNT(rows); k++)
		build_series(b, &own[rows[k].own], &(struct desc_series){
			.labels = labels, .socket = (uint16_t)i, .word = rows[k].word, .kind = rows[k].kind,
			.when = rows[k].sampled ? DESC_IF_DIFFERENT : DESC_ALWAYS, .test_word = W_NOW_WALL,
			.continues = own[rows[k].own].type == DESC_COUNTER });
	if (fastest_tick(socket_of(b, i)) < NSEC_PER_SEC) {
		build_distribution(b, &own[OWN_LATENESS], &layout_lateness, &(struct desc_series){
			.labels = labels, .socket = (uint16_t)i, .word = layout_of(socket_of(b, i)).lateness,
			.when = DESC_IF_DIFFERENT, .test_word = W_NOW_WALL });
		build_series(b, &own[OWN_REALTIME], &(struct desc_series){
			.labels = labels, .socket = (uint16_t)i, .word = W_REALTIME, .kind = DESC_U64 });
		build_series(b, &own[OWN_FALLBACKS], &(struct desc_series){
			.labels = labels, .socket = (uint16_t)i, .word = W_FALLBACKS, .kind = DESC_U64, .continues = true });
	}
	for (unsigned r = REASON_NONE + 1; r < REASON_COUNT; r++) {
		struct desc_series s = { .socket = (uint16_t)i, .kind = DESC_U64, .word = W_INVALID + r, .continues = true };

		labels_socket(b, i);
		build_label(b, "reason", reason_name(r));
		s.labels = build_labels_done(b);
		build_series(b, &own[OWN_INVALID], &s);
	}
}

static void add_board(struct builder *b)
{
	static const struct { uint8_t own, word, kind; } rows[] = {
		{ OWN_CONFIG, D_CONFIG_OK, DESC_U64 },
		{ OWN_LOST, D_LOG_LOST, DESC_U64 },
		{ OWN_DRIVER, D_DRIVER, DESC_U64 },
		{ OWN_LISTENERS, D_LISTENERS, DESC_U64 },
		{ OWN_DROPPED, D_DROPPED, DESC_U64 },
		{ OWN_CPU, D_CPU_NSEC, DESC_NSEC },
		{ OWN_RSS, D_RSS_BYTES, DESC_U64 },
		{ OWN_FDS, D_FDS, DESC_U64 },
		{ OWN_START, D_START_WALL_NSEC, DESC_NSEC },
	};
	struct desc_labels none;

	build_labels(b);
	none = build_labels_done(b);
	for (size_t k = 0; k < COUNT(rows); k++) {      /* nothing of a daemon that has not written yet */
		if (rows[k].own == OWN_DRIVER && strcmp(b->id->engine, "registers") != 0)
			continue;               /* perf counts through the driver, and the model beside none */
		build_series(b, &own[rows[k].own], &(struct desc_series){
			.labels = none, .socket = (uint16_t)b->plan->n_sockets, .word = rows[k].word, .kind = rows[k].kind,
			.when = DESC_IF_DIFFERENT, .test_word = D_START_WALL_NSEC });
	}
}

/* ------------------------------------------------------------------ what is counted */

/* The box events beside a model are of the model; perf events count for real there too. */
static bool slot_simulated(const struct builder *b, const struct plan_slot *slot)
{
	return *b->id->engine_note && slot->box;
}

static bool metric_simulated(const struct builder *b, const struct plan_socket *s, const struct plan_metric *m)
{
	const struct plan_slot *slots = s->rounds[s->groups[m->group].round].slots;

	for (unsigned k = 0; k < m->n_num; k++)
		if (m->num[k].slot >= 0 && slot_simulated(b, &slots[m->num[k].slot]))
			return true;
	return false;
}

static void add_metrics(struct builder *b, unsigned i)
{
	const struct plan_socket *s = socket_of(b, i);
	struct layout l = layout_of(s);

	for (unsigned m = 0; m < s->n_metrics; m++) {
		const struct plan_metric *from = &s->metrics[m];
		struct build_family f = { from->family, from->help, from->counter ? DESC_COUNTER : DESC_GAUGE,
					  from->unit, metric_simulated(b, s, from) };
		struct desc_series v = { .socket = (uint16_t)i, .kind = from->counter ? DESC_U64 : DESC_DOUBLE,
					 .word = l.metric_value + m, .when = DESC_IF_EQUAL, .test_word = l.metric_state + m,
					 .test_value = DERIVE_VALID, .origin = DESC_OF_METRIC, .item = m,
					 .continues = from->counter };
		struct desc_metric row = { .name = strings_add_text(&b->strings, from->name), .group = from->group };

		labels_socket(b, i);
		build_label_all(b, from->labels);
		build_label_group(b, s->groups[from->group].name);
		v.labels = build_labels_done(b);
		row.series = build_series(b, &f, &v);
		pool_add(&b->metrics, &row, sizeof(row));
	}
}

/* The single samples of metrics: the largest of the last while, all of them in buckets, and how many were not valid. */
static void add_watches(struct builder *b, unsigned i)
{
	const struct plan_socket *s = socket_of(b, i);
	struct layout l = layout_of(s);

	for (unsigned k = 0; k < s->n_watches; k++) {
		const struct plan_watch *w = &s->watches[k];
		const struct plan_metric *m = plan_watched(s, w);
		bool simulated = metric_simulated(b, s, m);
		struct build_family peak = { w->peak_family, w->peak_help, DESC_GAUGE, w->unit, simulated };
		struct build_family family = { w->family, w->help, DESC_HISTOGRAM, w->unit, simulated };
		struct desc_series v = { .socket = (uint16_t)i, .origin = DESC_OF_SAMPLES, .kind = DESC_DOUBLE, .word = l.watch_peak + k,
					 .when = DESC_IF_DIFFERENT, .test_word = l.watch_peaked + k };

		labels_socket(b, i);
		build_label_all(b, m->labels);
		build_label_group(b, s->groups[m->group].name);
		v.labels = build_labels_done(b);
		build_series(b, &peak, &v);
		if (!w->distribution)
			continue;
		v.word = layout_histogram(s, k);
		v.test_word = W_UP;                     /* empty ones are shown, but not before they began */
		build_distribution(b, &family, &w->histogram, &v);
	}
}

static void add_watches_invalid(struct builder *b, unsigned i)
{
	const struct plan_socket *s = socket_of(b, i);

	for (unsigned k = 0; k < s->n_watches; k++) {
		const struct plan_metric *m = plan_watched(s, &s->watches[k]);
		struct desc_series v = { .socket = (uint16_t)i, .kind = DESC_U64, .word = layout_of(s).watch_invalid + k,
					 .continues = true };

		labels_socket(b, i);
		build_label_all(b, m->labels);
		build_label(b, "metric", m->name);
		build_label_group(b, s->groups[m->group].name);
		v.labels = build_labels_done(b);
		build_series(b, &own[OWN_SAMPLE_INVALID], &v);
	}
}

/* One slot in one group: the raw total, and the same in a base unit where the kernel gives a scale. */
static void add_slot(struct builder *b, unsigned i, const struct plan_group *g, const struct plan_slot *slot, unsigned number)
{
	struct layout l = layout_of(socket_of(b, i));
	struct build_family raw = { slot->family, slot->help, DESC_COUNTER, NULL, slot_simulated(b, slot) };
	struct build_family scaled = { slot->scaled_family, slot->scaled_help, DESC_COUNTER, slot->scaled_unit,
				       slot_simulated(b, slot) };
	struct desc_series total = { .socket = (uint16_t)i, .kind = DESC_U64, .word = l.slot_total + number, .continues = true,
				     .when = DESC_IF_EQUAL, .test_word = l.slot_reason + number, .test_value = REASON_NONE,
				     .origin = DESC_OF_SLOT, .item = number, .key = strings_add_text(&b->strings, slot->identity) };

	if (g->quiet)
		return;
	labels_socket(b, i);
	build_label_number(b, "unit", slot->unit);
	build_label_group(b, g->name);
	build_label_all(b, slot->labels);
	total.labels = build_labels_done(b);
	build_series(b, &raw, &total);
	if (slot->scale > 0) {
		total.kind = DESC_SCALED;
		total.scale = slot->scale;
		build_series(b, &scaled, &total);
	}
}

static void add_slot_state(struct builder *b, unsigned i, const struct plan_group *g, const struct plan_slot *slot,
			   unsigned number)
{
	struct desc_series s = { .socket = (uint16_t)i, .kind = DESC_IS_ZERO,
				 .word = layout_of(socket_of(b, i)).slot_reason + number };

	labels_socket(b, i);
	build_label(b, "box", slot->box_name);
	build_label_number(b, "unit", slot->unit);
	build_label(b, "event", slot->event_name);
	build_label_all(b, slot->labels);
	build_label_group(b, g->name);
	s.labels = build_labels_done(b);
	if (!g->quiet)
		build_series(b, &own[OWN_SLOT_VALID], &s);
	s.kind = DESC_REASON;
	s.when = DESC_IF_DIFFERENT;
	s.test_word = s.word;
	s.test_value = REASON_NONE;
	build_series(b, &own[OWN_SLOT_INVALID], &s);
}

/* Every slot of every group of socket i, in the order written. */
static void each_slot(struct builder *b, unsigned i, void (*add)(struct builder *, unsigned, const struct plan_group *,
								 const struct plan_slot *, unsigned))
{
	const struct plan_socket *s = socket_of(b, i);

	for (unsigned g = 0; g < s->n_groups; g++) {
		const struct plan_group *group = &s->groups[g];

		for (unsigned k = 0; k < group->n_slots; k++)
			add(b, i, group, &s->rounds[group->round].slots[group->slots[k]],
			    layout_slot(s, group->round, group->slots[k]));
	}
}

/* The row stands as long as the metric is in this state. */
static void add_omitted(struct builder *b, unsigned i, unsigned m, enum derive_state state, enum reason reason)
{
	const struct plan_socket *s = socket_of(b, i);
	struct desc_series v = { .socket = (uint16_t)i, .kind = DESC_CONST, .constant = 1, .when = DESC_IF_EQUAL,
				 .test_word = layout_of(s).metric_state + m, .test_value = state };

	labels_socket(b, i);
	build_label_all(b, s->metrics[m].labels);
	build_label(b, "metric", s->metrics[m].name);
	build_label_group(b, s->groups[s->metrics[m].group].name);
	build_label(b, "reason", reason_name(reason));
	v.labels = build_labels_done(b);
	build_series(b, &own[OWN_METRIC_INVALID], &v);
}

/* What omits a metric by itself: its guard, or perf events that counted for different times. */
static void add_metrics_invalid(struct builder *b, unsigned i)
{
	const struct plan_socket *s = socket_of(b, i);

	for (unsigned m = 0; m < s->n_metrics; m++) {
		if (s->metrics[m].n_guard_num)
			add_omitted(b, i, m, DERIVE_CONFLICT, REASON_CONFLICT);
		if (s->rounds[s->groups[s->metrics[m].group].round].n_perf)
			add_omitted(b, i, m, DERIVE_UNEVEN, REASON_NO_DATA);
	}
}

/* ------------------------------------------------------------------ all of it */

/* What the page and the status know of a socket; its groups and metrics were gathered with their series. */
static void add_socket(struct builder *b, unsigned i)
{
	const struct plan_socket *s = socket_of(b, i);
	struct desc_socket row = {
		.id = s->id, .layout = layout_of(s), .n_rounds = s->n_rounds, .n_groups = s->n_groups, .n_metrics = s->n_metrics,
		.first_slot = (uint32_t)(b->slots.n / sizeof(struct desc_slot)),
		.engine = strings_add_text(&b->strings, socket_engine(b, i)) };

	row.n_words = row.layout.n_words;
	row.n_slots = row.layout.n_slots;
	for (unsigned k = 0; k < i; k++) {
		row.first_group += socket_of(b, k)->n_groups;
		row.first_metric += socket_of(b, k)->n_metrics;
	}
	for (unsigned r = 0; r < s->n_rounds; r++)
		for (unsigned k = 0; k < s->rounds[r].n_slots; k++) {
			struct desc_slot slot = { strings_add_text(&b->strings, s->rounds[r].slots[k].identity) };

			pool_add(&b->slots, &slot, sizeof(slot));
		}
	pool_add(&b->sockets, &row, sizeof(row));
}

int expo_describe(const struct plan *p, const struct expo_identity *id, const struct expo_offsets *offsets, void **ret,
		    size_t *ret_len, struct err *err)
{
	void (*const parts[])(struct builder *, unsigned) = { add_socket_up, add_groups, add_socket_words, add_metrics,
							      add_watches, add_watches_invalid };
	struct builder b;
	int r;

	if (p->n_sockets > EXPO_SOCKETS_MAX)
		return err_set(err, -E2BIG, "%u sockets, but no more than %u can be shown", p->n_sockets, EXPO_SOCKETS_MAX);
	build_init(&b, p, id, offsets);
	add_build(&b);
	add_socket_infos(&b);
	for (size_t k = 0; k < COUNT(parts); k++)
		for (unsigned i = 0; i < p->n_sockets; i++)
			parts[k](&b, i);
	for (unsigned i = 0; i < p->n_sockets; i++)
		each_slot(&b, i, add_slot);
	for (unsigned i = 0; i < p->n_sockets; i++) {
		each_slot(&b, i, add_slot_state);
		add_metrics_invalid(&b, i);
		add_socket(&b, i);
	}
	add_board(&b);
	r = build_finish(&b, ret, ret_len, err);
	build_done(&b);
	return r;
}
