/* mhd.c - see mhd.h. */
#include "config.h"

#define MHD_BY_NAME
#include "http/mhd.h"

#include "http/http.h"

#include "base/bits.h"
#include "base/library.h"

#include <stdio.h>

#define SONAME "libmicrohttpd.so.12"    /* of 0.9.75 as well as of 1.0 */
LIBRARY_NOTE(SONAME, http, "required", "Serves what was counted");

struct mhd_calls mhd_calls;

int http_load(struct err *err)
{
	static const struct library_call calls[] = {
#define MHD_CALL(f) { #f, offsetof(struct mhd_calls, f) },
		MHD_CALLS(MHD_CALL)
#undef MHD_CALL
	};

	return mhd_calls.MHD_run ? 0 : library_load(SONAME, "libmicrohttpd12", calls, COUNT(calls), &mhd_calls, err);
}

const char *http_library(void)
{
	static char text[64];

	snprintf(text, sizeof(text), "libmicrohttpd %x.%x.%x", MHD_VERSION >> 24, MHD_VERSION >> 16 & 0xff, MHD_VERSION >> 8 & 0xff);
	return text;
}
