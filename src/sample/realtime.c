/* SPDX-License-Identifier: MIT
 *
 * The kernel sends SIGXCPU to the process, to any thread that does not block it: only those under
 * SCHED_FIFO. It does not say which of them ran too long, so the handler takes all of them back.
 */
#include "sample/realtime.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 128 };

static struct realtime *threads[THREADS];       /* NULL: free */

static void mask_sigxcpu(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGXCPU);
	pthread_sigmask(how, &set, NULL);
}

static int schedule(int tid, int policy, int priority)
{
	struct sched_param param = { .sched_priority = priority };

	/* The C library's function is one of processes; this is the kernel's, of threads, and safe
	 * in a handler. */
	return syscall(SYS_sched_setscheduler, tid, policy, &param) < 0 ? -errno : 0;
}

static void on_sigxcpu(int sig)
{
	int saved = errno;

	(void)sig;
	for (unsigned i = 0; i < THREADS; i++) {
		struct realtime *r = __atomic_load_n(&threads[i], __ATOMIC_ACQUIRE);
		int tid = r ? __atomic_exchange_n(&r->tid, 0, __ATOMIC_ACQ_REL) : 0;

		if (!tid)
			continue;
		schedule(tid, SCHED_OTHER, 0);
		__atomic_add_fetch(&r->fallbacks, 1, __ATOMIC_RELAXED);
	}
	errno = saved;
}

void realtime_prepare(void)
{
	mask_sigxcpu(SIG_BLOCK);
}

/* This thread under SCHED_FIFO, with the kernel's guard around it. 0 or -errno. */
static int schedule_guarded(void)
{
	struct rlimit most;

	if (getrlimit(RLIMIT_RTTIME, &most) < 0)
		return -errno;
	most.rlim_cur = REALTIME_MOST / NSEC_PER_USEC < most.rlim_max ?
			REALTIME_MOST / NSEC_PER_USEC : most.rlim_max;
	/* The guard first: without it a mistake of ours could take a CPU away. */
	if (setrlimit(RLIMIT_RTTIME, &most) < 0)
		return -errno;
	return schedule(0, SCHED_FIFO | SCHED_RESET_ON_FORK, sched_get_priority_min(SCHED_FIFO));
}

int realtime_enter(struct realtime *r)
{
	struct sigaction act = { .sa_handler = on_sigxcpu, .sa_flags = SA_RESTART };
	struct realtime *none;
	unsigned place = 0;
	int code;

	for (none = NULL; place < THREADS; place++, none = NULL)
		if (__atomic_compare_exchange_n(&threads[place], &none, r, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			break;
	if (place == THREADS)
		return -EAGAIN;
	sigaction(SIGXCPU, &act, NULL);
	code = schedule_guarded();
	if (code < 0) {
		__atomic_store_n(&threads[place], NULL, __ATOMIC_RELEASE);
		return code;
	}
	__atomic_store_n(&r->tid, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
	mask_sigxcpu(SIG_UNBLOCK);
	return 0;
}

void realtime_leave(struct realtime *r)
{
	mask_sigxcpu(SIG_BLOCK);
	for (unsigned i = 0; i < THREADS; i++)
		if (__atomic_load_n(&threads[i], __ATOMIC_RELAXED) == r)
			__atomic_store_n(&threads[i], NULL, __ATOMIC_RELEASE);
}
