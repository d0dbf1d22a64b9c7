/* SPDX-License-Identifier: MIT */
#include "daemon/check_process.h"

#include "daemon/generation.h"
#include "children/spawner.h"
#include "process/log.h"
#include "process/privileges.h"
#include "process/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

int check_start(const struct machine *m, const char *text, size_t len,
		struct check *ret, struct err *err)
{
	int in = wire_seal("uncored-conf", &(struct iovec){ (void *)text, len }, 1),
		output[2] = { -1, -1 }, r = in < 0 ? in : 0;
	struct check c = { 0 };
	char engine[SPAWN_ENGINE];

	if (!r && pipe2(output, O_CLOEXEC) < 0)
		r = -errno;
	if (r < 0) {
		close(in);
		return err_set(err, r, "cannot check the configuration: %s", strerror(-r));
	}
	fcntl(output[0], F_SETPIPE_SZ, 1 << 20);  /* it is read once; what does not fit is lost */
	snprintf(engine, sizeof(engine), m->model ? "%s:%s:%s" : "%s", machine_engine_name(m),
		 m->model ? m->processor->name : "", m->workload);
	r = spawner_start(PROGRAM_CHECK, engine, (int[]){ in, output[1], output[1] }, 3, &c.pid,
			  err);
	c.output = output[0];
	close(in);
	close(output[1]);
	if (r < 0) {
		close(c.output);
		return r;
	}
	*ret = c;
	return 0;
}

int check_result(struct check *c, const siginfo_t *si)
{
	FILE *f = fdopen(c->output, "r");
	bool good = si->si_code == CLD_EXITED && si->si_status == 0;
	const char *own = "uncored: ";
	char line[2304];

	for (unsigned i = 0; f && !good && i < 2 * DIAGS_MAX && fgets(line, sizeof(line), f); i++) {
		line[strcspn(line, "\n")] = '\0';
		log_msg(LOG_ERR, "%s",
			line + (strncmp(line, own, strlen(own)) == 0 ? strlen(own) : 0));
	}
	if (f)
		fclose(f);
	else
		close(c->output);
	*c = (struct check){ 0 };
	if (good)
		return 0;
	if (si->si_code != CLD_EXITED)
		log_msg(LOG_ERR, "the process that checks the configuration was killed by signal "
			"%d (%s)", si->si_status, strsignal(si->si_status));
	else if (si->si_status != EXIT_CONFIG)
		log_msg(LOG_ERR, "the process that checks the configuration exited with code %d",
			si->si_status);
	return -EINVAL;
}

/* If memory runs out, the kernel ends this process and not the one that counts. */
static void limit_self(void)
{
	const struct rlimit none = { 0, 0 };
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "1000", 4) < 0)
		errno = 0;              /* then the kernel chooses */
	if (fd >= 0)
		close(fd);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_FSIZE, &none);
}

static int check_configuration(const struct options *o)
{
	char *text = malloc(CONF_MAX + 1);
	struct generation *g = NULL;
	struct machine m = { 0 };
	struct conf *conf = NULL;
	struct err err = { "" };
	ssize_t n = 0;
	int r, also;

	prctl(PR_SET_NAME, "uncored-check");    /* else the number of a descriptor */
	limit_self();
	log_set_level("err");                   /* the reload logs what is no mistake */
	/* as our parent sees it; then nothing more is opened */
	r = engine_machine(o, NULL, &o->engine, false, &m, &err);
	if (!r)
		r = privileges_drop(&err);
	if (!r) {
		n = text ? pread(STDIN_FILENO, text, CONF_MAX + 1, 0) : -1;
		r = n < 0 ? err_set(&err, -ENOMEM, "no memory to check the configuration") : 0;
	}
	if (r < 0)
		return log_exit(r, &err);
	r = generation_conf(o, n || o->config ? text : NULL, (size_t)n, false, &conf);
	also = conf ? generation_plan(conf, o, &m, &g) : 0;     /* also names what else is wrong */
	return exit_code_of(r < 0 ? r : also);
}

int check_main(const struct options *o)
{
	_exit(check_configuration(o));          /* there is nothing to undo */
}
