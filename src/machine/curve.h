/* SPDX-License-Identifier: MIT
 * The curve of this machine's memory, latency against traffic, as uncorectl verify --curve measured
 * it: curve.json of the state directory.
 *
 * Owns:  the format of that file, which machine it is of, where the knee of a mix is, and at which
 *        rates to look for it.
 * Never: how it is measured, what is derived of it.
 * Main thread.
 */
#ifndef MACHINE_CURVE_H
#define MACHINE_CURVE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "plan/knee.h"
#include "topo/host.h"

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct machine;

#define CURVE_FILE "curve.json"
#define CURVE_FORMAT "uncored-curve-1"
#define CURVE_KNEE 1.5              /* times the least latency */
enum { CURVE_SOCKETS = 16, CURVE_POINTS = 32 };
enum { CURVE_RATES = 15 };          /* at which each mix is measured */

struct curve_point {
	double bytes_per_second, latency;       /* seconds; as uncored counts both */
	double reads;               /* share of the traffic; not in the file */
	bool full;                  /* of a load without a bound; not in the file */
};

/* Traffic at one share of reads, at rising rates. */
struct curve_mix {
	double asked;               /* share of reads that the load was to have */
	double reads;               /* that it had, of all traffic: what a store reads is read */
	double least;               /* latency in seconds */
	double most, knee;          /* bytes a second; knee 0: the latency never got there */
	struct curve_point points[CURVE_POINTS];
	unsigned n;
};

struct curve_socket {
	unsigned id;                /* physical package id */
	unsigned channels;          /* that have memory; 0: nobody knows */
	struct curve_mix mix[KNEE_MIXES];
	unsigned n;
};

struct curve {
	char processor[64], model[256];         /* as uncored_socket_info names them */
	char version[64], date[32];             /* of uncored; RFC 3339 */
	struct host_versions versions;          /* of that machine */
	bool simulated;
	struct curve_socket sockets[CURVE_SOCKETS];
	unsigned n_sockets;
};

/* Fills least, most, knee and share of reads of the points, which it sorts by traffic. What the
 * full ones say is one point, of their medians: it is the most traffic and has that share; without
 * one the most is that of the last point. The least latency is the median of those at hardly any
 * traffic, the knee where it is CURVE_KNEE times that, linear between two points. Latency rises
 * with traffic: points that contradict most others are left out, and what falls by less is noise,
 * and averaged with its neighbours. (curve_knee.c) */
void curve_find_knee(struct curve_mix *m);
/* Bytes a second at which this mix is to be measured as the next: step 0 to CURVE_RATES - 1, all
 * points before it are there. INFINITY: as much as goes, which makes a full point; NAN: there is no
 * full point to take shares of. The first are the same for each memory, the others again at a point
 * that contradicts others, or halfway between the points around the knee. Sorts as above. */
double curve_rate(struct curve_mix *m, unsigned step);

/* Reads the file of the state directory. 0 and *ret, which the caller frees; 0 and NULL: there is
 * none; -errno with a sentence that names the file. */
int curve_read(const char *state, struct curve **ret, struct err *err);
/* The same from its bytes. */
int curve_parse(const char *text, size_t n, struct curve **ret, struct err *err);
/* Puts it in the place of the one that was there. */
int curve_write(const char *state, const struct curve *c, struct err *err);

/* What is known of the knees of this machine's sockets: why none is, where its file is missing, of
 * another machine, of a later time than `now` (seconds since 1970) or faulty. It may be freed with
 * curve_knees_free() while plans are made. */
struct curve_knees;
struct curve_knees *curve_knees_new(const struct machine *m, time_t now);
const struct plan_knees *curve_knees_of(const struct curve_knees *k);
void curve_knees_free(struct curve_knees *k);
CLEANUP_POINTER(curve_knees_free, struct curve_knees);

#endif
