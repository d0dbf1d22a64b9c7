/* SPDX-License-Identifier: MIT
 * uncored: parse, look, bind, lock, count; each step can refuse with one sentence.
 * Owns:  the order of life.
 */
#include "base/bits.h"
#include "base/cmdline.h"
#include "daemon/check_process.h"
#include "daemon/check_summary.h"
#include "daemon/restore.h"
#include "daemon/loop.h"
#include "daemon/once.h"
#include "daemon/options.h"
#include "children/spawner.h"
#include "daemon/front.h"
#include "daemon/listening.h"
#include "daemon/waiting.h"
#include "process/log.h"
#include "process/privileges.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* `code`; where the machine prevents counting, the exit code for that (try again, permission). */
static int obstacle_code(int code, const struct machine *m, const struct conf *conf)
{
	struct err err;
	int r = code == EXIT_UNAVAILABLE ||
		code == EXIT_CONFIG ? machine_obstacle(m, engine_names_perf(conf), &err) : 0;

	if (!r)
		return code;
	log_msg(LOG_ERR, "%s (exit code %d)", err.text, exit_code_of(r));
	return exit_code_of(r);
}

/* engine_machine(); a wrong name in the file's `engine` gets its line. */
static int open_machine(const struct options *o, const struct conf *conf, bool plan_only,
			struct machine *m, struct err *err)
{
	const struct conf_engine_choice *engine = engine_chosen(o, conf);
	bool elsewhere = plan_only && o->processor && engine->kind != CONF_MODEL;
	int r = engine_machine(o, conf, engine, elsewhere, m, err);

	if (!elsewhere)
		engine_log_unusable(m);
	if (r == -EINVAL && !o->engine_given && engine->kind == CONF_MODEL)
		err_prefix(err, r, "%s:%u: engine: ", conf->engine_where.file,
			   conf->engine_where.line);
	return r;
}

static void log_would_wait(const struct err *why)
{
	log_msg(LOG_NOTICE, "%s; uncored waits for it, so a reload would accept this configuration",
		why->text);
}

/* --check-config: the plan too, where a processor is known. faulty: the file has mistakes, and only
 * more of them are looked for. */
