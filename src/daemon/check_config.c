/* SPDX-License-Identifier: MIT */
#include "daemon/check_config.h"

#include "base/cleanup.h"
#include "daemon/check_summary.h"
#include "daemon/engine.h"
#include "daemon/generation.h"
#include "daemon/listening.h"
#include "daemon/waiting.h"
#include "process/log.h"
#include "topo/machine_dir.h"
#include "topo/machine_find.h"

#include <errno.h>

static void log_would_wait(const struct err *why)
{
	log_msg(LOG_NOTICE, "%s; uncored waits for it, so a reload would accept this configuration",
		why->text);
}

static int open_machine(const struct options *o, const struct conf *conf, struct machine *m,
			struct err *err)
{
	bool elsewhere = o->processor && engine_chosen(o, conf)->kind != CONF_MODEL;
	int r = engine_open(o, conf, elsewhere, m, err);

	if (!elsewhere)
		engine_log_unusable(m);
	return r;
}

static void print(const struct generation *g)
{
	struct err err;

	if (generation_empty(g, &err))
		log_msg(LOG_NOTICE, "%s", err.text);    /* which is no mistake of the file */
	else
		check_summary_print(g->plan);
}

static void log_many_files(const struct plan *p)
{
	if (plan_files_most(p) > UNCORED_UNIT_FILES)
		log_msg(LOG_NOTICE, "counting this keeps %u files open, and twice as many during a "
			"reload: the unit allows %u; set LimitNOFILE=%u (systemctl edit uncored)",
			plan_files(p), UNCORED_UNIT_FILES, plan_files_most(p));
}

/* What a simulated kernel can count is known before the start. */
static int check_simulated(const struct machine *m, const struct generation *g, struct err *err)
{
	int r = 0;

	for (unsigned i = 0; m->kernel && i < g->plan->n_sockets && r >= 0; i++) {
		AUTO_DONE(engines_close) struct engines e = { 0 };

		r = engines_open(m, g->conf, &g->plan->sockets[i], NULL, false, &e, err);
	}
	return r;
}

static int check_here(const struct options *o, struct conf *conf, bool faulty)
{
	AUTO_DONE(machine_close) struct machine m = { 0 };
	AUTO_FREE(generation_free) struct generation *g = NULL;
	AUTO_FREE(conf_free) struct conf *mine = conf;
	struct err err = { "" };
	int r = open_machine(o, conf, &m, &err);

	if (r < 0 && (faulty || !waiting_due_unopened(o, conf, r)))
		return log_exit(r, &err);
	if (r < 0) {
		log_would_wait(&err);
		return 0;
	}
	if (!faulty && !o->n_listen)
		listening_log_missing(conf);
	r = generation_plan(conf, o, &m, &g);
	if (r == -EINVAL && !faulty && waiting_due(o, conf, &m, NULL, &err)) {
		log_would_wait(&err);
		return 0;
	}
	if (r < 0)
		return exit_code_of(r);
	mine = NULL;                            /* the generation has it */
	r = check_simulated(&m, g, &err);
	if (r < 0)
		return log_exit(r, &err);
	if (!faulty)
		print(g);
	if (!m.kernel)                  /* events of a modelled one are no files */
		log_many_files(g->plan);
	return 0;
}

int check_config(const struct options *o, struct conf *conf, bool faulty)
{
	AUTO_FREE(machine_text_free) struct machine_text *text = NULL;
	AUTO_FREE(machine_dir_free) struct machine_dir *dir = NULL;
	AUTO_DONE(diags_done) struct diags mistakes = { 0 };
	struct options there = *o;
	struct err err = { "" };
	int r;

	if (!o->machine || engine_chosen(o, conf)->kind == CONF_MODEL)
		return check_here(o, conf, faulty);
	r = machine_find(o->machine, &text, &mistakes);
	for (size_t i = 0; i < mistakes.n; i++)
		log_msg(LOG_ERR, "%s", mistakes.v[i]);
	if (r >= 0)
		r = machine_dir_make(text, o->run, &dir, &err);
	if (r < 0)
		conf_free(conf);
	if (r < 0 && err.text[0])
		return log_exit(r, &err);
	if (r < 0)
		return r == -ENOENT ? EXIT_USAGE : exit_code_of(r);
	there.sysfs = machine_dir_path(dir);
	there.procfs = there.sysfs;
	there.dev = there.sysfs;
	return check_here(&there, conf, faulty);
}
