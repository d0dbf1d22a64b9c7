/* SPDX-License-Identifier: MIT
 * uncored: its options, its configuration, and which of its lives these ask for.
 * Owns:  the order of these.
 * Main thread.
 */
#include "base/bits.h"
#include "base/cleanup.h"
#include "base/cmdline.h"
#include "children/spawner.h"
#include "daemon/check_config.h"
#include "daemon/reload_check.h"
#include "daemon/restore.h"
#include "daemon/run.h"
#include "process/log.h"
#include "process/privileges.h"

#include <signal.h>
#include <string.h>

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

/* The configuration with its certificates, all mistakes of which are logged. 0 or -errno; then
 * *ret_conf may be what is left of a faulty one. */
static int read_configuration(const struct options *o, struct conf **ret_conf, struct certs *certs)
{
	AUTO_FREE(free) char *text = NULL;
	size_t len;
	int r = generation_read(o, &text, &len);

	if (r < 0)
		return r;
	r = generation_conf(o, text, len, ret_conf);
	if (*ret_conf && o->mode != MODE_ONCE) {
		int k = certs_open(&(*ret_conf)->tls, certs);

		if (r >= 0)
			r = k;
	}
	return r;
}

/* --check-config, --once, or to run. Returns an exit code. */
static int begin(const struct options *o, struct front *front)
{
	struct conf *conf = NULL;
	int r = read_configuration(o, &conf, &front->certs);

	if (r < 0) {
		if (conf)
			check_config(o, conf, true);            /* what else is wrong with it */
		return exit_code_of(r);
	}
	if (o->mode == MODE_CHECK) {
		r = check_config(o, conf, false);
		return r || cmdline_written("uncored") ? r : EXIT_INTERNAL;
	}
	front_open(front, o, conf);
	return run(o, conf, front);
}

/* What was started to check a reload: for this engine. NULL: none of that. */
static const char *engine_to_check(int argc, char **argv)
{
	size_t n = strlen(CHECK_OPTION);

	return argc > 1 && strncmp(argv[1], CHECK_OPTION, n) == 0 ? argv[1] + n : NULL;
}

int main(int argc, char **argv)
{
	const char *check = engine_to_check(argc, argv);
	struct front front;
	struct options o;
	int r;

	cmdline_standard_files();
	log_init();
	privileges_keep_here();
	set_signals();
	r = options_parse(argc - !!check, argv + !!check, &o);
	if (r >= 0)
		return r || cmdline_written("uncored") ? r : EXIT_INTERNAL;
	o.checks_reload = check;
	if (o.mode != MODE_ONCE)
		signal(SIGPIPE, SIG_IGN);       /* it counts on if nobody reads the log */
	if (check)
		return reload_check_main(&o, check);
	if (o.mode == MODE_RESTORE)
		return restore_main(&o);
	front_start(&front, &o);
	r = begin(&o, &front);
	front_close(&front);
	return r;
}
