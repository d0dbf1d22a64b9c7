/* SPDX-License-Identifier: MIT
 * Of libconfig's tree, ours.
 *
 * Owns:  every call of libconfig.
 * Never: what a value has to be.
 * Pure, but that libconfig ends the process where memory is short.
 *
 * Nothing is looked up by type: libconfig answers 0 with success to the wrong question.
 */
#include "conf/tree.h"

#include "base/cleanup.h"
#include "conf/conf.h"

#include <libconfig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct making {
	const struct scan *scan;
	unsigned n_integers, n_wide;    /* so far */
	uint64_t n;                     /* settings */
	size_t n_text;                  /* bytes of names and texts */
	struct conf_tree *tree;
	const config_setting_t **from;  /* of each setting of the tree */
	char *text;                     /* where the next one goes */
};

static const uint32_t types[] = {
	[CONFIG_TYPE_GROUP] = SETTING_BLOCK, [CONFIG_TYPE_LIST] = SETTING_LIST,
	[CONFIG_TYPE_ARRAY] = SETTING_LIST, [CONFIG_TYPE_STRING] = SETTING_TEXT,
	[CONFIG_TYPE_BOOL] = SETTING_BOOL, [CONFIG_TYPE_INT] = SETTING_INTEGER,
	[CONFIG_TYPE_INT64] = SETTING_INTEGER, [CONFIG_TYPE_FLOAT] = SETTING_FLOAT,
};

static unsigned count_elements(const config_setting_t *s)
{
	return config_setting_is_aggregate(s) ? (unsigned)config_setting_length(s) : 0;
}

/* If integer s, which is the next one, lacks its L, it is marked by what is written in the file. */
static void mark_wide(struct making *m, config_setting_t *s)
{
	const struct scan_wide *wide =
		m->n_wide < m->scan->n_wide ? &m->scan->wide[m->n_wide] : NULL;

	if (wide && wide->number == m->n_integers) {
		config_setting_set_hook(s, (void *)wide);
		m->n_text += wide->n + 1;
		m->n_wide++;
	}
	m->n_integers++;
}

/* How much s needs. The scan has a limit for how deep this goes. */
static void measure(struct making *m, config_setting_t *s)
{
	const char *name = config_setting_name(s), *text = NULL;
	unsigned n = count_elements(s);

	m->n++;
	if (name)
		m->n_text += strlen(name) + 1;
	if (types[config_setting_type(s)] == SETTING_TEXT)
		text = config_setting_get_string(s);
	if (text)
		m->n_text += strlen(text);
	if (types[config_setting_type(s)] == SETTING_TEXT)
		m->n_text++;
	if (types[config_setting_type(s)] == SETTING_INTEGER)
		mark_wide(m, s);
	for (unsigned i = 0; i < n; i++)
		measure(m, config_setting_get_elem(s, i));
}

static uint32_t put_text(struct making *m, const struct setting *s, const char *text, size_t n)
{
	uint32_t offset = (uint32_t)(m->text - (const char *)s);

	m->text = mempcpy(m->text, text, n);
	*m->text++ = '\0';
	return offset;
}

static void put_value(struct making *m, struct setting *s, const config_setting_t *from)
{
	const struct scan_wide *wide;
	const char *text;

	switch (s->type) {
	case SETTING_TEXT:
		text = config_setting_get_string(from);
		s->text = put_text(m, s, text ? text : "", text ? strlen(text) : 0);
		break;
	case SETTING_BOOL:
		s->v.integer = config_setting_get_bool(from);
		break;
	case SETTING_INTEGER:
		s->v.integer = config_setting_get_int64(from);
		wide = config_setting_get_hook(from);
		if (wide) {
			s->type = SETTING_WIDE;
			s->text = put_text(m, s, wide->text, wide->n);
		}
		break;
	case SETTING_FLOAT:
		s->v.number = config_setting_get_float(from);
		break;
	default:                                /* its elements */
		break;
	}
}

/* Setting number i; its elements are noted behind the m->n that there are. */
static void put(struct making *m, uint64_t i)
{
	const config_setting_t *from = m->from[i];
	struct setting *s = &m->tree->settings[i];
	const char *name = config_setting_name(from);

	s->type = types[config_setting_type(from)];
	s->line = config_setting_source_line(from);
	if (name)
		s->name = put_text(m, s, name, strlen(name));
	put_value(m, s, from);
	if (s->type != SETTING_BLOCK && s->type != SETTING_LIST)
		return;
	s->first = (uint32_t)(m->n - i);
	s->n = count_elements(from);
	for (uint32_t e = 0; e < s->n; e++)
		m->from[m->n++] = config_setting_get_elem(from, e);
}

/* A tree with room for the settings and texts that were measured. */
static struct conf_tree *tree_new(struct making *m, size_t *ret_size)
{
	size_t settings = sizeof(struct conf_tree) + m->n * sizeof(struct setting);
	struct conf_tree *t = calloc(1, settings + m->n_text);

	if (!t)
		return NULL;
	t->n = m->n;
	m->tree = t;
	m->text = (char *)t + settings;
	*ret_size = settings + m->n_text;
	return t;
}

static struct conf_tree *make_refusal(const config_t *cfg, size_t *ret_size)
{
	const char *why = config_error_text(cfg);
	struct making m = { .n = 1, .n_text = strlen(why) + 1 };
	struct conf_tree *t = tree_new(&m, ret_size);

	if (!t)
		return NULL;
	t->settings[0].type = SETTING_TEXT;
	t->settings[0].line = (uint32_t)config_error_line(cfg);
	t->settings[0].text = put_text(&m, &t->settings[0], why, strlen(why));
	return t;
}

static struct conf_tree *make_tree(config_t *cfg, const struct scan *scan, size_t *ret_size)
{
	AUTO_FREE(free) const config_setting_t **from = NULL;
	struct making m = { .scan = scan };
	struct conf_tree *t;

	measure(&m, config_root_setting(cfg));
	from = calloc(m.n, sizeof(*from));
	t = from ? tree_new(&m, ret_size) : NULL;
	if (!t)
		return NULL;
	m.from = from;
	m.from[0] = config_root_setting(cfg);
	m.n = 1;
	for (uint64_t i = 0; i < m.n; i++)
		put(&m, i);
	return t;
}

struct conf_tree *conf_tree_make(const struct scan *scan, size_t *ret_size)
{
	AUTO_DONE(config_destroy) config_t cfg;

	config_init(&cfg);
	if (!config_read_string(&cfg, scan->text))
		return make_refusal(&cfg, ret_size);
	return make_tree(&cfg, scan, ret_size);
}

const char *conf_library(void)
{
	static char text[64];

	snprintf(text, sizeof(text), "libconfig %d.%d.%d", LIBCONFIG_VER_MAJOR, LIBCONFIG_VER_MINOR,
		 LIBCONFIG_VER_REVISION);
	return text;
}