static int check_config(const struct options *o, struct conf *conf, bool faulty)
{
	struct machine m = { 0 };
	struct generation *g = NULL;
	struct err err = { "" };
	bool waits = false;
	int r = open_machine(o, conf, true, &m, &err);

	if (r < 0) {
		waits = !faulty && waiting_due_unopened(o, conf, r);
		conf_free(conf);
		if (waits)
			log_would_wait(&err);
		return waits ? 0 : log_exit(r, &err);
	}
	if (!faulty && !o->n_listen)
		listening_log_missing(conf);
	r = generation_plan(conf, o, &m, &g);
	if (r == -EINVAL && !faulty && waiting_due(o, conf, &m, NULL, &err)) {
		log_would_wait(&err);
		waits = true;
	}
	if (r < 0)
		conf_free(conf);
	else if (!faulty && !generation_empty(g, &err))
		check_summary_print(g->plan);
	if (g && plan_files_most(g->plan) > UNCORED_UNIT_FILES)
		log_msg(LOG_NOTICE, "counting this keeps %u files open, and twice as many during a "
			"reload: the unit allows %u; set LimitNOFILE=%u (systemctl edit uncored)",
			plan_files(g->plan), UNCORED_UNIT_FILES, plan_files_most(g->plan));
	generation_free(g);
	machine_close(&m);
	return r < 0 && !waits ? exit_code_of(r) : 0;
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

/* From a plan to counting. */
static int count(const struct options *o, struct machine *m, struct generation *g,
		 struct front *f, bool config_failed)
{
	bool state_file = m->engine == CONF_REGISTERS;
	struct loop_options lo = { .o = o, .machine = m, .g = g, .front = f,
				   .state_file = state_file, .config_failed = config_failed,
				   .pin = !o->sysfs_given && !m->model };
	struct err err = f->err;
	int lock = -1, r = f->r, code;

	if (r >= 0 && o->mode == MODE_RUN)      /* another engine needs a restart */
		r = privileges_reduce(engine_caps(m), &err);
	if (r >= 0 && state_file)
		r = lock = restore_lock(o, m->processor, &err);
	if (r >= 0 && o->mode == MODE_RUN)
		waiting_mark(o, false);
	raise_files();
	if (r >= 0)
		r = generation_open(g, m, NULL, &err);
	if (r < 0) {
		code = obstacle_code(log_exit(r, &err), m, NULL);
		generation_free(g);
	} else if (o->mode == MODE_ONCE) {
		code = once_run(o, m, g, state_file);
		generation_free(g);
	} else {
		code = loop_run(&lo);           /* frees g */
	}
	if (lock >= 0)
		close(lock);
	return code;
}

/* Remembers why nothing is counted, and says so where that is new. Returns -1. */
static int wait_for(struct waiting *w, const struct err *why)
{
	if (strcmp(why->text, w->why.text) != 0)
		log_msg(LOG_WARNING, "%s; uncored serves without counters until some appear",
			why->text);
	w->why = *why;
	return -1;
}

/* Takes conf. Returns an exit code, or -1: there is nothing to count, which is to be served. */
static int start(const struct options *o, struct conf *conf, struct front *f,
		 struct waiting *w)
{
	struct err err = { "" }, why = { "" };
	struct generation *g = NULL;
	struct machine m;
	int code = -1, r = open_machine(o, conf, false, &m, &err);

	if (r < 0) {
		bool waits = f->r >= 0 && waiting_due_unopened(o, conf, r);

		conf_free(conf);
		return waits ? wait_for(w, &err) : log_exit(r, &err);
	}
	log_msg(m.model ? LOG_WARNING : LOG_INFO, "%s", m.why.text);
	r = generation_plan(conf, o, &m, &g);
	if (!r)
		generation_look(g, &m);
	if (f->r >= 0 && (!r || r == -EINVAL) && waiting_due(o, conf, &m, g, &why)) {
		code = wait_for(w, &why);
		generation_free(g);
	} else if (r < 0) {
		code = obstacle_code(exit_code_of(r), &m, conf);
	} else {
		code = count(o, &m, g, f, w->config_failed);
	}
	if (r < 0)
		conf_free(conf);
	machine_close(&m);
	/* The unit admits the devices that it knew at its start: at the next one it knows more. */
	return code == EXIT_PERMISSION && w->why.text[0] ? EXIT_TEMPFAIL : code;
}

/* A SIGHUP during the start is a reload afterwards. An ignored SIGCHLD, as a shell's trap leaves
 * it, would hide the end of the http process. No other signal may end us with registers changed. */
static void set_signals(void)
{
	static const int meaningless[] = { SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO,
					   SIGPWR, SIGSTKFLT, SIGXCPU, SIGXFSZ };
	sigset_t hup;

	sigemptyset(&hup);
	sigaddset(&hup, SIGHUP);
	sigprocmask(SIG_BLOCK, &hup, NULL);
	signal(SIGCHLD, SIG_DFL);
	for (unsigned i = 0; i < COUNT(meaningless); i++)
		signal(meaningless[i], SIG_IGN);
	for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
		signal(i, SIG_IGN);
}

int main(int argc, char **argv)
{
	bool checks = argc > 1 && strcmp(argv[1], CHECK_OPTION) == 0;
	struct options o;
	struct conf *conf = NULL;
	struct front front;
	struct waiting w = { .o = &o, .front = &front };
	int r;

	cmdline_standard_files();
	log_init();
	privileges_keep_here();
	set_signals();
	r = options_parse(argc - checks, argv + checks, &o);
	if (r >= 0)
		return r ?: cmdline_written("uncored") ? 0 : EXIT_INTERNAL;
	o.checks_reload = checks;
	if (o.mode != MODE_ONCE)
		signal(SIGPIPE, SIG_IGN);       /* it counts on if nobody reads the log */
	if (checks)
		return check_main(&o);
	if (o.mode == MODE_RESTORE)
		return restore_main(&o);
	front_start(&front, &o);
	r = generation_read(&o, &w.text, &w.len);
	if (!r)
		r = generation_conf(&o, w.text, w.len, false, &conf);
	if (conf && o.mode != MODE_ONCE) {
		int certs = certs_open(&conf->tls, &front.certs);

		r = r < 0 ? r : certs;
	}
	if (r < 0) {
		if (conf)
			check_config(&o, conf, true);         /* what else is wrong with it */
		r = exit_code_of(r);
		goto out;
	}
	if (o.mode == MODE_CHECK) {
		r = check_config(&o, conf, false) ?: cmdline_written("uncored") ? 0 : EXIT_INTERNAL;
		goto out;
	}
	front_open(&front, &o, conf);
	r = start(&o, conf, &front, &w);
	while (r < 0) {
		r = waiting_run(&w);
		if (r < 0 && generation_conf(&o, w.text, w.len, false, &conf) < 0)
			r = EXIT_TEMPFAIL;      /* it was read before */
		if (r < 0)
			r = start(&o, conf, &front, &w);
	}
out:
	free(w.text);
	front_close(&front);
	return r;
}
