/* SPDX-License-Identifier: MIT
 * The state file: what was found in the registers, for the uncored that restores them after us.
 * Owns:  RUN/uncored.state: its form, its wholeness, its atomic replacement.
 * Never: whether it belongs to this boot and device, and which registers it may name (daemon asks);
 * what the catalog
 *        knows: a file that was tampered with must not say where a register is, or what enables a
 *        counter.
 * Main thread.
 *
 * Form: magic with version, length of the rest, FNV-1a of the rest, the rest: 64-bit words and
 * strings (length, bytes) in the machine's byte order: the file never leaves the machine, nor this
 * boot.
 * Each step of FNV-1a is a bijection of the sum so far, so that no changed byte goes unnoticed.
 */
#include "access/regs.h"

#include "base/arena.h"
#include "base/strb.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "uncored state 4\n"
#define MAGIC_LENGTH (sizeof(MAGIC) - 1)
#define HEAD (MAGIC_LENGTH + 2 * sizeof(uint64_t))
#define STATE_MAX (64U << 20)
#define PARSED_MAX ((size_t)512 << 20)          /* a register takes more room than in the file */
#define FILE_NAME "uncored.state"

static uint64_t fnv1a(const uint8_t *p, size_t n)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	return h;
}

static void put(struct strb *b, uint64_t v)
{
	strb_add_mem(b, &v, sizeof(v));
}

static void put_text(struct strb *b, const char *s)
{
	size_t n = s ? strlen(s) : 0;

	put(b, n);
	strb_add_mem(b, s ? s : "", n);
}

static uint64_t reg_word(struct reg r)
{
	return (uint64_t)r.off << 32 | (uint64_t)r.fn << 24 | (uint64_t)r.dev << 16 |
	       (uint64_t)r.bytes << 8 | r.space;
}

static void put_saved(struct strb *b, const struct saved_reg *s)
{
	const uint64_t words[] = { reg_word(s->r.reg), s->r.kind, s->found, s->r.mask, s->r.check,
				   s->r.resume, s->n_ours };

	strb_add_mem(b, words, sizeof(words));
	strb_add_mem(b, s->ours, s->n_ours * sizeof(s->ours[0]));
}

static void put_state(struct strb *b, const struct state *s)
{
	put_text(b, s->boot_id);
	put_text(b, s->device);
	put(b, s->driver);
	put(b, s->n_sockets);
	for (unsigned i = 0; i < s->n_sockets; i++) {
		const struct state_socket *k = &s->sockets[i];
		unsigned n = 0;

		put(b, k->socket);
		put(b, k->n_cpus);
		for (unsigned c = 0; c < k->n_cpus; c++)
			put(b, k->cpus[c]);
		for (unsigned c = 0; c < k->n_regs; c++)
			n += k->regs[c].r.kind != REG_HIDDEN;
		put(b, n);
		for (unsigned c = 0; c < k->n_regs; c++)
			if (k->regs[c].r.kind != REG_HIDDEN)
				put_saved(b, &k->regs[c]);
	}
}

int state_write(const char *run, const struct state *s, struct err *err)
{
	AUTO_DONE(strb_done) struct strb file;
	uint64_t head[2] = { 0 };               /* length and sum of what follows */
	int r;

	strb_init(&file, STATE_MAX);
	strb_add_mem(&file, MAGIC, MAGIC_LENGTH);
	strb_add_mem(&file, head, sizeof(head));
	put_state(&file, s);
	if (file.failed)
		return err_set(err, -ENOMEM, "%s/" FILE_NAME ": out of memory", run);
	head[0] = file.n - HEAD;
	head[1] = fnv1a((const uint8_t *)file.s + HEAD, head[0]);
	memcpy(file.s + MAGIC_LENGTH, head, sizeof(head));
	r = rundir_write(run, FILE_NAME, file.s, file.n, err);
	return r < 0 ? err_prefix(err, r, "cannot save the registers' original values: ") : 0;
}

