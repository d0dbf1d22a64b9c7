/* json.c - see json.h. */
#include "config.h"

#include "expo/json.h"

#include <inttypes.h>
#include <string.h>

#define EXACT_MAX (UINT64_C(1) << 53)

json_t *js_add(json_t *object, const struct js_member *members, size_t n)
{
	for (size_t i = 0; i < n; i++)
		js_put(object, members[i].key, members[i].value);
	return object;
}

void js_put(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
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

char *js_body(json_t *document, size_t flags, size_t *ret_n)
{
	char *body = document ? json_dumps(document, flags) : NULL;

	json_decref(document);
	if (body) {
		*ret_n = strlen(body);
		body[(*ret_n)++] = '\n';        /* in the place of the NUL */
	}
	return body;
}
