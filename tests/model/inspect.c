/* SPDX-License-Identifier: MIT
 * See inspect.h. LOCKED() takes the model's lock, model_lock(), and gives it back,
 * model_unlock(): samplers may run in other threads.
 */
#include "inspect.h"

#include "model/model_ivytown.h"

#include <assert.h>
#include <errno.h>

/* Undoes register_number(). */
static struct reg address_of(const struct family *f, unsigned regno)
{
	const struct pci_function *in;
	unsigned word;

	for (const struct msr_range *k = f->msrs; k < f->msrs + f->n_msrs; regno -= k++->n)
		if (regno < k->n)
			return (struct reg){ .space = SPACE_MSR, .bytes = 8,
					     .off = k->first + regno };
	in = &f->functions[regno / FUNCTION_REGS];
	word = regno % FUNCTION_REGS;
	return (struct reg){ .space = SPACE_PCI, .bytes = 8, .dev = in->dev, .fn = in->fn,
			     .off = word < 64 ? 4 * word : 0x200 + 4 * (word - 64) };
}

/* The counter of a data register, in sync. NULL if there is none. */
static struct counter *find_counter(struct model *m, unsigned socket, struct reg r)
{
	int regno = register_number(m->family, r);

	if (socket >= m->n_sockets || regno < 0 || m->def[regno].kind != KIND_CTR)
		return NULL;
	socket_sync(m, &m->sockets[socket]);
	return &m->sockets[socket].ctr[m->def[regno].counter];
}

uint64_t model_truth(struct model *m, unsigned socket, struct reg ctr)
{
	LOCKED(m);
	const struct counter *c = find_counter(m, socket, ctr);

	return c ? c->truth : 0;
}

bool model_counting(struct model *m, unsigned socket, struct reg ctr)
{
	LOCKED(m);
	const struct counter *c = find_counter(m, socket, ctr);

	return c && c->active && !c->stopped;
}

double model_rate(struct model *m, unsigned socket, struct reg ctr)
{
	const nsec year = 365 * 86400 * NSEC_PER_SEC;   /* a multiple of every period */
	LOCKED(m);
	const struct counter *c = find_counter(m, socket, ctr);
	nsec share[PHASES];
	double rate = 0;

	workload_elapsed(m->workload, year, share);
	for (unsigned p = 0; c && p < m->workload->n_phases; p++)
		rate += (double)c->rate[p] / (double)EVENT * ((double)share[p] / (double)year);
	return rate * (double)NSEC_PER_SEC;
}

size_t model_counters(struct model *m, struct reg *v, size_t n)
{
	size_t found = 0;

	for (unsigned regno = 0; regno < m->family->n_regs; regno++) {
		if (m->def[regno].kind != KIND_CTR)
			continue;
		if (found < n)
			v[found] = address_of(m->family, regno);
		found++;
	}
	return found;
}

/* Only Ivytown has any. Socket i: uncore bus 0x3f + 0x40 i, above four sockets 0x1f + 0x20 i; IRP:
 * its first bus. */
size_t model_functions(struct model *m, unsigned socket, struct model_function *v, size_t n)
{
	LOCKED(m);
	unsigned step = m->n_sockets > 4 ? 0x20 : 0x40;
	size_t k = 0;

	if (m->family != &family_ivytown || socket >= m->n_sockets)
		return 0;
	for (unsigned i = 0; i < IVT_FUNCTIONS; i++) {
		const struct pci_function *f = &ivt_functions[i];

		if (m->sockets[socket].fault[PCI_REGNO(i, 0)] & FAULT_HIDDEN)
			continue;
		if (k < n)
			v[k] = (struct model_function){
				.bus = (uint8_t)(step * socket + (f->box == IVT_I ? 0 : step - 1)),
				.dev = f->dev, .fn = f->fn, .id = f->id,
			};
		k++;
	}
	return k;
}

