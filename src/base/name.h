/* name.h - names as people type them: same but for case, or nearly the same.
 *
 * Pure; any thread. ASCII only, whatever the locale.
 */
#ifndef BASE_NAME_H
#define BASE_NAME_H

#include <stdbool.h>

char name_fold(char c);                                  /* upper case to lower case */
bool name_same(const char *a, const char *b);            /* case-insensitive */
/* Levenshtein distance, case-insensitive; what is beyond 63 characters of b does not count. */
unsigned name_distance(const char *a, const char *b);

#endif
