/* SPDX-License-Identifier: MIT */
#include "verify/pace.h"

#include "base/cleanup.h"

#include <math.h>
#include <string.h>

#define BLOCK ((size_t)4096)        /* bytes that a thread moves at once */
#define BACKLOG 0.0005              /* seconds by which a thread may be late and catch up */
#define ADD_EVERY 64                /* blocks */
#define TELL_EVERY 0.002            /* seconds */
#define TOLD_MOST 1e12              /* bytes a second that are told of: more than memory can */

const double pace_shares[PACE_MIXES] = {
	[PACE_READS] = 1, [PACE_TWO_TO_ONE] = 2.0 / 3, [PACE_ONE_TO_ONE] = 0.5,
};

struct pace_worker {
	struct pace *pace;
	pthread_t thread;
	unsigned socket, cpu;
	bool chases;
	double period;              /* seconds for each byte; 0: as fast as it goes */
	size_t from, size;          /* its part of either half of the memory */
	uint64_t moved[TRAFFIC_KINDS];      /* bytes that are not in those of the socket yet */
};

struct pace {
	struct load *load;
	bool told;
	enum pace_mix mix;
	double rate[LOAD_SOCKETS];
	atomic_bool stop;
	_Atomic uint64_t moved[LOAD_SOCKETS];
	struct pace_worker *workers;
	unsigned n, n_running;
};

/* ------------------------------------------------------------------ a load that moves */

/* What a thread does next: a write reads its lines, too. */
static enum load_kind next_kind(enum pace_mix mix, unsigned turn)
{
	if (mix == PACE_READS)
		return LOAD_READ;
	return mix == PACE_TWO_TO_ONE && turn % 2 == 0 ? LOAD_READ : LOAD_WRITE;
}

/* Of a hundred threads, which would wait for each other: now and then. */
static void add_moved(struct pace_worker *w)
{
	for (unsigned k = 0; k < TRAFFIC_KINDS; k++) {
		w->pace->load->sockets[w->socket].moved[k] += w->moved[k];
		w->pace->moved[w->socket] += w->moved[k];
		w->moved[k] = 0;
	}
}

/* Until `due`, without giving the CPU away: it would come back too late. */
static void wait_until(const struct pace *p, double due)
{
	while (load_seconds() < due && !p->stop) {
#if defined __x86_64__
		__builtin_ia32_pause();
#endif
	}
}

static void move(struct pace_worker *w)
{
	struct load *l = w->pace->load;
	struct load_socket *s = &l->sockets[w->socket];
	double due = load_seconds(), now;
	size_t at[2] = { 0, 0 };        /* in the half that is read, in the one that is written */
	uint64_t seen = 0;

	for (unsigned turn = 0; !w->pace->stop; turn++) {
		enum load_kind kind = next_kind(w->pace->mix, turn);
		bool writes = kind >> TRAFFIC_WRITTEN & 1;
		char *from = s->memory + writes * l->read_bytes + w->from;

		load_chunk(kind, from + at[writes], BLOCK, &seen);
		at[writes] = (at[writes] + BLOCK) % w->size;
		w->moved[TRAFFIC_READ] += BLOCK;
		w->moved[TRAFFIC_WRITTEN] += writes ? BLOCK : 0;
		if (turn % ADD_EVERY == 0)
			add_moved(w);
		if (!(w->period > 0))
			continue;
		due += w->period * (double)BLOCK * (1 + writes);
		now = load_seconds();
		if (now > due + BACKLOG)
			due = now;
		wait_until(w->pace, due);
	}
	__asm__ volatile("" :: "r"(seen));
}

static void chase(struct pace_worker *w)
{
	char *at = w->pace->load->sockets[w->socket].memory;
	uint64_t seen = 0;

	while (!w->pace->stop) {
		at = load_chunk(LOAD_CHASE, at, BLOCK, &seen);
		w->moved[TRAFFIC_READ] += BLOCK;
		add_moved(w);
	}
}

