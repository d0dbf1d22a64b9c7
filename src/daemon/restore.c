/* SPDX-License-Identifier: MIT
 * The state file around a run, and registers put back after one that crashed; see restore.h.
 * Owns:  whether a file may be acted on: its boot, its device, the bits that it names.
 * Never: the form of the file, how a register is written (access/).
 * Main thread.
 */
#include "daemon/restore.h"

#include "base/cleanup.h"
#include "machine/choose.h"
#include "machine/regio_open.h"
#include "planner/restoring.h"
#include "process/log.h"
#include "topo/sysfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* From the real /proc: a copied tree must not make an old file look current. "" where there is
 * none. An error of reading it does not mean another boot. */
static int boot_id(char id[40], struct err *err)
{
	int n = sysfile_head("/proc/sys/kernel/random/boot_id", id, 36, err);

	id[n > 0 ? n : 0] = '\0';
	return n == -ENOENT || n > 0 ? 0 : n;
}

int restore_save(const struct options *o, const struct machine *m, const struct generation *a,
		const struct generation *b, struct err *err)
{
	struct state st = { .device = (char *)(uintptr_t)o->dev, .driver = m->driver };
	unsigned n = a->plan->n_sockets;
	int r = boot_id(st.boot_id, err);

	if (r < 0)
		return r;
	st.sockets = calloc(n, sizeof(*st.sockets));
	if (!st.sockets)
		return err_set(err, -ENOMEM, "out of memory");
	for (unsigned i = 0; i < n; i++) {
		const struct plan_socket *s = &a->plan->sockets[i];
		const struct counting *c = a->sockets[i].engines.regs;
		struct state_socket *to;

		/* The new engine of a reload knows those of the old one, too. Borrowed for the
		 * write. */
		c = c ?: generation_regs(b, s->id);
		if (!c)
			continue;
		to = &st.sockets[st.n_sockets++];
		*to = (struct state_socket){ .socket = s->id, .cpus = s->cpus,
					     .n_cpus = s->n_cpus };
		to->regs = counting_regs_saved(c, &to->n_regs);
	}
	if (st.n_sockets)
		r = state_write(o->run, &st, err);
	free(st.sockets);
	return r;
}

void restore_remove_file(const struct options *o)
{
	int r = state_remove(o->run);

	if (r < 0)
		log_msg(LOG_WARNING, "%s/uncored.state: cannot remove it: %s; the next start "
			"will use it again", o->run, strerror(-r));
}

static bool pci_saved(const struct state_socket *s)
{
	for (unsigned i = 0; i < s->n_regs; i++)
		if (s->regs[i].r.reg.space == SPACE_PCI)
			return true;
	return false;
}

/* Refuses a file that names a register or bit which no plan for this processor owns. */
static int check_owned(const struct options *o, const struct cat_processor *p,
		       const struct state *st, struct err *err)
{
	for (unsigned i = 0; i < st->n_sockets; i++)
		for (unsigned k = 0; k < st->sockets[i].n_regs; k++) {
			const struct plan_reg *r = &st->sockets[i].regs[k].r;
			uint64_t owned = plan_owned(p, r->reg);

			if (owned && !((r->mask | r->resume) & ~owned))
				continue;
			return err_set(err, -EBUSY, "%s/uncored.state: asks for a write to "
				       "register %s, %s. uncored never writes that, so it restored "
				       "nothing: find out who made the file, then remove it",
				       o->run, reg_text(r->reg).s,
				       owned ? "in bits that belong to no counter" :
				       "which belongs to no counter");
		}
	return 0;
}

static int restore_socket(const struct options *o, const struct plan_program *of,
			  const struct state *st, unsigned i, struct diags *left, struct err *err)
{
	const struct state_socket *s = &st->sockets[i];
	const struct register_path path = { .socket = s->socket, .cpus = s->cpus,
					    .n_cpus = s->n_cpus,
					    .anchor = of->anchor, .devices = of->devices,
					    .n_devices = pci_saved(s) ? of->n_devices : 0 };
	struct regio *io;
	char *hidden;
	int r = regio_open(&(struct host_roots){ .sysfs = o->sysfs, .dev = o->dev }, &path, &hidden,
			   &io, err);

	if (r < 0)
		return r;
	free(hidden);
	r = state_restore_socket(st, i, of, io, left);
	regio_free(io);
	return r < 0 ? err_set(err, r, "socket %u: not every register could be restored: %s",
			       s->socket, strerror(-r)) : 0;
}

