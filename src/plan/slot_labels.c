/* SPDX-License-Identifier: MIT
 * Family names and label texts, as the README promises them.
 * Owns:  the spelling of everything that a scrape shows about a slot.
 * Never: values; which group or socket (added when rendered).
 * Pure; any thread.
 */
#include "plan/slot_labels.h"

#include "base/name.h"
#include "base/strb.h"
#include "spec/resolve.h"

#include <string.h>

#define TEXT_MAX 8192

/*
 * A lone b or s is spelled out: promtool reads "_b_" and "_s_" as abbreviated units.
 */
static void add_name(struct strb *b, const char *name)
{
	while (*name) {
		char word[256];
		size_t n = 0;

		for (; *name && name_metric_char(*name) != '_'; name++)
			if (n < sizeof(word) - 1)
				word[n++] = name_metric_char(*name);
		word[n] = '\0';
		if (strcmp(word, "b") == 0)
			strb_add(b, "bbox");
		else if (strcmp(word, "s") == 0)
			strb_add(b, "sbox");
		else
			strb_add(b, word);
		if (*name) {
			strb_add_char(b, '_');
			name++;
		}
	}
}

char *labels_family(const char *box, const char *event)
{
	struct strb b;

	strb_init(&b, TEXT_MAX);
	strb_add(&b, "uncore_");
	add_name(&b, box);
	strb_add_char(&b, '_');
	add_name(&b, event);
	strb_add(&b, "_total");
	return strb_take(&b);
}

char *labels_umask(const struct cat_selection *c)
{
	struct strb b;

	strb_init(&b, TEXT_MAX);
	strb_add(&b, "");
	for (unsigned i = 0; i < c->event->n_umasks; i++)
		if (c->umasks & BIT(i))
			strb_addf(&b, "%s%s", b.n ? ":" : "", c->event->umasks[i].name);
	return strb_take(&b);
}

const char *labels_link(const struct cat_selection *c)
{
	if (c->box->port_key)
		return c->box->ports[c->port].link;
	return c->box->links ? c->box->links[c->unit] : NULL;
}

struct labels labels_of(struct arena *a, const struct cat_selection *c, const char *umask)
{
	const struct cat_selector *r = c->event->selector;
	struct label *l = arena_alloc(a, 6 + (r ? r->n_keys : 0), sizeof(*l));
	unsigned n = 0;

	if (*umask)
		l[n++] = (struct label){ "umask", umask };
	if (c->box->port_key)
		l[n++] = (struct label){ "port", arena_printf(a, "%u", c->port) };
	if (labels_link(c))
		l[n++] = (struct label){ "link", labels_link(c) };
	if (c->threshold)
		l[n++] = (struct label){ "threshold", arena_printf(a, "%llu",
			(unsigned long long)c->threshold) };
	if (c->edge)
		l[n++] = (struct label){ "edge", "1" };
	if (c->invert)
		l[n++] = (struct label){ "invert", "1" };
	for (unsigned i = 0; r && i < r->n_keys; i++) {
		const char *word;
		uint64_t v;

		if (!spec_key_value(c, i, &v, &word))
			continue;
		if (!word)
			word = arena_printf(a, r->keys[i].hex ? "0x%llx" : "%llu",
					    (unsigned long long)v);
		l[n++] = (struct label){ r->keys[i].name, word };
	}
	return (struct labels){ l, n };
}

char *labels_help(struct arena *a, const char *what)
{
	return arena_printf(a, "%s. Series of one unit differ by umask and filter and overlap: "
			       "select, do not sum.", what);
}
