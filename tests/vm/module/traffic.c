// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * traffic.c - counts that are made by a load in the guest: bytes that it says it has moved.
 *
 * Owns:  the page of the load's file, struct traffic of src/base/traffic.h: for each socket bytes
 *        read, bytes written.
 * Never: who counts them (clock.c).
 */
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/pagemap.h>

#include "counting.h"

static struct page *page;

void traffic_forget(void)
{
	if (page)
		put_page(page);
	page = NULL;
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

/* CONFIG CONFIG1 CONFIG2 KIND BYTES: a count of this encoding is so many bytes of the kind, 0 read
 * or 1 written. */
int do_moves(char *words)
{
	struct family *f = family_described();
	struct flow *w;

	if (!f || !page || f->n_flow == MAX_FLOWS)
		return -EINVAL;
	w = &f->flow[f->n_flow];
	if (sscanf(words, "%lli %lli %lli %u %u", &w->config[0], &w->config[1], &w->config[2],
		   &w->kind, &w->bytes) != 5 || w->kind > 1 || !w->bytes)
		return -EINVAL;
	f->n_flow++;
	return 0;
}

const struct flow *flow_of(const struct family *f, const u64 *config)
{
	for (unsigned int i = 0; i < f->n_flow; i++)
		if (!memcmp(f->flow[i].config, config, sizeof(f->flow[i].config)))
			return &f->flow[i];
	return NULL;
}

/* What the instance has counted of its socket's traffic. The shares of all instances of a family
 * add up to the traffic, to the last count. */
u64 flown(const struct flow *w, const struct box *b, unsigned int domain)
{
	const u64 *bytes = page_address(page);

	return (div_u64(READ_ONCE(bytes[2 * domain + w->kind]), w->bytes) + b->index) /
		b->family->n_boxes;
}
