/* SPDX-License-Identifier: MIT
 * Rules of both text formats, on plans made by hand and as large as a machine: the same series in
 * both, and other programs' parsers read them. */
#include "expo/expo.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <unistd.h>

#include "base/bits.h"
#include "expo_scene.h"

/* ------------------------------------------------------------------ rules of the formats */

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The sample lines of a body, sorted, without those that only OpenMetrics has. Checks on the way: a
 * family's lines stand together, its metadata come once and before them. */
struct lines {
	char **v;
	size_t n;
};

static size_t family_length(const char *line)
{
	static const char *const suffixes[] = { "_total", "_info", "_bucket", "_sum",
						"_count", "_created" };
	size_t n = strcspn(line, "{ ");

	for (size_t i = 0; i < COUNT(suffixes); i++) {
		size_t len = strlen(suffixes[i]);

		if (n > len && strncmp(line + n - len, suffixes[i], len) == 0)
			return n - len;
	}
	return n;
}

static struct lines sample_lines(char *body)
{
	struct lines samples = { 0 }, families = { 0 };
	char *last = (char *)"", *save = NULL;

	samples.v = calloc(strlen(body) + 1, sizeof(*samples.v));
	families.v = calloc(strlen(body) + 1, sizeof(*families.v));
	assert_int_equal(body[strlen(body) - 1], '\n');
	assert_null(strstr(body, "\n\n"));
	assert_null(strchr(body, '\r'));
	for (char *line = strtok_r(body, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		bool meta = line[0] == '#';
		char *name = meta ? line + strlen("# HELP ") : line;

		if (strcmp(line, "# EOF") == 0)
			continue;
		name = strndup(name, family_length(name));
		if (strcmp(name, last) != 0) {
			if (!meta)
				fail_msg("no metadata before: %s", line);
			last = families.v[families.n++] = name;
		} else {
			free(name);
		}
		if (!meta && !strstr(line, "_created{"))
			samples.v[samples.n++] = line;
	}
	qsort(families.v, families.n, sizeof(*families.v), compare_lines);
	for (size_t i = 0; i < families.n; i++) {
		if (i && strcmp(families.v[i - 1], families.v[i]) == 0)
			fail_msg("family in two pieces: %s", families.v[i]);
	}
	for (size_t i = 0; i < families.n; i++)
		free(families.v[i]);
	free(families.v);
	qsort(samples.v, samples.n, sizeof(*samples.v), compare_lines);
	for (size_t i = 1; i < samples.n; i++) {
		size_t n = (size_t)(strrchr(samples.v[i], ' ') - samples.v[i]);

		if (strncmp(samples.v[i - 1], samples.v[i], n + 1) == 0)
			fail_msg("twice: %s", samples.v[i]);
	}
	return samples;
}

/* A plan as large as a machine: 8 sockets, 98 slots each in 7 groups, 40 metrics. */
#define BIG_SLOTS   98
#define BIG_METRICS 40
static struct plan *big_plan(void)
{
	static struct plan_socket sockets[8];
	static struct label unit[8];
	static const struct label any = { "umask", "ANY" };
	static struct plan plan = { .interval = NSEC_PER_SEC, .sockets = sockets, .n_sockets = 8 };
	char text[128];

	for (unsigned i = 0; i < 8 && !sockets[i].rounds; i++) {
		struct plan_socket *s = &sockets[i];

		*s = (struct plan_socket){ .id = i, .n_rounds = 1, .n_groups = 7,
					   .n_metrics = BIG_METRICS,
					   .n_metric_series = BIG_METRICS, .has_reg = true };
		s->rounds = calloc(1, sizeof(*s->rounds));
		s->rounds[0] = (struct plan_round){ .n_slots = BIG_SLOTS, .slots = calloc(BIG_SLOTS,
			sizeof(struct plan_slot)), .n_groups = 7,
			.groups = calloc(7, sizeof(unsigned)) };
		s->groups = calloc(7, sizeof(*s->groups));
		s->metrics = calloc(BIG_METRICS, sizeof(*s->metrics));
		for (unsigned g = 0; g < 7; g++) {
			snprintf(text, sizeof(text), "group%u", g);
			s->groups[g] = (struct plan_group){ .name = strdup(text), .n_rounds = 1,
				.slots = calloc(1, sizeof(unsigned *)), .n_slots = 14,
				.resolution = NSEC_PER_SEC };
			s->groups[g].slots[0] = calloc(14, sizeof(unsigned));
			for (unsigned k = 0; k < 14; k++)
				s->groups[g].slots[0][k] = g * 14 + k;
			s->rounds[0].groups[g] = g;
		}
		for (unsigned k = 0; k < BIG_SLOTS; k++) {
			struct plan_slot *slot = &s->rounds[0].slots[k];

			slot->unit = k % 8;
			snprintf(text, sizeof(text), "cbox%u/EVENT_%u:ANY", slot->unit, k / 8);
			slot->identity = strdup(text);
			slot->box_name = (char *)"cbox";
			snprintf(text, sizeof(text), "EVENT_%u", k / 8);
			slot->event_name = strdup(text);
			slot->labels = (struct labels){ &any, 1 };
			snprintf(text, sizeof(text), "uncore_cbox_event_%u_total", k / 8);
			slot->family = strdup(text);
			slot->help = (char *)"An event.";
		}
		for (unsigned m = 0; m < BIG_METRICS; m++) {
			struct plan_metric *row = &s->metrics[m];

			snprintf(text, sizeof(text), "uncore_derived_%u_ratio", m / 8);
			row->family = strdup(text);
			row->name = row->family + strlen("uncore_");
			snprintf(text, sizeof(text), "%u", m % 8);
			if (!unit[m % 8].value)
				unit[m % 8] = (struct label){ "unit", strdup(text) };
			row->labels = (struct labels){ &unit[m % 8], 1 };
			row->unit = "ratio";
			row->help = (char *)"A ratio.";
			row->groups = calloc(1, sizeof(*row->groups));
			row->groups[0] = m % 7;
			row->n_groups = 1;
			row->series = m;
			row->guard_num = (struct plan_sum){ no_slot, m % 2 };
		}
		hand_series(s);
	}
	return &plan;
}

static void big_words(struct scene *s, const struct plan *p)
{
	for (unsigned i = 0; i < s->n; i++) {
		struct layout l = layout_of(&p->sockets[i]);

		s->words[i][W_NOW_WALL] = 1790000000000000000;
		for (unsigned k = 0; k < p->sockets[i].n_series; k++) {
			s->words[i][l.slot_total + k] = UINT64_MAX / (k + 1);
			s->words[i][l.slot_reason + k] = k % 11;
		}
		for (unsigned m = 0; m < p->sockets[i].n_metrics; m++) {
			double v = 1.0 / (m + 3);

			s->words[i][l.metric_reason + m] = m % 3 ? REASON_NONE : REASON_CONFLICT;
			memcpy(&s->words[i][l.metric_value + m], &v, sizeof(v));
		}
	}
	s->daemon_values[D_START_WALL_NSEC] = 1790000000000000000;
}

static void expect_same_series(struct scene *s)
{
	char *text = body_text(s, EXPO_TEXT), *om = body_text(s, EXPO_OPENMETRICS);
	struct lines a = sample_lines(text), b = sample_lines(om);

	assert_int_equal(a.n, b.n);
	assert_true(a.n > 40);
	for (size_t i = 0; i < a.n; i++)
		assert_string_equal(a.v[i], b.v[i]);
	free(a.v);
	free(b.v);
	free(text);
	free(om);
}

static void test_formats_agree(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s, &hand_plan, NULL);
	expect_same_series(&s);                 /* before the first sample */
	hand_words(s.words[0], s.words[1], s.daemon_values);
	scene_publish(&s);
	expect_same_series(&s);
	scene_close(&s);
	scene_open(&s, big_plan(), NULL);
	big_words(&s, big_plan());
	scene_publish(&s);
	expect_same_series(&s);
	scene_close(&s);
}

