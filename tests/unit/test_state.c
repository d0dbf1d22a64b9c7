/* SPDX-License-Identifier: MIT
 * The state file: whole or refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/user.h"
#include "fake_regio.h"
#include "temp_dir.h"

enum { SERVICE = 65533 };

/* Stands in for base/user.c: this machine may have no user uncored. */
bool user_find(uid_t *uid, gid_t *gid)
{
	*uid = *gid = SERVICE;
	return true;
}

static int set_up(void **state)
{
	(void)state;
	return temp_make("state");
}

static int tear_down(void **state)
{
	(void)state;
	return drop("");
}

static unsigned cpus0[] = { 0, 2, 4 }, cpus1[] = { 1 };
static struct saved_reg regs0[] = {
	{ .r = { { SPACE_MSR, 8, 0, 0, 0xc00 }, .mask = 0x30000001, .check = 0x10000001,
		 .resume = 0x10000000,
		 .kind = REG_GLOBAL }, .found = 0x2000001e },
	{ .r = { { SPACE_MSR, 8, 0, 0, 0xd10 }, .mask = UINT64_MAX, .check = UINT64_MAX - 1,
		 .kind = REG_CONTROL },
	  .found = UINT64_MAX, .ours = { 0x400f15, 0x400f22 }, .n_ours = 2 },
	{ .r = { { SPACE_MSR, 8, 0, 0, 0xc32 }, .kind = REG_OTHERS }, .found = 1 },
};
static struct saved_reg regs1[] = {
	{ .r = { { SPACE_PCI, 4, 19, 5, 0xd8 }, .mask = 0xff, .check = 0xff }, .found = 9, .ours = { 7 }, .n_ours = 1 },
};
static struct state_socket sockets[] = {
	{ 0, cpus0, COUNT(cpus0), regs0, COUNT(regs0) },
	{ 7, cpus1, COUNT(cpus1), regs1, COUNT(regs1) },
};
static struct state whole = {
	.boot_id = "6f1c0ca7-4b7a-4c0e-8d0f-111122223333", .device = (char *)(uintptr_t)"/dev",
	.driver = true,
	.sockets = sockets, .n_sockets = COUNT(sockets),
};

static void assert_regs(const struct saved_reg *a, const struct saved_reg *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		assert_true(reg_equal(a[i].r.reg, b[i].r.reg));
		assert_int_equal(a[i].r.reg.bytes, b[i].r.reg.bytes);
		assert_true(a[i].found == b[i].found && a[i].r.mask == b[i].r.mask &&
			    a[i].r.check == b[i].r.check);
		assert_true(a[i].r.resume == b[i].r.resume);
		assert_int_equal(a[i].r.kind, b[i].r.kind);
		assert_int_equal(a[i].n_ours, b[i].n_ours);
		for (unsigned k = 0; k < b[i].n_ours; k++)
			assert_true(a[i].ours[k] == b[i].ours[k]);
	}
}

