/* SPDX-License-Identifier: MIT */
#include "conf/tree.h"

#include <string.h>

struct looking {
	uint64_t next;                  /* the number of the next first element */
	const char *text, *end;         /* the next text; the end of all */
};

/* The text that is `offset` bytes behind s: it is the next one. */
static bool take_text(struct looking *l, const struct setting *s, uint32_t offset)
{
	if (l->text == l->end || l->text - (const char *)s != (ptrdiff_t)offset)
		return false;
	l->text += strlen(l->text) + 1;         /* the last byte of all is 0 */
	return true;
}

/* As libconfig and the scan know them. */
static bool is_name(const char *name)
{
	return *name && strspn(name, SCAN_NAME) == strlen(name);
}

static bool check_setting(struct looking *l, const struct conf_tree *t, uint64_t number,
			  bool has_name)
{
	const struct setting *s = &t->settings[number];
	bool has_elements = s->type == SETTING_BLOCK || s->type == SETTING_LIST;
	bool has_text = s->type == SETTING_TEXT || s->type == SETTING_WIDE;

	if (s->type < SETTING_BLOCK || s->type > SETTING_FLOAT)
		return false;
	if (has_name != (s->name != 0) || has_text != (s->text != 0))
		return false;
	if (has_name && !(take_text(l, s, s->name) && is_name(setting_name(s))))
		return false;
	if (has_text && !take_text(l, s, s->text))
		return false;
	if (!has_elements)
		return !s->first && !s->n;
	if (number + s->first != l->next || s->n > t->n - l->next)
		return false;
	l->next += s->n;
	return true;
}

bool conf_tree_check(const void *bytes, size_t size)
{
	const struct conf_tree *t = bytes;
	struct looking l = { .next = 1, .end = (const char *)bytes + size };

	if (size < sizeof(*t) || !t->n || t->n > (size - sizeof(*t)) / sizeof(t->settings[0]))
		return false;
	l.text = (const char *)&t->settings[t->n];
	if (l.text != l.end && l.end[-1])
		return false;
	if (!check_setting(&l, t, 0, false))
		return false;
	/* what is numbered below `next` is an element of a setting before it, and was looked at */
	for (uint64_t owner = 0; owner < l.next; owner++) {
		const struct setting *s = &t->settings[owner];

		for (uint32_t i = 0; i < s->n; i++)
			if (!check_setting(&l, t, owner + s->first + i, s->type == SETTING_BLOCK))
				return false;
	}
	return l.next == t->n && l.text == l.end;
}

const struct setting *setting_find(const struct setting *block, const char *name)
{
	for (uint32_t i = 0; block && i < block->n; i++) {
		const struct setting *s = setting_element(block, i);

		if (strcmp(setting_name(s), name) == 0)
			return s;
	}
	return NULL;
}
