/* SPDX-License-Identifier: MIT
 * What clients may call this machine, so that the http process knows whom a request
 * is for.
 *
 * Owns:  its own names: the kernel's, and what /etc/hosts says beside that.
 * Never: who asks. No name service is asked: it may be in a network that is not there yet.
 * Main thread.
 */
#ifndef DAEMON_HOST_NAMES_H
#define DAEMON_HOST_NAMES_H

#include <stddef.h>

/*
 * host_names_new - two lists of words, one string behind the other: our own names, and those that
 * the configuration gives.
 *
 * node   what the kernel calls this machine, short or with its domain; the short form is added
 * hosts  the path of a file as hosts(5): all names of a line that has node are ours
 * given  NULL: none
 *
 * To be freed; *ret_len holds both strings with their ends. NULL: out of memory.
 */
char *host_names_new(const char *node, const char *hosts, const char *given, size_t *ret_len);

#endif
