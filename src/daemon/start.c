/* SPDX-License-Identifier: MIT
 *
 * Owns:  an attempt, which changes nothing and is thrown away or taken; what a wait serves.
 *
 *	start_open()               attempt(), take()
 *	start_begin()              from there to values for everybody
 *	start_again()  at a tick   attempt(); if there is news: go_on(), which is take() and
 *	start_with()   a reload    start_begin() in place of the empty generation
 */
#include "daemon/start.h"

#include "base/cleanup.h"
#include "daemon/proc.h"
#include "daemon/restore.h"
#include "process/log.h"
#include "process/privileges.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* What a start with a configuration comes to, before anything is changed. */
struct attempt {
	bool opened;                    /* the machine */
	struct machine machine;
	struct generation *g;           /* planned; NULL: that was refused. Its configuration stays
	                                 * the caller's */
	bool waits;                     /* there is nothing to count, which is to be served */
	struct err why;                 /* why it waits, or why the machine is not open */
	struct diags mistakes;
};

/* 0: it counts or waits; else -errno, with a sentence or mistakes. Logs nothing. */
static int attempt(const struct options *o, struct conf *conf, bool may_wait, struct attempt *ret)
{
	int r = engine_open(o, conf, false, &ret->machine, &ret->why);

	ret->opened = r >= 0;
	if (r < 0) {
		ret->waits = may_wait && waiting_due_unopened(o, conf, r);
		return ret->waits ? 0 : r;
	}
	r = generation_try_plan(conf, o, &ret->machine, &ret->g, &ret->mistakes);
	if (!r)
		generation_look(ret->g, &ret->machine);
	if (may_wait && (!r || r == -EINVAL))
		ret->waits = waiting_due(o, conf, &ret->machine, ret->g, &ret->why);
	return ret->waits ? 0 : r;
}

static void drop_plan(struct attempt *a)
{
	if (a->g)
		a->g->conf = NULL;
	generation_free(TAKE(a->g));
}

static void attempt_done(struct attempt *a)
{
	drop_plan(a);
	machine_close(&a->machine);
	diags_done(&a->mistakes);
}

/* `code`; where the machine prevents counting, the exit code for that (try again, permission). */
static int obstacle_code(int code, const struct machine *m, const struct conf *conf)
{
	struct err err;
	int r = 0;

	if (code == EXIT_UNAVAILABLE || code == EXIT_CONFIG)
		r = machine_obstacle(m, engine_names_perf(conf), &err);
	if (!r)
		return code;
	log_msg(LOG_ERR, "%s (exit code %d)", err.text, exit_code_of(r));
	return exit_code_of(r);
}

/* The same configuration without its groups. If no engine can be had, perf stands for it. */
static int plan_nothing(const struct options *o, struct conf *conf, struct attempt *a,
			struct generation **ret, struct err *err)
{
	static const struct conf_engine_choice perf = { .kind = CONF_PERF };
	AUTO_DONE(diags_done) struct diags d = { 0 };
	struct conf none = *conf;
	int r;

	drop_plan(a);
	if (!a->opened) {
		r = engine_machine(o, conf, &perf, false, &a->machine, err);
		if (r < 0)
			return r;
	}
	none.groups_given = true;
	none.n_groups = none.n_metrics = 0;
	r = generation_try_plan(&none, o, &a->machine, ret, &d);
	if (r < 0)
		return err_set(err, r, "%s", d.n ? d.v[0] : "out of memory");
	(*ret)->conf = conf;
	return 0;
}

/* From here on it waits. */
static int take_nothing(struct loop *l, struct conf *conf, struct attempt *a)
{
	struct err err = { "" };
	int r;

	if (strcmp(a->why.text, l->why.text) != 0)
		log_msg(LOG_WARNING, "%s; uncored serves without counters until some appear",
			a->why.text);
	l->why = a->why;
	r = plan_nothing(l->o, conf, a, &l->g, &err);
	if (r < 0) {
		conf_free(conf);
		return log_exit(r, &err);
	}
	l->machine = a->machine;
	a->machine = (struct machine){ 0 };
	l->g->no_counters_reason = l->why.text;
	r = generation_check_sockets(l->g, &err);
	if (r < 0)
		return log_exit(r, &err);
	waiting_mark(l->o, true);
	return -1;
}

/* A perf event is an open file: sixty cache slices have more than a shell's soft limit. */
static void raise_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur == files.rlim_max)
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);       /* if not: perf_event_open says what to do */
}

/* Reads registers, and writes those that a crashed run left changed. */
static int open_counters(struct loop *l, struct err *err)
{
	bool serves = l->o->mode == MODE_RUN;
	int r;

	if (l->front->r < 0) {
		*err = l->front->err;
		return l->front->r;
	}
	if (serves) {                           /* another engine needs a restart */
		r = privileges_reduce(engine_caps(&l->machine), err);
		if (r < 0)
			return r;
	}
	l->state_file = l->machine.engine == CONF_REGISTERS;
	if (l->state_file) {
		l->lock = restore_lock(l->o, l->machine.processor, err);
		if (l->lock < 0)
			return l->lock;
	}
	if (serves)
		waiting_mark(l->o, false);
	raise_files();
	return generation_open(l->g, &l->machine, NULL, err);
}

/* From here on it has something to count. */
static int take_plan(struct loop *l, struct attempt *a)
{
	struct err err = { "" };
	int r;

	l->machine = a->machine;
	a->machine = (struct machine){ 0 };
	l->g = TAKE(a->g);
	l->engine = l->g->conf->engine;
	l->pin = !l->o->sysfs_given && l->machine.engine != CONF_MODEL;
	r = open_counters(l, &err);
	return r < 0 ? obstacle_code(log_exit(r, &err), &l->machine, NULL) : -1;
}

