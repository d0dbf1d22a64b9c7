/* SPDX-License-Identifier: MIT
 * What verify left in the state directory, as the daemon reads it. Only root and the service may
 * have written it, but a disk may fail.
 */
#include "fuzz.h"

#include "base/bits.h"
#include "expo/verified.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void require(bool ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct host_versions now = { .kernel = "6.1.0" };
	struct verified v;
	struct err err = { "" };
	int r = verified_parse((const char *)data, n, 1795738099, &v, &err);

	require((r == 0) == (err.text[0] == '\0'));
	if (r < 0) {
		require(!v.n && v.stale == BIT(STALE_UNREADABLE));
		return 0;
	}
	require(v.n <= COUNT(v.v) && !v.stale);
	for (unsigned i = 0; i < v.n; i++) {
		unsigned same = 0;

		for (unsigned k = 0; k < v.n; k++) {
			same += v.v[k].socket == v.v[i].socket;
			require(k == i || v.v[k].socket != v.v[i].socket ||
				strcmp(v.v[k].name, v.v[i].name) != 0);
		}
		require(same <= VERIFIED_OF_SOCKET && isfinite(v.v[i].error));
		require(v.v[i].name[0] && memchr(v.v[i].name, '\0', sizeof(v.v[i].name)));
	}
	verified_compare(&v, &now, "made up", false);
	require(!v.simulated || v.stale);
	return 0;
}
