/* SPDX-License-Identifier: MIT
 * The thread around a sampler: absolute deadlines, pinned to the reader CPU.
 * Owns:  the thread, its timer, its place.
 * Never: what a tick does.
 *
 * It waits on a futex with an absolute CLOCK_MONOTONIC timeout: no drift, and a stop wakes it at
 * once.
 */
#include "sample/realtime.h"
#include "sample/sampler.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { STARTING, RUNNING, ENDED };
enum { NOTHING, ANSWER, END };

struct sampler_thread {
	struct sampler *sampler;
	struct sampler_clock clock;
	const struct counting *regs;    /* NULL: perf only */
	unsigned first_cpu;
	bool pin;
	int pinned;                 /* CPU, -1: nowhere */
	int unpinned;               /* 0, or why it could not be pinned there: -errno */
	pthread_t thread;
	uint32_t asked;             /* futex: NOTHING .. END */
	uint32_t state;             /* futex: STARTING .. ENDED */
	bool fast;                  /* SCHED_FIFO is worth it */
	struct realtime realtime;
	int permitted;              /* 0, or why not: -errno */
	int result;
	struct err err;
};

static void futex_wake(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Until *word differs from `is`, or `until` on CLOCK_MONOTONIC (0: for ever); false: then. */
static bool futex_wait(uint32_t *word, uint32_t is, nsec until)
{
	struct timespec ts = { until / NSEC_PER_SEC, until % NSEC_PER_SEC };

	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == is)
		if (syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, is, until ? &ts : NULL,
			    NULL, FUTEX_BITSET_MATCH_ANY) < 0 && errno == ETIMEDOUT)
			return false;
	return true;
}

/* Best effort: a read from another CPU is exact too, only dearer. */
static void thread_pin(struct sampler_thread *t)
{
	int cpu = t->regs ? t->regs->ops->cpu(t->regs) : (int)t->first_cpu;
	cpu_set_t *set;
	size_t size;

	if (!t->pin || cpu < 0 || cpu == t->pinned)
		return;
	size = CPU_ALLOC_SIZE(8192);
	set = (cpu_set_t *)(uint64_t[8192 / 64]){ 0 };
	CPU_SET_S((size_t)cpu, size, set);
	__atomic_store_n(&t->unpinned, sched_setaffinity(0, size, set) < 0 ? -errno : 0,
			 __ATOMIC_RELEASE);
	t->pinned = cpu;
}

/* A thread that may not be bound to a CPU moves all the time. If the label `cpu` followed it, each
 * move would make a new series: the label then names the CPU through which the socket is read. */
static void thread_note(struct sampler_thread *t)
{
	int cpu = t->pin && t->unpinned != -EPERM ? sched_getcpu() : -1;

	sampler_note_thread(t->sampler, (struct sampler_thread_state){
		.cpu = cpu, .pinned = cpu >= 0 && cpu == t->pinned && !t->unpinned,
		.realtime = __atomic_load_n(&t->realtime.tid, __ATOMIC_RELAXED),
		.fallbacks = __atomic_load_n(&t->realtime.fallbacks, __ATOMIC_RELAXED),
	});
}

/* Answers what else it is asked. */
static bool thread_asked_to_end(struct sampler_thread *t)
{
	uint32_t asked = ANSWER;

	if (__atomic_compare_exchange_n(&t->asked, &asked, NOTHING, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		syscall(SYS_futex, &t->asked, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	return asked == END;
}

static void *thread_main(void *p)
{
	struct sampler_thread *t = p;

	thread_pin(t);
	thread_note(t);
	t->result = sampler_start(t->sampler, &t->err);
	if (t->fast && t->result >= 0)
		t->permitted = realtime_enter(&t->realtime);
	futex_wake(&t->state, t->result < 0 ? ENDED : RUNNING);
	if (t->result < 0)
		return NULL;
	while (!thread_asked_to_end(t)) {
		nsec next = sampler_next(t->sampler);

		if (t->clock.mono(t->clock.p) < next) {
			futex_wait(&t->asked, NOTHING, next + t->clock.offset);
			continue;
		}
		thread_note(t);
		sampler_tick(t->sampler);
		thread_pin(t);
	}
	sampler_stop(t->sampler);
	realtime_leave(&t->realtime);
	futex_wake(&t->state, ENDED);
	return NULL;
}

/* Does any round of the socket tick so fast? */
static bool socket_is_fast(const struct plan_socket *s)
{
	bool fast = false;

	for (unsigned r = 0; r < s->n_rounds; r++)
		fast |= s->rounds[r].tick < REALTIME_BELOW;
	return fast;
}

int sampler_thread_start(struct sampler *s, const struct sampler_options *o, bool pin,
			 struct sampler_thread **ret, struct err *err)
{
	const struct plan_socket *socket = &o->plan->sockets[o->socket];
	struct sampler_thread *t = calloc(1, sizeof(*t));
	sigset_t all, old;
	char name[16];
	int r;

	if (!t)
		return err_set(err, -ENOMEM, "out of memory");
	*t = (struct sampler_thread){
		.sampler = s, .clock = o->clock, .regs = o->regs, .pin = pin, .pinned = -1,
		.first_cpu = socket->n_cpus ? socket->cpus[0] : 0, .fast = socket_is_fast(socket),
	};
	if (t->fast)
		realtime_prepare();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);       /* signals belong to the main thread */
	r = pthread_create(&t->thread, NULL, thread_main, t);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r) {
		free(t);
		return err_set(err, -r, "socket %u: cannot start the sampler thread: %s (is "
			       "TasksMax too small?)", socket->id, strerror(r));
	}
	snprintf(name, sizeof(name), "sampler-%u", socket->id);
	pthread_setname_np(t->thread, name);
	*ret = t;
	return 0;
}

int sampler_thread_wait(struct sampler_thread *t, nsec until, struct err *err)
{
	if (!futex_wait(&t->state, STARTING, until))
		return -EINPROGRESS;
	if (t->result < 0 && err)
		*err = t->err;
	return t->result < 0 ? t->result : 0;
}

void sampler_thread_end(struct sampler_thread *t)
{
	futex_wake(&t->asked, END);
}

bool sampler_thread_answers(struct sampler_thread *t, nsec until)
{
	futex_wake(&t->asked, ANSWER);
	return futex_wait(&t->asked, ANSWER, until);
}

bool sampler_thread_stop(struct sampler_thread *t, nsec until)
{
	if (!t)
		return true;
	sampler_thread_end(t);
	if (!futex_wait(&t->state, STARTING, until) || !futex_wait(&t->state, RUNNING, until))
		return false;
	pthread_join(t->thread, NULL);
	free(t);
	return true;
}

int sampler_thread_realtime(const struct sampler_thread *t)
{
	return t->permitted;
}

int sampler_thread_pinned(const struct sampler_thread *t)
{
	return __atomic_load_n(&t->unpinned, __ATOMIC_ACQUIRE);
}
