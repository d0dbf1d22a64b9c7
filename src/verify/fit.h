/* fit.h - what was counted as a sum of what was moved: a robust linear fit.
 *
 * Owns:  the four coefficients and how uncertain each is.
 * Never: what a coefficient means (verdict.h).
 * Pure; any thread.
 */
#ifndef VERIFY_FIT_H
#define VERIFY_FIT_H

/* The causes of a count, each with its coefficient. */
enum { FIT_SECONDS, FIT_TRUTH, FIT_OTHER, FIT_ELSEWHERE, FIT_COLUMNS };

struct fit_row {
	double x[FIT_COLUMNS], y;       /* of comparable size, about 1 */
};

struct fit {
	double k[FIT_COLUMNS];
	double half[FIT_COLUMNS];       /* half the width of the interval of 95 % */
};

#define FIT_ROWS_MAX 256

/*
 * fit_robust - y = sum of k x, by Huber's weights, which let single rows be far off.
 *
 * The intervals are those of MacKinnon and White (HC3): the error may differ from row to row. A
 * column that is always 0 gets 0. n must be above FIT_COLUMNS, at most FIT_ROWS_MAX. The same rows
 * give the same numbers.
 */
void fit_robust(const struct fit_row *v, unsigned n, struct fit *ret);

#endif
