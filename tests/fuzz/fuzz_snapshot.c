/* SPDX-License-Identifier: MIT
 * What a server says that it counts, as `uncorectl top`, `stat` and `verify` take it: anybody can
 * be that server. The input is the body of its answer, cut at a NUL.
 */
#include "fuzz.h"

#include "ctl/snapshot_read.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void require(bool ok)
{
	if (!ok)
		abort();
}

/* By another way than the reader's: no byte that a terminal obeys. jansson checks the UTF-8. */
static void require_printable(const char *s)
{
	for (const unsigned char *p = (const unsigned char *)s; *p; p++) {
		require(*p >= 0x20 && *p != 0x7f);
		require(*p != 0xc2 || p[1] >= 0xa0);                    /* C1 */
		require(p[0] != 0xe2 || p[1] != 0x80 || p[2] < 0xa8 || p[2] > 0xae);
	}
}

static void require_all_printable(json_t *j)
{
	const char *key;
	json_t *one;
	size_t i;

	if (json_is_string(j))
		require_printable(json_string_value(j));
	json_object_foreach(j, key, one) {
		require_printable(key);
		require_all_printable(one);
	}
	json_array_foreach(j, i, one)
		require_all_printable(one);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *text = strndup(n ? (const char *)data : "", n);
	json_t *j, *metric, *series;
	double interval;
	size_t i, k;

	require(text);
	j = snapshot_read(text);
	free(text);
	if (!j)
		return 0;
	require_all_printable(j);
	interval = json_number_value(json_object_get(j, "interval_seconds"));
	require(interval > 0 && interval <= SNAPSHOT_INTERVAL_MAX);
	require(json_is_array(json_object_get(j, "sockets")));
	json_array_foreach(json_object_get(j, "metrics"), i, metric) {
		require(json_is_string(json_object_get(metric, "name")));
		json_array_foreach(json_object_get(metric, "series"), k, series)
			require(json_is_object(json_object_get(series, "labels")));
	}
	json_decref(j);
	return 0;
}
