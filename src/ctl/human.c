/* SPDX-License-Identifier: MIT
 * Numbers for people: three digits, a prefix and a short unit.
 * Owns:  what a unit is called before people.
 * Never: what programs read, which has base units.
 * Pure; any thread.
 */
#include "ctl/ctl.h"

#include "base/bits.h"
#include "base/name.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of a metric, as its name ends; of its total each second. */
static const struct unit {
	const char *name, *is, *each_second;
} units[] = {
	{ "", "", "/s" }, { "bytes", "B", "B/s" }, { "bytes_per_second", "B/s", "B/s" },
	{ "hertz", "Hz", "Hz/s" }, { "joules", "J", "W" }, { "ratio", "%", "%/s" },
	{ "seconds", "s", "s/s" }, { "watts", "W", "W/s" },
};

/* Takes prefixes: what is longer is a word of the manual, such as "cycles". */
enum { SHORT_UNIT = 3 };

const char *ctl_human_unit(const char *unit, bool each_second)
{
	const struct unit *u = NAME_FIND(units, COUNT(units), unit);

	if (!u)
		return each_second ? "/s" : unit;
	return each_second ? u->each_second : u->is;
}

struct ctl_word ctl_human(double v, const char *unit)
{
	static const struct { double size; const char *prefix; } steps[] = {
		{ 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" }, { 1, "" }, { 1e-3, "m" },
		{ 1e-6, "u" }, { 1e-9, "n" },
	};
	const unsigned one = 4, last = strcmp(unit, "s") == 0 ? COUNT(steps) - 1 : one;
	struct ctl_word w = { "-" };
	unsigned i = 0;

	if (isnan(v))
		return w;
	if (strcmp(unit, "%") == 0) {
		snprintf(w.s, sizeof(w.s), "%.1f %%", 100 * v);
		return w;
	}
	while (i < last && fabs(v) < 0.9995 * steps[i].size)    /* 999.5 has four digits */
		i++;
	if (strlen(unit) > SHORT_UNIT) {
		snprintf(w.s, sizeof(w.s), "%.6g %s", v, unit);
		return w;
	}
	if (v == 0)
		i = one;
	snprintf(w.s, sizeof(w.s), "%.3g%s%s%s", v / steps[i].size,
		 *steps[i].prefix || *unit ? " " : "", steps[i].prefix, unit);
	return w;
}
