/* SPDX-License-Identifier: MIT
 * What a counter of memory traffic counts, judged by what was moved meanwhile.
 *
 * Owns:  the comparison, and the words for what may be wrong.
 * Never: who moved it, who counted it, clocks.
 * Pure; any thread.
 */
#ifndef VERIFY_VERDICT_H
#define VERIFY_VERDICT_H

#include <stddef.h>

enum verify_traffic {
	VERIFY_EXPECTED,        /* of the kind that the counter should count */
	VERIFY_OTHER_DIRECTION, /* the other direction on this socket; 0 if it counts both */
	VERIFY_OTHER_SOCKETS,   /* as VERIFY_EXPECTED, on other sockets */
	VERIFY_TRAFFICS
};

/* One sample of one socket's counter. Bytes. */
struct verify_sample {
	double seconds, moved[VERIFY_TRAFFICS];
	double count;           /* how far the counter went */
};

/* What a verdict may say: its name in JSON, and in words, which get a number of the verdict. Those
 * from VERIFY_ABOVE_CHASE on are the caller's. */
#define VERIFY_CAUSE_LIST(X) \
	X(RIGHT, "right", "right") \
	X(TWICE, "twice", "counted twice, or each line is read once more, for ownership") \
	X(HALF, "half", "half of the channels, or 32 bytes taken for a line of 64") \
	X(COPIES, "copies", "%.0f copies of one counter are added up") \
	X(DIRECTION, "direction", "reads and writes are exchanged") \
	X(BOTH, "both", "the other direction is counted too: reads for ownership, or a sum") \
	X(SOCKETS, "sockets", "the sockets are exchanged") \
	X(DEAD, "dead_channel", "one of %.0f channels is not counted") \
	X(LOST, "lost", "%.0f %% is lost") \
	X(STUCK, "stuck", "the counter stands still") \
	X(WRAP, "wrap", "the counter wraps, and what it held is lost") \
	X(BACKGROUND, "background", "others move %.1f GB/s: stop what uses memory, and try again") \
	X(NOISY, "noisy", "too uncertain: the machine is not quiet; stop what uses memory, and " \
	  "try again") \
	X(UNKNOWN, "unknown", "wrong, by no cause known here") \
	X(ABOVE_CHASE, "above_chase", "longer than a dependent read takes") \
	X(FALLS, "falls", "it falls while the load rises") \
	X(RANGE, "range", "outside of what is possible")

enum verify_cause {
#define VERIFY_CAUSE(cause, name, text) VERIFY_##cause,
	VERIFY_CAUSE_LIST(VERIFY_CAUSE)
	VERIFY_CAUSES
};

enum { VERIFY_NAMED = 3, VERIFY_SAMPLES_MIN = 7, VERIFY_SAMPLES_MAX = 128 };

struct verify_verdict {
	double slope, low, high;        /* counted for each byte moved; the interval of 95 % */
	double background;              /* bytes a second that somebody else moved */
	/* Bytes of the samples with traffic of its kind alone; background is counted, too. */
	double moved, counted;
	enum verify_cause causes[VERIFY_NAMED];         /* the likeliest first, at least one */
	unsigned n_causes;
};

/*
 * verify_judge - what the counter counts, by n samples: VERIFY_SAMPLES_MIN to VERIFY_SAMPLES_MAX.
 *
 * Samples with more than one kind of traffic are passed over.
 */
void verify_judge(const struct verify_sample *v, unsigned n, struct verify_verdict *ret);
/* Their names in JSON. */
extern const char *const verify_cause_names[VERIFY_CAUSES];
/* In words; numbers are those of the verdict. Returns buf. */
char *verify_cause_say(const struct verify_verdict *v, enum verify_cause c, char *buf, size_t n);
#define VERIFY_TEXT 160

#endif
