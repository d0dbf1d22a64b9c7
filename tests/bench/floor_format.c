/* SPDX-License-Identifier: MIT
 * The least that rendering can cost, prefix and digits, beside what uncored
 * renders: the same lines.
 * floor_format SOCKETS GENERATIONS: every counter of a Xeon 7500 of so many sockets on the register
 * model. Each generation is sampled, then rendered by expo_render(), then its lines are put
 * together again from finished prefixes (everything between two values) and numbers (a fraction is
 * a second one, and so is what exceeds 18 digits). Prints "LINES RENDER_NS FLOOR_NS", means over
 * the generations, of time on a CPU. Each generation is rendered as a message of the stream, too,
 * for whoever counts the instructions of both (rows_format.py).
 */
#include "../model/rig.h"
#include "bench.h"

#include "daemon/generation.h"

#include <ctype.h>

#define VALUES_MAX         65536
#define DIGITS_MAX_AT_ONCE 18

struct piece {                      /* what stands before a number, then the number */
	const char *prefix;
	size_t prefix_n;
	uint64_t number;
	unsigned width;             /* digits: of a fraction leading zeros count */
};

static struct piece pieces[VALUES_MAX];
static char *copy, *out;            /* the body that pieces point into; where it is put together */

static char *put_digits(char *p, uint64_t v, unsigned width)
{
	char d[20];
	unsigned i = sizeof(d);

	do {
		d[--i] = (char)('0' + v % 10);
		v /= 10;
	} while (v || sizeof(d) - i < width);
	memcpy(p, d + i, sizeof(d) - i);
	return p + sizeof(d) - i;
}

/* Cuts a body into pieces: numbers are the digits of each value, everything else is a prefix.
 * Returns how many. */
static size_t cut(const char *body, size_t n)
{
	const char *from = copy, *end = copy + n;
	size_t k = 0;

	memcpy(copy, body, n);
	for (const char *line = copy; line < end; line = strchr(line, '\n') + 1) {
		const char *p = strchr(line, '\n');

		if (*line == '#')
			continue;
		while (p[-1] != ' ')
			p--;
		while (*p != '\n') {
			const char *digits = p;
			uint64_t number = 0;

			while (isdigit((unsigned char)*p) && p - digits < DIGITS_MAX_AT_ONCE)
				number = 10 * number + (uint64_t)(*p++ - '0');
			if (p == digits) {
				p++;
				continue;
			}
			if (k + 1 == VALUES_MAX)
				exit(bench_fail("too many values"));
			pieces[k++] = (struct piece){ from, (size_t)(digits - from), number,
						      (unsigned)(p - digits) };
			from = p;
		}
	}
	pieces[k++] = (struct piece){ from, (size_t)(end - from), 0, 0 };
	return k;
}

static size_t put_together(size_t n)
{
	char *p = out;

	for (size_t i = 0; i < n; i++) {
		memcpy(p, pieces[i].prefix, pieces[i].prefix_n);
		p += pieces[i].prefix_n;
		if (i + 1 < n)
			p = put_digits(p, pieces[i].number, pieces[i].width);
	}
	return (size_t)(p - out);
}

static size_t lines(const char *body, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += body[i] != '#' && (i == 0 || body[i - 1] == '\n');
	return count;
}

int main(int argc, char **argv)
{
	static const struct expo_identity id = { .version = "0", .revision = "",
						 .engine = "registers", .engine_note = "",
						 .processor = "nehalem-ex", .workload = "" };
	int sockets = argc == 3 ? atoi(argv[1]) : 0, generations = argc == 3 ? atoi(argv[2]) : 0;
	struct ring rings[RIG_SOCKETS];
	struct expo_renderer *renderer;
	struct expo_body *body = NULL;
	int64_t render = 0, floor = 0;
	size_t len, count = 0;
	struct rig r;
	struct run u;
	void *desc;

	if (sockets < 1 || sockets > RIG_SOCKETS || generations < 1) {
		fprintf(stderr, "usage: floor_format SOCKETS GENERATIONS\n");
		return 64;
	}
	rig_open(&r, (unsigned)sockets, "stream", 1);
	run_open(&u, &r, RIG_ALL("interval = \"1s\"; "), NULL);
	run_start(&u);
	for (int i = 0; i < sockets; i++)
		rings[i] = u.s[i].ring;
	if (expo_describe(u.plan, &id, NULL, &desc, &len, NULL) < 0 ||
	    expo_renderer_new(desc, len, rings, NULL, &expo_protobuf, &renderer, NULL) < 0)
		return bench_fail("expo");
	for (int g = 0; g < generations + 1; g++) {
		int64_t t0, t1, t2, t3;
		size_t n;

		run_ticks(&u, 1, 0);
		expo_body_unref(body);
		t0 = bench_clock(CLOCK_THREAD_CPUTIME_ID);
		body = expo_render(renderer, EXPO_TEXT, 0);
		t1 = bench_clock(CLOCK_THREAD_CPUTIME_ID);
		if (g == 0) {           /* neither is warm yet, and the floor needs its memory */
			copy = malloc(2 * body->n);
			out = malloc(2 * body->n);
			memset(out, 0, 2 * body->n);
			count = lines(body->bytes, body->n);
		}
		n = cut(body->bytes, body->n);
		t2 = bench_clock(CLOCK_THREAD_CPUTIME_ID);
		len = put_together(n);
		t3 = bench_clock(CLOCK_THREAD_CPUTIME_ID);
		expo_body_unref(expo_render(renderer, EXPO_EVENT, 0));
		if (g > 0) {
			floor += t3 - t2;
			render += t1 - t0;
		}
		if (len != body->n || memcmp(out, body->bytes, len) != 0)
			return bench_fail("the lines put together are not "
					  "those that were rendered");
	}
	printf("%zu %lld %lld\n", count, (long long)(render / generations),
	       (long long)(floor / generations));
	expo_body_unref(body);
	expo_renderer_free(renderer);
	free(desc);
	free(copy);
	free(out);
	run_stop(&u);
	run_close(&u);
	rig_close(&r);
	return 0;
}
