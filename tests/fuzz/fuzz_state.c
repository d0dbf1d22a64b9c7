/* SPDX-License-Identifier: MIT
 * The state file.
 * The first byte of the input chooses: 0, the rest is the file as it is; else it stands behind a
 * right head, so that what is behind length and checksum is reached.
 */
#include "fuzz.h"

#include "access/counting.h"
#include "access/regs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "uncored state 4\n"
enum { MAGIC_LENGTH = sizeof(MAGIC) - 1, HEAD = MAGIC_LENGTH + 16 };

static void require(bool ok)
{
	if (!ok)
		abort();
}

/* FNV-1a, 64 bits: draft-eastlake-fnv, 2. */
static uint64_t sum_of(const uint8_t *p, size_t n)
{
	uint64_t h = UINT64_C(14695981039346656037);

	while (n--)
		h = (h ^ *p++) * UINT64_C(1099511628211);
	return h;
}

/* All of it can be read: what is read ends in `all`. */
static void look(const struct state *s)
{
	static volatile uint64_t all;

	require(memchr(s->boot_id, '\0', sizeof(s->boot_id)) && s->device);
	for (unsigned i = 0; i < s->n_sockets; i++) {
		const struct state_socket *k = &s->sockets[i];

		for (unsigned c = 0; c < k->n_cpus; c++)
			all += k->cpus[c];
		for (unsigned c = 0; c < k->n_regs; c++) {
			const struct saved_reg *r = &k->regs[c];

			require(r->r.kind <= REG_OTHERS && r->n_ours <= SAVED_VALUES);
			require(r->r.reg.space <= SPACE_PCI && r->r.counter == PLAN_NONE &&
				r->r.write_enable == PLAN_NONE && !r->owned);
			for (unsigned v = 0; v < r->n_ours; v++)
				all += r->ours[v];
		}
	}
	(void)all;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	bool plain = n && !data[0];
	size_t rest = n ? n - 1 : 0, length = plain ? rest : HEAD + rest;
	uint8_t *file = malloc(length + 1);
	uint64_t head[2] = { rest, sum_of(data + (n > 0), rest) };
	struct state *s = NULL;
	int r;

	require(file);
	memcpy(file + (plain ? 0 : HEAD), data + (n > 0), rest);
	if (!plain) {
		memcpy(file, MAGIC, MAGIC_LENGTH);
		memcpy(file + MAGIC_LENGTH, head, sizeof(head));
	}
	r = state_parse(file, length, &s);
	require(r == 0 || r == -EBADMSG || r == -ENOMEM);
	if (r == 0) {
		look(s);
		state_free(s);
		file[length - 1] ^= 1;          /* no changed byte goes unnoticed */
		require(state_parse(file, length, &s) == -EBADMSG);
		require(state_parse(file, length - 1, &s) == -EBADMSG);
	}
	free(file);
	return 0;
}
