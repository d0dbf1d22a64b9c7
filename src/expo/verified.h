/* SPDX-License-Identifier: MIT
 * What `uncorectl verify` left of this machine: which metrics were compared with traffic whose
 * bytes are known, when, and how wrong they were.
 *
 * Owns:  which members of verify's JSON (contrib/schema/verify.schema.json) say it; whether it
 *        holds of the machine as it is now.
 * Never: files; how it was measured (verify/).
 * Any thread.
 */
#ifndef EXPO_VERIFIED_H
#define EXPO_VERIFIED_H

#include "topo/stale.h"

#include <time.h>

#define VERIFIED_FILE "verified.json"       /* in the state directory */
#define VERIFIED_FORMAT "uncored-verify-1"
enum { VERIFIED_SOCKETS = 16, VERIFIED_OF_SOCKET = 4 };     /* more metrics of one are left out */

struct verified_metric {
	char name[64];              /* without uncore_ */
	unsigned socket;
	double error;               /* counted for each byte moved, less 1; finite */
};

struct verified {
	uint64_t timestamp;         /* seconds since 1970 */
	bool simulated;             /* counted on a model */
	char processor[TOPO_MODEL_NAME + 64];   /* as verify calls it; "": not known */
	struct host_versions versions;
	struct verified_metric v[VERIFIED_SOCKETS * VERIFIED_OF_SOCKET];
	unsigned n;
	unsigned stale;             /* a bit for each enum stale; 0: it holds */
};

/* "measured on this machine on 2026-11-26, socket 0: error 0.0010 of what was moved". Returns
 * ret. */
#define VERIFIED_TEXT 128
const char *verified_text(const struct verified *v, const struct verified_metric *m,
			  char ret[VERIFIED_TEXT]);

/* verified_parse - the n bytes of the file. What others disturbed is left out. now: seconds since
 * 1970. Returns 0, or -EBADMSG with a sentence, also of what is more than a day in the future; then
 * *ret holds nothing and is stale. */
int verified_parse(const char *text, size_t n, time_t now, struct verified *ret, struct err *err);

/*
 * verified_compare - does it hold of this machine? The answer is v->stale.
 *
 * now        versions as they are
 * processor  of a real machine, as verify calls it
 * simulated  what counts now is a model: then it has to be one, too, and has no versions
 */
void verified_compare(struct verified *v, const struct host_versions *now, const char *processor,
		      bool simulated);

#endif
