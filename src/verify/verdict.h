/* verdict.h - what a counter of memory traffic counts, told by what was moved meanwhile.
 *
 * Owns:  the comparison, and the words for what may be wrong.
 * Never: who moved it, who counted it, clocks.
 * Pure; any thread.
 */
#ifndef VERIFY_VERDICT_H
#define VERIFY_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

/* One window of one socket's counter. Bytes. */
struct verify_sample {
	double seconds;
	double truth;           /* moved, of the kind that the counter should count */
	double other;           /* the other direction on this socket; 0 if it counts both */
	double elsewhere;       /* moved on other sockets, of the kind of `truth` */
	double count;           /* how far the counter went */
};

enum verify_cause {
	VERIFY_RIGHT, VERIFY_TWICE, VERIFY_HALF, VERIFY_COPIES, VERIFY_DIRECTION, VERIFY_BOTH,
	VERIFY_SOCKETS, VERIFY_DEAD, VERIFY_LOST, VERIFY_STUCK, VERIFY_WRAP, VERIFY_BACKGROUND,
	VERIFY_NOISY, VERIFY_UNKNOWN, VERIFY_CAUSES
};

enum { VERIFY_NAMED = 3, VERIFY_SAMPLES_MIN = 8 };

struct verify_verdict {
	double slope, low, high;        /* counted for each byte moved; the interval of 95 % */
	double background;              /* bytes a second that somebody else moved */
	double background_share;        /* the same beside the most that was moved in a window */
	enum verify_cause causes[VERIFY_NAMED];         /* the likeliest first, at least one */
	unsigned n_causes;
};

/* n: from VERIFY_SAMPLES_MIN to FIT_ROWS_MAX. */
void verify_judge(const struct verify_sample *v, unsigned n, struct verify_verdict *ret);
/* The name of a cause in JSON. */
const char *verify_cause_name(enum verify_cause c);
/* In words; numbers are those of the verdict. Returns buf. */
char *verify_cause_say(const struct verify_verdict *v, enum verify_cause c, char *buf, size_t n);
#define VERIFY_TEXT 160

#endif
