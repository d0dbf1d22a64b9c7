/* sd.c - see sd.h. */
#include "config.h"

#define SD_BY_NAME
#include "daemon/sd.h"

#include "base/bits.h"
#include "base/library.h"

#define SONAME "libsystemd.so.0"
LIBRARY_NOTE(SONAME, systemd, "required", "The daemon's event loop, sockets that systemd passes");

struct sd_calls sd_calls;

int sd_load(struct err *err)
{
	static const struct library_call calls[] = {
#define SD_CALL(f) { #f, offsetof(struct sd_calls, f) },
		SD_CALLS(SD_CALL)
#undef SD_CALL
	};

	return sd_calls.sd_event_loop ? 0 : library_load(SONAME, "libsystemd0", calls, COUNT(calls), &sd_calls, err);
}
