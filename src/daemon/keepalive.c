/* SPDX-License-Identifier: MIT */
#include "daemon/keepalive.h"

#include "base/clock.h"
#include "daemon/notify.h"
#include "process/exit_code.h"
#include "process/log.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

enum {
	FEED_MS = 1000,                 /* or half of what the watchdog takes, if that is less, */
	FEED_LEAST_MS = 1,              /* but no busy loop */
	TICK_BEHIND_MS = 3,             /* behind these two */
	END_PATIENCE = 4,               /* seconds; samplers have three of them */
};

static struct {
	pthread_mutex_t lock;           /* of the members below, and held while a ring is read */
	struct health *health;
	const struct generation *waits; /* counts while the main thread waits; NULL: it does not */
} keep = { .lock = PTHREAD_MUTEX_INITIALIZER };

void keepalive_begin(const struct generation *g)
{
	pthread_mutex_lock(&keep.lock);
	keep.waits = g;
	pthread_mutex_unlock(&keep.lock);
}

void keepalive_end(void)
{
	keepalive_begin(NULL);
}

static void feed(void)
{
	pthread_mutex_lock(&keep.lock);
	if (keep.waits && health_check(keep.health, keep.waits))
		notify_send("WATCHDOG=1");
	pthread_mutex_unlock(&keep.lock);
}

/* Milliseconds to a multiple of the period: samplers and the main thread are awake then, too. */
static int until_tick(int period)
{
	nsec now = clock_read(CLOCK_MONOTONIC) / NSEC_PER_MSEC;

	return period - (int)(now % period) + TICK_BEHIND_MS;
}

/* SIGTERM is for the main thread, too: this one only sees it. */
static void *keepalive_main(void *p)
{
	struct pollfd asked = { .fd = (int)(intptr_t)p, .events = POLLIN };
	uint64_t usec = 0;
	int period = FEED_MS;

	pthread_setname_np(pthread_self(), "keepalive");
	if (sd_watchdog_enabled(0, &usec) > 0 && usec / 2000 < FEED_MS)
		period = usec / 2000 > FEED_LEAST_MS ? (int)(usec / 2000) : FEED_LEAST_MS;
	while (poll(&asked, 1, until_tick(period)) <= 0)
		feed();
	sleep(END_PATIENCE);
	log_msg(LOG_ERR, "stopping took longer than %d s: a disk or a register hangs; run uncored "
		"--restore to restore the remaining registers", END_PATIENCE);
	_exit(EXIT_INTERNAL);
}

int keepalive_start(struct health *health, struct err *err)
{
	pthread_t thread;
	sigset_t term;
	int fd, r;

	keep.health = health;
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	fd = signalfd(-1, &term, SFD_CLOEXEC);
	if (fd < 0)
		return err_set(err, -errno, "signalfd: %s", strerror(errno));
	r = pthread_create(&thread, NULL, keepalive_main, (void *)(intptr_t)fd);
	return !r ? 0 : err_set(err, -r, "cannot start the thread that keeps the watchdog fed: %s "
				"(is TasksMax too small?)", strerror(r));
}
