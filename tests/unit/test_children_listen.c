/* SPDX-License-Identifier: MIT
 * Where uncored listens: what is refused and in which words, what systemd
 * passes, what a reload asks for. Every address is loopback, or one that cannot be bound. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bits.h"
#include "children/listen.h"

#include "temp_dir.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY (unsigned)-1

static struct listen_wanted wanted = { .permission = { 0660, NOBODY, NOBODY } };
static struct err err;

static void files_are(unsigned owner, unsigned group, unsigned mode)
{
	wanted.permission = (struct listen_permission){ mode, owner, group };
}

static void asks(const char *const *list, unsigned n)
{
	wanted = (struct listen_wanted){ .addresses = list, .n = n, .given = n > 0,
					 .where = { "t.conf", 3 },
					 .permission = wanted.permission };
}

static unsigned port_of(int fd)
{
	struct sockaddr_in a;
	socklen_t len = sizeof(a);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	assert_int_equal(a.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
	return ntohs(a.sin_port);
}

/* "127.0.0.1:PORT"; good until four more calls. */
static const char *at(const char *host, unsigned port)
{
	static char text[4][72];
	static unsigned turn;

	turn = (turn + 1) % 4;
	snprintf(text[turn], sizeof(text[turn]), "%s:%u", host, port);
	return text[turn];
}

static bool has_ipv6(void)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int fd = socket(AF_INET6, SOCK_STREAM, 0);
	bool has = fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0;

	if (fd >= 0)
		close(fd);
	return has;
}

static void test_configured(void **state)
{
	static const char *const list[] = { "127.0.0.1:0", "127.0.0.1:0" };
	struct listeners l;
	char url[80];

	(void)state;
	asks(list, 2);
	assert_int_equal(listeners_open(&wanted, &l, &err), 0);
	assert_int_equal(l.n, 2);
	assert_int_equal(l.from, LISTEN_CONFIGURED);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(url, sizeof(url), "http://127.0.0.1:%u/", port_of(l.fds[i]));
		assert_string_equal(l.urls[i], url);
		listeners_urls(&l, true);
		assert_true(strncmp(l.urls[i], "https://127.0.0.1:", 18) == 0);
		listeners_urls(&l, false);
		assert_string_equal(l.urls[i], url);
		assert_true(fcntl(l.fds[i], F_GETFL) & O_NONBLOCK);
		assert_true(fcntl(l.fds[i], F_GETFD) & FD_CLOEXEC);
	}
	assert_int_not_equal(port_of(l.fds[0]), port_of(l.fds[1]));
	assert_true(listeners_alive(&l));
	listeners_close(&l);
	assert_int_equal(l.n, 0);
}

/* The key that asks for other sockets than these; its line is 7 or 9. */
static const char *differing(const struct listeners *l)
{
	struct where at = { 0 };
	const char *key;

	wanted.where.line = 7;
	wanted.permission_where.line = 9;
	key = listeners_differ(l, &wanted, &at);
	if (key)
		assert_int_equal(at.line, strcmp(key, "listen") == 0 ? 7 : 9);
	return key;
}

/* --listen stands instead of the configuration's. */
static void test_option(void **state)
{
	static const char *const option[] = { "127.0.0.1:0" }, *const list[] = { "192.0.2.1:80" };
	struct listeners l;

	(void)state;
	asks(option, 1);
	wanted.option = true;
	assert_int_equal(listeners_open(&wanted, &l, &err), 0);
	assert_int_equal(l.from, LISTEN_OPTION);
	asks(list, 1);
	assert_null(differing(&l));                     /* whatever a reload says */
	listeners_close(&l);
}

static void test_ipv6(void **state)
{
	static const char *const list[] = { "[::1]:0" };
	struct listeners l;

	(void)state;
	if (!has_ipv6())
		skip();
	asks(list, 1);
	assert_int_equal(listeners_open(&wanted, &l, &err), 0);
	assert_memory_equal(l.urls[0], "http://[::1]:", 13);
	listeners_close(&l);
}

/* In a network of its own, whose IPv6 sockets are of IPv6 alone unless they say otherwise: 0, every
 * address is served; 1, those of IPv4 are not; 77, there can be no such network here. */
