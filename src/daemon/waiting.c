/* SPDX-License-Identifier: MIT */
#include "daemon/waiting.h"

#include "daemon/health.h"
#include "daemon/loop.h"
#include "daemon/notify.h"
#include "daemon/proc.h"
#include "process/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MINUTE (60 * UINT64_C(1000000))
#define MARK "uncored.waiting"

static bool somebody_waits(const struct options *o)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/" MARK, o->run);
	return access(path, F_OK) == 0;
}

void waiting_mark(const struct options *o, bool waits)
{
	struct err ignored;
	char path[PATH_MAX];
	int fd;

	if (waits) {
		fd = rundir_file(o->run, MARK, O_RDONLY | O_CREAT, &ignored);
		if (fd >= 0)
			close(fd);
		return;
	}
	snprintf(path, sizeof(path), "%s/" MARK, o->run);
	unlink(path);
}

/* Does this configuration serve a machine on which nothing can be counted? */
static bool serves_without(const struct options *o, const struct conf *conf)
{
	bool checks = o->mode == MODE_CHECK;

	if (checks ? o->processor || !somebody_waits(o) : o->mode != MODE_RUN)
		return false;
	return conf->without_counters == CONF_NO_COUNTERS_SERVE ||
	       (conf->without_counters == CONF_NO_COUNTERS_DEFAULT &&
		(checks || notify_expected()));
}

bool waiting_due_unopened(const struct options *o, const struct conf *conf, int r)
{
	return r == -ENODEV && !o->processor &&
	       engine_chosen(o, conf)->kind == CONF_REGISTERS && serves_without(o, conf);
}

bool waiting_due(const struct options *o, const struct conf *conf, const struct machine *m,
		 const struct generation *g, struct err *ret_why)
{
	bool empty = g && generation_empty(g, ret_why),
		needs_device = g && g->plan->n_sockets && g->plan->sockets[0].has_reg;
	int r;

	if (m->model || !serves_without(o, conf))
		return false;
	r = machine_obstacle(m, g || engine_names_perf(conf), ret_why);
	if (empty && !r)
		return generation_empty(g, ret_why);
	return r == -EAGAIN && (!g || empty || needs_device);
}

/* What a start with this configuration would do. 0: count. -EAGAIN: wait, with a sentence. Else
 * -errno: fail, for the reasons in d or with a sentence. */
static int try_start(const struct options *o, struct conf *conf, struct diags *d, struct err *err)
{
	struct generation *g = NULL;
	struct machine m = { 0 };
	int r = engine_machine(o, conf, engine_chosen(o, conf), false, &m, err);

	if (r < 0)
		return waiting_due_unopened(o, conf, r) ? -EAGAIN : r;
	r = generation_try_plan(conf, o, &m, &g, d);
	if (!r)
		generation_look(g, &m);
	if ((!r || r == -EINVAL) && waiting_due(o, conf, &m, g, err))
		r = -EAGAIN;
	if (g)
		g->conf = NULL;                 /* the caller's */
	generation_free(g);
	machine_close(&m);
	return r;
}

struct wait {
	struct waiting *w;
	struct machine m;
	struct generation *g;           /* the sockets, with nothing to count */
	struct health health;           /* its values alone */
	sd_event *event;
	uint64_t period;                /* of the tick, microseconds */
	struct waiting_tries tries;
	bool restart;                   /* start again */
	bool ready_unsent;              /* the manager's queue was full, or nobody served yet */
};

static void publish(struct wait *x)
{
	const struct waiting *w = x->w;

	x->health.values[D_CONFIG_OK] = !w->config_failed;
	health_publish(&x->health, x->g, w->front->http.child.pid);
	notify_send("STATUS=Nothing is counted: %s%s", w->why.text, w->config_failed ?
		    "; the last reload failed" : "");
}

static int request_restart(struct wait *x)
{
	x->restart = true;
	return sd_event_exit(x->event, 0);
}

bool waiting_worth_a_try(struct waiting_tries *t, unsigned fingerprint, uint64_t now)
{
	bool settled = fingerprint == t->seen, changed = fingerprint != t->tried;

	t->seen = fingerprint;
	if (!(settled && changed) && now - t->tried_at < MINUTE)
		return false;
	t->tried = fingerprint;
	t->tried_at = now;
	return true;
}

static int on_tick(sd_event_source *s, uint64_t usec, void *p)
{
	struct err why = { "" };
	struct wait *x = p;
	struct waiting *w = x->w;
	struct diags d = { 0 };
	struct conf *conf;
	int r;

	notify_send("WATCHDOG=1");
	log_report_lost();
	publish(x);
	front_check(w->front, x->g->conf);
	if (x->ready_unsent && w->front->http.announced)
		x->ready_unsent = !notify_send("READY=1");
	sd_event_source_set_time_relative(s, x->period);
	r = sd_event_source_set_enabled(s, SD_EVENT_ON);
	if (w->front->http.child.sock < 0 ||
	    !waiting_worth_a_try(&x->tries, machine_fingerprint(&x->m), usec))
		return r;
	if (generation_conf(w->o, w->text, w->len, false, &conf) < 0)
		return r;
	if (try_start(w->o, conf, &d, &why) != -EAGAIN || strcmp(why.text, w->why.text) != 0)
		request_restart(x);
	conf_free(conf);
	diags_done(&d);
	return r;
}

