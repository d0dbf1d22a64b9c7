/* fit.c - see fit.h. */
#include "verify/fit.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS FIT_COLUMNS
#define HUBER   1.345           /* 95 % as efficient as least squares where the noise is Gaussian */
#define FLOOR   0.002           /* of 1: nobody counts more evenly than that */
#define RIDGE   1e-9            /* makes a column of zeros solvable */
enum { PASSES = 30 };

/* a becomes its inverse (Gauss, Jordan); it is positive definite, so no pivot is searched. */
static void invert(double a[COLUMNS][COLUMNS])
{
	for (unsigned p = 0; p < COLUMNS; p++) {
		double pivot = a[p][p];

		a[p][p] = 1;
		for (unsigned j = 0; j < COLUMNS; j++)
			a[p][j] /= pivot;
		for (unsigned i = 0; i < COLUMNS; i++) {
			double f = a[i][p];

			if (i == p)
				continue;
			a[i][p] = 0;
			for (unsigned j = 0; j < COLUMNS; j++)
				a[i][j] -= f * a[p][j];
		}
	}
}

/* The inverse of X'WX. */
static void normal(const struct fit_row *v, unsigned n, const double *w,
		   double ret[COLUMNS][COLUMNS])
{
	memset(ret, 0, sizeof(double [COLUMNS][COLUMNS]));
	for (unsigned i = 0; i < COLUMNS; i++) {
		ret[i][i] = RIDGE;
		for (unsigned j = 0; j < COLUMNS; j++)
			for (unsigned r = 0; r < n; r++)
				ret[i][j] += w[r] * v[r].x[i] * v[r].x[j];
	}
	invert(ret);
}

static double dot(const double *a, const double *b)
{
	double sum = 0;

	for (unsigned i = 0; i < COLUMNS; i++)
		sum += a[i] * b[i];
	return sum;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The deviation of the residuals in the rows that have a part of a column, of the column where it
 * is largest: idle rows are many and quiet. Of a Gaussian it is 1.4826 times the median of their
 * sizes. */
static double deviation(const struct fit_row *v, const double *residual, unsigned n)
{
	double size[FIT_ROWS_MAX], most = FLOOR;

	for (unsigned i = 0; i < COLUMNS; i++) {
		unsigned used = 0;
		double median;

		for (unsigned r = 0; r < n; r++)
			if (v[r].x[i] > 0)
				size[used++] = fabs(residual[r]);
		qsort(size, used, sizeof(*size), by_size);
		median = used ? (size[(used - 1) / 2] + size[used / 2]) / 2 : 0;
		most = fmax(most, 1.4826 * median);
	}
	return most;
}

/* Student's t for 97.5 %, by the series of Cornish and Fisher. */
static double student(unsigned freedom)
{
	double z = 1.959964, f = freedom;

	return z + (pow(z, 3) + z) / (4 * f) + (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) /
		(96 * f * f);
}

void fit_robust(const struct fit_row *v, unsigned n, struct fit *ret)
{
	double w[FIT_ROWS_MAX], residual[FIT_ROWS_MAX], inverse[COLUMNS][COLUMNS];
	double sum[COLUMNS] = { 0 };
	unsigned used[COLUMNS] = { 0 };

	assert(n > COLUMNS && n <= FIT_ROWS_MAX);
	for (unsigned r = 0; r < n; r++)
		w[r] = 1;
	for (unsigned pass = 0; pass < PASSES; pass++) {
		double right[COLUMNS] = { 0 }, s;

		normal(v, n, w, inverse);
		for (unsigned r = 0; r < n; r++)
			for (unsigned i = 0; i < COLUMNS; i++)
				right[i] += w[r] * v[r].x[i] * v[r].y;
		for (unsigned i = 0; i < COLUMNS; i++)
			ret->k[i] = dot(inverse[i], right);
		for (unsigned r = 0; r < n; r++)
			residual[r] = v[r].y - dot(ret->k, v[r].x);
		s = HUBER * deviation(v, residual, n);
		for (unsigned r = 0; r < n && pass < PASSES - 1; r++)
			w[r] = fabs(residual[r]) > s ? s / fabs(residual[r]) : 1;
	}
	for (unsigned r = 0; r < n; r++) {
		double effect[COLUMNS], leverage;

		for (unsigned i = 0; i < COLUMNS; i++)
			effect[i] = w[r] * dot(inverse[i], v[r].x);
		leverage = dot(effect, v[r].x);
		for (unsigned i = 0; i < COLUMNS; i++)
			sum[i] += pow(effect[i] * residual[r] / fmax(1 - leverage, 0.1), 2);
		for (unsigned i = 0; i < COLUMNS; i++)
			used[i] += v[r].x[i] > 0;
	}
	for (unsigned i = 0; i < COLUMNS; i++)
		ret->half[i] = student(used[i] > 3 ? used[i] - 1 : 2) * sqrt(sum[i]);
}
