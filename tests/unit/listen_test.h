/* SPDX-License-Identifier: MIT
 * What uncored is asked to listen on, for the tests of that. Every address is loopback, or one that
 * cannot be bound. */
#ifndef TESTS_LISTEN_TEST_H
#define TESTS_LISTEN_TEST_H

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
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOBODY (unsigned)-1

static struct listen_wanted wanted = { .permission = { 0660, NOBODY, NOBODY } };
static struct err err;

static inline void files_are(unsigned owner, unsigned group, unsigned mode)
{
	wanted.permission = (struct listen_permission){ mode, owner, group };
}

static inline void asks(const char *const *list, unsigned n)
{
	wanted = (struct listen_wanted){ .addresses = list, .n = n, .given = n > 0,
					 .where = { "t.conf", 3 },
					 .permission = wanted.permission };
}

static inline unsigned port_of(int fd)
{
	struct sockaddr_in a;
	socklen_t len = sizeof(a);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	assert_int_equal(a.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
	return ntohs(a.sin_port);
}

/* "127.0.0.1:PORT"; good until four more calls. */
static inline const char *at(const char *host, unsigned port)
{
	static char text[4][72];
	static unsigned turn;

	turn = (turn + 1) % 4;
	snprintf(text[turn], sizeof(text[turn]), "%s:%u", host, port);
	return text[turn];
}

/* The key that asks for other sockets than these; its line is 7 or 9. */
static inline const char *differing(const struct listeners *l)
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

static inline void refused(int line, const char *one, const char *two, int r, const char *words)
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

static inline int make_root(void **state)
{
	(void)state;
	return temp_make("listen");
}

static inline int drop_root(void **state)
{
	(void)state;
	return drop("");
}

#endif
