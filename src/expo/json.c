/* SPDX-License-Identifier: MIT */
#include "expo/json.h"

#include "expo/digits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_MAX (UINT64_C(1) << 53)
#define TEXT_MAX  (64u << 20)

/* What jansson has no memory for it leaves out of the document, and hardly anybody is told: it was
 * left out of one since the last js_dump(). */
static _Thread_local bool left_out;

static void *allocate(size_t n)
{
	void *p = malloc(n);

	left_out |= !p;
	return p;
}

__attribute__((constructor)) static void watch_allocations(void)
{
	json_set_alloc_funcs(allocate, free);
}

json_t *js_add(json_t *object, const struct js_member *members, size_t n)
{
	for (size_t i = 0; i < n; i++)
		json_object_set_new(object, members[i].key, members[i].value);
	return object;
}

json_t *js_text(const char *text)
{
	return text ? json_string(text) : json_null();
}

json_t *js_texts(const char *const *texts)
{
	json_t *list = json_array();

	for (; texts && *texts; texts++)
		json_array_append_new(list, json_string(*texts));
	return list;
}

json_t *js_hex(uint64_t v)
{
	return json_sprintf("0x%" PRIx64, v);
}

json_t *js_number(uint64_t v)
{
	return v <= EXACT_MAX ? json_integer((json_int_t)v) : json_sprintf("%" PRIu64, v);
}

json_t *js_pair(unsigned first, unsigned second)
{
	return json_pack("[i, i]", first, second);
}

json_t *js_bits(uint64_t mask)
{
	json_t *list = json_array();

	for (; mask; mask &= mask - 1)
		json_array_append_new(list, json_integer(__builtin_ctzll(mask)));
	return list;
}

void js_add_text(struct strb *t, const char *s, size_t n)
{
	static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";

	strb_add_char(t, '"');
	for (; n; s++, n--) {
		const char *found = memchr(plain, *s, sizeof(plain) - 1);

		if (found)
			strb_add_mem(t, (char[]){ '\\', letters[found - plain] }, 2);
		else if ((unsigned char)*s < ' ')
			strb_addf(t, "\\u%04X", *s);
		else
			strb_add_char(t, *s);
	}
	strb_add_char(t, '"');
}

static void add_break(struct strb *t, const char *before, unsigned indent, unsigned depth)
{
	strb_add(t, before);
	if (indent)
		strb_addf(t, "\n%*s", (int)(indent * depth), "");
}

/* As json_dumps() does it, but for the digits of a real number. depth: of what it is within. */
static void add_value(struct strb *t, json_t *v, unsigned indent, unsigned depth)
{
	const char *key, *before = "";
	char digits[DIGITS_MAX];
	json_t *item;
	size_t i;

	switch (json_typeof(v)) {
	case JSON_OBJECT:               /* has no items, as an array has no members */
	case JSON_ARRAY:
		strb_add_char(t, json_is_object(v) ? '{' : '[');
		json_object_foreach(v, key, item) {
			add_break(t, before, indent, depth + 1);
			js_add_text(t, key, strlen(key));
			strb_add(t, indent ? ": " : ":");
			add_value(t, item, indent, depth + 1);
			before = ",";
		}
		json_array_foreach(v, i, item) {
			add_break(t, before, indent, depth + 1);
			add_value(t, item, indent, depth + 1);
			before = ",";
		}
		if (*before)
			add_break(t, "", indent, depth);
		strb_add_char(t, json_is_object(v) ? '}' : ']');
		break;
	case JSON_STRING:
		js_add_text(t, json_string_value(v), json_string_length(v));
		break;
	case JSON_INTEGER:
		strb_addf(t, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
		break;
	case JSON_REAL:
		strb_add_mem(t, digits,
			     (size_t)(digits_double(digits, json_real_value(v)) - digits));
		break;
	case JSON_TRUE:
		strb_add(t, "true");
		break;
	case JSON_FALSE:
		strb_add(t, "false");
		break;
	default:
		strb_add(t, "null");
	}
}

char *js_dump(json_t *document, unsigned indent)
{
	bool whole = document && !left_out;
	struct strb t;

	left_out = false;
	if (!whole) {
		json_decref(document);
		return NULL;
	}
	strb_init(&t, TEXT_MAX);
	add_value(&t, document, indent, 0);
	json_decref(document);
	return strb_take(&t);
}

char *js_body(json_t *document, unsigned indent, size_t *ret_n)
{
	char *body = js_dump(document, indent);

	if (body) {
		*ret_n = strlen(body);
		body[(*ret_n)++] = '\n';        /* in the place of the NUL */
	}
	return body;
}
