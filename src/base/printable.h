/* SPDX-License-Identifier: MIT
 * Text from elsewhere that goes to a terminal.
 *
 * Owns:  which characters a terminal does not take as characters.
 * Pure; any thread.
 */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the character at s that is seen; 0: it is none. Does not look beyond a byte that cannot
 * belong to it, such as one of ASCII behind the first. */
size_t printable_char(const char *s);
/* Does it hold nothing but characters that are seen, in UTF-8? Control characters are not (C0, DEL,
 * C1), nor what changes the direction of writing or has no width, nor bytes that are no UTF-8. */
bool printable(const char *s);
/* Writes s with all others as \xHH, byte by byte, cut to size - 1 bytes. Returns how many bytes the
 * whole has. */
size_t printable_escape(const char *s, char *ret, size_t size);

#endif
