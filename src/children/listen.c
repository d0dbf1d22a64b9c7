/* SPDX-License-Identifier: MIT
 *
 * Owns:  the three ways to a listening socket: bound to an address, a socket file, passed by
 *        systemd; and for each the way back to one that an http process has spoiled.
 */
#include "children/listen.h"

#include "base/address.h"
#include "base/cleanup.h"
#include "children/socket_options.h"
#include "process/log.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#define BACKLOG SOMAXCONN               /* cut to net.core.somaxconn */

/* The address of a text that the configuration or the options have accepted. Returns its length. */
static socklen_t address_of(const char *text, struct sockaddr_storage *ret)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)ret;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret;
	struct sockaddr_un *un = (struct sockaddr_un *)ret;
	char host[64];
	uint16_t port;
	int kind = address_parse(text, host, &port);

	assert(kind >= 0);
	memset(ret, 0, sizeof(*ret));
	if (kind == ADDRESS_FILE) {
		un->sun_family = AF_UNIX;
		strcpy(un->sun_path, text + strlen(ADDRESS_FILE_PREFIX));
		return sizeof(*un);
	}
	if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
		return sizeof(*v4);
	}
	inet_pton(AF_INET6, host, &v6->sin6_addr);      /* not "": any address of both families */
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons(port);
	return sizeof(*v6);
}

static void url_of(const struct sockaddr_storage *a, const char *scheme, char *url, size_t n)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)a;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)a;
	const struct sockaddr_un *un = (const struct sockaddr_un *)a;
	char host[INET6_ADDRSTRLEN];

	if (a->ss_family == AF_INET && inet_ntop(AF_INET, &v4->sin_addr, host, sizeof(host)))
		snprintf(url, n, "%s://%s:%u/", scheme, host, ntohs(v4->sin_port));
	else if (a->ss_family == AF_INET6 &&
		 inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof(host)))
		snprintf(url, n, "%s://[%s]:%u/", scheme, host, ntohs(v6->sin6_port));
	else if (a->ss_family == AF_UNIX && un->sun_path[0])
		snprintf(url, n, ADDRESS_FILE_PREFIX "%s", un->sun_path);
	else
		snprintf(url, n, "a socket that systemd passed");
}

/* ":PORT", "*:PORT": every address, whatever net.ipv6.bindv6only says; else those of IPv4. */
static int socket_any(struct sockaddr_storage *a, socklen_t *len)
{
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), zero = 0;
	struct sockaddr_in v4 = { .sin_family = AF_INET,
				  .sin_port = ((struct sockaddr_in6 *)a)->sin6_port };

	if (fd >= 0)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	if (fd >= 0 || errno != EAFNOSUPPORT)
		return fd;
	memcpy(a, &v4, sizeof(v4));
	*len = sizeof(v4);
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* An earlier address of the list with which this one clashes; NULL: none. */
static const char *clashing(const struct listeners *l, const char *text)
{
	for (unsigned i = 0; i < l->n; i++)
		if (address_clash(l->configured[i], text))
			return l->configured[i];
	return NULL;
}

/* A socket file to which nobody is bound any more is of an earlier life, and is removed. Of another
 * type than who listens: that is told EPROTOTYPE (unix(7)), and he does not hear of it. */
static int remove_stale(const struct sockaddr_un *a, struct err *err)
{
	AUTO_FD int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct stat st;

	if (lstat(a->sun_path, &st) == 0 && !S_ISSOCK(st.st_mode))
		return err_set(err, -EINVAL, "cannot listen on unix:%s: that file is not a socket; "
			       "remove it or choose another path", a->sun_path);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)a, sizeof(*a)) < 0 &&
	    errno == ECONNREFUSED)
		unlink(a->sun_path);
	return 0;
}

/* The file that bind() has just made: who may write to the directory can have put something else in
 * its place. An O_PATH descriptor of it, or -errno. */
static int made_file(const char *path, struct listener_file *ret)
{
	AUTO_FD int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISSOCK(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_nlink != 1)
		return -ESTALE;
	*ret = (struct listener_file){ st.st_dev, st.st_ino };
	return TAKE_FD(fd);
}

/* Unless another one has taken its place: a successor's, for instance. */
void listen_file_remove(const char *path, const struct listener_file *file)
{
	struct stat st;

	if (lstat(path, &st) == 0 && st.st_dev == file->dev && st.st_ino == file->ino)
		unlink(path);
}

static int give_file(const char *path, const struct listen_permission *p,
		     struct listener_file *ret, struct err *err)
{
	bool gives = p->owner != (uid_t)-1 || p->group != (gid_t)-1;
	AUTO_FD int fd = made_file(path, ret);
	int r;

