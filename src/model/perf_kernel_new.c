/* SPDX-License-Identifier: MIT
 * The modelled kernel's PMUs and their boxes, from a machine's text and what its files say.
 */
#include "model/perf_kernel_internal.h"

#include "base/bits.h"
#include "base/clock.h"
#include "base/num.h"

#include <errno.h>
#include <string.h>

#define KERNEL_MAX ((size_t)256 << 20)

static unsigned rank_of(const struct topo *t, unsigned socket)
{
	unsigned i = 0;

	while (i + 1 < t->n_sockets && t->sockets[i].id != socket)
		i++;
	return i;
}

static void add_box(struct perf_kernel *k, const struct kernel_pmu *p, int cpu, unsigned of)
{
	const struct topo *t = k->o.topo;
	const struct topo_cpu *c = of < t->n_numbers ? t->by_number[of] : NULL;

	*ARENA_ADD(k->arena, k->boxes, k->n_boxes) = (struct kernel_box){
		.pmu = p, .cpu = cpu, .socket = c ? rank_of(t, c->socket) : 0, .first = NO_EVENT,
		/* instances differ a little, so that a wrong label shows */
		.part = 1 - 0.01 * (k->n_boxes % 8),
	};
}

/* One on each CPU of its cpumask; on every CPU; or one for a device, on whichever CPU. */
static void add_boxes(struct perf_kernel *k, struct kernel_pmu *p)
{
	const struct topo *t = k->o.topo;
	const struct topo_pmu *pmu = p->pmu;

	p->first_box = k->n_boxes;
	for (unsigned i = 0; i < pmu->n_cpumask; i++)
		if (pmu->cpumask[i] < t->n_numbers && t->by_number[pmu->cpumask[i]])
			add_box(k, p, (int)pmu->cpumask[i],
				pmu->has_home ? pmu->home : pmu->cpumask[i]);
	for (unsigned i = 0; pmu->of_cpus && i < t->n_cpus; i++)
		add_box(k, p, (int)t->cpus[i].cpu, t->cpus[i].cpu);
	if (!pmu->of_cpus && !pmu->cpumask)
		add_box(k, p, -1, pmu->has_home ? pmu->home : t->cpus[0].cpu);
	p->n_boxes = k->n_boxes - p->first_box;
}

/* Is one name the other but for its numbers? */
static bool same_but_numbers(const char *a, const char *b)
{
	static const char digits[] = "0123456789";

	for (;; a++, b++) {
		a += strspn(a, digits);
		b += strspn(b, digits);
		if (*a != *b || !*a)
			return *a == *b;
	}
}

/* Do they count the same, as on several dies of a socket ("hisi_sccl1_ddrc", "hisi_sccl3_ddrc")? */
static bool count_the_same(const struct machine_family *a, const struct machine_family *b)
{
	bool same = a->n_counts == b->n_counts && same_but_numbers(a->name, b->name);

	for (unsigned i = 0; same && i < a->n_counts; i++)
		same = a->counts[i].config == b->counts[i].config &&
		       strcmp(a->counts[i].words, b->counts[i].words) == 0;
	return same;
}

static bool are_siblings(const struct kernel_box *a, const struct kernel_box *b)
{
	return a->socket == b->socket && (a->pmu->family == b->pmu->family ||
					  count_the_same(a->pmu->family, b->pmu->family));
}

/* The parts of siblings add up to 1. */
static void share_out(struct perf_kernel *k)
{
	double *sum = arena_alloc(k->arena, k->n_boxes, sizeof(*sum));

	for (unsigned i = 0; i < k->n_boxes; i++)
		for (unsigned j = 0; j < k->n_boxes; j++)
			if (are_siblings(&k->boxes[i], &k->boxes[j]))
				sum[i] += k->boxes[j].part;
	for (unsigned i = 0; i < k->n_boxes; i++)
		k->boxes[i].part /= sum[i];
}

/* Links of a socket: counters of what is sent; one where others alone count what crosses. */
static unsigned count_links(const struct perf_kernel *k)
{
	unsigned n = 0;
	bool any = false;

	for (unsigned i = 0; i < k->n_boxes; i++) {
		const struct machine_family *f = k->boxes[i].pmu->family;

		for (unsigned c = 0; k->boxes[i].socket == 0 && c < f->n_counts; c++) {
			n += strncmp(f->counts[c].words, "link_sent", 9) == 0;
			any |= strstr(f->counts[c].words, "remote_") ||
			       strstr(f->counts[c].words, "_far_");
		}
	}
	return n ?: any;
}

