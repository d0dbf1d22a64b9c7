/* SPDX-License-Identifier: MIT
 * Prints what has no program of its own: the writes of a session, the pages of fixed
 * numbers.
 *   golden writes CONF        every register write of start, two ticks, stop and restore on an
 *                             untouched machine
 *   golden trace CONF PROCESSOR TICKS END   every access of a session in which events happen, on a
 *                             machine whose registers were left with something in them; END: stop,
 *                             or crash, where the registers go back while it counts
 *   golden page CONF FORMAT   the page when each word of the rings is a number that can be told
 *                             from all others
 *
 * One socket of nehalem-ex; nothing here depends on the machine, the time or the model's rates.
 */
#include "../model/rig.h"

#include "daemon/generation.h"
#include "derive/derive.h"

#include <err.h>

static char *slurp(const char *path)
{
	char *text = calloc(1, CONF_MAX);
	FILE *f = fopen(path, "r");

	if (!f || !text || fread(text, 1, CONF_MAX - 1, f) == 0)
		errx(1, "%s cannot be read", path);
	fclose(f);
	return text;
}

/* ------------------------------------------------------------------ writes */

static void print_accesses(const char *title, const char *which, FILE *trace, char **text)
{
	fputc('\0', trace);
	fflush(trace);
	printf("# %s\n", title);
	for (char *line = strtok(*text, "\n"); line; line = strtok(NULL, "\n"))
		if (strstr(line, which))
			puts(line);
	rewind(trace);
}

static void print_writes(const char *title, FILE *trace, char **text)
{
	print_accesses(title, ": W ", trace, text);
}

static int writes(const char *conf)
{
	size_t size;
	char *text;
	struct rig r;
	struct run u;

	rig_open(&r, 1, "idle", 1);
	r.trace = open_memstream(&text, &size);
	run_open(&u, &r, conf, NULL);
	print_writes("look", r.trace, &text);
	run_start(&u);
	print_writes("start", r.trace, &text);
	run_ticks(&u, 1, 0);
	print_writes("tick", r.trace, &text);
	run_ticks(&u, 1, 0);
	print_writes("tick", r.trace, &text);
	run_stop(&u);
	print_writes("stop", r.trace, &text);
	run_restore(&u, NULL);
	print_writes("restore", r.trace, &text);
	run_close(&u);
	rig_close(&r);
	fclose(r.trace);
	free(text);
	return 0;
}

/* Filters, their write enables on, and local enables; but no counter is enabled as a whole. */
static void leave_something(struct rig *r, const struct plan_program *p)
{
	for (unsigned i = 0; i < p->n_regs; i++) {
		const struct plan_reg *g = &p->regs[i];
		const struct plan_counter *k = g->kind == REG_CONTROL ? &p->counters[g->counter]
			: NULL;

		if (k)
			model_poke(r->m, 0, g->reg,
				   (k->box_enable | k->global_enable ? k->ctl_enable : 0) | 2);
		else if (g->kind == REG_WRITE_ENABLE)
			model_poke(r->m, 0, g->reg, g->mask);
		else if (g->kind == REG_FILTER)
			model_poke(r->m, 0, g->reg, 0x5a);
		else if (g->kind == REG_COUNT)
			model_poke(r->m, 0, g->reg, 1234);
	}
}

static int trace(const char *conf, const char *processor, unsigned ticks, const char *end)
{
	size_t size;
	char *text;
	struct rig r;
	struct run u;

	rig_open_as(&r, processor, 1, "stream", 1);
	run_open(&u, &r, conf, NULL);
	leave_something(&r, u.plan->sockets[0].program);
	run_close(&u);
	r.trace = open_memstream(&text, &size);
	run_open(&u, &r, conf, NULL);
	print_accesses("look", ": ", r.trace, &text);
	run_start(&u);
	print_accesses("start", ": ", r.trace, &text);
	for (unsigned i = 0; i < ticks; i++) {
		run_ticks(&u, 1, 0);
		print_accesses("tick", ": ", r.trace, &text);
	}
	if (strcmp(end, "stop") == 0)
		run_stop(&u);
	print_accesses("stop", ": ", r.trace, &text);
	run_restore(&u, NULL);
	print_accesses("restore", ": ", r.trace, &text);
	rig_no_violation(&r);
	run_close(&u);
	rig_close(&r);
	fclose(r.trace);
	free(text);
	return 0;
}

/* ------------------------------------------------------------------ pages */

static bool of_unit(const struct plan_metric *m, const char *unit)
{
	return m->labels.n && strcmp(m->labels.v[0].name, "unit") == 0 &&
		strcmp(m->labels.v[0].value, unit) == 0;
}

/* Counts 1000, 1001 ... by series, each kind of word in a range of its own; the last event that is
 * shown is somebody else's now, and guarded metrics of unit 1 have met a conflict. Where rounds
 * take turns, every second series has paused. */
