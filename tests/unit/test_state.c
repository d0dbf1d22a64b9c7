/* Lock and state file: whole or refused; and restoring from it by the same rules as the engine. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_regio.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[64];
static struct fake f;

static int set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/uncored-state-XXXXXX");
	fake_init(&f);
	return mkdtemp(dir) ? 0 : -1;
}

static int unlink_one(const char *path, const struct stat *st, int type, struct FTW *w)
{
	(void)st;
	(void)type;
	(void)w;
	return remove(path);
}

static int tear_down(void **state)
{
	(void)state;
	return nftw(dir, unlink_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void path_of(const char *name, char path[128])
{
	snprintf(path, 128, "%s/%s", dir, name);
}

static size_t file_read(const char *name, uint8_t *buf, size_t size)
{
	char path[128];
	ssize_t n;
	int fd;

	path_of(name, path);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	n = read(fd, buf, size);
	close(fd);
	assert_true(n >= 0 && (size_t)n < size);
	return (size_t)n;
}

static void file_write(const char *name, const void *buf, size_t n)
{
	char path[128];
	int fd;

	path_of(name, path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, buf, n), n);
	close(fd);
}

/* ------------------------------------------------------------------ a state */

static unsigned cpus0[] = { 0, 2, 4 }, cpus1[] = { 1 };
static struct saved_reg regs0[] = {
	{ .reg = { SPACE_MSR, 8, 0, 0, 0xc00 }, .found = 0x2000001e, .mask = 0x30000001, .check = 0x10000001,
	  .go = 0x10000000, .kind = SAVED_GLOBAL },
	{ .reg = { SPACE_MSR, 8, 0, 0, 0xd10 }, .found = UINT64_MAX, .mask = UINT64_MAX, .check = UINT64_MAX - 1,
	  .ours = { 0x400f15, 0x400f22 }, .n_ours = 2, .kind = SAVED_CTL },
	{ .reg = { SPACE_MSR, 8, 0, 0, 0xc32 }, .found = 1, .kind = SAVED_SEEN },
};
static struct saved_reg regs1[] = {
	{ .reg = { SPACE_PCI, 4, 19, 5, 0xd8 }, .found = 9, .mask = 0xff, .check = 0xff, .ours = { 7 }, .n_ours = 1 },
};
static struct state_socket sockets[] = {
	{ 0, cpus0, COUNT(cpus0), regs0, COUNT(regs0) }, { 7, cpus1, COUNT(cpus1), regs1, COUNT(regs1) },
};
static struct plan_device devices[] = { { 16, 4, 0x0eb4 }, { 31, 7, 0 }, { 9, 2, 0xffff } };
static struct state whole = {
	.boot_id = "6f1c0ca7-4b7a-4c0e-8d0f-111122223333", .device = (char *)(uintptr_t)"/dev", .global_enable = EN_ALL,
	.anchor = { .vendor = 0x8086, .device = 0x0e1e, .node = 0x40, .map = 0x54 }, .devices = devices, .n_devices = COUNT(devices),
	.counters = prog_counters, .n_counters = COUNT(prog_counters), .sockets = sockets, .n_sockets = COUNT(sockets),
};

static void assert_regs(const struct saved_reg *a, const struct saved_reg *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		assert_true(reg_equal(a[i].reg, b[i].reg));
		assert_int_equal(a[i].reg.bytes, b[i].reg.bytes);
		assert_true(a[i].found == b[i].found && a[i].mask == b[i].mask && a[i].check == b[i].check);
		assert_true(a[i].go == b[i].go);
		assert_int_equal(a[i].kind, b[i].kind);
		assert_int_equal(a[i].n_ours, b[i].n_ours);
		for (unsigned k = 0; k < b[i].n_ours; k++)
			assert_true(a[i].ours[k] == b[i].ours[k]);
	}
}