	if (fd < 0)
		return err_set(err, fd, "cannot listen on unix:%s: somebody else replaces files in "
			       "its directory; choose one that only uncored may write to", path);
	if (!gives || fchownat(fd, "", p->owner, p->group, AT_EMPTY_PATH) == 0)
		return 0;
	r = err_set(err, -errno, "cannot set the owner of unix:%s: %s; this needs CAP_CHOWN%s: "
		    "under systemd, use the drop-in socket-owner.conf", path, strerror(errno),
		    p->owner == (uid_t)-1 ? ", or a user in that group" : "");
	listen_file_remove(path, ret);
	return r;
}

/* Its mode is that of its making, by the umask: chmod() would follow a link in its place. */
static int bind_file(int fd, const struct sockaddr_un *a, mode_t mode, struct err *err)
{
	const char *path = a->sun_path;
	mode_t mask = umask(~mode & 0777);
	int r = bind(fd, (const struct sockaddr *)a, sizeof(*a)) < 0 ? -errno : 0;

	umask(mask);
	if (r == -ENOENT || r == -ENOTDIR)
		return err_set(err, -EINVAL, "cannot listen on unix:%s: its directory does not "
			       "exist; create it first, or choose another path", path);
	return !r ? 0 : err_set(err, r, "cannot listen on unix:%s: %s%s", path, strerror(-r),
				r != -EADDRINUSE ? "" :
				": another program is listening there; stop it");
}

/* Nobody listens on it before its owner is set. */
static int socket_file(const struct sockaddr_un *a, const struct listen_permission *p,
		       struct listener_file *ret, struct err *err)
{
	AUTO_FD int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int r;

	if (fd < 0)
		return err_set(err, -errno, "cannot listen on unix:%s: no socket can be made: %s",
			       a->sun_path, strerror(errno));
	r = remove_stale(a, err);
	if (r < 0)
		return r;
	r = bind_file(fd, a, p->mode, err);
	if (r < 0)
		return r;
	r = give_file(a->sun_path, p, ret, err);
	if (r < 0)
		return r;
	if (listen(fd, BACKLOG) < 0) {
		r = err_set(err, -errno, "cannot listen on unix:%s: %s", a->sun_path,
			    strerror(errno));
		listen_file_remove(a->sun_path, ret);
		return r;
	}
	return TAKE_FD(fd);
}

int listen_file_open(const char *path, const struct listen_permission *p,
		     struct listener_file *ret, struct err *err)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(a.sun_path))
		return err_set(err, -ENAMETOOLONG, "cannot listen on unix:%s: a socket file's path "
			       "has at most %zu bytes", path, sizeof(a.sun_path) - 1);
	strcpy(a.sun_path, path);
	return socket_file(&a, p, ret, err);
}

