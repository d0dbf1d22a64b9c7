/* sd.h - libsystemd, loaded by the process that counts and by no other.
 *
 * Owns:  its functions, under their own names; nobody else includes <systemd/...>.
 *
 * It brings seven libraries along, compression and cryptography for reading journals, of which nothing is called here: the process
 * that serves has no use for any of them, and need not wait for them.
 */
#ifndef DAEMON_SD_H
#define DAEMON_SD_H

#include "base/err.h"

#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#define SD_CALLS(X) \
	X(sd_event_add_child) X(sd_event_add_signal) X(sd_event_add_time_relative) X(sd_event_default) X(sd_event_exit) \
	X(sd_event_loop) X(sd_event_now) X(sd_event_source_get_event) X(sd_event_source_set_enabled) \
	X(sd_event_source_set_time) X(sd_event_source_unref) X(sd_event_unref) X(sd_listen_fds) X(sd_watchdog_enabled)

struct sd_calls {
#define SD_CALL(f) __typeof__(&f) f;
	SD_CALLS(SD_CALL)
#undef SD_CALL
};
extern struct sd_calls sd_calls;

/* Before any other call; again: nothing. -ENOENT with a sentence: it, or a function of it, is not there. */
int sd_load(struct err *err);

#ifndef SD_BY_NAME
#define sd_event_add_child sd_calls.sd_event_add_child
#define sd_event_add_signal sd_calls.sd_event_add_signal
#define sd_event_add_time_relative sd_calls.sd_event_add_time_relative
#define sd_event_default sd_calls.sd_event_default
#define sd_event_exit sd_calls.sd_event_exit
#define sd_event_loop sd_calls.sd_event_loop
#define sd_event_now sd_calls.sd_event_now
#define sd_event_source_get_event sd_calls.sd_event_source_get_event
#define sd_event_source_set_enabled sd_calls.sd_event_source_set_enabled
#define sd_event_source_set_time sd_calls.sd_event_source_set_time
#define sd_event_source_unref sd_calls.sd_event_source_unref
#define sd_event_unref sd_calls.sd_event_unref
#define sd_listen_fds sd_calls.sd_listen_fds
#define sd_watchdog_enabled sd_calls.sd_watchdog_enabled
#endif

#endif