static void round_trip(void **state)
{
	struct state *s = NULL;
	struct err err;
	struct stat st;
	char path[128];

	(void)state;
	prog_counters[7].box_freeze = BIT(8);
	assert_int_equal(state_write(dir, &whole, &err), 0);
	path_of("uncored.state", path);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(state_read(dir, &s, &err), 0);
	assert_string_equal(s->boot_id, whole.boot_id);
	assert_string_equal(s->device, "/dev");
	assert_true(s->global_enable == EN_ALL);
	assert_int_equal(s->n_counters, COUNT(prog_counters));
	for (unsigned i = 0; i < s->n_counters; i++) {
		assert_string_equal(s->counters[i].name, prog_counters[i].name);
		assert_true(reg_equal(s->counters[i].ctl, prog_counters[i].ctl));
		assert_true(reg_equal(s->counters[i].data, prog_counters[i].data));
		assert_true(reg_equal(s->counters[i].box, prog_counters[i].box));
		assert_true(reg_equal(s->counters[i].global, prog_counters[i].global));
		assert_true(s->counters[i].ctl_enable == prog_counters[i].ctl_enable);
		assert_true(s->counters[i].box_enable == prog_counters[i].box_enable);
		assert_true(s->counters[i].global_enable == prog_counters[i].global_enable);
		assert_true(s->counters[i].box_freeze == prog_counters[i].box_freeze);
	}
	assert_memory_equal(&s->anchor, &whole.anchor, sizeof(s->anchor));
	assert_int_equal(s->n_devices, COUNT(devices));
	for (unsigned i = 0; i < s->n_devices; i++)
		assert_true(s->devices[i].dev == devices[i].dev && s->devices[i].fn == devices[i].fn && s->devices[i].id == devices[i].id);
	assert_int_equal(s->n_sockets, 2);
	assert_int_equal(s->sockets[0].socket, 0);
	assert_int_equal(s->sockets[1].socket, 7);
	assert_int_equal(s->sockets[0].n_cpus, 3);
	assert_int_equal(s->sockets[0].cpus[2], 4);
	assert_int_equal(s->sockets[0].n_regs, 3);
	assert_regs(s->sockets[0].regs, regs0, 3);
	assert_int_equal(s->sockets[1].n_regs, 1);
	assert_regs(s->sockets[1].regs, regs1, 1);
	prog_counters[7].box_freeze = 0;
	state_free(s);
	state_free(NULL);
}

static void empty_state(void **state)
{
	struct state none = { .device = (char *)(uintptr_t)"" }, *s = NULL;

	(void)state;
	assert_int_equal(state_write(dir, &none, NULL), 0);
	assert_int_equal(state_read(dir, &s, NULL), 0);
	assert_string_equal(s->boot_id, "");
	assert_int_equal(s->n_sockets + s->n_counters, 0);
	state_free(s);
}

static void no_file(void **state)
{
	struct state *s = &whole;

	(void)state;
	assert_int_equal(state_remove(dir), 0);
	assert_int_equal(state_read(dir, &s, NULL), 0);
	assert_null(s);
	assert_int_equal(state_write(dir, &whole, NULL), 0);
	assert_int_equal(state_remove(dir), 0);
	assert_int_equal(state_read(dir, &s, NULL), 0);
	assert_null(s);
}

static void any_truncation_is_refused(void **state)
{
	static uint8_t bytes[16384];
	struct state *s = NULL;
	size_t n;

	(void)state;
	assert_int_equal(state_write(dir, &whole, NULL), 0);
	n = file_read("uncored.state", bytes, sizeof(bytes));
	for (size_t i = 0; i < n; i++) {
		uint8_t *exact = malloc(i + 1);         /* so that a read beyond it is seen */

		memcpy(exact, bytes, i);
		if (state_parse(exact, i, &s) != -EBADMSG)
			fail_msg("%zu of %zu bytes were taken", i, n);
		free(exact);
	}
	bytes[n] = 0;
	assert_int_equal(state_parse(bytes, n + 1, &s), -EBADMSG);
	assert_int_equal(state_parse(bytes, n, &s), 0);
	state_free(s);
	s = NULL;
	file_write("uncored.state", bytes, n / 2);
	struct err err;

	assert_int_equal(state_read(dir, &s, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "uncored.state"));
	assert_null(s);
}

