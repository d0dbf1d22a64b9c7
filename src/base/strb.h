/* SPDX-License-Identifier: MIT
 * A growing text buffer with a stated maximum.
 *
 * Owns:  its bytes.
 * Never: what they mean.
 * Pure; one thread at a time.
 */
#ifndef BASE_STRB_H
#define BASE_STRB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Always NUL-terminated once something was added. After the maximum or ENOMEM, `failed` is set,
 * the text stays as it was and further additions do nothing: check once, at the end. */
struct strb {
	char *s;
	size_t n, cap, max;
	bool failed;
};

/* max: bytes that it may hold, without the NUL. strb_done() frees them, also of one that failed. */
void strb_init(struct strb *b, size_t max);
void strb_done(struct strb *b);
void strb_clear(struct strb *b);                 /* keeps the memory */
void strb_add(struct strb *b, const char *s);
void strb_add_mem(struct strb *b, const void *p, size_t n);
void strb_add_char(struct strb *b, char c);
void strb_addf(struct strb *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* strb_room - n more bytes, to be written before anything is added; NULL if failed. */
char *strb_room(struct strb *b, size_t n);
/* strb_take - hand the text over to the caller (free()); the buffer is empty again. NULL if
 * failed. */
char *strb_take(struct strb *b);

#endif
