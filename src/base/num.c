/* num.c - see num.h. */
#include "base/num.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

int num_parse_u64(const char *s, uint64_t *ret)
{
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	uint64_t v;
	char *end;

	if (!isxdigit((unsigned char)s[hex ? 2 : 0]))   /* strtoull() takes blanks and a sign */
		return -EINVAL;
	errno = 0;
	v = strtoull(s, &end, hex ? 16 : 10);
	if (errno)
		return -errno;
	if (*end)
		return -EINVAL;
	*ret = v;
	return 0;
}

int num_parse_cpulist(const char *s, unsigned max, void (*add)(void *, unsigned), void *p)
{
	unsigned long first, last, next = 0;
	char *end;

	while (*s && *s != '\n') {
		if (!isdigit((unsigned char)*s))
			return -EINVAL;
		first = last = strtoul(s, &end, 10);
		if (*end == '-') {
			if (!isdigit((unsigned char)end[1]))
				return -EINVAL;
			last = strtoul(end + 1, &end, 10);
		}
		if (first < next || last < first || last > max)
			return -EINVAL;
		for (unsigned long c = first; c <= last; c++)
			add(p, (unsigned)c);
		next = last + 1;
		if (*end == ',' ? !isdigit((unsigned char)end[1]) : *end && *end != '\n')
			return -EINVAL;
		s = end + (*end == ',');
	}
	if (*s == '\n')
		s++;
	return *s ? -EINVAL : 0;
}
