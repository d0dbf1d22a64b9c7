/* SPDX-License-Identifier: MIT
 * uncorectl doctor: what it sees of registers before uncored writes any.
 * Owns:  looking whether the functions in PCI configuration space that the plan wants are there and
 *        can be written; the uncore's clock by the firmware's ratio register, beside what its
 *        counter shows: that is the only register that uncorectl reads; what all this means.
 * Never: writing one: of a counter that no program has enabled it reports that it does not run.
 */
#include "ctl/doctor.h"

#include "base/clock.h"
#include "base/strb.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { MEASURE_USEC = 20 * 1000, MEASURE_TRIES = 10 };
#define MEASURE_ERROR 0.02              /* good enough: both reads together, of the time between
                                         * them */

/* The first function that is there and cannot be opened ends the probe: the daemon ends there
 * too. */
static int probe_socket(struct doctor *d, const struct topo_pci *pci, const struct plan_program *p,
			json_t *hidden)
{
	for (unsigned i = 0; i < p->n_devices; i++) {
		const struct plan_device *want = &p->devices[i];
		const struct topo_function *f = topo_pci_find(pci, p->socket, want->dev, want->fn,
							      want->id);
		int fd = f ? topo_pci_open(d->roots.sysfs, f, &d->pci.err) : -ENOENT;

		if (fd >= 0) {
			close(fd);
			d->pci.found++;
		} else if (fd == -ENOENT) {
			json_array_append_new(hidden, json_sprintf("%u:%u (8086:%04x)", want->dev,
								   want->fn, want->id));
		} else {
			return fd;
		}
	}
	return 0;
}

void doctor_probe_pci(struct doctor *d)
{
	struct doctor_pci *p = &d->pci;
	struct topo_pci *pci;
	struct err odd = { "" };

	for (unsigned i = 0; d->plan && i < d->plan->n_sockets; i++)
		p->wanted |= d->plan->sockets[i].has_reg && d->plan->sockets[i].program->n_devices;
	if (!p->wanted)
		return;
	p->sockets = json_array();
	p->r = topo_pci_read(d->roots.sysfs, &d->m.processor->anchor, &pci, &odd);
	if (p->r < 0) {
		p->err = odd;
		return;
	}
	for (unsigned i = 0; i < d->plan->n_sockets && p->r == 0; i++) {
		const struct plan_socket *s = &d->plan->sockets[i];
		json_t *hidden = json_array();

		if (s->has_reg)
			p->r = probe_socket(d, pci, s->program, hidden);
		json_array_append_new(p->sockets, JS_OBJECT({ "socket", json_integer(s->id) },
							    { "hidden", hidden }));
	}
	if (p->r == 0)
		p->err = odd;
	else
		json_array_clear(p->sockets);
	topo_pci_free(pci);
}

static void find_refused(struct doctor *d)
{
	bool locked = d->host->lockdown.r == 0 && strcmp(d->host->lockdown.v, "none") != 0;

	doctor_problem(d, "PCI registers", "%s", d->pci.err.text);
	if ((d->pci.r == -EACCES || d->pci.r == -EPERM) && !locked)
		doctor_todo(d, "run as root with CAP_SYS_ADMIN; under systemd, copy "
			    "/usr/share/doc/uncored/systemd/ivytown.conf to "
			    "/etc/systemd/system/uncored.service.d/");
	else if (d->pci.r == -EROFS)
		doctor_todo(d, "remount sysfs read-write; under systemd, use "
			    "ReadWritePaths=/sys/devices, as in "
			    "/usr/share/doc/uncored/systemd/ivytown.conf");
}

static void find_hidden(struct doctor *d, json_t *socket)
{
	struct strb names;
	json_t *name;
	size_t i;

	strb_init(&names, 4096);
	json_array_foreach(json_object_get(socket, "hidden"), i, name)
		strb_addf(&names, "%s%s", i ? ", " : "", json_string_value(name));
	if (names.n)
		doctor_note(d, "PCI registers", "socket %u has no %s (hidden by the firmware, or "
			    "not in this processor model); their events are left out with the "
			    "reason hidden", (unsigned)json_integer_value(
			    json_object_get(socket, "socket")), names.s);
	strb_done(&names);
}

void doctor_find_pci(struct doctor *d)
{
	json_t *socket;
	size_t i;

	if (!d->pci.wanted)
		return;
	if (d->pci.r < 0) {
		find_refused(d);
		return;
	}
	if (d->pci.found)
		doctor_ok(d, "PCI registers", "the configuration space of %u function%s can be "
			  "opened for writing", d->pci.found, d->pci.found == 1 ? "" : "s");
	if (!d->pci.err.text[0]) {
		json_array_foreach(d->pci.sockets, i, socket)
			find_hidden(d, socket);
		return;
	}
	doctor_note(d, "PCI registers", "%s: events of boxes in PCI space are left out with "
		    "the reason hidden", d->pci.err.text);
	doctor_todo(d, "look in the firmware's setup for an option that hides uncore or "
		    "performance monitoring devices");
}

json_t *doctor_pci_json(const struct doctor *d)
{
	const struct doctor_pci *p = &d->pci;

	if (!p->wanted)
		return json_null();
	return JS_OBJECT(
		{ "why_not", js_text(p->err.text[0] ? p->err.text : NULL) },
		{ "functions", json_integer(p->found) },
		{ "sockets", json_incref(p->sockets) });
}

static void add_ratio(void *p, const char *name, int r, uint32_t word)
{
	struct strb *b = p;

	strb_addf(b, "%s%s ", b->n ? ", " : "", name);
	if (r < 0)
		strb_addf(b, "unreadable (root and CAP_SYS_ADMIN are needed beyond byte 64)");
	else
		strb_addf(b, "0x%x", word);
}

/* A counter at the middle of a read, and how long the read took. */
struct reading {
	uint64_t value;
	nsec at, took;
};

static bool read_counter(int fd, struct reg counter, struct reading *ret)
{
	nsec before = clock_read(CLOCK_MONOTONIC);
	bool good = host_msr_read(fd, counter.off, &ret->value);

	ret->took = clock_read(CLOCK_MONOTONIC) - before;
	ret->at = before + ret->took / 2;
	return good;
}

/* Hz of a socket's counter; 0: it does not run; -1: it cannot be read. On a busy machine reads may
 * be held up: of several attempts the one with the shortest reads, for the time between them. */
static double measure(const struct doctor *d, const struct topo_socket *s, struct reg counter,
		      unsigned width)
{
	int fd = host_msr_open(&d->roots, topo_reader_cpu(s));
	double hz = -1, error = 1e9, apart;
	struct reading from, to;

	if (fd < 0)
		return hz;
	for (unsigned i = 0; i < MEASURE_TRIES && error > MEASURE_ERROR; i++) {
		if (!read_counter(fd, counter, &from))
			break;
		usleep(MEASURE_USEC);
		if (!read_counter(fd, counter, &to))
			break;
		apart = (double)(to.at - from.at);
		if ((double)(from.took + to.took) / apart >= error)
			continue;
		error = (double)(from.took + to.took) / apart;
		hz = (double)((to.value - from.value) & bits_mask(width - 1, 0)) / apart *
		     NSEC_PER_SEC;
	}
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
			strb_add(b, hz < 0 ? "unreadable" : "not running, because no program has "
				 "enabled it");
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
		  "counter: %s; metrics use the measured value", p->ratio.device, p->ratio.function,
		  p->ratio.off, ratio.n ? ratio.s : "not found", measured.s);
	strb_done(&ratio);
	strb_done(&measured);
}
