/* doctor_clock.c - uncorectl doctor: the uncore's clock by the firmware's ratio register, beside
 * what its counter shows.
 *
 * Owns:  reading both, once; the only register of uncorectl.
 * Never: writing one: a counter that nobody enabled stands still, and that is what is said.
 */
#include "ctl/doctor.h"

#include "base/strb.h"

#include <time.h>
#include <unistd.h>

enum { MEASURE_NSEC = 20 * 1000 * 1000, MEASURE_TRIES = 10 };
#define MEASURE_ERROR 0.02              /* good enough: both reads together, of the time between
                                         * them */

static void add_ratio(void *p, const char *name, int r, uint32_t word)
{
	struct strb *b = p;

	strb_addf(b, "%s%s ", b->n ? ", " : "", name);
	if (r < 0)
		strb_addf(b, "unreadable (beyond 64 bytes that takes root and CAP_SYS_ADMIN)");
	else
		strb_addf(b, "0x%x", word);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A counter at the middle of a read, and how long the read took. */
struct reading {
	uint64_t value;
	double at, took;
};

static bool read_counter(int fd, struct reg counter, struct reading *ret)
{
	double before = seconds();
	bool good = host_msr_read(fd, counter.off, &ret->value);

	ret->took = seconds() - before;
	ret->at = before + ret->took / 2;
	return good;
}

/* Hz of a socket's counter; 0: it stands still; -1: it cannot be read. On a busy machine a read is
 * held up: of some attempts the one counts whose reads were the shortest for the time between
 * them. */
static double measure(const struct doctor *d, const struct topo_socket *s, struct reg counter,
		      unsigned width)
{
	const struct timespec wait = { 0, MEASURE_NSEC };
	int fd = host_msr_open(&d->roots, topo_reader_cpu(s));
	double hz = -1, error = 1e9;
	struct reading from, to;

	for (unsigned i = 0; fd >= 0 && i < MEASURE_TRIES && error > MEASURE_ERROR &&
	     read_counter(fd, counter, &from); i++) {
		nanosleep(&wait, NULL);
		if (!read_counter(fd, counter, &to))
			break;
		if ((from.took + to.took) / (to.at - from.at) >= error)
			continue;
		error = (from.took + to.took) / (to.at - from.at);
		hz = (double)((to.value - from.value) & bits_mask(width - 1,
								  0)) / (to.at - from.at);
	}
	if (fd >= 0)
		close(fd);
	return hz;
}

static void add_measured(const struct doctor *d, const struct cat_box *box, struct strb *b)
{
	struct reg counter = cat_reg_address(box, cat_reg_find(box, CAT_FIXED_CTR, 0, 0), 0, 0);

	for (unsigned i = 0; i < d->m.topo->n_sockets; i++) {
		double hz = measure(d, &d->m.topo->sockets[i], counter, cat_width(box, true));

		strb_addf(b, "%ssocket %u ", i ? ", " : "", d->m.topo->sockets[i].id);
		if (hz > 0)
			strb_addf(b, "%.2f GHz", hz / 1e9);
		else
			strb_add(b, hz < 0 ? "unreadable" : "stands still, because nobody counts "
				 "it now");
	}
}

void doctor_find_clock(struct doctor *d)
{
	const struct cat_processor *p = d->m.processor;
	struct strb ratio, measured;

	if (!p || !p->ratio.off)
		return;
	strb_init(&ratio, 1024);
	strb_init(&measured, 1024);
	topo_pci_bridge_words(d->roots.sysfs, p->ratio.device, p->ratio.function, p->ratio.off,
			      add_ratio, &ratio);
	for (const struct cat_box *b = cat_box_next(p, NULL); b; b = cat_box_next(p, b))
		if (b->has_fixed && b->space == SPACE_MSR)
			add_measured(d, b, &measured);
	doctor_ok(d, "uncore clock", "ratio register (PCI %u:%u+0x%x): %s; measured by its "
		  "counter: %s; metrics use what is measured", p->ratio.device, p->ratio.function,
		  p->ratio.off, ratio.n ? ratio.s : "not found", measured.s);
	strb_done(&ratio);
	strb_done(&measured);
}
