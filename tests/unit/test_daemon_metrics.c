/* SPDX-License-Identifier: MIT
 * A metric of the daemon needs its row, and who writes its value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "expo_plan.h"

#include <stdio.h>
#include <stdlib.h>

#define INDEX_SOCKET(id) W_##id
#define INDEX_DAEMON(id) D_##id
#define INDEX_NONE(id)   (-1)
#define ROW(values, id, scope, kind, type, unit, name, help) \
	{ #values, #scope, #kind, #type, unit, name, help, INDEX_##values(id) },

static const struct row {
	const char *values, *scope, *kind, *type, *unit, *name, *help;
	int index;
} rows[] = { DAEMON_METRICS(ROW) };

struct page {
	char *text, *openmetrics;
};

static char *body_of(struct expo_renderer *r, enum expo_format f)
{
	struct expo_body *body = expo_render(r, f, 0);
	char *text;

	assert_non_null(body);
	text = strndup(body->bytes, body->n);
	expo_body_unref(body);
	return text;
}

static bool is_time(const struct row *row)
{
	return strcmp(row->kind, "NSEC") == 0 || strcmp(row->kind, "DURATION") == 0;
}

/* The k-th row's value is 1000 + k, in seconds where it is a time. */
static void fill(uint64_t *words, const char *values)
{
	for (size_t k = 0; k < COUNT(rows); k++)
		if (strcmp(rows[k].values, values) == 0)
			words[rows[k].index] = (1000 + k) *
					       (is_time(&rows[k]) ? NSEC_PER_SEC : 1);
}

/* The bodies of a socket on registers, so that no row is left out. */
static struct page render(void)
{
	struct plan_socket with_channels = plan_sockets[0];
	struct plan_io_device device = { .pci = "0000:5e:00.0", .driver = "ice", .kind = "net",
					 .name = "eth0" };
	struct plan_stack stack = { .box_name = "iio", .unit = 3, .pci_bus = "0000:5d",
				    .devices = &device, .n_devices = 1, .n_sharing = 1,
				    .names = "eth0", .shown = true, .devices_shown = true };
	struct plan_unit unit = { .box_name = "imc", .unit = 7, .node = 1, .node_shown = true };
	const struct plan plan = {
		.interval = NSEC_PER_SEC, .sockets = &with_channels, .n_sockets = 1,
		.curve_stale = 1,
	};
	struct expo_identity id = hand_identity;
	struct ring socket = ring_new(layout_of(&plan_sockets[0]).n_words);
	struct ring daemon = ring_new(D_VALUES);
	uint64_t *words = calloc(socket.n_words, sizeof(*words)), daemon_values[D_VALUES] = { 0 };
	struct expo_renderer *r;
	struct page page;
	void *desc;
	size_t len;

	with_channels.n_channels = 1;
	with_channels.n_nodes = 2;
	with_channels.stacks = &stack;
	with_channels.n_stacks = 1;
	with_channels.units = &unit;
	with_channels.n_units = 1;
	id.engine = "registers";
	id.engine_note = "";
	fill(words, "SOCKET");
	fill(daemon_values, "DAEMON");
	daemon_values[D_PAUSED] = 0;            /* else no socket has a value */
	assert_int_equal(expo_describe(&plan, &id, NULL, &desc, &len, NULL), 0);
	assert_int_equal(expo_renderer_new(desc, len, &socket, &daemon, NULL, &r, NULL), 0);
	daemon_values[D_HTTP_BEGAN] = 1;
	expo_note_http(r, daemon_values);
	ring_write(&socket, words);
	ring_write(&daemon, daemon_values);
	page = (struct page){ body_of(r, EXPO_TEXT), body_of(r, EXPO_OPENMETRICS) };
	expo_renderer_free(r);
	free(desc);
	free(words);
	free(socket.mem);
	free(daemon.mem);
	return page;
}

/* What follows the line's beginning in the body; NULL: there is no such line. */
static const char *after(const char *body, const char *begin)
{
	size_t n = strlen(begin);

	for (const char *line = body; *line; line = strchr(line, '\n') + 1)
		if (strncmp(line, begin, n) == 0)
			return line + n;
	return NULL;
}

#define PAUSED "uncored_paused"         /* see test_expo_stalled.c */

static void need(const char *body, const char *line)
{
	const char *rest = after(body, line);

	if (!rest || *rest != '\n')
		fail_msg("there is no line \"%s\"", line);
}

static const char *type_of(const struct row *row)
{
	if (strcmp(row->type, "COUNTER") == 0)
		return "counter";
	return strcmp(row->type, "HISTOGRAM") == 0 ? "histogram" : "gauge";
}

static void test_exposition(void **state)
{
	struct page page = render();

	(void)state;
	for (size_t k = 0; k < COUNT(rows); k++) {
		const struct row *row = &rows[k];
		char line[512];
		const char *value;
		size_t suffix;

		if (strstr("SLOT METRIC DISTRIBUTION", row->scope))
			continue;       /* of what is not valid: test_expo.c, test_expo_stalled.c */
		if (strstr("VERIFIED STALE", row->scope))
			continue;       /* of what verify left: tests/e2e/certificate.py */
		snprintf(line, sizeof(line), "# HELP %s %s", row->name, row->help);
		need(page.text, line);
		snprintf(line, sizeof(line), "# TYPE %s %s", row->name, type_of(row));
		need(page.text, line);
		suffix = strcmp(row->type, "COUNTER") == 0 ? strlen("_total") : 0;
		snprintf(line, sizeof(line), "# UNIT %.*s %s",
			 (int)(strlen(row->name) - suffix), row->name,
			 row->unit);
		if (*row->unit)
			need(page.openmetrics, line);
		if (row->index < 0 || strcmp(row->kind, "CPU") == 0 ||
		    strcmp(row->name, PAUSED) == 0)
			continue;
		snprintf(line, sizeof(line), "%s%s ", row->name,
			 strcmp(row->values, "SOCKET") == 0 ? "{socket=\"0\"}" : "");
		value = after(page.text, line);
		if (!value || strtod(value, NULL) != 1000.0 + (double)k)
			fail_msg("%s is not %zu", line, 1000 + k);
	}
	free(page.text);
	free(page.openmetrics);
}

/* Does the page go on with this text, in lines of any length? */
static bool goes_on(const char *page, const char *text)
{
	while (*text && (*page == *text || (*page == '\n' && *text == ' ')))
		page++, text++;
	return !*text && *page == '\n';
}

/* uncored(8) lists them all, and nothing else. */
static void test_manual(void **state)
{
	static char page[1 << 18];
	const char *top = getenv("top_srcdir"), *at, *end;
	char path[4096];
	size_t n;
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/man/uncored.8", top ? top : ".");
	f = fopen(path, "r");
	assert_non_null(f);
	n = fread(page, 1, sizeof(page) - 1, f);
	fclose(f);
	page[n] = '\0';
	at = strstr(page, ".Sh METRICS OF THE DAEMON\n");
	assert_non_null(at);
	end = strstr(at + 1, "\n.Sh ");
	assert_non_null(end);
	for (size_t k = 0; k < COUNT(rows); k++) {
		char item[512];

		snprintf(item, sizeof(item), ".It Li %s %s", rows[k].name, rows[k].help);
		at = strstr(at + 1, ".It Li ");
		if (!at || at > end || !goes_on(at, item))
			fail_msg("METRICS OF THE DAEMON does not have next:\n%s", item);
	}
	at = strstr(at + 1, ".It Li ");
	assert_true(!at || at > end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exposition), cmocka_unit_test(test_manual),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