static void log_attempt(struct attempt *a, int r)
{
	char text[MACHINE_TEXT];

	engine_log_unusable(&a->machine);
	if (!a->opened)
		return;
	if (a->machine.engine == CONF_MODEL)
		log_msg(LOG_WARNING, "%s", a->machine.why.text);
	else
		log_msg(LOG_INFO, "%s; processor: %s", a->machine.why.text,
			machine_text(&a->machine, text));
	generation_log(a->g, &a->mistakes, r);
}

/* Takes conf. -1 or an exit code, as start_open(). r: what attempt() returned. */
static int take(struct loop *l, struct conf *conf, struct attempt *a, int r)
{
	int code;

	log_attempt(a, r);
	if (a->waits) {
		code = take_nothing(l, conf, a);
	} else if (r >= 0) {
		code = take_plan(l, a);
	} else {
		code = a->opened ? obstacle_code(exit_code_of(r), &a->machine, conf) :
		       log_exit(r, &a->why);
		conf_free(conf);
	}
	/* The unit admits the devices that it knew at its start: at the next one it knows more. */
	return code == EXIT_PERMISSION && l->why.text[0] ? EXIT_TEMPFAIL : code;
}

int start_open(struct loop *l, struct conf *conf)
{
	AUTO_DONE(attempt_done) struct attempt a = { 0 };
	int r = attempt(l->o, conf, l->front->r >= 0, &a);

	return take(l, conf, &a, r);
}

/* Samplers and http process share memory, and the first sample is in it. */
static int begin_serving(struct loop *l, struct err *err)
{
	struct supervisor *http = &l->front->http;
	int r = generation_launch(l->g, NULL, l->pin, err);

	if (r < 0)
		return r;
	r = generation_describe(l->g, &l->machine, NULL, err);
	if (r < 0)
		return r;
	/* somebody may look at it at once */
	if (l->now->waits || http->announced)
		loop_publish(l);
	r = supervisor_send_plan(http, l->g->shared, err);
	if (r < 0)
		return r;
	if (!http->event) {
		r = supervisor_watch(http, l->event, err);
		if (r < 0)
			return r;
	}
	r = generation_wait(l->g, true, err);
	if (r < 0)
		return r;
	health_check(&l->health, l->g);
	loop_publish(l);
	l->ready_unsent = !supervisor_serves(http);
	malloc_trim(0);                         /* what planning needed */
	loop_status(l);
	if (!l->ready_unsent)
		loop_send_ready(l);
	return 0;
}

/* The next try is when the machine has changed, or in a minute. */
static void note_try(struct loop *l)
{
	l->tries.tried = l->tries.seen = machine_fingerprint(&l->machine);
	sd_event_now(l->event, CLOCK_MONOTONIC, &l->tries.tried_at);
}

int start_begin(struct loop *l, struct err *err)
{
	int r = loop_enter(l, generation_counts(l->g) ? LIFE_COUNTS : LIFE_FINDS_NOTHING);

	if (r < 0)
		return err_set(err, r, "uncored cannot begin to count now");
	health_reset(&l->health);
	l->health.simulated = l->machine.engine == CONF_MODEL;
	l->health.values[D_DRIVER] = l->machine.driver;
	l->health.values[D_START_WALL_NSEC] = proc_start_wall(generation_clock.wall(NULL));
	if (l->now->waits)
		note_try(l);
	r = health_reserve(&l->health, l->g->plan, err);
	if (r < 0)
		return r;
	r = generation_new_rings(l->g, err);
	if (r < 0)
		return r;
	r = loop_save(l, l->g, NULL, err);
	if (r < 0)
		return r;
	if (l->o->mode != MODE_ONCE)
		return begin_serving(l, err);
	r = generation_describe(l->g, &l->machine, NULL, err);
	return r < 0 ? r : once_begin(&l->once, l->o, l->g, l->event, err);
}

/* What was tried takes the place of the empty generation; if that fails, uncored ends. */
static void go_on(struct loop *l, struct conf *conf, struct attempt *a, int r)
{
	struct generation *empty = TAKE(l->g);
	struct machine machine = l->machine;
	struct err err = { "" };
	int code;

	if (empty->conf == conf)
		empty->conf = NULL;
	l->machine = (struct machine){ 0 };
	code = take(l, conf, a, r);
	if (code < 0) {
		r = start_begin(l, &err);
		if (r < 0)
			code = log_exit(r, &err);
		if (r == -EINTR)
			code = 0;
	}
	generation_free(empty);
	machine_close(&machine);
	if (code >= 0)
		sd_event_exit(l->event, code);
}

void start_again(struct loop *l, uint64_t now)
{
	AUTO_DONE(attempt_done) struct attempt a = { 0 };
	struct conf *conf = l->g->conf;
	int r;

	if (!waiting_worth_a_try(&l->tries, machine_fingerprint(&l->machine), now))
		return;
	r = attempt(l->o, conf, true, &a);
	if (!a.waits || strcmp(a.why.text, l->why.text) != 0)
		go_on(l, conf, &a, r);
}

int start_with(struct loop *l, struct conf *conf, struct certs *certs)
{
	AUTO_DONE(attempt_done) struct attempt a = { 0 };
	int r = attempt(l->o, conf, true, &a);

	if (r < 0) {
		log_diags(LOG_ERR, &a.mistakes);
		if (!a.mistakes.n && a.why.text[0])
			log_msg(LOG_ERR, "%s", a.why.text);
		return r;
	}
	l->health.values[D_CONFIG_OK] = 1;
	health_note_config(&l->health);
	loop_log_listeners(l, conf);
	front_take_certs(l->front, certs);
	log_msg(LOG_INFO, "configuration read again");
	go_on(l, conf, &a, 0);
	return 0;
}
