/* SPDX-License-Identifier: MIT
 * Where a server listens, as it is written: "127.0.0.1:10062", "unix:/run/x".
 *
 * Owns:  the form of such a text.
 * Never: a socket.
 * Pure; any thread.
 */
#ifndef BASE_ADDRESS_H
#define BASE_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#define ADDRESS_FILE 1
#define ADDRESS_FILE_PREFIX "unix:"
/* "127.0.0.1:10062", "[::1]:10062", ":10062" or "*:10062"; -EINVAL otherwise. host "" means any;
 * that of an IPv6 address comes without its brackets. Literal addresses only.
 * ADDRESS_FILE: "unix:/PATH"; host and port are not set. */
int address_parse(const char *text, char host[64], uint16_t *ret_port);
/* Is it impossible to listen on both? They are the same, or one covers the other, as ":10062"
 * covers "127.0.0.1:10062". Port 0 is a new one each time. */
bool address_clash(const char *a, const char *b);

#endif
