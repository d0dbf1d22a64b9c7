/* SPDX-License-Identifier: MIT */
#include "daemon/reload_check.h"

#include "daemon/generation.h"
#include "children/spawner.h"
#include "process/log.h"
#include "process/privileges.h"
#include "process/wire.h"
#include "spec/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CHECK_TREE = 3 };                /* a descriptor of the process: what it has read */

/* An empty memory says that there is no file; an empty file is one empty line. */
static int seal_text(const char *text, size_t len)
{
	struct iovec file = { (void *)text, len };

	if (text && !len)
		file = (struct iovec){ (void *)"\n", 1 };
	return wire_seal("uncored-conf", &file, 1);
}

int reload_check_start(const struct machine *m, const char *text, size_t len,
		       struct reload_check *ret, struct err *err)
{
	AUTO_FD int in = seal_text(text, len);
	AUTO_FD int tree = memfd_create("uncored-conf-tree", MFD_CLOEXEC);
	AUTO_FD int ours = -1;
	AUTO_FD int theirs = -1;
	char engine[SPAWN_ENGINE] = "";
	int output[2], r;
	pid_t pid;

	if (in < 0)
		return err_set(err, in, "cannot check the configuration: %s", strerror(-in));
	if (tree < 0 || pipe2(output, O_CLOEXEC) < 0)
		return err_set(err, -errno, "cannot check the configuration: %m");
	ours = output[0];
	theirs = output[1];
	fcntl(ours, F_SETPIPE_SZ, 1 << 20);     /* it is read once; what does not fit is lost */
	if (m)
		snprintf(engine, sizeof(engine), m->model || m->name[0] ? "%s:%s:%s" : "%s",
			 machine_engine_name(m), m->model ? m->processor->name : m->name,
			 m->workload);
	r = spawner_start(PROGRAM_CHECK, engine, (int[]){ in, theirs, theirs, tree }, 4, &pid, err);
	if (r < 0)
		return r;
	*ret = (struct reload_check){ .pid = pid, .output = TAKE_FD(ours), .tree = TAKE_FD(tree),
			       .of_file = text };
	return 0;
}

void reload_check_close(struct reload_check *c)
{
	if (c->output >= 0)
		close(c->output);
	close(c->tree);
	*c = (struct reload_check){ 0 };
}

static void log_output(struct reload_check *c)
{
	AUTO_FREE(fclose) FILE *f = fdopen(c->output, "r");
	const char *own = "uncored: ";
	char line[2304];

	if (f)
		c->output = -1;                 /* the file's */
	for (unsigned i = 0; f && i < 2 * DIAGS_MAX && fgets(line, sizeof(line), f); i++) {
		bool named = strncmp(line, own, strlen(own)) == 0;

		line[strcspn(line, "\n")] = '\0';
		log_msg(LOG_ERR, "%s", line + (named ? strlen(own) : 0));
	}
}

/* Copied, so that nobody can change it any more while it is looked at. NULL: it has sent none, or
 * there is no memory. */
static struct conf_tree *take_tree(int fd, size_t *ret_size)
{
	AUTO_FREE(free) struct conf_tree *tree = NULL;
	struct stat st;

	if (fstat(fd, &st) < 0 || st.st_size <= 0 || (size_t)st.st_size > CONF_TREE_MAX)
		return NULL;
	tree = malloc((size_t)st.st_size);
	if (!tree || pread(fd, tree, (size_t)st.st_size, 0) != st.st_size)
		return NULL;
	*ret_size = (size_t)st.st_size;
	return TAKE(tree);
}

int reload_check_result(struct reload_check *c, const siginfo_t *si, struct conf_tree **ret,
			size_t *ret_size)
{
	bool good = si->si_code == CLD_EXITED && si->si_status == 0;
	bool needs_tree = c->of_file;

	*ret = take_tree(c->tree, ret_size);
	if (!good)
		log_output(c);
	reload_check_close(c);
	if (good && (*ret || !needs_tree))
		return 0;
	if (good)
		log_msg(LOG_ERR, "the process that checks the configuration has not sent it, or "
			"there is no memory for it");
	else if (si->si_code != CLD_EXITED)
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
	const struct rlimit none = { 0, 0 }, tree = { CONF_TREE_MAX, CONF_TREE_MAX };
	AUTO_FD int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "1000", 4) < 0)
		errno = 0;              /* then the kernel chooses */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_FSIZE, &tree);
}

/* Reads what standard input says, and plans it for this machine (NULL: does not), as the reload
 * will. What was read is sent first: it may have mistakes that only the process that counts can
 * see. */
static int check_text(const struct options *o, const struct machine *m, struct err *err)
{
	AUTO_FREE(free) char *text = malloc(CONF_MAX + 1);
	AUTO_FREE(free) struct conf_tree *tree = NULL;
	struct generation *g = NULL;
	struct conf *conf = NULL;
	size_t size = 0;
	ssize_t n = text ? pread(STDIN_FILENO, text, CONF_MAX + 1, 0) : -1;
	int r, also;

	if (n < 0)
		return err_set(err, -ENOMEM, "no memory to check the configuration");
	r = n ? generation_conf_tree(o, text, (size_t)n, &tree, &size) : 0;
	if (r < 0)
		return r;
	if (tree && write(CHECK_TREE, tree, size) != (ssize_t)size)
		return err_set(err, -ENOMEM, "no memory to send the configuration");
	r = generation_conf_read(o, tree, size, false, &conf);
	/* also names what else is wrong */
	also = conf && m ? generation_plan(conf, o, m, &g) : 0;
	return r < 0 ? r : also;
}

/* The machine as our parent sees it. */
static int open_machine(const struct options *o, const char *engine, struct machine *ret,
			struct err *err)
{
	struct conf_engine_choice choice;
	int r = conf_engine_parse(engine, &choice);

	if (r < 0)
		return err_set(err, r, "'%s' is no engine", engine);
	return engine_machine(o, NULL, &choice, false, ret, err);
}

static int check_configuration(const struct options *o, const char *engine, struct err *err)
{
	struct machine m = { 0 };
	bool plans = *engine;
	int r;

	if (plans) {
		r = open_machine(o, engine, &m, err);
		if (r < 0)
			return r;
	}
	spec_pfm_load();
	r = privileges_drop(err);               /* from here on nothing more is opened */
	return r < 0 ? r : check_text(o, plans ? &m : NULL, err);
}

int reload_check_main(const struct options *o, const char *engine)
{
	struct err err = { "" };
	int r;

	prctl(PR_SET_NAME, "uncored-check");    /* else the number of a descriptor */
	limit_self();
	log_set_level("err");                   /* the reload logs what is no mistake */
	r = check_configuration(o, engine, &err);
	_exit(err.text[0] ? log_exit(r, &err) : exit_code_of(r));       /* there is nothing to
	                                                                 * undo */
}
