/* SPDX-License-Identifier: MIT
 * The perf specification to write instead of a box's event under the perf engine.
 * Owns:  the terms of the kernel's uncore drivers for what the catalog knows.
 * Never: what anybody counts.
 * Pure; main thread.
 */
#include "spec/kernel.h"
#include "spec/resolve.h"

#include "base/name.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

/* The terms of the kernel's uncore drivers for an event: "event=0x15,umask=0xf". */
static char *terms_of(struct arena *a, const struct cat_selection *c, const struct topo_pmu *pmu)
{
	const struct cat_box *box = c->box;
	char umask[32] = "", thresh[32] = "", counter[32] = "";
	const char *event = !NAME_FIND(pmu->format, pmu->n_format, "event") &&
		NAME_FIND(pmu->format, pmu->n_format, "inc_sel") ? "inc_sel" : "event";

	if (c->umasks && cat_has(box->umask))
		snprintf(umask, sizeof(umask), ",umask=0x%llx",
			 (unsigned long long)cat_umask_value(c));
	if (c->event->raw && cat_has(box->umask))
		snprintf(umask, sizeof(umask), ",umask=0x%llx",
			 (unsigned long long)bits_get(c->event->ctl, (unsigned)box->umask.hi,
						      (unsigned)box->umask.lo));
	if (c->threshold)
		snprintf(thresh, sizeof(thresh), ",thresh=%llu", (unsigned long long)c->threshold);
	if (c->event->counters && NAME_FIND(pmu->format, pmu->n_format, "counter"))
		snprintf(counter, sizeof(counter), ",counter=%d",
			 __builtin_ctz(c->event->counters));
	return arena_printf(a, "%s=0x%x%s%s%s%s%s", event, cat_event_code(c, 0), umask,
			    c->edge ? ",edge=1" : "", c->invert ? ",inv=1" : "", thresh, counter);
}

/* The kernel makes a PMU of each box control: the R-Box is two of them. */
static unsigned half_of(const struct cat_selection *c)
{
	unsigned first = (unsigned)__builtin_ctz(cat_counters(c)), half = 0;

	for (unsigned i = 0; i < c->box->n_regs; i++)
		half += c->box->regs[i].role == CAT_BOX_CTL &&
			c->box->regs[i].first + c->box->regs[i].count <= first;
	return half;
}

int perf_instead(struct arena *a, const struct cat_processor *p, const struct topo_pmus *pmus,
		 const struct spec *s, struct err *err)
{
	const struct cat_box *box = p ? cat_box_by_name(p, s->box) : NULL;
	char unit[16] = "", pmu[PERF_NAME], name[64] = "";
	const struct cat_event *event;
	const char *sub_controls = "";
	struct spec_perf found = { 0 };
	struct spec_box r;
	bool known = box && spec_resolve(a, p, s, 0, &r, NULL) == 0;

	if (s->unit >= 0 && (!box || box->n_units > 1))
		snprintf(unit, sizeof(unit), "_%d", s->unit);
	else if (known && box->port_key)
		snprintf(unit, sizeof(unit), "_%u", half_of(&r.selection));
	/* all in one box: uncore */
	snprintf(pmu, sizeof(pmu), "%s%.64s%s", box && !*box->letter ? "" : "uncore_",
		 s->box, unit);
	if (perf_find_pmus(a, pmus, pmu, &found, NULL) < 0)
		return !box ? -ENODEV :
		       err_set(err, -EINVAL, "%s counts through registers, which the perf engine "
			       "does not use, and this machine's kernel has no PMU '%s'; uncorectl "
			       "doctor says what prevents it", s->text, pmu);
	if (!known)
		return err_set(err, -EINVAL, "%s counts through registers, which the perf engine "
			       "does not use: write perf/%s/TERMS/", s->text, pmu);
	event = r.selection.event;
	if (event->selector)
		sub_controls = " with the terms of its sub-control registers, which the PMU's "
			       "format directory lists";
	for (size_t i = 0; i + 1 < sizeof(name) && event->name[i]; i++)
		name[i] = (char)tolower((unsigned char)event->name[i]);
	return err_set(err, -EINVAL, "%s counts through registers, which the perf engine does not "
		       "use: write perf/%s/%s,name=%s/%s", s->text, pmu,
		       terms_of(a, &r.selection, found.v[0].pmu), name, sub_controls);
}