/* A socket that fails does not keep the others changed. err: the first failure. */
static int restore_sockets(const struct options *o, const struct plan_program *of,
			   const struct state *st, struct diags *left, struct err *err)
{
	int first = 0;

	for (unsigned i = 0; i < st->n_sockets; i++) {
		struct err other;
		int r = restore_socket(o, of, st, i, left, first ? &other : err);

		if (first && r)
			log_msg(LOG_ERR, "%s", other.text);
		first = first ?: r;
	}
	return first;
}

/* Is the file of this boot, and of this device? */
static bool is_current(const struct options *o, const struct state *st, const char *boot)
{
	return strcmp(boot, st->boot_id) == 0 && strcmp(o->dev, st->device) == 0;
}

/* Puts back what a crashed run left. 0: done, or there is nothing to do; or -errno. */
static int restore_crashed(const struct options *o, const struct cat_processor *p, struct err *err)
{
	AUTO_DONE(plan_program_done) struct plan_program of = { 0 };
	AUTO_DONE(diags_done) struct diags left = { 0 };
	AUTO_FREE(state_free) struct state *st = NULL;
	char now[40];
	int r = state_read(o->run, &st, err);

	if (r == -EBADMSG) {
		log_msg(LOG_WARNING, "%s; it is ignored", err->text);
		restore_remove_file(o);
		return 0;
	}
	if (r < 0 || !st)
		return r;
	r = boot_id(now, err);
	if (r < 0)
		return r;
	if (!is_current(o, st, now)) {
		log_msg(LOG_WARNING, "%s/uncored.state was written before a reboot or for another "
			"device (%s); it is ignored", o->run, st->device);
		restore_remove_file(o);
		return 0;
	}
	r = check_owned(o, p, st, err);
	if (r < 0)
		return r;
	st->late_driver = !st->driver && topo_pmu_count(o->sysfs, CHOOSE_DRIVER_PMUS);
	log_msg(LOG_NOTICE, "uncored did not exit cleanly last time; restoring its registers");
	r = plan_program_begin(p, &of);
	if (r < 0)
		return err_set(err, r, "out of memory");
	r = restore_sockets(o, &of, st, &left, err);
	log_diags(LOG_WARNING, &left);
	if (r < 0)
		return r;
	restore_remove_file(o);
	return 0;
}

int restore_lock(const struct options *o, const struct cat_processor *p, struct err *err)
{
	AUTO_FD int fd = lock_take(o->run, err);
	int r;

	if (fd < 0)
		return fd;
	r = restore_crashed(o, p, err);
	return r < 0 ? r : TAKE_FD(fd);
}

/* 0 or -errno with a sentence. */
static int restore_found(const struct options *o, struct err *err)
{
	const struct conf_engine_choice registers = { .kind = CONF_REGISTERS };
	AUTO_DONE(machine_close) struct machine m = { 0 };
	AUTO_FD int lock = -1;
	int r = engine_machine(o, NULL, &registers, false, &m, err);

	engine_log_unusable(&m);
	if (r < 0)
		return r;
	lock = restore_lock(o, m.processor, err);
	return lock < 0 ? lock : 0;
}

int restore_main(const struct options *o)
{
	struct err err = { "" };
	char path[512];
	int r;

	snprintf(path, sizeof(path), "%s/uncored.state", o->run);
	if (access(path, F_OK) == 0)
		r = restore_found(o, &err);
	else if (errno == ENOENT || errno == ENOTDIR)
		r = 0;
	else
		r = err_set(&err, -errno, "%s: cannot check whether it exists, so registers may "
			    "still need restoring: %s", path, strerror(errno));
	return r < 0 ? log_exit(r, &err) : 0;
}
