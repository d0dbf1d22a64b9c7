/* SPDX-License-Identifier: MIT
 * Units and links of uncorectl top: what each channel, port, link and stack does now.
 * Owns:  which series are those of a unit.
 * Never: how far a series went (stat_gains.c).
 */
#include "ctl/stat.h"
#include "ctl/top.h"

#include <stdio.h>
#include <string.h>

void top_take_units(struct socket *s, json_t *now)
{
	json_t *totals = stat_by_name(now, s->totals);

	json_decref(s->units);
	s->units = s->totals ? stat_gains(s->totals, now, true) : NULL;
	json_decref(s->totals);
	s->totals = totals;
}

/* A label of it, with a place. */
static bool is_of_unit(const char *name)
{
	static const char *const places[] = { "unit=\"", "port=\"", "link=\"", "die=\"" };

	for (unsigned i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (strstr(name, places[i]))
			return true;
	return false;
}

static bool is_of_socket(const char *name, const char *id)
{
	char label[64];

	snprintf(label, sizeof(label), "socket=\"%s\"", id);
	return strstr(name, label);
}

/* uncore_x{socket="0",unit="1",link="qpi0"} as "x unit=1 link=qpi0". */
static void short_name(const char *name, char *ret, size_t size)
{
	const char *labels = strchr(name, '{');
	size_t at = (size_t)snprintf(ret, size, "%.*s", (int)(labels - name) - 7, name + 7);

	for (const char *l = labels + 1; *l && at < size;) {
		const char *value = strstr(l, "=\""), *end = value ? strchr(value + 2, '"') : NULL;

		if (!end)
			return;
		if (strncmp(l, "socket=", 7) != 0)
			at += (size_t)snprintf(ret + at, size - at, " %.*s=%.*s", (int)(value - l),
					       l, (int)(end - value) - 2, value + 2);
		l = end + 1;
		l += *l == ',';
	}
}

/* What is behind the I/O stack of this series, as far as the kernel says it; "": nothing is known,
 * or it is of something else. */
static const char *devices_of(const struct socket *s, const char *name)
{
	const char *unit = strstr(name, "unit=\"");

	if (!unit || (strncmp(name, "uncore_pcie_", 12) != 0 &&
		      strncmp(name, "uncore_iio_", 11) != 0))
		return "";
	unit += strlen("unit=\"");
	for (unsigned i = 0; i < s->n_stacks; i++) {
		size_t n = strlen(s->stacks[i].unit);

		if (strncmp(unit, s->stacks[i].unit, n) == 0 && unit[n] == '"')
			return s->stacks[i].devices;
	}
	return "";
}

/* Those that have a unit: bytes, ratios, latencies. A count of events alone says nothing here. */
void top_print_units(FILE *f, const struct socket *s, int title)
{
	json_t *row;
	size_t i;

	fputs(s->units ? "  Units and links\n" : "  Units and links: at the next sample\n", f);
	json_array_foreach(s->units, i, row) {
		const char *name = ctl_text(row, STAT_NAME), *unit = ctl_text(row, "unit") ?: "";
		json_t *rate = json_object_get(row, STAT_RATE);
		json_t *v = rate ?: json_object_get(row, STAT_VALUE);
		char text[128];

		if (!*unit || stat_is_sum(name) || !is_of_unit(name) || !is_of_socket(name, s->id))
			continue;
		short_name(name, text, sizeof(text));
		if (json_is_real(v))
			fprintf(f, "    %-*s %10s  %s\n", title + 14, text, ctl_human(
				json_real_value(v), ctl_human_unit(unit, rate)).s,
				devices_of(s, name));
		else
			fprintf(f, "    %-*s %10s  %s\n", title + 14, text, "-",
				ctl_text(row, STAT_REASON));
	}
}
