/* SPDX-License-Identifier: MIT */
#include "machine/simulated.h"

#include "access/counting.h"
#include "model/perf_kernel.h"
#include "topo/machine_dir.h"
#include "topo/machine_find.h"

#include <errno.h>
#include <stdlib.h>

struct simulated {
	struct machine_text *text;
	struct machine_dir *dir;
	/* As its files say at first: the kernel keeps them, and the program may read them again. */
	struct topo *topo;
	struct topo_pmus *pmus;
	struct perf_kernel *kernel;
	const struct perf_sys *sys;
};

static int find_text(const char *what, struct machine_text **ret, struct err *err)
{
	AUTO_DONE(diags_done) struct diags mistakes = { 0 };
	int r = machine_find(what, ret, &mistakes);

	if (r >= 0)
		return 0;
	return err_set(err, r, "%s", mistakes.n ? mistakes.v[0] : "out of memory");
}

static int read_files(struct simulated *s, struct err *err)
{
	const char *root = simulated_root(s);
	struct err odd = { "" };
	int r = topo_read(root, root, NULL, &s->topo, err);

	if (r < 0)
		return r;
	r = topo_pmus_read(root, &s->pmus, &odd);
	return r < 0 ? err_set(err, r, "%s", odd.text) : 0;
}

int simulated_open(const char *what, const char *workload, const char *run, struct simulated **ret,
		   struct err *err)
{
	AUTO_FREE(simulated_close) struct simulated *s = calloc(1, sizeof(*s));
	struct perf_kernel_options o = { .workload = workload };
	int r;

	if (!s)
		return err_set(err, -ENOMEM, "out of memory");
	r = find_text(what, &s->text, err);
	if (r < 0)
		return r;
	r = machine_dir_make(s->text, run, &s->dir, err);
	if (r < 0)
		return r;
	r = read_files(s, err);
	if (r < 0)
		return err_prefix(err, r, "%s: ", s->text->name);
	o.text = s->text;
	o.topo = s->topo;
	o.pmus = s->pmus;
	r = perf_kernel_new(&o, &s->kernel, err);
	if (r < 0)
		return r;
	r = perf_sys_model_new(s->kernel, &s->sys);
	if (r < 0)
		return err_set(err, r, "out of memory");
	*ret = TAKE(s);
	return 0;
}

void simulated_close(struct simulated *s)
{
	if (!s)
		return;
	perf_sys_model_free(s->sys);
	perf_kernel_free(s->kernel);
	topo_pmus_free(s->pmus);
	topo_free(s->topo);
	machine_dir_free(s->dir);
	machine_text_free(s->text);
	free(s);
}

const char *simulated_name(const struct simulated *s)
{
	return s->text->name;
}

const char *simulated_root(const struct simulated *s)
{
	return machine_dir_path(s->dir);
}

const struct perf_sys *simulated_kernel(const struct simulated *s)
{
	return s->sys;
}