/* ------------------------------------------------------------------ other programs */

static char *write_temp(const char *text)
{
	char *path = strdup("/tmp/uncored-expo-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	return path;
}

/* The rendered scenes as files $1 to $3: before the first sample, by hand, large. $4 to $6: the
 * same in OpenMetrics. Fails with the output of a command that fails. */
static void expect_command(const char *command)
{
	char line[4096], out[4096] = "", *paths[6];
	size_t n = (size_t)snprintf(line, sizeof(line), "set --");
	FILE *f;

	for (int i = 0; i < 6; i++) {
		struct scene s;
		char *text;

		scene_open(&s, i % 3 == 2 ? big_plan() : &hand_plan, NULL);
		if (i % 3 == 1)
			hand_words(s.words[0], s.words[1], s.daemon_values);
		if (i % 3 == 2)
			big_words(&s, big_plan());
		if (i % 3)
			scene_publish(&s);
		text = body_text(&s, i < 3 ? EXPO_TEXT : EXPO_OPENMETRICS);
		paths[i] = write_temp(text);
		n += (size_t)snprintf(line + n, sizeof(line) - n, " %s", paths[i]);
		free(text);
		scene_close(&s);
	}
	snprintf(line + n, sizeof(line) - n, "; { %s; } 2>&1", command);
	f = popen(line, "r");
	assert_non_null(f);
	out[fread(out, 1, sizeof(out) - 1, f)] = '\0';
	if (pclose(f) != 0)
		fail_msg("%s: %s", command, out);
	for (int i = 0; i < 6; i++) {
		unlink(paths[i]);
		free(paths[i]);
	}
}

static void test_promtool(void **state)
{
	(void)state;
	if (system("command -v promtool >/dev/null") != 0) {
		print_message("skipped: promtool is not installed\n");
		skip();
	}
	expect_command("for f in $1 $2 $3; do promtool check metrics <$f || exit 1; done");
}

/* Accepted, and as many samples found as lines were sent. */
static void test_python(void **state)
{
	static const char *const pythons[] = { "python3", "/usr/bin/python3" };
	static const char program[] =
		"import sys\n"
		"from prometheus_client import parser\n"
		"from prometheus_client.openmetrics import parser as openmetrics\n"
		"for i, path in enumerate(sys.argv[1:]):\n"
		"    text = open(path).read()\n"
		"    parse = (parser if i < 3 else openmetrics).text_string_to_metric_families\n"
		"    n = sum(len(f.samples) for f in parse(text))\n"
		"    want = sum(not l.startswith(\"#\") for l in text.splitlines())\n"
		"    if n != want: sys.exit(\"%d samples of %d lines\" % (n, want))\n";
	char command[2048];

	(void)state;
	for (size_t i = 0; i < COUNT(pythons); i++) {
		snprintf(command, sizeof(command),
			 "%s -c 'import prometheus_client' 2>/dev/null", pythons[i]);
		if (system(command) != 0)
			continue;
		snprintf(command, sizeof(command), "%s -c '%s' \"$@\"", pythons[i], program);
		expect_command(command);
		return;
	}
	print_message("skipped: python3-prometheus-client is not installed\n");
	skip();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats_agree), cmocka_unit_test(test_promtool),
		cmocka_unit_test(test_python),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