/* No process apart tries the configuration here: there is no register to restore. */
static int on_reload(sd_event_source *s, const struct signalfd_siginfo *si, void *p)
{
	struct err err = { "" };
	struct wait *x = p;
	struct waiting *w = x->w;
	struct certs certs = CERTS_NONE;
	struct diags d = { 0 };
	struct conf *conf = NULL;
	size_t len;
	char *text;
	int r;

	(void)s, (void)si;
	loop_notify_reloading();
	r = generation_read(w->o, &text, &len);
	if (!r)
		r = generation_conf(w->o, text, len, false, &conf);
	if (!r)
		r = certs_open(&conf->tls, &certs);
	if (!r)
		r = try_start(w->o, conf, &d, &err);
	w->config_failed = r < 0 && r != -EAGAIN;
	if (w->config_failed) {
		log_diags(LOG_ERR, &d);
		if (!d.n && err.text[0])
			log_msg(LOG_ERR, "%s", err.text);
		log_msg(LOG_ERR, "reload failed; the old configuration stays in use");
		certs_close(&certs);
		free(text);
		publish(x);
		x->ready_unsent = !notify_send("READY=1");
	} else {
		loop_log_listeners(w->front, w->o, conf);
		front_take_certs(w->front, &certs);
		log_msg(LOG_INFO, "configuration read again");
		free(w->text);
		w->text = text;
		w->len = len;
		request_restart(x);
	}
	conf_free(conf);
	diags_done(&d);
	return 0;
}

/* The same configuration without its groups. If no engine can be had, perf stands for it. */
static int make_idle(struct wait *x, struct err *err)
{
	static const struct conf_engine_choice perf = { .kind = CONF_PERF };
	const struct waiting *w = x->w;
	struct diags d = { 0 };
	struct conf *conf;
	int r = generation_conf(w->o, w->text, w->len, false, &conf);

	if (r < 0)
		return err_set(err, r, "out of memory");
	r = engine_machine(w->o, conf, engine_chosen(w->o, conf), false, &x->m, err);
	if (waiting_due_unopened(w->o, conf, r))
		r = engine_machine(w->o, conf, &perf, false, &x->m, err);
	if (!r) {
		conf->groups_given = true;
		conf->n_groups = conf->n_metrics = 0;
		r = generation_try_plan(conf, w->o, &x->m, &x->g, &d);
		if (r < 0)
			err_set(err, r, "%s", d.n ? d.v[0] : "out of memory");
		diags_done(&d);
	}
	if (r < 0) {
		conf_free(conf);
		return r;
	}
	x->g->no_counters_reason = w->why.text;
	r = generation_check_sockets(x->g, err);
	if (!r)
		r = generation_new_rings(x->g, err);
	if (!r)
		r = generation_describe(x->g, &x->m, NULL, err);
	return r;
}

int waiting_run(struct waiting *w)
{
	struct wait x = { .w = w, .health.values = { [D_WITHOUT] = 1 } };
	struct err err = { "" };
	int r, code;

	loop_block_signals();
	waiting_mark(w->o, true);
	r = make_idle(&x, &err);
	if (!r)
		r = loop_new(&x.event, &x.period, on_tick, on_reload, &x, &err);
	x.health.values[D_DRIVER] = x.m.driver;
	x.health.values[D_START_WALL_NSEC] = proc_start_wall(generation_clock.wall(NULL));
	if (!r)
		publish(&x);                    /* before anybody can look at it */
	if (!r)
		r = supervisor_send_plan(&w->front->http, x.g->shared, &err);
	if (!r)
		r = supervisor_watch(&w->front->http, x.event, &err);
	if (r < 0) {
		code = log_exit(r, &err);
		goto out;
	}
	x.tries.seen = x.tries.tried = machine_fingerprint(&x.m);
	sd_event_now(x.event, CLOCK_MONOTONIC, &x.tries.tried_at);
	x.ready_unsent = !supervisor_serves(&w->front->http) || !notify_send("READY=1");
	code = loop_turn(x.event);
	if (!code && x.restart)
		code = -1;
	if (code >= 0)
		notify_send("STOPPING=1");
out:
	if (code >= 0)
		waiting_mark(w->o, false);
	supervisor_unwatch(&w->front->http);
	sd_event_unref(x.event);
	generation_free(x.g);
	machine_close(&x.m);
	return code;
}
