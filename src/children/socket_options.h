/* SPDX-License-Identifier: MIT
 * What was set on a socket, as one number to be compared.
 *
 * Owns:  which options that is.
 * Main thread.
 */
#ifndef CHILDREN_SOCKET_OPTIONS_H
#define CHILDREN_SOCKET_OPTIONS_H

#include <stdint.h>

/* Of every option that the kernel tells, of the file's flags and of whom it signals: the same as
 * long as nobody sets one of them, whatever arrives. Keys of TCP-MD5 and TCP-AO are not told. */
uint64_t socket_options(int fd);

#endif
