/* keeper.c - see keeper.h. */
#include "config.h"

#include "daemon/keeper.h"

#include "daemon/log.h"
#include "daemon/way.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Always of the real /proc: a copied tree must not make an old file look current. */
static void boot_id(char id[40])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, id, 36);

	id[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

static unsigned regs_missing(const struct saved_reg *have, unsigned n_have, const struct saved_reg *r)
{
	for (unsigned i = 0; i < n_have; i++)
		if (reg_equal(have[i].reg, r->reg))
			return 0;
	return 1;
}

/* One socket's registers: a's and those of b that a does not write. */
static int save_socket(struct state_socket *to, const struct plan_socket *s, const struct counting *a,
		       const struct counting *b)
{
	unsigned na = 0, nb = 0;
	const struct saved_reg *ra = a ? counting_regs_saved(a, &na) : NULL;
	const struct saved_reg *rb = b ? counting_regs_saved(b, &nb) : NULL;

	to->socket = s->id;
	to->cpus = s->cpus;                     /* borrowed for the write */
	to->n_cpus = s->n_cpus;
	to->regs = calloc(na + nb + 1, sizeof(*to->regs));
	if (!to->regs)
		return -ENOMEM;
	for (unsigned i = 0; i < na; i++)
		to->regs[to->n_regs++] = ra[i];
	for (unsigned i = 0; i < nb; i++)
		if (regs_missing(ra, na, &rb[i]))
			to->regs[to->n_regs++] = rb[i];
	return 0;
}

int keeper_save(const struct options *o, const struct generation *a, const struct generation *b, struct err *err)
{
	struct state st = { .device = (char *)(uintptr_t)o->dev };
	unsigned n = a->plan->n_sockets;
	int r = 0;

	boot_id(st.boot_id);
	st.sockets = calloc(n, sizeof(*st.sockets));
	if (!st.sockets)
		return err_set(err, -ENOMEM, "out of memory");
	for (unsigned i = 0; i < n && !r; i++) {
		const struct plan_socket *s = &a->plan->sockets[i];
		const struct counting *other = NULL;

		for (unsigned k = 0; b && k < b->plan->n_sockets; k++)
			if (b->plan->sockets[k].id == s->id)
				other = b->engines[k].regs;
		if (!a->engines[i].regs && !other)
			continue;
		if (s->program.n_counters) {
			st.global_enable = s->program.global_enable;
			st.counters = s->program.counters;
			st.n_counters = s->program.n_counters;
			st.anchor = s->program.anchor;
			st.devices = s->program.devices;
			st.n_devices = s->program.n_devices;
		}
		r = save_socket(&st.sockets[st.n_sockets++], s, a->engines[i].regs, other);
	}
	if (r < 0)
		err_set(err, r, "out of memory");
	else if (st.n_sockets)
		r = state_write(o->run, &st, err);
	for (unsigned i = 0; i < st.n_sockets; i++)
		free(st.sockets[i].regs);
	free(st.sockets);
	return r;
}

void keeper_forget(const struct options *o)
{
	int r = state_remove(o->run);

	if (r < 0)
		log_msg(LOG_WARNING, "%s/uncored.state: cannot be removed: %s; the next start finds it again", o->run,
			strerror(-r));
}

static bool pci_saved(const struct state_socket *s)
{
	for (unsigned i = 0; i < s->n_regs; i++)
		if (s->regs[i].reg.space == SPACE_PCI)
			return true;
	return false;
}

/* What a crashed run left: 0 nothing to do or done, or -errno. */
static int restore_left_overs(const struct options *o, struct err *err)
{
	struct diags left = { 0 };
	char now[40];
	struct state *st;
	int r = state_read(o->run, &st, err), worst = 0;

	if (r == -EBADMSG) {
		log_msg(LOG_WARNING, "%s; it is ignored", err->text);
		keeper_forget(o);
		return 0;
	}
	if (r < 0 || !st)
		return r;
	boot_id(now);
	if (strcmp(now, st->boot_id) != 0 || strcmp(o->dev, st->device) != 0) {
		log_msg(LOG_WARNING, "%s/uncored.state is of another boot or device (%s) and is ignored", o->run, st->device);
		keeper_forget(o);
		state_free(st);
		return 0;
	}
	log_msg(LOG_NOTICE, "an earlier run did not end cleanly: putting its registers back");
	for (unsigned i = 0; i < st->n_sockets; i++) {
		const struct way w = {
			.socket = st->sockets[i].socket, .cpus = st->sockets[i].cpus, .n_cpus = st->sockets[i].n_cpus,
			.anchor = st->anchor, .devices = st->devices, .n_devices = pci_saved(&st->sockets[i]) ? st->n_devices : 0,
		};
		struct regio *io;
		char *hidden;

		r = way_open(o, &w, &hidden, &io, err);
		if (!r)
			free(hidden);
		if (!r) {
			r = state_restore_socket(st, i, io, &left);
			if (r < 0)
				err_set(err, r, "socket %u: not every register could be put back: %s", st->sockets[i].socket,
					strerror(-r));
			regio_free(io);
		}
		if (r < 0)
			worst = r;
	}
	log_diags(LOG_WARNING, &left);
	diags_done(&left);
	state_free(st);
	if (!worst)
		keeper_forget(o);
	return worst;
}

int keeper_take(const struct options *o, struct err *err)
{
	int fd = lock_take(o->run, err), r;

	if (fd < 0)
		return fd;
	r = restore_left_overs(o, err);
	if (r < 0) {
		close(fd);
		return r;
	}
	return fd;
}

int keeper_restore_main(const struct options *o)
{
	struct err err = { "" };
	char path[512];
	int r;

	snprintf(path, sizeof(path), "%s/uncored.state", o->run);
	if (access(path, F_OK) == 0)
		r = keeper_take(o, &err);
	else if (errno == ENOENT || errno == ENOTDIR)
		return 0;
	else
		r = err_set(&err, -errno, "%s: cannot be looked for, so registers may still be changed: %s", path, strerror(errno));
	if (r < 0) {
		log_msg(LOG_ERR, "%s", err.text);
		return exit_code_of(r);
	}
	close(r);
	return 0;
}
