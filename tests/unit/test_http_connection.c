/* SPDX-License-Identifier: MIT
 * Connections by hand, without libmicrohttpd and without a clock. MHD_get_connection_info() is this
 * file's. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "http/connection.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct MHD_Connection {
	union MHD_ConnectionInfo fd, context;
};

const union MHD_ConnectionInfo *MHD_get_connection_info(struct MHD_Connection *mc,
							enum MHD_ConnectionInfoType type, ...)
{
	if (type == MHD_CONNECTION_INFO_CONNECTION_FD)
		return &mc->fd;
	return type == MHD_CONNECTION_INFO_SOCKET_CONTEXT ? &mc->context : NULL;
}

static struct connections all;
static struct MHD_Connection mc;
static int client;

static void opened(void)
{
	const struct http_options o = { .connections = 4, .request_deadline = 10 * NSEC_PER_SEC,
					.connection_deadline = 3600 * NSEC_PER_SEC };
	void *context = NULL;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	client = fds[0];
	memset(&mc, 0, sizeof(mc));
	mc.fd.connect_fd = fds[1];
	connections_init(&all, &o);
	all.now = NSEC_PER_SEC;
	connections_notify(&all, &mc, &context, MHD_CONNECTION_NOTIFY_STARTED);
	mc.context.socket_context = context;
	assert_non_null(context);
}

static void closed(void)
{
	void *context = mc.context.socket_context;

	connections_notify(&all, &mc, &context, MHD_CONNECTION_NOTIFY_CLOSED);
	close(client);
	close(mc.fd.connect_fd);
}

/* A request comes and is answered. */
static void answered(void)
{
	void *request = NULL;

	connection_of(&mc)->request = all.now;
	connections_completed(&all, &mc, &request, MHD_REQUEST_TERMINATED_COMPLETED_OK);
}

static void scanned(void)
{
	all.now = all.scan_at + 1;
	connections_scan(&all);
}

static bool is_open(void)
{
	char byte;

	return recv(client, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

/* Who has closed his side and is idle at two scans has his answers: it is over. */
static void test_closed_and_idle(void **state)
{
	(void)state;
	opened();
	answered();
	scanned();
	scanned();
	scanned();
	assert_true(is_open());
	shutdown(client, SHUT_WR);
	scanned();
	assert_true(is_open());
	scanned();
	assert_false(is_open());
	closed();
}

/* Requests that were sent before he closed his side are answered one after the other, and between
 * two of them a scan may see nothing to do: the scans before an answer do not count. */
static void test_an_answer_between_two_scans(void **state)
{
	(void)state;
	opened();
	answered();
	shutdown(client, SHUT_WR);
	for (unsigned i = 0; i < 5; i++) {
		scanned();
		assert_true(is_open());
		answered();
	}
	scanned();
	assert_true(is_open());
	scanned();
	assert_false(is_open());
	closed();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closed_and_idle),
		cmocka_unit_test(test_an_answer_between_two_scans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
