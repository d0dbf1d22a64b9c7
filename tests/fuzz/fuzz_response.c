/* SPDX-License-Identifier: MIT
 * What a server answers, as `uncorectl top`, `stat` and `verify` take it: anybody can be that
 * server. The input is what it sends before it closes the connection; however it comes apart on its
 * way, it says the same.
 */
#include "fuzz.h"

#include "http/response.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BODY_MAX = 4096 };

static void require(bool ok)
{
	if (!ok)
		abort();
}

static int take_in_parts(struct response *r, const char *bytes, size_t n, size_t part)
{
	int said = 0;

	response_init(r, BODY_MAX);
	while (n && !said) {
		size_t k = n < part ? n : part;
		char *copy = malloc(k);         /* a read behind its end is seen */

		require(copy);
		memcpy(copy, bytes, k);
		said = response_take(r, copy, k);
		free(copy);
		bytes += k;
		n -= k;
	}
	if (!said)
		said = response_end(r);
	require(said == 1 || said < 0);
	require(r->body.n <= BODY_MAX && r->head <= RESPONSE_HEAD_MAX + 1);
	if (said == 1)
		require(r->status >= 200 && r->status <= 599 && (r->status == 200 || !r->body.n));
	return said;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const size_t parts[] = { 1, 2, 7, 1000 };
	static struct response whole, r;
	int said = take_in_parts(&whole, (const char *)data, n, n ? n : 1);

	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		require(take_in_parts(&r, (const char *)data, n, parts[i]) == said);
		require(said < 0 || (r.status == whole.status && r.body.n == whole.body.n));
		require(said < 0 || !r.body.n || !memcmp(r.body.s, whole.body.s, r.body.n));
		response_done(&r);
	}
	response_done(&whole);
	return 0;
}