int state_remove(const char *run)
{
	AUTO_FD int dir = rundir_open(run, NULL);

	if (dir < 0)
		return dir == -ENOENT ? 0 : dir;
	return unlinkat(dir, FILE_NAME, 0) < 0 && errno != ENOENT ? -errno : 0;
}

struct input {
	const uint8_t *p;
	size_t n;
	bool bad;
	struct arena *arena;
	struct state *s;            /* what is made of it */
};

static uint64_t get(struct input *in)
{
	uint64_t v;

	if (in->bad || in->n < sizeof(v)) {
		in->bad = true;
		return 0;
	}
	memcpy(&v, in->p, sizeof(v));
	in->p += sizeof(v);
	in->n -= sizeof(v);
	return v;
}

static uint64_t get_most(struct input *in, uint64_t most)
{
	uint64_t v = get(in);

	if (v > most)
		in->bad = true;
	return in->bad ? 0 : v;
}

/* A count of things of at least `words` words each: never more than the bytes that are left can
 * hold. */
static unsigned get_count(struct input *in, unsigned words)
{
	return (unsigned)get_most(in, in->n / (words * sizeof(uint64_t)));
}

static void get_text(struct input *in, char *buf, size_t size)
{
	size_t n = (size_t)get_most(in, size - 1);

	if (in->n < n || (n && memchr(in->p, '\0', n)))
		in->bad = true;
	if (in->bad)
		n = 0;
	memcpy(buf, in->p, n);
	buf[n] = '\0';
	in->p += n;
	in->n -= n;
}

static struct reg get_reg(struct input *in)
{
	uint64_t v = get(in);

	if ((v & 0xff) > SPACE_PCI)
		in->bad = true;
	return (struct reg){ .space = v & 0xff, .bytes = v >> 8 & 0xff, .dev = v >> 16 & 0xff,
			     .fn = v >> 24 & 0xff, .off = (uint32_t)(v >> 32) };
}

static void get_saved(struct input *in, struct saved_reg *s)
{
	s->r.reg = get_reg(in);
	s->r.kind = (uint8_t)get_most(in, REG_OTHERS);
	s->r.counter = s->r.write_enable = PLAN_NONE;
	s->found = get(in);
	s->r.mask = get(in);
	s->r.check = get(in);
	s->r.resume = get(in);
	s->n_ours = (uint8_t)get_most(in, SAVED_VALUES);
	for (unsigned i = 0; i < s->n_ours; i++)
		s->ours[i] = get(in);
}

static void get_socket(struct input *in, struct state_socket *k)
{
	k->socket = (unsigned)get_most(in, UINT_MAX);
	k->n_cpus = get_count(in, 1);
	k->cpus = arena_alloc(in->arena, k->n_cpus, sizeof(*k->cpus));
	for (unsigned i = 0; i < k->n_cpus; i++)
		k->cpus[i] = (unsigned)get_most(in, UINT_MAX);
	k->n_regs = get_count(in, 7);
	k->regs = arena_alloc(in->arena, k->n_regs, sizeof(*k->regs));
	for (unsigned i = 0; i < k->n_regs; i++)
		get_saved(in, &k->regs[i]);
}

/* Inside arena_try(): no allocation fails here. */
static void get_state(void *p)
{
	struct input *in = p;
	struct state *s = in->s = arena_alloc(in->arena, 1, sizeof(*s));
	char device[PATH_MAX];

	s->arena = in->arena;
	get_text(in, s->boot_id, sizeof(s->boot_id));
	get_text(in, device, sizeof(device));
	s->device = arena_text(in->arena, device);
	s->driver = get_most(in, 1);
	s->n_sockets = get_count(in, 3);
	s->sockets = arena_alloc(in->arena, s->n_sockets, sizeof(*s->sockets));
	for (unsigned i = 0; i < s->n_sockets; i++)
		get_socket(in, &s->sockets[i]);
	in->bad |= in->n > 0;
}

