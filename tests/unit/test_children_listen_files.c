/* SPDX-License-Identifier: MIT
 * Socket files: whose they are from the first moment on, and what happens to one that is there.
 */
#include "listen_test.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

static char socket_path[100];

static const char *socket_text(void)
{
	static char text[120];

	snprintf(text, sizeof(text), "unix:%s", socket_path);
	return text;
}

/* "srw-r-----" as a number, 0: there is none. */
static mode_t mode_of_file(void)
{
	struct stat st;

	return lstat(socket_path, &st) == 0 ? st.st_mode : 0;
}

static bool can_connect(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	bool can;

	strcpy(a.sun_path, socket_path);
	can = connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0;
	close(fd);
	return can;
}

static void listen_on_file(struct listeners *l)
{
	static const char *list[1];

	list[0] = socket_text();
	asks(list, 1);
	if (listeners_open(&wanted, l, &err) < 0)
		fail_msg("%s", err.text);
}

static void test_socket_file(void **state)
{
	const char *list[1];
	struct listeners l, again;
	int fd;

	(void)state;
	snprintf(socket_path, sizeof(socket_path), "%s/http", root);
	list[0] = socket_text();
	files_are(NOBODY, NOBODY, 0640);
	listen_on_file(&l);
	assert_string_equal(l.urls[0], socket_text());
	assert_int_equal(mode_of_file(), S_IFSOCK | 0640);
	assert_true(can_connect() && listeners_alive(&l) && !differing(&l));
	files_are(NOBODY, NOBODY, 0600);
	assert_string_equal(differing(&l), "listen_socket");
	refused(__LINE__, list[0], NULL, -EADDRINUSE, "another program is listening there");
	assert_true(mode_of_file() && can_connect());

	/* shut down by who has it: another one takes its place, under the same number */
	fd = l.fds[0];
	assert_int_equal(shutdown(fd, SHUT_RDWR), 0);
	assert_false(listeners_alive(&l) || can_connect());
	assert_int_equal(listeners_reopen(&l, &err), 1);
	assert_true(listeners_alive(&l) && can_connect() && l.fds[0] == fd);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC && fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_int_equal(mode_of_file(), S_IFSOCK | 0640);

	/* of an earlier life: nobody listens, and the next start replaces it */
	close(l.fds[0]);
	assert_true(mode_of_file() && !can_connect());
	listen_on_file(&again);
	assert_true(can_connect());
	assert_int_equal(mode_of_file(), S_IFSOCK | 0600);
	listeners_close(&again);
	assert_int_equal(mode_of_file(), 0);

	/* what is no socket stays */
	assert_true((fd = open(socket_path, O_CREAT | O_WRONLY, 0600)) >= 0);
	close(fd);
	refused(__LINE__, list[0], NULL, -EINVAL, "that file is not a socket; remove it");
	assert_int_equal(mode_of_file(), S_IFREG | 0600);
	unlink(socket_path);
	refused(__LINE__, "unix:/nonexistent/http", NULL, -EINVAL, "t.conf:3: cannot listen on "
		"unix:/nonexistent/http: its directory does not exist");
	refused(__LINE__, "unix:/dev/null/http", NULL, -EINVAL, "its directory does not exist");
	files_are(NOBODY, NOBODY, 0660);
}

/* Another one that would listen there looks whether anybody does, and connects to nobody: who
 * connects to RUN/uncored.pause pauses what counts. */
static void test_a_look_disturbs_nobody(void **state)
{
	struct listeners l;

	(void)state;
	listen_on_file(&l);
	refused(__LINE__, socket_text(), NULL, -EADDRINUSE, "another program is listening there");
	assert_int_equal(accept(l.fds[0], NULL, NULL), -1);
	assert_int_equal(errno, EAGAIN);
	listeners_close(&l);
}

/* What somebody who may write to the directory does between bind() and what follows it. */
static void (*meanwhile)(void);

int bind(int fd, const struct sockaddr *a, socklen_t n)
{
	int r = (int)syscall(SYS_bind, fd, a, n);

	if (r == 0 && a->sa_family == AF_UNIX && meanwhile)
		meanwhile();
	return r;
}

static void put_link(void)
{
	assert_int_equal(unlink(socket_path), 0);
	assert_int_equal(symlink(temp_path("secret"), socket_path), 0);
}

static void put_other_name(void)
{
	assert_int_equal(unlink(socket_path), 0);
	assert_int_equal(link(temp_path("secret"), socket_path), 0);
}

