/* mhd.c - see mhd.h.
 *
 * The library stays until the process ends.
 */
#include "config.h"

#define MHD_BY_NAME
#include "http/mhd.h"

#include "http/http.h"

#include "base/bits.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define SONAME "libmicrohttpd.so.12"    /* of 0.9.75 as well as of 1.0 */

struct mhd_calls mhd_calls;

static const struct {
	const char *name;
	size_t at;
} calls[] = {
#define MHD_CALL(f) { #f, offsetof(struct mhd_calls, f) },
	MHD_CALLS(MHD_CALL)
#undef MHD_CALL
};

int mhd_load(struct err *err)
{
	struct mhd_calls found;
	void *library, *f;

	if (mhd_calls.MHD_run)
		return 0;
	library = dlopen(SONAME, RTLD_LAZY);    /* as if linked: of most that comes along nothing is ever called */
	if (!library)
		return err_set(err, -ENOENT, "libmicrohttpd cannot be loaded: %s", dlerror());
	for (size_t i = 0; i < COUNT(calls); i++) {
		f = dlsym(library, calls[i].name);
		if (!f) {
			dlclose(library);
			return err_set(err, -ENOENT, "%s has no %s", SONAME, calls[i].name);
		}
		memcpy((char *)&found + calls[i].at, &f, sizeof(f));
	}
	mhd_calls = found;
	return 0;
}

const char *http_library(void)
{
	static char text[64];

	snprintf(text, sizeof(text), "libmicrohttpd %x.%x.%x", MHD_VERSION >> 24, MHD_VERSION >> 16 & 0xff, MHD_VERSION >> 8 & 0xff);
	return text;
}
