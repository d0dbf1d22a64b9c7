/* SPDX-License-Identifier: MIT
 * A body, compressed; see expo.h.
 * Owns:  how strongly.
 * Never: what a body says. uncored compresses nothing, and so holds no code of zlib.
 * http child.
 */
#include "expo/expo.h"

#include <stdlib.h>
#include <zlib.h>

enum { WINDOW_GZIP = 15 + 16 };         /* the largest window, gzip's head and checksum */

/* Level 1 makes a quarter of 400 kB in 3 ms; level 6 takes four times as long for a tenth less.
 * NULL: out of memory, or too long. */
static struct expo_body *body_deflate(const struct expo_body *from)
{
	struct expo_body made = { .refs = 1 }, *to = malloc(sizeof(*to));
	z_stream z = { 0 };
	uLong bound;
	char *less;
	int r = Z_MEM_ERROR;

	if (to && from->n <= UINT32_MAX / 2 &&
	    deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, WINDOW_GZIP, MAX_MEM_LEVEL - 1,
			 Z_DEFAULT_STRATEGY) == Z_OK) {
		bound = deflateBound(&z, from->n);
		made.bytes = malloc(bound);
		z.next_in = (Bytef *)from->bytes;
		z.avail_in = (uInt)from->n;
		z.next_out = (Bytef *)made.bytes;
		z.avail_out = (uInt)bound;
		r = made.bytes ? deflate(&z, Z_FINISH) : Z_MEM_ERROR;
		deflateEnd(&z);
	}
	if (r != Z_STREAM_END) {
		free(made.bytes);
		free(to);
		return NULL;
	}
	less = realloc(made.bytes, z.total_out);
	made.bytes = less ? less : made.bytes;
	made.n = z.total_out;
	*to = made;
	return to;
}

struct expo_body *expo_body_gzip(struct expo_body *b)
{
	if (!b->gzip)
		b->gzip = body_deflate(b);
	if (b->gzip)
		b->gzip->refs++;
	return b->gzip;
}