static void any_flipped_bit_is_refused(void **state)
{
	static uint8_t bytes[16384];
	struct state *s = NULL;
	size_t n;

	(void)state;
	assert_int_equal(state_write(dir, &whole, NULL), 0);
	n = file_read("uncored.state", bytes, sizeof(bytes));
	for (size_t i = 0; i < n * 8; i++) {
		bytes[i / 8] ^= (uint8_t)(1U << i % 8);
		if (state_parse(bytes, n, &s) != -EBADMSG)
			fail_msg("bit %zu", i);
		bytes[i / 8] ^= (uint8_t)(1U << i % 8);
	}
	assert_int_equal(state_parse(bytes, n, &s), 0);
	state_free(s);
}

/* A file with a right sum and absurd counts: must neither crash nor eat memory. */
static void absurd_counts_are_refused(void **state)
{
	static uint8_t bytes[16384];
	struct state *s = NULL;
	size_t n, head = 32;

	(void)state;
	assert_int_equal(state_write(dir, &whole, NULL), 0);
	n = file_read("uncored.state", bytes, sizeof(bytes));
	for (size_t i = head; i + 8 <= n; i += 8) {
		uint64_t old, sum = UINT64_C(0xcbf29ce484222325), huge = UINT64_MAX / 2;
		int r;

		memcpy(&old, bytes + i, 8);
		memcpy(bytes + i, &huge, 8);
		for (size_t k = head; k < n; k++)
			sum = (sum ^ bytes[k]) * UINT64_C(0x100000001b3);
		memcpy(bytes + 24, &sum, 8);
		r = state_parse(bytes, n, &s);
		assert_true(r == 0 || r == -EBADMSG);
		if (r == 0)
			state_free(s);
		memcpy(bytes + i, &old, 8);
	}
}

static void replaced_as_a_whole(void **state)
{
	char path[128], outside[128];
	struct state *s = NULL;
	struct stat st;

	(void)state;
	path_of("uncored.state.new", path);
	path_of("outside", outside);
	file_write("outside", "precious", 8);
	assert_int_equal(symlink(outside, path), 0);    /* a left-over, or a trap: not followed */
	assert_int_equal(state_write(dir, &whole, NULL), 0);
	assert_int_equal(stat(outside, &st), 0);
	assert_int_equal(st.st_size, 8);
	assert_int_equal(lstat(path, &st), -1);
	path_of("uncored.state", path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(outside, path), 0);
	assert_true(state_read(dir, &s, NULL) < 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);        /* must not block */
	assert_int_equal(state_read(dir, &s, NULL), -EBADMSG);
}