/* A socket for the address of this text, which may become another one of the same meaning. */
static int tcp_socket(const char *text, struct sockaddr_storage *a, socklen_t *len)
{
	int one = 1, fd;

	if (text[0] == ':' || text[0] == '*')
		fd = socket_any(a, len);
	else
		fd = socket(a->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	return fd;
}

/* What somebody can do about an error of bind(). */
static const char *bind_advice(int r)
{
	switch (r) {
	case -EADDRINUSE:
		return "another program is using it; stop it, or set `listen` to another port";
	case -EADDRNOTAVAIL:
		return "this machine has no such address; see: ip address";
	case -EACCES:
		return "ports below 1024 need CAP_NET_BIND_SERVICE; choose another";
	default:
		return strerror(-r);
	}
}

/* The next one of the list. */
static int listener_bind(struct listeners *l, const char *text, struct err *err)
{
	struct sockaddr_storage a;
	socklen_t len = address_of(text, &a);
	AUTO_FD int fd = -1;
	int r;

	if (a.ss_family == AF_UNIX)
		return socket_file((struct sockaddr_un *)&a, &l->permission, &l->files[l->n], err);
	fd = tcp_socket(text, &a, &len);
	if (fd >= 0 && bind(fd, (struct sockaddr *)&a, len) == 0 && listen(fd, BACKLOG) == 0)
		return TAKE_FD(fd);
	r = -errno;
	if (r == -EADDRINUSE && clashing(l, text))
		return err_set(err, -EINVAL, "cannot listen on %s and on %s: one covers the other; "
			       "remove one", text, clashing(l, text));
	return err_set(err, r, "cannot listen on %s: %s", text, bind_advice(r));
}

/* r; a mistake of the configuration gets its line. at: without a file, it is one of --listen. */
static int at_line(struct where at, int r, struct err *err)
{
	return r == -EINVAL && at.file ? err_prefix(err, r, "%s:%u: ", at.file, at.line) : r;
}

static bool is_passed(const struct listeners *l, const char *text)
{
	struct sockaddr_storage a, b;
	socklen_t len = address_of(text, &a);

	for (unsigned i = 0; i < l->n; i++) {
		socklen_t n = sizeof(b);

		memset(&b, 0, sizeof(b));
		if (getsockname(l->fds[i], (struct sockaddr *)&b, &n) == 0 &&
		    memcmp(&a, &b, len) == 0)
			return true;
	}
	return false;
}

/* The list that is asked for must be the passed one, in any order. */
static int match_passed(const struct listeners *l, const struct listen_wanted *wanted,
			struct err *err)
{
	for (unsigned i = 0; i < wanted->n; i++) {
		if (wanted->n == l->n && is_passed(l, wanted->addresses[i]))
			continue;
		return err_set(err, -EINVAL, "%s %s differs from the sockets that systemd passes: "
			       "change uncored.socket (ListenStream=), or disable it with "
			       "'systemctl disable --now uncored.socket'",
			       wanted->option ? "--listen" : "listen =", wanted->addresses[i]);
	}
	return 0;
}

/* How many sockets systemd passed; none if they are for another process, as LISTEN_PID says. */
static int count_passed(struct err *err)
{
	const char *said = getenv("LISTEN_FDS");
	int n = sd_listen_fds(1);

	if (n < 0 || n > WIRE_LISTENERS_MAX)
		return err_set(err, -EINVAL, "LISTEN_FDS=%s: %s; start uncored through "
			       "uncored.socket with 1 to %d ListenStream= lines", said,
			       n < 0 ? strerror(-n) : "too many", WIRE_LISTENERS_MAX);
	return n;
}

/* Another kind of socket would look like serving, and nobody would get an answer. */
static int check_passed(int fd, struct err *err)
{
	const char *what;

	if (sd_is_socket(fd, AF_UNSPEC, 0, -1) <= 0)
		what = "is not a socket";
	else if (sd_is_socket(fd, AF_UNSPEC, SOCK_STREAM, -1) <= 0)
		what = "is not a stream socket";
	else if (sd_is_socket(fd, AF_UNSPEC, SOCK_STREAM, 1) <= 0)
		what = "does not listen";
	else
		return 0;
	return err_set(err, -EINVAL, "descriptor %d from systemd %s: in uncored.socket use "
		       "ListenStream=, without Accept=yes", fd, what);
}

/* Counts it among them, with its address. */
static void take(struct listeners *l, int fd)
{
	l->fds[l->n] = fd;
	l->at_len[l->n] = sizeof(l->at[l->n]);
	getsockname(fd, (struct sockaddr *)&l->at[l->n], &l->at_len[l->n]);
	l->options[l->n] = socket_options(fd);
	l->n++;
}

static int open_passed(const struct listen_wanted *wanted, unsigned passed, struct listeners *l,
		       struct err *err)
{
	while (l->n < passed) {
		int fd = SD_LISTEN_FDS_START + (int)l->n, r = check_passed(fd, err);

		if (r < 0)      /* whoever it belongs to: it may be the log's */
			return r;
		take(l, fd);
	}
	return wanted->given ? at_line(wanted->where, match_passed(l, wanted, err), err) : 0;
}

static int open_wanted(const struct listen_wanted *wanted, struct listeners *l, struct err *err)
{
	for (unsigned i = 0; i < wanted->n && l->n < WIRE_LISTENERS_MAX; i++) {
		int fd;

		snprintf(l->configured[l->n], sizeof(l->configured[l->n]), "%s",
			 wanted->addresses[i]);
		fd = listener_bind(l, wanted->addresses[i], err);
		if (fd < 0)
			return at_line(wanted->where, fd, err);
		take(l, fd);
	}
	return 0;
}

int listeners_open(const struct listen_wanted *wanted, struct listeners *ret, struct err *err)
{
	struct listeners l = { .permission = wanted->permission };
	int passed = count_passed(err), r;

	if (passed < 0)
		return passed;
	if (passed > 0) {
		l.from = LISTEN_PASSED;
		r = open_passed(wanted, (unsigned)passed, &l, err);
	} else {
		l.from = wanted->option ? LISTEN_OPTION : LISTEN_CONFIGURED;
		r = open_wanted(wanted, &l, err);
	}
	if (r < 0) {
		listeners_close(&l);
		return r;
	}
	listeners_urls(&l, wanted->tls);
	*ret = l;
	return 0;
}

void listeners_urls(struct listeners *l, bool tls)
{
	for (unsigned i = 0; i < l->n; i++)
		url_of(&l->at[i], tls ? "https" : "http", l->urls[i], sizeof(l->urls[i]));
}

/* The socket of a file that was shut down still says that it listens. */
static bool is_listening(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLRDHUP };

	return sd_is_socket(fd, AF_UNSPEC, SOCK_STREAM, 1) > 0 &&
	       (poll(&p, 1, 0) <= 0 || !(p.revents & (POLLHUP | POLLRDHUP)));
}

