/* SPDX-License-Identifier: MIT */
#include "planner/restoring.h"

#include "base/arena.h"
#include "lower/lower.h"

#include <errno.h>

#define PROGRAM_MAX ((size_t)1 << 20)   /* bytes */

struct beginning {
	struct arena *arena;
	const struct cat_processor *processor;
	struct plan_program *program;
};

static void begin(void *p)
{
	const struct beginning *b = p;

	lower_processor(b->arena, b->processor, b->program);
}

int plan_program_begin(const struct cat_processor *p, struct plan_program *ret)
{
	struct beginning b = { .processor = p, .program = ret };

	*ret = (struct plan_program){ .arena = arena_new(PROGRAM_MAX, NULL) };
	b.arena = ret->arena;
	return b.arena && arena_try(b.arena, begin, &b) ? 0 : -ENOMEM;
}

void plan_program_done(struct plan_program *p)
{
	arena_free(p->arena);
}

uint64_t plan_owned(const struct cat_processor *p, struct reg r)
{
	const struct cat_global *g = p->global;
	const struct cat_field *fields;
	struct cat_location at;
	unsigned n;

	if (!cat_locate(p, r, &at))
		return 0;
	if (!at.box)
		return g->enable | g->reset | g->box_enable | g->overflow_stops |
		       g->overflow_interrupts;
	if (r.bytes != cat_reg_address(at.box, at.row, at.unit, at.index).bytes)
		return 0;
	switch (at.row->role) {
	case CAT_CTL: case CAT_FIXED_CTL: case CAT_CTR: case CAT_FIXED_CTR:
	case CAT_SUB: case CAT_FILTER:
		return ~UINT64_C(0);
	case CAT_STATUS: case CAT_GLOBAL_STATUS:
		if (at.row->access != CAT_W1C)
			return 0;
		break;
	case CAT_SUMMARY: case CAT_OTHER:
		return 0;
	}
	fields = cat_reg_fields(at.box, at.row, &n);
	return cat_fields_mask(fields, n, BIT(CAT_FIELD) | BIT(CAT_FIELD_PULSE));
}
