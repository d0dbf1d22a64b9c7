/* SPDX-License-Identifier: MIT
 * The one time type: int64 nanoseconds.
 *
 * Pure; any thread. Nobody here reads a clock.
 */
#ifndef BASE_NSEC_H
#define BASE_NSEC_H

#include <stddef.h>
#include <stdint.h>

typedef int64_t nsec;
#define NSEC_PER_USEC INT64_C(1000)
#define NSEC_PER_MSEC INT64_C(1000000)
#define NSEC_PER_SEC  INT64_C(1000000000)

/* nsec_parse - "1s", "250ms", "1.5s", "2min", "1h", "100us". A bare number is refused (-EINVAL), as
 * is anything negative or above 10 years (-ERANGE). */
int nsec_parse(const char *s, nsec *ret);

/* nsec_text - the shortest exact spelling that nsec_parse reads back. */
struct nsec_text { char s[32]; };
struct nsec_text nsec_text(nsec t);

#endif
