/* SPDX-License-Identifier: MIT */
#include "ctl/search_lacks.h"

#include <stdio.h>
#include <string.h>

const char *search_whose(const struct ctl *c)
{
	if (c->processor_given)
		return c->processor->name;
	return c->machine ?: "this machine";
}

static bool has_box(const struct ctl *c, const char *box)
{
	json_auto_t *boxes = ctl_perf_boxes(c);
	json_t *j;
	size_t i;

	json_array_foreach(boxes, i, j)
		if (strcmp(ctl_text(j, "name"), box) == 0)
			return true;
	return false;
}

/* What the kernel counts of it by numbers, or why nothing does; "": nothing that is known. */
static void say_more(const struct search_lacks *s, const struct search_reason *reason,
		     const struct ctl *c, char *ret, size_t size)
{
	*ret = '\0';
	if (s->numbers && has_box(c, s->numbers->box))
		snprintf(ret, size, "; %s", s->numbers->counts);
	else if (reason)
		snprintf(ret, size, ": %s", reason->why);
}

/* libpfm4 may name an event that answers it: this denies none. */
bool search_lacks_say(const struct search_lacks *s, const struct ctl *c, const char *asked)
{
	const char *box = search_reason_box(s->reason);
	const struct search_reason *reason = box && !has_box(c, box) ? NULL : s->reason;
	char more[256];

	say_more(s, reason, c, more, sizeof(more));
	if (c->unread.text[0])
		return false;
	if (s->unmeasured.text[0])
		ctl_fail(0, "%s", s->unmeasured.text);
	else if (s->absent.text[0] && !reason)
		ctl_fail(0, "'%s' cannot be counted here: %s", asked, s->absent.text);
	else if (!s->question)
		return false;
	else
		ctl_fail(0, "uncored itself has no metric or event of %s that %s%s",
			 search_whose(c), s->question->lacks, more);
	return true;
}