int state_parse(const void *bytes, size_t n, struct state **ret)
{
	struct input in = { .p = bytes, .n = n };
	uint64_t length, wanted;
	bool whole;

	if (n < HEAD || memcmp(bytes, MAGIC, MAGIC_LENGTH) != 0)
		return -EBADMSG;
	in.p += MAGIC_LENGTH;
	in.n -= MAGIC_LENGTH;
	length = get(&in);
	wanted = get(&in);
	if (length != in.n || wanted != fnv1a(in.p, in.n))
		return -EBADMSG;
	in.arena = arena_new(PARSED_MAX, NULL);
	whole = in.arena && arena_try(in.arena, get_state, &in);
	if (in.bad || !whole) {
		arena_free(in.arena);
		return in.bad ? -EBADMSG : -ENOMEM;
	}
	*ret = in.s;
	return 0;
}

/* The whole file, parsed. */
static int read_file(int fd, struct state **ret)
{
	AUTO_FREE(free) uint8_t *bytes = NULL;
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_size > (off_t)STATE_MAX)
		return -EBADMSG;
	bytes = malloc((size_t)st.st_size + 1);
	if (!bytes)
		return -ENOMEM;
	n = TEMP_FAILURE_RETRY(read(fd, bytes, (size_t)st.st_size));
	return n < 0 ? -errno : state_parse(bytes, (size_t)n, ret);
}

int state_read(const char *run, struct state **ret, struct err *err)
{
	AUTO_FD int fd = rundir_file(run, FILE_NAME, O_RDONLY, err);
	int r;

	if (fd == -ENOENT)
		*ret = NULL;
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	r = read_file(fd, ret);
	if (r == -EBADMSG)
		return err_set(err, r, "%s/" FILE_NAME ": incomplete, or written by another "
			       "version of uncored", run);
	if (r < 0)
		return err_set(err, r, "%s/" FILE_NAME ": cannot be read: %s", run, strerror(-r));
	return 0;
}

void state_free(struct state *s)
{
	if (s)
		arena_free(s->arena);
}

static uint16_t row_in_file(const struct state_socket *k, const struct plan_program *of,
			    uint16_t row)
{
	const struct saved_reg *s = row == PLAN_NONE ? NULL :
				    saved_find(k->regs, k->n_regs, of->regs[row].reg);

	return s ? (uint16_t)(s - k->regs) : PLAN_NONE;
}

/* The processor's counters by the rows of the file, in which these find their counters. */
static void bind_counters(const struct state_socket *k, const struct plan_program *of,
		 struct plan_counter *counters)
{
	for (unsigned i = 0; i < of->n_counters; i++) {
		struct plan_counter *c = &counters[i];
		struct saved_reg *count = saved_find(k->regs, k->n_regs, of->counters[i].data);

		*c = of->counters[i];
		c->ctl = row_in_file(k, of, c->ctl);
		c->box = row_in_file(k, of, c->box);
		c->global = row_in_file(k, of, c->global);
		if (c->ctl != PLAN_NONE)
			k->regs[c->ctl].r.counter = (uint16_t)i;
		if (count)
			count->r.counter = (uint16_t)i;
	}
}

int state_restore_socket(const struct state *s, unsigned i, const struct plan_program *of,
			 struct regio *io, struct diags *left)
{
	const struct state_socket *k = &s->sockets[i];
	AUTO_FREE(free) struct plan_counter *counters = calloc(of->n_counters + 1UL,
							       sizeof(*counters));

	if (!counters)
		return -ENOMEM;
	bind_counters(k, of, counters);
	return restore_socket(&(struct restore){
		.io = io, .socket = k->socket, .saved = k->regs, .n_saved = k->n_regs,
		.counters = counters, .n_counters = of->n_counters, .late_driver = s->late_driver,
		.left = left,
	});
}
