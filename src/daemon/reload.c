/* SPDX-License-Identifier: MIT
 *
 * Owns:  struct reload of the loop.
 *
 *	reload_begin()   the file's bytes; a process apart reads and checks them
 *	on_check_end()   its answer; or on_check_late(), without
 *	checked()        take_file(): the configuration, and the certificates that it names
 *	                 prepare(): planned and opened beside the one that counts
 *	                 swap(): takes its place, or leaves it there
 *	                 or, while nothing counts, start_with() in place of the last two
 *	end()            READY=1
 */
#include "daemon/reload.h"

#include "base/cleanup.h"
#include "daemon/keepalive.h"
#include "daemon/start.h"
#include "process/log.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK_PATIENCE (10 * UINT64_C(1000000))         /* sd-event counts microseconds */

static const char to_switch[] = "switch to the new configuration";

/* What only a restart changes. */
static bool engine_stays(const struct loop *l, const struct conf_engine_choice *now)
{
	const struct conf_engine_choice *was = &l->engine;

	if (now->kind == CONF_MODEL)
		return was->kind == CONF_MODEL && strcmp(now->processor, was->processor) == 0 &&
		       strcmp(now->workload, was->workload) == 0;
	return now->kind == was->kind || now->kind == l->machine.engine;
}

static int is_allowed(const struct loop *l, const struct conf *conf, struct certs *ret_certs)
{
	int r;

	keepalive_begin(l->g);
	r = certs_open(&conf->tls, ret_certs);
	keepalive_end();
	if (l->now->counts && !l->o->engine_given && !engine_stays(l, &conf->engine)) {
		loop_log_needs_restart(LOG_ERR, conf->engine_where, "engine");
		r = -EINVAL;
	}
	return r;
}

/* Every mistake is logged. faulty: the check has found some; it could not look at the files that
 * are named. */
static int take_file(struct loop *l, bool faulty, const struct conf_tree *tree, size_t size,
		     struct conf **ret, struct certs *ret_certs)
{
	AUTO_FREE(conf_free) struct conf *conf = NULL;
	int r;

	if (faulty && !tree)
		return -EINVAL;
	r = generation_conf_read(l->o, tree, size, faulty, &conf);
	if (conf && is_allowed(l, conf, ret_certs) < 0)
		return -EINVAL;
	if (r < 0)
		return r;
	if (faulty)
		return -EINVAL;
	conf->hash = l->reload.hash;
	*ret = TAKE(conf);
	return 0;
}

/* What can be wrong is found here, before any write. Takes conf. */
static int prepare(struct loop *l, struct conf *conf, struct generation **ret, struct err *err)
{
	AUTO_FREE(generation_free) struct generation *next = NULL;
	AUTO_FREE(conf_free) struct conf *mine = conf;
	int r = loop_check_samplers(l, to_switch, err);

	if (r < 0)
		return r;
	r = machine_refresh(&l->machine, err);
	engine_log_unusable(&l->machine);
	if (r < 0)
		return r;
	r = generation_plan(conf, l->o, &l->machine, &next);
	if (r < 0)
		return r;
	mine = NULL;                            /* the generation has it */
	r = generation_open(next, &l->machine, l->g, err);
	if (r < 0)
		return r;
	r = health_reserve(&l->health, next->plan, err);
	if (r < 0)
		return r;
	if (l->owes && generation_has_registers(next))
		r = err_set(err, -EBUSY, "registers of an earlier configuration could not be "
			    "restored: stop uncored, run uncored --restore, and start it again");
	else
		r = loop_save(l, next, l->g, err);
	if (r < 0)
		return r;
	*ret = TAKE(next);
	return 0;
}

/* -ENOTRECOVERABLE: nothing counts any more, and the loop ends. */
static int swap(struct loop *l, struct generation *next)
{
	struct generation *old = l->g;
	struct err err = { "" };
	int back = 0, r;

	loop_check_driver(l);
	r = generation_swap(old, next, &l->machine, l->pin, &back);
	if (r < 0 && back < 0) {
		l->reload.failed = next;
		l->reload.again = false;
		sd_event_exit(l->event, EXIT_TEMPFAIL);         /* it did count before */
		return -ENOTRECOVERABLE;
	}
	if (r < 0) {
		generation_free(next);
		return r;
	}
	l->g = next;
	loop_log_listeners(l, next->conf);
	if (loop_save(l, next, NULL, &err) < 0)
		log_msg(LOG_WARNING, "%s", err.text);
	l->owes |= old->owes;
	generation_free(old);
	malloc_trim(0);                         /* two generations stood side by side */
	return loop_enter(l, LIFE_COUNTS);
}

static void end(struct loop *l, int r)
{
	if (r < 0)
		log_msg(LOG_ERR, "reload failed; the old configuration stays in use");
	else if (l->reload.due)
		log_msg(LOG_INFO, "configuration checked; it is used when the pause ends");
	else
		log_msg(LOG_INFO, "configuration read again: %u series", l->g->plan->n_series);
	l->health.values[D_CONFIG_OK] = !r;
	if (!r && !l->reload.due)
		health_note_config(&l->health);
	loop_publish(l);
	loop_status(l);
	loop_send_ready(l);
	l->reload.runs = false;
}