/* A link to another file of ours takes the socket's place: that file stays as it is. */
static void test_link_in_its_place(void **state)
{
	static void (*const ways[])(void) = { put_link, put_other_name };
	struct stat st;

	(void)state;
	snprintf(socket_path, sizeof(socket_path), "%s/http", root);
	put("secret", "");
	assert_int_equal(chmod(temp_path("secret"), 0600), 0);
	files_are(NOBODY, NOBODY, 0666);
	if (getuid() == 0)
		files_are(65534, 65534, 0666);
	for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		meanwhile = ways[i];
		refused(__LINE__, socket_text(), NULL, -ESTALE, "somebody else replaces files in "
			"its directory");
		meanwhile = NULL;
		assert_int_equal(stat(temp_path("secret"), &st), 0);
		assert_int_equal(st.st_mode, S_IFREG | 0600);
		assert_int_equal(st.st_uid, getuid());
		assert_true(mode_of_file());            /* nor is what is not ours removed */
		unlink(socket_path);
	}
	files_are(NOBODY, NOBODY, 0660);
}

/* Nor does it become another socket of ours (another program's, whose owner it would get), or one
 * of a stranger, who would answer there. */
static void put_other_socket(void)
{
	assert_int_equal(unlink(socket_path), 0);
	assert_int_equal(link(temp_path("ours"), socket_path), 0);
}

static void put_strangers_socket(void)
{
	assert_int_equal(unlink(socket_path), 0);
	assert_int_equal(rename(temp_path("strangers"), socket_path), 0);
}

static void make_socket(const char *name, uid_t owner)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", temp_path(name));
	assert_int_equal(syscall(SYS_bind, fd, &a, sizeof(a)), 0);
	assert_int_equal(chown(a.sun_path, owner, (gid_t)-1), 0);
	close(fd);
}

static void test_socket_in_its_place(void **state)
{
	const bool root_runs = getuid() == 0;
	struct stat st;

	(void)state;
	make_socket("ours", getuid());
	if (root_runs) {
		make_socket("strangers", 65534);
		files_are(1, 1, 0666);
	}
	for (int strangers = 0; strangers <= root_runs; strangers++) {
		meanwhile = strangers ? put_strangers_socket : put_other_socket;
		refused(__LINE__, socket_text(), NULL, -ESTALE, "somebody else replaces files in "
			"its directory");
		meanwhile = NULL;
		assert_int_equal(stat(socket_path, &st), 0);
		assert_int_equal(st.st_uid, strangers ? 65534 : getuid());
		unlink(socket_path);
	}
	files_are(NOBODY, NOBODY, 0660);
	unlink(temp_path("ours"));
}

/* At the end of one whose file was removed and whose place another one took. */
static void test_successor(void **state)
{
	struct listeners first, second;

	(void)state;
	listen_on_file(&first);
	unlink(socket_path);
	listen_on_file(&second);
	listeners_close(&first);
	assert_true(mode_of_file() && can_connect());
	listeners_close(&second);
	assert_int_equal(mode_of_file(), 0);

	/* the same, after its own has been made anew */
	listen_on_file(&first);
	assert_int_equal(shutdown(first.fds[0], SHUT_RDWR), 0);
	assert_int_equal(listeners_reopen(&first, &err), 1);
	unlink(socket_path);
	listen_on_file(&second);
	listeners_close(&first);
	assert_true(can_connect());
	listeners_close(&second);
}

/* A start that fails because of the second of its addresses. */
static void test_refused_leaves_no_file(void **state)
{
	(void)state;
	refused(__LINE__, socket_text(), "192.0.2.1:0", -EADDRNOTAVAIL, "no such address");
	assert_int_equal(mode_of_file(), 0);
}

/* The mode is that of the configuration, whatever the umask, and nobody listens while the owner is
 * not set. */
static void check_unopened(void)
{
	assert_int_equal(mode_of_file(), S_IFSOCK | 0640);
	assert_false(can_connect());
}

static void test_mode_at_once(void **state)
{
	struct listeners l;
	mode_t old = umask(0777);

	(void)state;
	files_are(NOBODY, NOBODY, 0640);
	meanwhile = check_unopened;
	listen_on_file(&l);
	meanwhile = NULL;
	assert_int_equal(umask(old), 0777);
	assert_int_equal(mode_of_file(), S_IFSOCK | 0640);
	listeners_close(&l);
	files_are(NOBODY, NOBODY, 0660);
}

/* Only root may give a file away; /etc/group is that of the machine. */
static void test_socket_owner(void **state)
{
	const struct group *group = getgrnam("tty");
	struct listeners l;
	struct stat st;

	(void)state;
	if (getuid() != 0 || !group)
		skip();
	files_are(65534, group->gr_gid, 0660);
	listen_on_file(&l);
	assert_int_equal(lstat(socket_path, &st), 0);
	assert_int_equal(st.st_uid, 65534);
	assert_int_equal(st.st_gid, group->gr_gid);
	listeners_close(&l);
	files_are(NOBODY, NOBODY, 0660);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_socket_file),
		cmocka_unit_test(test_a_look_disturbs_nobody),
		cmocka_unit_test(test_link_in_its_place),
		cmocka_unit_test(test_socket_in_its_place),
		cmocka_unit_test(test_successor),
		cmocka_unit_test(test_refused_leaves_no_file),
		cmocka_unit_test(test_mode_at_once),
		cmocka_unit_test(test_socket_owner),
	};

	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	return cmocka_run_group_tests(tests, make_root, drop_root);
}