static void fill(const struct plan_socket *s, const struct layout *l, uint64_t *w)
{
	static const enum layout_word counted[] = { W_TICKS, W_MISSED, W_LATENESS, W_WRAPS,
						    W_RESETS, W_FOREIGN, W_READ_ERRORS };
	unsigned last = 0;

	for (unsigned i = 0; i < COUNT(counted); i++)
		w[counted[i]] = 13 + i;
	for (unsigned i = 0; i < REASON_COUNT; i++)
		w[W_INVALID + i] = 26 + i;
	w[W_REALTIME] = 23;
	w[W_FALLBACKS] = 24;
	w[W_UP] = 1;
	w[W_TICK_MONO] = 3600 * UINT64_C(1000000000);
	w[W_NOW_WALL] = UINT64_C(1300000000500000000);
	w[W_DURATION] = 123456;
	w[W_FROZEN] = UINT64_C(1234567890);
	w[W_ACTIVE] = UINT64_C(98765625000);
	w[W_ROUND] = 0;
	w[W_CPU] = 3;
	for (unsigned g = 0; g < s->n_groups; g++)
		w[l->group_active + g] = (g + 1) * UINT64_C(1500000000);
	for (unsigned i = 0; i < s->n_series; i++)
		last = s->series[i].shown ? i : last;
	for (unsigned i = 0; i < s->n_series; i++) {
		w[l->slot_total + i] = 1000 + i;
		w[l->slot_reason + i] = i == last ? REASON_FOREIGN : REASON_NONE;
		w[l->slot_active + i] = (100 + i) * UINT64_C(1500000000);
		w[l->slot_active_shown + i] = s->n_rounds > 1 && i % 2;
	}
	w[l->slot_total] = UINT64_MAX;	/* an integer in full, whatever a double could hold */
	for (unsigned i = 0; i < s->n_metrics; i++) {
		const struct plan_metric *m = &s->metrics[i];
		unsigned k = m->series;
		double v = k + 0.1;

		if (m->counter)
			w[l->metric_value + k] = 64 * (2000 + k);
		else
			memcpy(&w[l->metric_value + k], &v, sizeof(v));
		w[l->metric_reason + k] = m->guard_den.n && of_unit(m, "1") ? REASON_CONFLICT :
									       REASON_NONE;
		w[l->metric_active + k] = (200 + k) * UINT64_C(1500000000);
		w[l->metric_active_shown + k] = m->counter && s->n_rounds > 1 && k % 2;
	}
}

static enum expo_format format_of(const char *name)
{
	if (strcmp(name, "openmetrics") == 0)
		return EXPO_OPENMETRICS;
	if (strcmp(name, "json") == 0)
		return EXPO_JSON;
	return strcmp(name, "status") == 0 ? EXPO_STATUS : EXPO_TEXT;
}

static int page(const char *conf, const char *format)
{
	static const struct expo_identity id = { .version = "0", .revision = "",
						 .engine = "registers", .engine_note = "",
						 .processor = "nehalem-ex", .workload = "" };
	static uint64_t daemon_mem[8 + 4 * (D_VALUES + 8)];
	uint64_t daemon_values[D_VALUES] = { [D_CONFIG_OK] = 1, [D_SPAWNER_UP] = 1,
					     [D_CPU_NSEC] = 12345678901,
					     [D_RSS_BYTES] = 4096000,
					  [D_FDS] = 21, [D_START_WALL_NSEC] = 1299999999000000000 };
	struct expo_renderer *renderer;
	struct expo_body *body;
	struct ring daemon;
	struct rig r;
	struct run u;
	void *desc;
	size_t len;

	rig_open(&r, 1, "idle", 1);
	run_open(&u, &r, conf, NULL);
	fill(&u.plan->sockets[0], &u.s[0].layout, u.s[0].words);
	ring_write(&u.s[0].ring, u.s[0].words);
	ring_init(&daemon, daemon_mem, D_VALUES);
	ring_write(&daemon, daemon_values);
	if (expo_describe(u.plan, &id, NULL, &desc, &len, NULL) < 0 ||
	    expo_renderer_new(desc, len, &u.s[0].ring, &daemon, NULL, &renderer, NULL) < 0)
		errx(1, "out of memory");
	body = expo_render(renderer, format_of(format), 0);
	fwrite(body->bytes, 1, body->n, stdout);
	expo_body_unref(body);
	expo_renderer_free(renderer);
	free(desc);
	run_close(&u);
	rig_close(&r);
	return 0;
}

int main(int argc, char **argv)
{
	char *conf;
	int r;

	if (argc < 3 || (strcmp(argv[1], "writes") != 0 && argc < 4))
		errx(64, "usage: golden writes CONF | golden page CONF FORMAT");
	conf = slurp(argv[2]);
	if (strcmp(argv[1], "trace") == 0)
		r = argc == 6 ? trace(conf, argv[3], (unsigned)atoi(argv[4]), argv[5]) : 64;
	else
		r = strcmp(argv[1], "writes") == 0 ? writes(conf) : page(conf, argv[3]);
	free(conf);
	return r;
}