/* Takes conf; the certificates, if it comes to be used. */
static void count_with(struct loop *l, struct conf *conf, struct certs *certs)
{
	struct err err = { "" };
	struct generation *next;
	int r = prepare(l, conf, &next, &err);

	if (r < 0) {
		if (err.text[0])
			log_msg(LOG_ERR, "%s", err.text);
		end(l, r);
		return;
	}
	r = swap(l, next);
	if (r == -ENOTRECOVERABLE)
		return;
	loop_publish_new_samplers(l);
	if (r >= 0)
		front_take_certs(l->front, certs);
	end(l, r);
}

/* The same while nothing counts. */
static void wait_with(struct loop *l, struct conf *conf, struct certs *certs)
{
	int r = start_with(l, conf, certs);

	if (r < 0) {
		conf_free(conf);
		end(l, r);
		return;
	}
	l->reload.runs = false;                 /* the start has said the rest */
}

/* While counting is paused there is no generation to put another one beside. */
static void keep_for_later(struct loop *l, struct conf *conf)
{
	conf_free(conf);
	l->reload.due = true;
	end(l, 0);
}

/* faulty: as for take_file(). */
static void checked(struct loop *l, bool faulty, const struct conf_tree *tree, size_t size)
{
	AUTO_DONE(certs_close) struct certs certs = CERTS_NONE;
	struct conf *conf;
	int r = take_file(l, faulty, tree, size, &conf, &certs);

	if (r < 0) {
		end(l, r);
	} else if (l->now->counts) {
		count_with(l, conf, &certs);
	} else if (l->now->waits) {
		wait_with(l, conf, &certs);
	} else if (l->now->paused) {
		keep_for_later(l, conf);
	} else {
		log_msg(LOG_ERR, "no configuration is taken while uncored is %s", l->now->name);
		conf_free(conf);
		end(l, -EBUSY);
	}
}

static void unwatch(struct reload *r)
{
	r->check_end = sd_event_source_unref(r->check_end);
	r->check_late = sd_event_source_unref(r->check_late);
}

void reload_stop(struct loop *l)
{
	struct reload *r = &l->reload;

	unwatch(r);
	if (!r->check.pid)
		return;
	kill(r->check.pid, SIGKILL);
	waitpid(r->check.pid, NULL, WNOHANG);
	reload_check_close(&r->check);
}

static int on_check_end(sd_event_source *s, const siginfo_t *si, void *p)
{
	AUTO_FREE(free) struct conf_tree *tree = NULL;
	struct loop *l = p;
	size_t size = 0;
	int r;

	(void)s;
	unwatch(&l->reload);
	if (!l->reload.runs) {                  /* it was late */
		reload_stop(l);
	} else {
		r = reload_check_result(&l->reload.check, si, &tree, &size);
		if (r < 0 && (si->si_code != CLD_EXITED || si->si_status != EXIT_CONFIG))
			end(l, r);
		else
			checked(l, r < 0, tree, size);
	}
	if (l->reload.again)
		reload_begin(l);
	return 0;
}

static int on_check_late(sd_event_source *s, uint64_t usec, void *p)
{
	struct loop *l = p;

	(void)s, (void)usec;
	log_msg(LOG_ERR, "the check of the configuration did not finish within 10 s");
	kill(l->reload.check.pid, SIGKILL);     /* its end may come later, or never */
	end(l, -ETIMEDOUT);
	return 0;
}

static int watch_check(struct loop *l)
{
	struct reload *c = &l->reload;
	int r = sd_event_add_child(l->event, &c->check_end, c->check.pid, WEXITED, on_check_end, l);

	return r < 0 ? r : sd_event_add_time_relative(l->event, &c->check_late, CLOCK_MONOTONIC,
						      CHECK_PATIENCE, 0, on_check_late, l);
}

/* 0 or -errno, which is logged. */
static int start_check(struct loop *l)
{
	const struct machine *counts = generation_counts(l->g) ? &l->machine : NULL;
	AUTO_FREE(free) char *text = NULL;
	struct err err = { "" };
	size_t len = 0;
	int r = loop_check_samplers(l, to_switch, &err);

	if (r == 0 && counts)
		r = generation_check_reload(l->g, &err);
	if (r < 0) {
		log_msg(LOG_ERR, "%s", err.text);
		return r;
	}
	keepalive_begin(l->g);
	r = generation_read(l->o, &text, &len);
	keepalive_end();
	if (r < 0)
		return r;
	l->reload.hash = conf_hash(text, len);
	r = reload_check_start(counts, text, len, &l->reload.check, &err);
	if (r < 0) {
		log_msg(LOG_ERR, "%s", err.text);
		return r;
	}
	r = watch_check(l);
	if (r < 0) {
		log_msg(LOG_ERR, "cannot watch the process that checks the configuration: %s",
			strerror(-r));
		reload_stop(l);
	}
	return r;
}

void reload_begin(struct loop *l)
{
	int r;

	if (l->reload.check.pid) {
		l->reload.again = true;
		return;
	}
	l->reload.again = l->reload.due = false;
	l->reload.runs = true;
	loop_notify_reloading();
	r = start_check(l);
	if (r < 0)
		end(l, r);
}
