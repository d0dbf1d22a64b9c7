/* SPDX-License-Identifier: MIT
 *
 * Owns:  how CPUs that are alike become one line.
 */
#include "topo/capture_lines.h"

#include "base/num.h"
#include "topo/machine_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a line of CPUs says of all of them. */
struct kind {
	unsigned socket, die, thread;
	int node;                   /* -1: none is known */
	char *llc, *size;           /* as sysfs has them; NULL: nothing is said */
};

struct cpus {
	const struct topo *t;
	struct kind *kinds;         /* of t->cpus */
	unsigned *order;            /* indices of t->cpus, by number */
};

static char *read_text(const char *path)
{
	char text[SYSFILE_MAX + 1];

	return sysfile_read(path, text, NULL) < 0 ? NULL : strdup(text);
}

static bool is_size(const char *s)
{
	size_t n = strspn(s, "0123456789");

	return n && n < 10 && (s[n] == 'K' || s[n] == 'M') && !s[n + 1];
}

static void read_kind(const char *sysfs, const struct topo_cpu *c, struct kind *ret)
{
	const char *const cache = "%s/devices/system/cpu/cpu%u/cache/index3/%s";

	ret->socket = c->socket;
	ret->die = c->die;
	ret->thread = c->thread;
	ret->node = -1;
	if (c->has_llc)
		ret->llc = read_text(sysfile_path(cache, sysfs, c->cpu, "shared_cpu_list").s);
	if (ret->llc)
		ret->size = read_text(sysfile_path(cache, sysfs, c->cpu, "size").s);
	if (ret->size && !is_size(ret->size)) {
		free(ret->size);
		ret->size = NULL;
	}
}

