// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * traffic.c - counts that are made by a load in the guest: bytes that it says it has moved.
 *
 * Owns:  the page of the load's file, struct traffic of src/base/traffic.h: for each socket bytes
 *        read, bytes written; and how far memory with a curve got with them.
 * Never: what a curve says (curve.c), who counts (clock.c).
 *
 * Memory without a curve has moved what the load has. With one it moves no more by second than the
 * curve's most, and what is read waits as long as the curve says; both follow from the traffic
 * between two looks. A counter's read is such a look, if it comes GRAIN after the one before: so
 * all that is read together is of one moment, and its rates are those between two samples.
 */
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/pagemap.h>

#include "counting.h"

#define GRAIN (20 * NSEC_PER_MSEC)
#define MAX_SOCKETS 8

/* The kinds of `moves`: bytes read, bytes written; ns that each byte read has waited; ns. */
enum { READ_, WRITTEN, WAITED, PASSED, KINDS };

static struct page *page;
static struct memory {
	u64 at, seen[2];		/* ns, and what the page said then */
	u64 total[KINDS];
	u64 others;			/* bytes by second that are read beside the load */
} memory[MAX_SOCKETS];

void traffic_forget(void)
{
	if (page)
		put_page(page);
	page = NULL;
	memset(memory, 0, sizeof(memory));
	curve_forget();
}

/* FILE, on a file system in memory and written before. */
int do_traffic(char *words)
{
	struct file *file = filp_open(words, O_RDONLY, 0);

	if (IS_ERR(file))
		return PTR_ERR(file);
	traffic_forget();
	page = find_get_page(file->f_mapping, 0);
	filp_close(file, NULL);
	return page ? 0 : -ENODATA;
}

/* CONFIG CONFIG1 CONFIG2 KIND AMOUNT: a count of this encoding is so much of the kind, the number
 * of one of KINDS. */
int do_moves(char *words)
{
	struct family *f = family_described();
	struct flow *w;

	if (!f || !page || f->n_flow == MAX_FLOWS || f->n_domains > MAX_SOCKETS)
		return -EINVAL;
	w = &f->flow[f->n_flow];
	if (sscanf(words, "%lli %lli %lli %u %u", &w->config[0], &w->config[1], &w->config[2],
		   &w->kind, &w->amount) != 5 || w->kind >= KINDS || !w->amount)
		return -EINVAL;
	f->n_flow++;
	return 0;
}

/* SOCKET BYTES by second that others read of its memory, 0: none. */
int do_others(char *words)
{
	unsigned int socket;
	unsigned long flags;
	u64 bytes;

	if (sscanf(words, "%u %lli", &socket, &bytes) != 2 || socket >= MAX_SOCKETS)
		return -EINVAL;
	raw_spin_lock_irqsave(&lock, flags);
	memory[socket].others = bytes;
	raw_spin_unlock_irqrestore(&lock, flags);
	return 0;
}

const struct flow *flow_of(const struct family *f, const u64 *config)
{
	for (unsigned int i = 0; i < f->n_flow; i++)
		if (!memcmp(f->flow[i].config, config, sizeof(f->flow[i].config)))
			return &f->flow[i];
	return NULL;
}

static void look(struct memory *m, const u64 *bytes)
{
	u64 t = ktime_get_ns(), ns = t - m->at, wanted[2], all, by_second, most;
	unsigned int permille;

	if (m->at && ns < GRAIN)
		return;
	for (unsigned int k = 0; k < 2; k++) {
		u64 now = READ_ONCE(bytes[k]);

		wanted[k] = now - m->seen[k];
		m->seen[k] = now;
	}
	m->at = t;
	if (ns == t)			/* the first look only begins */
		return;
	wanted[READ_] += mul_u64_u64_div_u64(m->others, ns, NSEC_PER_SEC);
	all = wanted[READ_] + wanted[WRITTEN];
	permille = all ? div64_u64(1000 * wanted[READ_], all) : 1000;
	by_second = mul_u64_u64_div_u64(all, NSEC_PER_SEC, ns);
	most = min(curve_most(permille), by_second);
	for (unsigned int k = 0; k < 2 && all; k++) {
		wanted[k] = mul_u64_u64_div_u64(wanted[k], most, by_second);
		m->total[k] += wanted[k];
	}
	m->total[WAITED] += div_u64(wanted[READ_] * curve_latency(permille, most), 1000);
	m->total[PASSED] += ns;
}

/* What the instance has counted of its socket's memory. The shares of all instances of a family add
 * up to the whole, to the last count; time is the same for each. */
u64 flown(const struct flow *w, const struct box *b, unsigned int domain)
{
	const u64 *bytes = (u64 *)page_address(page) + 2 * domain;
	struct memory *m = &memory[domain];
	u64 v = w->kind < 2 ? READ_ONCE(bytes[w->kind]) : 0;

	if (curve_is_there()) {
		look(m, bytes);
		v = m->total[w->kind];
	}
	v = div_u64(v, w->amount);
	return w->kind == PASSED ? v : div_u64(v + b->index, b->family->n_boxes);
}