static int serves_all_in_a_network_of_its_own(const char *const *list, unsigned n)
{
	int fd, only = 1;
	socklen_t len = sizeof(only);
	struct listeners l;

	if (unshare(CLONE_NEWNET) < 0)
		return 77;
	fd = open("/proc/sys/net/ipv6/bindv6only", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "1\n", 2) != 2)
		return 77;
	close(fd);
	asks(list, n);
	if (listeners_open(&wanted, &l, &err) < 0)
		return 2;
	for (unsigned i = 0; i < n; i++)
		if (getsockopt(l.fds[i], IPPROTO_IPV6, IPV6_V6ONLY, &only, &len) < 0 || only)
			return 1;
	return 0;
}

/* ":PORT" and "*:PORT", whatever the machine's default is. */
static void test_every_address(void **state)
{
	static const char *const list[] = { ":10062", "*:10063" };
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(serves_all_in_a_network_of_its_own(list, 2));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

static void refused(int line, const char *one, const char *two, int r, const char *words)
{
	const char *const list[] = { one, two };
	struct listeners l = { .n = 7 };
	int got;

	asks(list, two ? 2 : 1);
	err.text[0] = '\0';
	got = listeners_open(&wanted, &l, &err);
	if (got != r || !strstr(err.text, words))
		fail_msg("line %d: %d, \"%s\"", line, got, err.text);
	assert_int_equal(l.n, 7);               /* not touched */
}

/* RFC 5737: 192.0.2.1 is nobody's. */
static void test_refused(void **state)
{
	static const char *const list[] = { "127.0.0.1:0" };
	struct listeners l;
	unsigned port;
	char words[160];

	(void)state;
	refused(__LINE__, "192.0.2.1:0", NULL, -EADDRNOTAVAIL,
		"cannot listen on 192.0.2.1:0: this machine has no such address");

	asks(list, 1);
	assert_int_equal(listeners_open(&wanted, &l, &err), 0);
	port = port_of(l.fds[0]);
	snprintf(words, sizeof(words), "cannot listen on 127.0.0.1:%u: another program is using it",
		 port);
	refused(__LINE__, at("127.0.0.1", port), NULL, -EADDRINUSE, words);
	/* the first of two is closed again */
	refused(__LINE__, "127.0.0.1:0", at("127.0.0.1", port), -EADDRINUSE, words);
	listeners_close(&l);

	snprintf(words, sizeof(words), "cannot listen on 0.0.0.0:%u and on 127.0.0.1:%u: "
		 "one covers the other", port, port);
	refused(__LINE__, at("127.0.0.1", port), at("0.0.0.0", port), -EINVAL, words);
}

/* A reload that asks for the same, in the same words. */
static void test_match(void **state)
{
	static const char *const list[] = { "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0" };
	static const char *const other[] = { "127.0.0.1:0", "127.0.0.1:1" };
	struct listeners l;

	(void)state;
	asks(list, 2);
	assert_int_equal(listeners_open(&wanted, &l, &err), 0);
	assert_null(differing(&l));
	asks(list, 1);
	assert_string_equal(differing(&l), "listen");
	asks(list, 3);
	assert_string_equal(differing(&l), "listen");
	asks(other, 2);
	assert_string_equal(differing(&l), "listen");
	listeners_close(&l);
}

/* Who has a listening socket can shut it down for everybody: a port that was asked for comes
 * back. */
static void test_revive(void **state)
{
	static const char *const any[] = { "127.0.0.1:0", "127.0.0.1:0" };
	const char *list[2];
	struct listeners l;
	unsigned ports[2];

	(void)state;
	asks(any, 2);
	assert_int_equal(listeners_open(&wanted, &l, &err), 0);
	for (unsigned i = 0; i < 2; i++) {
		ports[i] = port_of(l.fds[i]);
		list[i] = at("127.0.0.1", ports[i]);
	}
	listeners_close(&l);
	asks(list, 2);
	assert_int_equal(listeners_open(&wanted, &l, &err), 0);
	assert_int_equal(listeners_reopen(&l, &err), 0);
	assert_int_equal(shutdown(l.fds[1], SHUT_RDWR), 0);
	assert_false(listeners_alive(&l));
	assert_int_equal(listeners_reopen(&l, &err), 1);
	assert_true(listeners_alive(&l));
	assert_int_equal(port_of(l.fds[1]), ports[1]);
	listeners_close(&l);
}

/* What one process sets on a listening socket holds for all that have it; accepted connections get
 * SO_LINGER and SO_SNDBUF from it. 21 is IP_MINTTL. */
static void test_options(void **state)
{
	static const char *const list[] = { "127.0.0.1:0", "127.0.0.1:0" };
	static const struct linger linger = { 1, 0 };
	static const struct timeval late = { .tv_sec = 3 };
	static const int one = 1, many = 255, big = 100000;
	static const struct { int level, name; const void *value; socklen_t n; } rows[] = {
		{ SOL_SOCKET, SO_LINGER, &linger, sizeof(linger) },
		{ SOL_SOCKET, SO_SNDBUF, &big, sizeof(big) },
		{ SOL_SOCKET, SO_RCVTIMEO, &late, sizeof(late) },
		{ IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one) },
		{ IPPROTO_TCP, TCP_CORK, &one, sizeof(one) },
		{ IPPROTO_TCP, TCP_DEFER_ACCEPT, &many, sizeof(many) },
		{ IPPROTO_IP, 21, &many, sizeof(many) }, { IPPROTO_IP, IP_TTL, &one, sizeof(one) },
	};
	struct listeners l;
	unsigned port;

	(void)state;
	asks(list, 2);
	assert_int_equal(listeners_open(&wanted, &l, &err), 0);
	port = port_of(l.fds[1]);
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(setsockopt(l.fds[1], rows[i].level, rows[i].name, rows[i].value,
					    rows[i].n), 0);
		assert_true(listeners_alive(&l));
		if (listeners_reopen(&l, &err) != 1)
			fail_msg("row %zu: nobody sees it", i);
		assert_int_equal(listeners_reopen(&l, &err), 0);
		assert_int_equal(port_of(l.fds[1]), port);
	}
	assert_int_equal(fcntl(l.fds[1], F_SETOWN, getpid()), 0);
	assert_int_equal(listeners_reopen(&l, &err), 1);
	assert_int_equal(fcntl(l.fds[1], F_SETFL, O_NONBLOCK | O_ASYNC), 0);
	assert_int_equal(listeners_reopen(&l, &err), 1);
	assert_int_equal(fcntl(l.fds[1], F_GETFL) & O_ASYNC, 0);
	listeners_close(&l);
}