bool listeners_alive(const struct listeners *l)
{
	unsigned alive = 0;

	for (unsigned i = 0; i < l->n; i++)
		alive += is_listening(l->fds[i]);
	return alive == l->n;
}

/* It gets the number of the old one, which is closed: nothing that was done to that is left. */
static void put_in_place(struct listeners *l, unsigned i, int fd)
{
	dup3(fd, l->fds[i], O_CLOEXEC);
	close(fd);
}

/* What remove_stale() would find is that nobody is bound to it, but by a connect(), which this
 * process has given up by now. */
static int file_renew(struct listeners *l, unsigned i, struct err *err)
{
	const struct sockaddr_un *a = (const struct sockaddr_un *)&l->at[i];
	int fd;

	listen_file_remove(a->sun_path, &l->files[i]);
	fd = socket_file(a, &l->permission, &l->files[i], err);
	if (fd < 0)
		return fd;
	put_in_place(l, i, fd);
	return 0;
}

/* The old one is closed first: its port is free then. */
static int tcp_renew(struct listeners *l, unsigned i, struct err *err)
{
	struct sockaddr_storage a;
	socklen_t len = address_of(l->configured[i], &a);
	int fd = tcp_socket(l->configured[i], &a, &len);

	if (fd >= 0)
		put_in_place(l, i, fd);
	if (fd < 0 || bind(l->fds[i], (const struct sockaddr *)&l->at[i], l->at_len[i]) < 0 ||
	    listen(l->fds[i], BACKLOG) < 0)
		return err_set(err, -errno, "the http process spoiled the socket of %s, and no "
			       "other can listen there: %s; restart uncored", l->urls[i],
			       strerror(errno));
	return 0;
}

/* The service manager holds it, too, so that no other could be bound to its address. */
static int passed_renew(struct listeners *l, unsigned i, struct err *err)
{
	if (!is_listening(l->fds[i])) {
		/* Only a port that the kernel chose has to be bound again. */
		if (bind(l->fds[i], (const struct sockaddr *)&l->at[i], l->at_len[i]) < 0)
			errno = 0;
		if (listen(l->fds[i], BACKLOG) < 0)
			return err_set(err, -errno, "the http process spoiled %s, which systemd "
				       "passed, and it cannot listen again: %s; restart its socket "
				       "unit: systemctl restart uncored.socket", l->urls[i],
				       strerror(errno));
	}
	if (socket_options(l->fds[i]) != l->options[i])
		log_msg(LOG_WARNING, "the http process changed options of %s, which systemd "
			"passed; uncored cannot set them back: systemctl restart uncored.socket",
			l->urls[i]);
	return 0;
}

int listeners_reopen(struct listeners *l, struct err *err)
{
	int renewed = 0;

	for (unsigned i = 0; i < l->n; i++) {
		int r;

		if (is_listening(l->fds[i]) && socket_options(l->fds[i]) == l->options[i])
			continue;
		if (l->from == LISTEN_PASSED)
			r = passed_renew(l, i, err);
		else if (l->at[i].ss_family == AF_UNIX)
			r = file_renew(l, i, err);
		else
			r = tcp_renew(l, i, err);
		if (r < 0)
			return r;
		l->options[i] = socket_options(l->fds[i]);
		renewed++;
	}
	return renewed;
}

static bool same_addresses(const struct listeners *l, const struct listen_wanted *wanted)
{
	if (wanted->n != l->n)
		return false;
	for (unsigned i = 0; i < l->n; i++)
		if (strcmp(wanted->addresses[i], l->configured[i]) != 0)
			return false;
	return true;
}

const char *listeners_differ(const struct listeners *l, const struct listen_wanted *wanted,
			     struct where *at)
{
	switch (l->from) {
	case LISTEN_OPTION:
		return NULL;
	case LISTEN_PASSED:
		*at = wanted->where;
		return wanted->given && match_passed(l, wanted, NULL) < 0 ? "listen" : NULL;
	case LISTEN_CONFIGURED:
		break;
	}
	*at = wanted->where;
	if (!same_addresses(l, wanted))
		return "listen";
	*at = wanted->permission_where;
	return memcmp(&wanted->permission, &l->permission, sizeof(l->permission)) != 0 ?
	       "listen_socket" : NULL;
}

void listeners_close(struct listeners *l)
{
	for (unsigned i = 0; i < l->n; i++) {
		/* Before the close(): until then nobody else gets the number of its inode. */
		const struct sockaddr_un *a = (const struct sockaddr_un *)&l->at[i];

		if (l->at[i].ss_family == AF_UNIX && l->from != LISTEN_PASSED)
			listen_file_remove(a->sun_path, &l->files[i]);
		close(l->fds[i]);
	}
	l->n = 0;
}