static void read_nodes(const char *sysfs, struct cpus *c)
{
	struct dirent **v;
	int n = sysfile_names(NULL, sysfile_path("%s/devices/system/node", sysfs).s, &v, NULL);

	for (int i = 0; i < n; i++) {
		const char *digits = v[i]->d_name + 4;
		AUTO_FREE(free) unsigned *list = NULL;
		unsigned n_list;
		uint64_t node;

		if (strncmp(v[i]->d_name, "node", 4) == 0 && num_parse_u64(digits, &node) == 0 &&
		    node < MACHINE_NODES_MAX &&
		    sysfile_cpulist(sysfile_path("%s/devices/system/node/%s/cpulist", sysfs,
						 v[i]->d_name).s, &list, &n_list, NULL) == 0)
			for (unsigned k = 0; k < n_list; k++)
				if (list[k] < c->t->n_numbers && c->t->by_number[list[k]])
					c->kinds[c->t->by_number[list[k]] - c->t->cpus].node =
						(int)node;
		free(v[i]);
	}
	if (n >= 0)
		free(v);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_kind(const struct kind *a, const struct kind *b)
{
	return a->socket == b->socket && a->die == b->die && a->thread == b->thread &&
	       a->node == b->node && same_text(a->llc, b->llc) && same_text(a->size, b->size);
}

/* Several threads of a core may be one line, if it is the cores of the first ones again. */
static bool same_but_thread(const struct kind *a, const struct kind *b)
{
	struct kind other = *b;

	other.thread = a->thread;
	return same_kind(a, &other);
}

/* CPUs of a line: numbers, and their cores, which may begin again. */
struct line {
	unsigned cpu[TOPO_CPUS_MAX], core[TOPO_CPUS_MAX];
	unsigned n;
};

static bool begins_again(const struct line *l, unsigned period)
{
	for (unsigned i = period; i < l->n; i++)
		if (l->core[i] != l->core[i - period])
			return false;
	return true;
}

/* After how many the cores begin again. */
static unsigned period_of(const struct line *l)
{
	unsigned period = 1;

	while (!begins_again(l, period))
		period++;
	return period;
}

static bool ascends(const struct line *l)
{
	for (unsigned i = 1; i < l->n; i++)
		if (l->core[i] <= l->core[i - 1])
			return false;
	return true;
}

static void add_cpus(struct strb *to, const struct kind *k, const struct line *l, unsigned period)
{
	size_t at;

	strb_add(to, "cpu ");
	at = to->n;
	capture_list(to, l->cpu, l->n);
	if (to->failed)
		return;
	char *list = strndup(to->s + at, to->n - at);

	strb_addf(to, " socket %u core ", k->socket);
	capture_list(to, l->core, period);
	if (k->die)
		strb_addf(to, " die %u", k->die);
	if (k->node >= 0)
		strb_addf(to, " node %d", k->node);
	if (k->llc) {
		strb_add(to, " llc");
		if (!list || strcmp(list, k->llc) != 0)
			strb_addf(to, " %s", k->llc);
		if (k->size)
			strb_addf(to, " %s", k->size);
	}
	strb_add_char(to, '\n');
	free(list);
}

/* The CPUs, from `first` on, that are like it. taken: those that have a line. */
static void collect(const struct cpus *c, unsigned first, bool threads, const bool *taken,
		    struct line *ret)
{
	const struct kind *k = &c->kinds[c->order[first]];

	ret->n = 0;
	for (unsigned i = first; i < c->t->n_cpus; i++) {
		const struct kind *other = &c->kinds[c->order[i]];

		if (taken[i] || !(threads ? same_but_thread(k, other) : same_kind(k, other)))
			continue;
		ret->cpu[ret->n] = c->t->cpus[c->order[i]].cpu;
		ret->core[ret->n++] = c->t->cpus[c->order[i]].core;
	}
}

static void add_lines(const struct cpus *c, struct line *l, bool *taken, struct strb *to)
{
	for (unsigned i = 0; i < c->t->n_cpus; i++) {
		unsigned period;

		if (taken[i])
			continue;
		collect(c, i, true, taken, l);
		period = period_of(l);
		if (period == l->n && !ascends(l)) {    /* threads side by side: 0,0,1,1 */
			collect(c, i, false, taken, l);
			period = period_of(l);
		}
		add_cpus(to, &c->kinds[c->order[i]], l, period);
		for (unsigned k = i, at = 0; at < l->n; k++)
			if (c->t->cpus[c->order[k]].cpu == l->cpu[at]) {
				taken[k] = true;
				at++;
			}
	}
}

static void add_offline(const char *sysfs, const struct topo *t, struct strb *to)
{
	AUTO_FREE(free) unsigned *present = NULL;
	unsigned n, kept = 0;

	if (!t->n_unseen ||
	    sysfile_cpulist(sysfile_path("%s/devices/system/cpu/present", sysfs).s, &present, &n,
			    NULL) < 0)
		return;
	for (unsigned i = 0; i < n; i++)
		if (present[i] >= t->n_numbers || !t->by_number[present[i]])
			present[kept++] = present[i];
	if (!kept)
		return;
	strb_add(to, "offline ");
	capture_list(to, present, kept);
	strb_add_char(to, '\n');
}

int capture_cpus(const char *sysfs, const struct topo *t, struct strb *to, struct err *err)
{
	AUTO_FREE(free) struct kind *kinds = calloc(t->n_cpus, sizeof(*kinds));
	AUTO_FREE(free) unsigned *order = calloc(t->n_cpus, sizeof(*order));
	AUTO_FREE(free) bool *taken = calloc(t->n_cpus, sizeof(*taken));
	AUTO_FREE(free) struct line *line = malloc(sizeof(*line));
	struct cpus c = { t, kinds, order };
	unsigned n = 0;

	if (!kinds || !order || !taken || !line)
		return err_set(err, -ENOMEM, "out of memory");
	for (unsigned i = 0; i < t->n_numbers; i++)
		if (t->by_number[i])
			order[n++] = (unsigned)(t->by_number[i] - t->cpus);
	for (unsigned i = 0; i < t->n_cpus; i++)
		read_kind(sysfs, &t->cpus[i], &kinds[i]);
	read_nodes(sysfs, &c);
	add_lines(&c, line, taken, to);
	add_offline(sysfs, t, to);
	for (unsigned i = 0; i < t->n_cpus; i++) {
		free(kinds[i].llc);
		free(kinds[i].size);
	}
	return 0;
}
