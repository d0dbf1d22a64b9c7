/* SPDX-License-Identifier: MIT
 * Gathering a description: families, label sets, series; inside expo/ only.
 *
 * Main thread; allocates. Failures are remembered and come out of build_finish().
 */
#ifndef EXPO_BUILD_H
#define EXPO_BUILD_H

#include "expo/strings.h"
#include "plan/plan.h"

#define BUILD_TEXT_MAX 65536            /* of one label set or one family's metadata */

struct builder {
	const struct plan *plan;
	const struct expo_identity *id;
	const struct expo_offsets *offsets;
	DESC_PARTS_OF(struct strb);     /* series as they come, see build_finish() */
	struct strb family_of;          /* of each of them: the number of its family */
	struct strings strings;         /* in pool */
	struct strb text;               /* the beginning of a line, or metadata */
	uint32_t first_label;           /* of the last label set */
	unsigned socket;                /* of the series that have it */
};

/* Number `i` of the plan's sockets. */
static inline const struct plan_socket *build_socket(const struct builder *b, unsigned i)
{
	return &b->plan->sockets[i];
}

/* How many members there are. */
static inline uint32_t desc_n_members(const struct builder *b)
{
	return (uint32_t)(b->members.n / sizeof(uint32_t));
}

/* What a series belongs to. */
struct build_family {
	const char *name, *help;
	enum desc_type type;
	const char *unit;           /* NULL: a count, or a truth */
	const char *note;           /* what the HELP begins with, wherever it is shown; or "" */
	nsec known_after;           /* of desc_family */
};

void build_init(struct builder *b, const struct plan *plan, const struct expo_identity *id,
		const struct expo_offsets *offsets);
void build_done(struct builder *b);

/* One label set at a time: begin, then add in order. Its series are of this socket (index;
 * n_sockets: of the daemon). */
void build_labels(struct builder *b, unsigned socket);
void build_label(struct builder *b, const char *name, const char *value);
void build_label_number(struct builder *b, const char *name, unsigned value);
void build_label_all(struct builder *b, struct labels l);

/*
 * build_series - one more series of a family, with the labels of the last set.
 *
 * The family is made when it is first named; families are in that order. If s->at_reload says so,
 * the offset comes from the old description. Returns its number so far, for
 * desc_group.active_series and desc_metric.series.
 */
uint32_t build_series(struct builder *b, const struct build_family *f, const struct desc_series *s);
int build_finish(struct builder *b, void **ret, size_t *ret_len, struct err *err);

#endif