static void *work(void *p)
{
	struct pace_worker *w = p;

	load_pin(w->pace->load, w->cpu);
	if (w->chases)
		chase(w);
	else
		move(w);
	add_moved(w);
	return NULL;
}

/* ------------------------------------------------------------------ a load that is told */

static void *tell(void *arg)
{
	struct pace *p = arg;
	double reads = pace_shares[p->mix], before = load_seconds();

	while (!p->stop) {
		double now, bytes;

		usleep((useconds_t)(1e6 * TELL_EVERY));
		now = load_seconds();
		for (unsigned i = 0; i < p->load->n_sockets; i++) {
			_Atomic uint64_t *moved = p->load->sockets[i].moved;

			bytes = fmin(p->rate[i], TOLD_MOST) * (now - before);
			moved[TRAFFIC_READ] += (uint64_t)(bytes * reads);
			moved[TRAFFIC_WRITTEN] += (uint64_t)(bytes * (1 - reads));
			p->moved[i] += (uint64_t)bytes;
		}
		before = now;
	}
	return NULL;
}

/* ------------------------------------------------------------------ threads */

struct pace *pace_new(struct load *l, bool told)
{
	struct pace *p = calloc(1, sizeof(*p));
	unsigned n = 1;

	for (unsigned i = 0; i < l->n_sockets; i++)
		n += l->sockets[i].n_cpus + 1;
	if (p)
		*p = (struct pace){ .load = l, .told = told,
				    .workers = calloc(n, sizeof(*p->workers)) };
	if (!p || p->workers)
		return p;
	free(p);
	return NULL;
}

/* The last CPU chases, if there are two; each other one moves its part. */
static void share_out(struct pace *p, unsigned socket)
{
	const struct load_socket *s = &p->load->sockets[socket];
	unsigned n = s->n_cpus > 1 ? s->n_cpus - 1 : 1;

	while (n > 1 && p->load->read_bytes / n < LOAD_CHUNK)
		n--;
	p->workers[p->n++] = (struct pace_worker){ .pace = p, .socket = socket, .chases = true,
						   .cpu = s->cpus[s->n_cpus - 1] };
	for (unsigned i = 0; i < n && p->rate[socket] > 0; i++) {
		size_t size = p->load->read_bytes / n / LOAD_CHUNK * LOAD_CHUNK;

		p->workers[p->n++] = (struct pace_worker){
			.pace = p, .socket = socket, .cpu = s->cpus[i], .from = i * size,
			.size = size, .period = isfinite(p->rate[socket]) ?
						n / p->rate[socket] : 0,
		};
	}
}

int pace_start(struct pace *p, enum pace_mix mix, const double *rate, struct err *err)
{
	int r = p->told ? 0 : load_take_memory(p->load, err);

	if (r < 0)
		return r;
	p->mix = mix;
	p->stop = false;
	p->n = 0;
	memcpy(p->rate, rate, p->load->n_sockets * sizeof(*rate));
	if (p->told)
		p->workers[p->n++] = (struct pace_worker){ .pace = p };
	for (unsigned i = 0; !p->told && i < p->load->n_sockets; i++)
		share_out(p, i);
	while (!r && p->n_running < p->n) {
		struct pace_worker *w = &p->workers[p->n_running];

		r = p->told ? pthread_create(&w->thread, NULL, tell, p) :
		    pthread_create(&w->thread, NULL, work, w);
		p->n_running += !r;
	}
	if (!r)
		return 0;
	pace_stop(p);
	return err_set(err, -r, "no thread can be started: %s; raise the limit of processes",
		       strerror(r));
}

void pace_stop(struct pace *p)
{
	p->stop = true;
	while (p->n_running)
		pthread_join(p->workers[--p->n_running].thread, NULL);
}

uint64_t pace_moved(const struct pace *p, unsigned socket)
{
	return p->moved[socket];
}

void pace_free(struct pace *p)
{
	if (!p)
		return;
	free(p->workers);
	free(p);
}