/* Of a file of format/: "config1:0-7,32". */
static void add_bits(const char *text, uint64_t masks[3])
{
	struct cpu_range bits = { 0 };
	unsigned which = 0;

	if (strncmp(text, "config", 6) != 0)
		return;
	text += 6;
	if (*text == '1' || *text == '2')
		which = (unsigned)(*text++ - '0');
	bits.rest = *text ? text + 1 : text;
	while (num_next_range(&bits, 63) > 0)
		masks[which] |= bits_mask(bits.end - 1, bits.first);
}

/* Drivers of an uncore drop bits that they do not know; the others refuse what they do not know. */
static void add_format(struct kernel_pmu *p)
{
	for (unsigned i = 0; i < 3; i++)
		p->format[i] = p->family->known ? 0 : UINT64_MAX;
	for (unsigned i = 0; i < p->pmu->n_format; i++)
		add_bits(p->pmu->format[i].text, p->format);
}

static void allocate(void *p)
{
	struct perf_kernel *k = p;
	const struct topo_pmus *pmus = k->o.pmus;

	k->pmus = arena_alloc(k->arena, pmus->n, sizeof(*k->pmus));
	for (unsigned i = 0; i < pmus->n; i++) {
		struct kernel_pmu *to = &k->pmus[k->n_pmus];

		to->pmu = &pmus->v[i];
		to->family = machine_family_of(k->o.text, pmus->v[i].name);
		if (!to->family)
			continue;
		add_format(to);
		add_boxes(k, to);
		k->n_pmus++;
	}
	share_out(k);
	k->flows = arena_alloc(k->arena, k->o.topo->n_sockets * PHASES, sizeof(*k->flows));
	server_flows(k->workload, k->o.text, k->o.topo->n_sockets, count_links(k), k->flows);
}

static int check_words(const struct machine_text *t, struct err *err)
{
	unsigned n = 0;
	double each;

	for (unsigned f = 0; f < t->n_families; f++)
		for (unsigned i = 0; i < t->families[f].n_counts; i++, n++)
			if (!server_word(t->families[f].counts[i].words, &each))
				return err_set(err, -EINVAL, "%s: the model of a server knows "
					       "nothing of '%.60s', which an event of %s counts",
					       t->name, t->families[f].counts[i].words,
					       t->families[f].name);
	if (n && t->n_curve)
		return 0;
	return err_set(err, -EINVAL, "%s says nothing of %s, so there is nothing to simulate: add "
		       "lines `%s`", t->name, n ? "its memory" : "what its events count",
		       n ? "curve" : "counts");
}

static int check_workload(const struct workload *w, const char *name, struct err *err)
{
	if (w)
		return 0;
	return err_set(err, -EINVAL, "the model of a server knows no workload \"%s\"; the choices "
		       "are idle, stream, bursty, day, rotation and verify", name);
}

int perf_kernel_new(const struct perf_kernel_options *o, struct perf_kernel **ret, struct err *err)
{
	const char *name = o->workload ?: "day";
	const struct workload *w = workload_find(name);
	int r = check_workload(w, name, err);
	struct arena *arena;
	struct traffic *traffic = NULL;
	struct perf_kernel *k;

	if (r == 0)
		r = check_words(o->text, err);
	if (r == 0 && w->traffic)
		r = traffic_map(&traffic, err);
	if (r < 0)
		return r;
	arena = arena_new(KERNEL_MAX, NULL);
	k = arena ? arena_alloc(arena, 1, sizeof(*k)) : NULL;
	if (k)
		*k = (struct perf_kernel){ .arena = arena, .o = *o, .workload = w,
					  .traffic = traffic };
	if (!k || !arena_try(arena, allocate, k)) {
		traffic_free(traffic);
		arena_free(arena);
		return err_set(err, -ENOMEM, "no memory for the model of a server");
	}
	pthread_mutex_init(&k->lock, NULL);
	k->start = kernel_now(k);
	*ret = k;
	return 0;
}