static void round_trip(void **state)
{
	struct state *s = NULL;
	mode_t old;
	struct err err;
	struct stat st;

	(void)state;
	old = umask(0777);
	assert_int_equal(state_write(root, &whole, &err), 0);
	umask(old);
	assert_int_equal(stat(temp_path("uncored.state"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(state_read(root, &s, &err), 0);
	assert_string_equal(s->boot_id, whole.boot_id);
	assert_string_equal(s->device, "/dev");
	assert_true(s->driver);
	assert_int_equal(s->n_sockets, 2);
	assert_int_equal(s->sockets[0].socket, 0);
	assert_int_equal(s->sockets[1].socket, 7);
	assert_int_equal(s->sockets[0].n_cpus, 3);
	assert_int_equal(s->sockets[0].cpus[2], 4);
	assert_int_equal(s->sockets[0].n_regs, 3);
	assert_regs(s->sockets[0].regs, regs0, 3);
	assert_int_equal(s->sockets[1].n_regs, 1);
	assert_regs(s->sockets[1].regs, regs1, 1);
	state_free(s);
	state_free(NULL);
}

/* What cannot be read here has no value to put back, and a file that named it would be none of
 * ours: after a crash nothing at all would be restored. */
static void hidden_registers_are_left_out(void **state)
{
	struct saved_reg some[] = { regs0[0], regs0[1], regs0[2] }, all[] = { regs1[0] };
	struct state_socket two[] = { { 0, cpus0, COUNT(cpus0), some, COUNT(some) },
				      { 7, cpus1, COUNT(cpus1), all, COUNT(all) } };
	struct state with = whole, *s = NULL;
	struct err err = { "" };

	(void)state;
	some[1].r.kind = all[0].r.kind = REG_HIDDEN;
	with.sockets = two;
	assert_int_equal(state_write(root, &with, NULL), 0);
	if (state_read(root, &s, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(s->n_sockets, 2);
	assert_int_equal(s->sockets[0].n_regs, 2);
	assert_regs(&s->sockets[0].regs[0], &regs0[0], 1);
	assert_regs(&s->sockets[0].regs[1], &regs0[2], 1);
	assert_int_equal(s->sockets[1].socket, 7);
	assert_int_equal(s->sockets[1].n_cpus, 1);
	assert_int_equal(s->sockets[1].n_regs, 0);
	state_free(s);
}

static void empty_state(void **state)
{
	struct state none = { .device = (char *)(uintptr_t)"" }, *s = NULL;

	(void)state;
	assert_int_equal(state_write(root, &none, NULL), 0);
	assert_int_equal(state_read(root, &s, NULL), 0);
	assert_string_equal(s->boot_id, "");
	assert_int_equal(s->n_sockets, 0);
	assert_false(s->driver);
	state_free(s);
}

static void no_file(void **state)
{
	struct state *s = &whole;

	(void)state;
	assert_int_equal(state_remove(root), 0);
	assert_int_equal(state_read(root, &s, NULL), 0);
	assert_null(s);
	assert_int_equal(state_write(root, &whole, NULL), 0);
	assert_int_equal(state_remove(root), 0);
	assert_int_equal(state_read(root, &s, NULL), 0);
	assert_null(s);
}

static void any_truncation_is_refused(void **state)
{
	static uint8_t bytes[16384];
	struct state *s = NULL;
	size_t n;

	(void)state;
	assert_int_equal(state_write(root, &whole, NULL), 0);
	n = get_bytes("uncored.state", bytes, sizeof(bytes));
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
	put_bytes("uncored.state", bytes, n / 2);
	struct err err;

	assert_int_equal(state_read(root, &s, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "uncored.state"));
	assert_null(s);
}

static void any_flipped_bit_is_refused(void **state)
{
	static uint8_t bytes[16384];
	struct state *s = NULL;
	size_t n;

	(void)state;
	assert_int_equal(state_write(root, &whole, NULL), 0);
	n = get_bytes("uncored.state", bytes, sizeof(bytes));
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
	assert_int_equal(state_write(root, &whole, NULL), 0);
	n = get_bytes("uncored.state", bytes, sizeof(bytes));
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
	const char *path = temp_path("uncored.state.new"), *outside = temp_path("outside");
	struct state *s = NULL;
	struct stat st;

	(void)state;
	put_bytes("outside", "precious", 8);
	assert_int_equal(symlink(outside, path), 0);    /* a left-over, or a trap: not followed */
	assert_int_equal(state_write(root, &whole, NULL), 0);
	assert_int_equal(stat(outside, &st), 0);
	assert_int_equal(st.st_size, 8);
	assert_int_equal(lstat(path, &st), -1);
	path = temp_path("uncored.state");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(outside, path), 0);
	assert_true(state_read(root, &s, NULL) < 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);        /* must not block */
	assert_int_equal(state_read(root, &s, NULL), -EBUSY);
}

/* What root leaves in the service's directory is for the service to put back, which is not root. */
static void root_writes_for_the_service(void **state)
{
	struct stat st;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(chown(root, SERVICE, 0), 0);
	assert_int_equal(state_write(root, &whole, NULL), 0);
	assert_int_equal(stat(temp_path("uncored.state"), &st), 0);
	assert_int_equal(st.st_uid, SERVICE);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(chown(root, 0, 0), 0);         /* and root's own is root's */
	assert_int_equal(state_write(root, &whole, NULL), 0);
	assert_int_equal(stat(temp_path("uncored.state"), &st), 0);
	assert_int_equal(st.st_uid, 0);
}

static void unwritable_directory(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(state_write("/nonexistent/run", &whole, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/run"));
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(round_trip), T(hidden_registers_are_left_out), T(empty_state), T(no_file),
		T(any_truncation_is_refused),
		T(any_flipped_bit_is_refused),
		T(absurd_counts_are_refused), T(replaced_as_a_whole),
		T(root_writes_for_the_service), T(unwritable_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