/* Connections that wait, and those that come and go, are no options. */
static void test_use(void **state)
{
	static const char *const list[] = { "127.0.0.1:0" };
	struct listeners l;
	int fds[20];

	(void)state;
	asks(list, 1);
	assert_int_equal(listeners_open(&wanted, &l, &err), 0);
	for (size_t i = 0; i < COUNT(fds); i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM, 0);
		assert_int_equal(connect(fds[i], (struct sockaddr *)&l.at[0], l.at_len[0]), 0);
		assert_int_equal(write(fds[i], "GET", 3), 3);
		if (i % 2) {
			int c = accept(l.fds[0], NULL, NULL);

			assert_true(c >= 0);
			close(c);
		}
		assert_int_equal(listeners_reopen(&l, &err), 0);
	}
	for (size_t i = 0; i < COUNT(fds); i++)
		close(fds[i]);
	assert_int_equal(listeners_reopen(&l, &err), 0);
	listeners_close(&l);
}

/* ---------------------------------------------------------------- socket files */

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

/* ---------------------------------------------------------------- sd_listen_fds(3) */

enum passed { STREAM, SILENT, DGRAM, PIPE };

/* In a process of its own, whose descriptors from 3 on these are. list: the configuration's, "" the
 * address of the first; where the words are about --listen, the option's. */
static void passed(int line, const enum passed *what, unsigned n, const char *const *list,
		   unsigned n_list, const char *words)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct listeners l = { 0 };
	const char *first;
	char text[16];
	int status, r;
	pid_t pid = fork();

	if (pid) {
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (status)
			fail_msg("line %d: status 0x%x", line, (unsigned)status);
		return;
	}
	for (int fd = 3; fd < 3 + (int)n; fd++) {
		int s = what[fd - 3] == PIPE ? open("/dev/null", O_RDONLY) :
			socket(AF_INET, what[fd - 3] == DGRAM ? SOCK_DGRAM : SOCK_STREAM, 0);

		if (what[fd - 3] != PIPE && bind(s, (struct sockaddr *)&a, sizeof(a)) < 0)
			_exit(2);
		if (what[fd - 3] == STREAM && listen(s, 1) < 0)
			_exit(3);
		if (s != fd && dup2(s, fd) != fd)
			_exit(4);
	}
	snprintf(text, sizeof(text), "%d", (int)getpid());
	setenv("LISTEN_PID", text, 1);
	snprintf(text, sizeof(text), "%u", n);
	setenv("LISTEN_FDS", text, 1);
	first = at("127.0.0.1", n_list && !*list[0] ? port_of(3) : 0);
	asks(n_list && !*list[0] ? &first : list, n_list);
	if (words && strncmp(words, "--listen", 8) == 0) {
		wanted.given = wanted.option = true;
		wanted.where = (struct where){ 0 };
	}
	err.text[0] = '\0';
	r = listeners_open(&wanted, &l, &err);
	if (!words)
		_exit(r == 0 && l.n == n && l.from == LISTEN_PASSED && l.fds[0] == 3 &&
		      !differing(&l) && !getenv("LISTEN_FDS") ? 0 : 5);
	fprintf(stderr, "%s\n", err.text);
	first = strstr(err.text, words);
	_exit(r == -EINVAL && first && (!wanted.option || first == err.text) ? 0 : 6);
}

