/* SPDX-License-Identifier: MIT
 * What JSON documents are put together of, in expo and ctl.
 *
 * Owns:  how texts, numbers, registers and lists of them are written: a number that is not whole in
 *        as few digits as read back as the same double. The stream's document, which has no tree of
 *        objects, is written by hand (snapshot.c).
 * Any thread. A value belongs to the object that it is handed to. NULL is out of memory.
 */
#ifndef EXPO_JSON_H
#define EXPO_JSON_H

#include "base/strb.h"

#include <jansson.h>
#include <stdint.h>

/* Members { "key", value } of an object, in this order. A value that is NULL is no member. */
struct js_member { const char *key; json_t *value; };
#define JS_ADD(object, ...) \
	js_add(object, (const struct js_member[]){ __VA_ARGS__ }, \
	       sizeof((const struct js_member[]){ __VA_ARGS__ }) / sizeof(struct js_member))
#define JS_OBJECT(...) JS_ADD(json_object(), __VA_ARGS__)
/* JS_LIST(i, n, value) - a list of the value for each i below n; NULL is no member. */
#define JS_LIST(i, n, ...) \
	({ \
		json_t *js_list = json_array(); \
		for (unsigned i = 0, js_n = (n); i < js_n; i++) \
			json_array_append_new(js_list, __VA_ARGS__); \
		js_list; \
	})
/* js_add - one member after the other; returns the object. */
json_t *js_add(json_t *object, const struct js_member *members, size_t n);

json_t *js_text(const char *text);              /* NULL: null */
json_t *js_texts(const char *const *texts);     /* a list; ended by NULL, may be NULL */
/* Registers hold 64 bits and JSON's readers often only 53: a text in hexadecimal. */
json_t *js_hex(uint64_t v);
json_t *js_number(uint64_t v);                  /* a text above 2^53 */
json_t *js_pair(unsigned first, unsigned second);
json_t *js_bits(uint64_t mask);                 /* a list of the numbers of the bits that are set */

/* js_add_text - n bytes as a string, with its quotes. */
void js_add_text(struct strb *t, const char *s, size_t n);
/* js_dump - the document, which it takes, as a text that is to be freed. indent: blanks for each
 * level; 0: all in one line. NULL, too, if since this thread's last js_dump() anything was left out
 * of a document for lack of memory: a part is not printed as the whole. */
char *js_dump(json_t *document, unsigned indent);
/* js_body - the same, with a line feed in the place of the NUL. */
char *js_body(json_t *document, unsigned indent, size_t *ret_n);

#endif