static void unwritable_directory(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(state_write("/nonexistent/run", &whole, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/run/uncored.state"));
}

/* ------------------------------------------------------------------ restoring */

/* What the engine would keep in the state file, as read back from it. */
static struct state *kept(const struct counting *c)
{
	struct state_socket k = { .socket = 1, .cpus = cpus1, .n_cpus = 1 };
	struct state s = whole, *ret = NULL;

	k.regs = (struct saved_reg *)(uintptr_t)counting_regs_saved(c, &k.n_regs);
	s.sockets = &k;
	s.n_sockets = 1;
	assert_int_equal(state_write(dir, &s, NULL), 0);
	assert_int_equal(state_read(dir, &ret, NULL), 0);
	return ret;
}

static struct counting *engine(const struct plan_program *p, struct counting *old)
{
	struct counting *c = NULL;

	assert_int_equal(counting_regs_new(p, &f.base, &(struct counting_regs_options){ .takeover = true }, old, &c, NULL),
			 0);
	return c;
}

/* An engine starts, runs `turns` rounds in turn, and dies without a word; the file must be enough. */
static struct state *crashed(const struct plan_program *p, unsigned turns)
{
	uint64_t base[N_SLOTS];
	uint8_t reason[N_SLOTS];
	struct counting *c = engine(p, NULL);
	struct state *s = kept(c);

	for (unsigned i = 0; i < turns; i++)
		assert_int_equal(c->ops->start(c, i % p->n_rounds, base, reason, NULL), 0);
	c->ops->free(c);
	return s;
}

static void restores_after_a_crash(void **state)
{
	uint64_t before[COUNT(prog_written)];
	struct diags left = { 0 };

	for (unsigned turns = 0; turns < 5; turns++) {
		fake_init(&f);
		for (unsigned i = 0; i < COUNT(prog_written); i++)
			fake_set(&f, prog_written[i], 0x200 + i);
		fake_set(&f, 0xe48, BIT(63));
		fake_set(&f, 0xd12, EN22 | 3);          /* taken over */
		fake_set(&f, 0xd00, 0x22);
		fake_set(&f, 0xc00, EN_ALL | RST_ALL | 0x1e);
		for (unsigned i = 0; i < COUNT(prog_written); i++)
			before[i] = fake_get(&f, prog_written[i]);
		struct state *s = crashed(&prog_both, turns);

		assert_int_equal(state_restore_socket(s, 0, &f.base, &left), 0);
		for (unsigned i = 0; i < COUNT(prog_written); i++)
			if (fake_get(&f, prog_written[i]) != before[i])
				fail_msg("%u turns: 0x%x is 0x%llx", turns, prog_written[i],
					 (unsigned long long)fake_get(&f, prog_written[i]));
		assert_int_equal(left.n, 0);
		/* twice does no harm */
		f.n_log = 0;
		assert_int_equal(state_restore_socket(s, 0, &f.base, &left), 0);
		assert_int_equal(fake_writes(&f), 0);
		state_free(s);
	}
	(void)state;
}

/* The file of a reload is written while the old plan still runs: it serves before, during and after the swap. */
static void restores_after_a_crash_in_a_reload(void **state)
{
	(void)state;
	for (unsigned step = 0; step < 4; step++) {
		uint64_t before[COUNT(prog_written)], base[N_SLOTS];
		uint8_t reason[N_SLOTS];
		struct diags left = { 0 };
		struct counting *old, *new;
		struct state *s;

		fake_init(&f);
		for (unsigned i = 0; i < COUNT(prog_written); i++)
			fake_set(&f, prog_written[i], before[i] = 0x200 + i);
		old = engine(&prog, NULL);
		assert_int_equal(old->ops->start(old, 0, base, reason, NULL), 0);
		new = engine(&prog_second, old);
		s = kept(new);
		if (step >= 1)
			assert_int_equal(old->ops->stop(old), 0);
		if (step >= 2)
			assert_int_equal(new->ops->start(new, 0, base, reason, NULL), 0);
		if (step >= 3)
			assert_int_equal(counting_regs_restore(old, new, NULL), 0);
		old->ops->free(old);
		new->ops->free(new);
		assert_int_equal(state_restore_socket(s, 0, &f.base, &left), 0);
		for (unsigned i = 0; i < COUNT(prog_written); i++)
			if (fake_get(&f, prog_written[i]) != before[i])
				fail_msg("step %u: 0x%x is 0x%llx", step, prog_written[i],
					 (unsigned long long)fake_get(&f, prog_written[i]));
		assert_int_equal(left.n, 0);
		state_free(s);
	}
}

/* Killed after any write of the start: every half-made state is known as ours. */
static void restores_after_any_write(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 17; n++) {
		static struct fake untouched;
		struct diags left = { 0 };
		struct state *s;

		fake_init(&f);
		for (unsigned i = 0; i < COUNT(prog_written); i++)
			fake_set(&f, prog_written[i], 0);
		fake_set(&f, 0xd10, EN22 | 0x77);
		fake_set(&f, 0xe48, 5);
		fake_set(&f, 0xe49, 0x99);
		untouched = f;
		s = crashed(&prog, 1);
		/* replay the first n writes of it only */
		for (unsigned i = 0, w = 0; i < f.n_log && w < n; i++)
			if (f.log[i].op == 'W') {
				fake_set(&untouched, f.log[i].off, f.log[i].value);
				w++;
			}
		assert_int_equal(state_restore_socket(s, 0, &untouched.base, &left), 0);
		for (unsigned i = 0; i < COUNT(prog_written); i++) {
			uint64_t want = prog_written[i] == 0xd10 ? EN22 | 0x77 : prog_written[i] == 0xe48 ? 5 :
					prog_written[i] == 0xe49 ? 0x99 : 0;

			if (fake_get(&untouched, prog_written[i]) != want)
				fail_msg("after %u writes: 0x%x", n, prog_written[i]);
		}
		assert_int_equal(left.n, 0);
		state_free(s);
		diags_done(&left);
	}
}

static void restores_by_the_same_rules(void **state)
{
	struct diags left = { 0 };
	struct state *s;

	(void)state;
	fake_set(&f, 0xd14, EN22 | 1);                  /* woken by us */
	fake_set(&f, 0xd00, 4);
	s = crashed(&prog, 1);
	fake_set(&f, 0xd10, EN22 | 0x99);               /* taken since */
	fake_set(&f, 0xe0c, 0x12345);                   /* not ours any more */
	assert_int_equal(state_restore_socket(s, 0, &f.base, &left), 0);
	assert_int_equal(fake_get(&f, 0xd10), EN22 | 0x99);
	assert_int_equal(fake_get(&f, 0xe0c), 0x12345);
	assert_int_equal(fake_get(&f, 0xd00), 5);
	assert_int_equal(fake_get(&f, 0xc00), EN_ALL);
	assert_int_equal(left.n, 2);
	assert_non_null(strstr(left.v[1], "cbox0 counter 0"));
	state_free(s);
	diags_done(&left);
	/* the woken one alone does not keep the socket enabled */
	fake_init(&f);
	fake_set(&f, 0xd14, EN22 | 1);
	fake_set(&f, 0xd00, 4);
	s = crashed(&prog, 1);
	assert_int_equal(state_restore_socket(s, 0, &f.base, NULL), 0);
	assert_int_equal(fake_get(&f, 0xc00), 0);
	assert_int_equal(fake_get(&f, 0xd00), 4);
	state_free(s);
}

/* ------------------------------------------------------------------ lock */

static void lock_names_the_holder(void **state)
{
	struct err err;
	char want[64];
	int fd, status;
	pid_t pid;

	(void)state;
	fd = lock_take(dir, &err);
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	snprintf(want, sizeof(want), "process %ld ", (long)getpid());
	pid = fork();
	if (pid == 0) {
		int r = lock_take(dir, &err);

		_exit(r == -EWOULDBLOCK && strstr(err.text, want) && strstr(err.text, "uncored.lock") ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	/* the first is undisturbed: its pid still stands there */
	uint8_t text[64] = { 0 };

	file_read("uncored.lock", text, sizeof(text));
	snprintf(want, sizeof(want), "%ld\n", (long)getpid());
	assert_string_equal((char *)text, want);
	close(fd);
	/* a file that was left is no lock; the longer pid in it goes */
	file_write("uncored.lock", "99999999999999\n", 15);
	fd = lock_take(dir, &err);
	assert_true(fd >= 0);
	memset(text, 0, sizeof(text));
	file_read("uncored.lock", text, sizeof(text));
	assert_string_equal((char *)text, want);
	close(fd);
}

static void lock_makes_the_directory(void **state)
{
	char run[128], path[160];
	struct err err;
	struct stat st;
	int fd;

	(void)state;
	path_of("run", run);
	mode_t old = umask(022);

	fd = lock_take(run, &err);
	umask(old);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(stat(run, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	snprintf(path, sizeof(path), "%s/uncored.lock", run);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(lock_take(run, &err), -ELOOP);
	assert_int_equal(lock_take("/nonexistent/run", &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/run"));
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(round_trip), T(empty_state), T(no_file), T(any_truncation_is_refused), T(any_flipped_bit_is_refused),
		T(absurd_counts_are_refused), T(replaced_as_a_whole), T(unwritable_directory),
		T(restores_after_a_crash), T(restores_after_a_crash_in_a_reload), T(restores_after_any_write), T(restores_by_the_same_rules),
		T(lock_names_the_holder), T(lock_makes_the_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