static void test_passed(void **state)
{
	static const enum passed good[] = { STREAM, STREAM, STREAM };
	static const char *const list[] = { "127.0.0.1:10062" }, *const same[] = { "" };

	(void)state;
	passed(__LINE__, good, 1, NULL, 0, NULL);
	passed(__LINE__, good, 1, same, 1, NULL);
	passed(__LINE__, good, 2, same, 1, "differs from the sockets that systemd passes");
	passed(__LINE__, good, 3, NULL, 0, NULL);
	passed(__LINE__, (enum passed[]){ STREAM, SILENT }, 2, NULL, 0,
	       "descriptor 4 from systemd does not listen");
	passed(__LINE__, (enum passed[]){ DGRAM }, 1, NULL, 0,
	       "descriptor 3 from systemd is not a stream socket");
	passed(__LINE__, (enum passed[]){ PIPE }, 1, NULL, 0, "descriptor 3 from systemd "
	       "is not a socket");
	passed(__LINE__, good, 1, list, 1, "t.conf:3: listen = 127.0.0.1:10062 differs from the "
	       "sockets that systemd passes");
	passed(__LINE__, good, 1, list, 1, "--listen 127.0.0.1:10062 differs from the sockets");
}

/* A socket file that systemd passes is systemd's: whoever connects later needs it. */
static void test_passed_file(void **state)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct listeners l;
	char pid[16];
	int status;
	pid_t child;

	(void)state;
	snprintf(a.sun_path, sizeof(a.sun_path), "%s/passed", root);
	child = fork();
	if (!child) {
		int s = socket(AF_UNIX, SOCK_STREAM, 0);

		if (bind(s, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(s, 1) < 0 ||
		    (s != 3 && dup2(s, 3) != 3))
			_exit(2);
		snprintf(pid, sizeof(pid), "%d", (int)getpid());
		setenv("LISTEN_PID", pid, 1);
		setenv("LISTEN_FDS", "1", 1);
		asks(NULL, 0);
		if (listeners_open(&wanted, &l, &err) < 0 || l.from != LISTEN_PASSED)
			_exit(3);
		listeners_close(&l);
		_exit(access(a.sun_path, F_OK) == 0 ? 0 : 4);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(unlink(a.sun_path), 0);
}

/* They are another process's: sd_listen_fds(3). */
static void test_passed_to_another(void **state)
{
	static const char *const list[] = { "127.0.0.1:0" };
	struct listeners l;

	(void)state;
	setenv("LISTEN_PID", "1", 1);
	setenv("LISTEN_FDS", "2", 1);
	asks(list, 1);
	assert_int_equal(listeners_open(&wanted, &l, &err), 0);
	assert_int_equal(l.from, LISTEN_CONFIGURED);
	assert_int_equal(l.n, 1);
	listeners_close(&l);
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
}

static int make_root(void **state)
{
	(void)state;
	return temp_make("listen");
}

static int drop_root(void **state)
{
	(void)state;
	return drop("");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_configured), cmocka_unit_test(test_option),
		cmocka_unit_test(test_ipv6), cmocka_unit_test(test_every_address),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_match), cmocka_unit_test(test_revive),
		cmocka_unit_test(test_options), cmocka_unit_test(test_use),
		cmocka_unit_test(test_socket_file),
		cmocka_unit_test(test_link_in_its_place), cmocka_unit_test(test_successor),
		cmocka_unit_test(test_refused_leaves_no_file), cmocka_unit_test(test_mode_at_once),

		cmocka_unit_test(test_socket_owner),
		cmocka_unit_test(test_passed), cmocka_unit_test(test_passed_file),
		cmocka_unit_test(test_passed_to_another),
	};

	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	return cmocka_run_group_tests(tests, make_root, drop_root);
}