void model_poke(struct model *m, unsigned socket, struct reg r, uint64_t value)
{
	LOCKED(m);
	int regno = register_number(m->family, r);

	if (socket < m->n_sockets && regno >= 0 && m->def[regno].kind != KIND_NONE) {
		socket_sync(m, &m->sockets[socket]);
		m->family->store(m, &m->sockets[socket], (unsigned)regno,
				 value & m->def[regno].bits);
	}
}

uint64_t model_peek(struct model *m, unsigned socket, struct reg r)
{
	LOCKED(m);
	int regno = register_number(m->family, r);
	uint64_t value = 0;

	if (socket < m->n_sockets && regno >= 0 && m->def[regno].kind != KIND_NONE)
		value = m->family->read(m, &m->sockets[socket], (unsigned)regno);
	return value;
}

/* Sets a fault bit of the register at r, or of all if its offset is 0. A PCI function is hidden as
 * a whole. */
static void fault_registers(const struct model *m, struct socket *s, uint8_t bit, struct reg r,
			    bool on)
{
	for (unsigned i = 0; i < m->family->n_regs; i++) {
		struct reg at = address_of(m->family, i);
		bool same_function = at.space == SPACE_PCI && at.dev == r.dev && at.fn == r.fn;

		if (bit == FAULT_HIDDEN ? same_function
					: r.off == 0 || (int)i == register_number(m->family, r))
			s->fault[i] = (uint8_t)(on ? s->fault[i] | bit : s->fault[i] & ~bit);
	}
}

void model_fault(struct model *m, unsigned socket, enum model_fault f, struct reg reg, bool on)
{
	LOCKED(m);
	struct socket *s = &m->sockets[socket];

	assert(socket < m->n_sockets);
	socket_sync(m, s);
	switch (f) {
	case MODEL_EIO:
		fault_registers(m, s, FAULT_EIO, reg, on);
		break;
	case MODEL_STUCK:
		fault_registers(m, s, FAULT_STUCK, reg, on);
		break;
	case MODEL_STOP_CLOCK:
		s->stop_clock = on;
		socket_update_enables(m, s);
		break;
	case MODEL_OFFLINE:
		s->offline = on;
		break;
	case MODEL_WRITE_EPERM:
		s->write_eperm = on;
		break;
	case MODEL_ERRATUM:
		s->erratum = on;
		break;
	case MODEL_HIDDEN:
		fault_registers(m, s, FAULT_HIDDEN, reg, on);
		break;
	}
}

const char *model_workload(unsigned i)
{
	return workloads[i].name;
}

void model_advance(struct model *m, nsec by)
{
	LOCKED(m);

	if (!m->real_time && by > 0)
		m->now += by;
}

nsec model_now(struct model *m)
{
	LOCKED(m);

	return m->now;
}

void model_cpu_online(struct model *m, unsigned cpu, bool on)
{
	LOCKED(m);

	if (cpu < m->n_sockets * m->cores) {
		uint64_t *online = &m->sockets[cpu / m->cores].online;

		*online = on ? *online | BIT(cpu % m->cores) : *online & ~BIT(cpu % m->cores);
	}
}

bool model_cpu_is_online(struct model *m, unsigned cpu)
{
	LOCKED(m);

	return cpu < m->n_sockets * m->cores &&
	       m->sockets[cpu / m->cores].online & BIT(cpu % m->cores) &&
	       !m->sockets[cpu / m->cores].offline;
}

int model_cpu_read(struct model *m, unsigned cpu, struct reg r, uint64_t *ret)
{
	return model_cpu_is_online(m, cpu) ? model_read(m, cpu / m->cores, r, ret) : -ENXIO;
}

int model_cpu_write(struct model *m, unsigned cpu, struct reg r, uint64_t value)
{
	return model_cpu_is_online(m, cpu) ? model_write(m, cpu / m->cores, r, value) : -ENXIO;
}
