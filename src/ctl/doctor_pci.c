/* doctor_pci.c - uncorectl doctor: counters in PCI configuration space.
 *
 * Owns:  looking whether the functions that the plan wants are there and can be written, and what
 *        that means.
 * Never: reading or writing a register that counts.
 */
#include "ctl/doctor.h"

#include "base/strb.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

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
		p->wanted |= d->plan->sockets[i].has_reg && d->plan->sockets[i].program.n_devices;
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
			p->r = probe_socket(d, pci, &s->program, hidden);
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
		doctor_todo(d, "run as root with CAP_SYS_ADMIN; under systemd: copy "
			    "systemd/ivytown.conf of the documentation to "
			    "/etc/systemd/system/uncored.service.d/");
	else if (d->pci.r == -EROFS)
		doctor_todo(d, "mount sysfs for writing; under systemd: "
			    "ReadWritePaths=/sys/devices, as in systemd/ivytown.conf of the "
			    "documentation");
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
		doctor_note(d, "PCI registers", "socket %u lacks %s, hidden by the firmware or not "
			    "in this part: what they would count is left out, reason hidden",
			    (unsigned)json_integer_value(json_object_get(socket, "socket")),
			    names.s);
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
	doctor_note(d, "PCI registers", "%s: events of boxes in PCI space are left out, reason "
		    "hidden", d->pci.err.text);
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
