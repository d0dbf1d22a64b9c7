/* SPDX-License-Identifier: MIT
 * A derived metric as a row: of the catalog, and of a configuration.
 *
 * Owns:  the form of a row. Its inputs are texts, of the catalog or of a configuration.
 * Never: whether they exist (spec/), which slots they are (metric/).
 * Pure; any thread.
 */
#ifndef CATALOG_METRIC_ROW_H
#define CATALOG_METRIC_ROW_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Where a row does not hold although its table does. */
struct cat_except {
	unsigned model;             /* of CPUID; 0: any */
	const char *word;           /* part of cpuinfo's model name; NULL: any */
	const char *why;            /* a sentence; NULL ends the list */
};

enum cat_per { CAT_PER_UNIT, CAT_PER_SOCKET };   /* a port counts as a unit of its own */

/* A row that is no formula: the limit of the socket's memory as it was measured on this machine,
 * for the present mix of num, the bytes that are read, and den, those that are written; or how much
 * of that is left. den empty: num is both. */
enum cat_knee { CAT_NO_KNEE, CAT_KNEE, CAT_HEADROOM };
/* The metrics of memory latency by which a knee is found: the time of a read that misses the
 * caches, of a socket; or that of reads in each of its home agents, alike, of which the mean is
 * taken. */
#define CAT_MEMORY_LATENCY "llc_data_read_miss_latency_seconds llc_miss_latency_seconds " \
	"home_local_read_latency_seconds"

/* One addend: an event specification, the word "seconds" (wall time of the window), or a constant
 * of the socket. The catalog names events without unit ("bbox/IMT_INSERTS_ALL"); keys and unit
 * masks given must equal the slot's. */
struct cat_term {
	const char *spec;
	double weight;              /* 0 is read as 1 */
	unsigned line;              /* of the configuration */
	bool faulty;                /* could not be read */
};

/* Is it an event, box/EVENT, or a name of Intel's? Else a word. */
static inline bool cat_is_event(const char *spec)
{
	return strchr(spec, '/') || strncasecmp(spec, "UNC_", strlen("UNC_")) == 0;
}

struct cat_guard {
	const struct cat_term *num, *den;   /* as those of the metric; both are there */
	double max;                 /* num / den above it: omitted, reason conflict */
};

/* value = scale x N / D [x seconds per clock]. */
struct cat_metric {
	const char *name;           /* without "uncore_": "imt_latency_seconds" */
	const char *unit;           /* "seconds", "entries": the name ends in it, before _total */
	uint8_t per;                /* enum cat_per */
	bool complement, clamp;     /* 1 - value; into 0..1 */
	bool bounded;               /* a share of what there is at most. Above 1, or below 0, by no
				     * more than the difference of its counters' reads it is 1, or
				     * 0; beyond: omitted, reason conflict */
	bool scaled;                /* perf events: each counts times its .scale of sysfs, in base
				     * units (Joules, bytes) */
	double unscaled;            /* scaled: base units of a count where a kernel has no .scale
				     * for it; 0: nobody says */
	double scale;               /* 0 is read as 1 */
	const struct cat_term *num, *den; /* sums, ended by spec == NULL; den NULL: exact counter,
					   * unless it has a knee */
	/* The row holds while each event of den, or the one that a counter is, counts at most so
	 * often in a second: it is a clock. Above that: omitted, reason conflict. 0: always. */
	double clock_most;
	/* Of a memory channel or all of a socket: a channel that has not counted a command yet has
	 * no memory, as far as is known, and is left out. */
	bool with_memory;
	uint8_t knee;               /* enum cat_knee */
	bool on_request;            /* one of many series: derived only where a group names it */
	const struct cat_except *except;    /* NULL: none */
	const char *cycles_of;      /* clock event: value x window seconds / its count */
	const struct cat_guard *guard;      /* NULL: none */
	const char *link;           /* constant label link="...", NULL: from the port, if any */
	const char *absent;         /* ready-made rows without inputs: why nobody can count it
				     * there, a sentence; NULL: it is counted */
	const char *help, *source;  /* of a configuration: help NULL if none was given; no source */
	const char *disputed;       /* what the sources leave open or contradict, a sentence; NULL:
				     * nothing */
};

#endif
