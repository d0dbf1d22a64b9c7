/* SPDX-License-Identifier: MIT */
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

int num_next_range(struct cpu_range *r, unsigned max)
{
	unsigned long first, last;
	const char *s = r->rest;
	char *end;

	if (!*s || *s == '\n')
		return *s && s[1] ? -EINVAL : 0;
	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	first = last = strtoul(s, &end, 10);
	if (*end == '-') {
		if (!isdigit((unsigned char)end[1]))
			return -EINVAL;
		last = strtoul(end + 1, &end, 10);
	}
	if (first < r->end || last < first || last > max)
		return -EINVAL;
	if (*end == ',' ? !isdigit((unsigned char)end[1]) : *end && *end != '\n')
		return -EINVAL;
	*r = (struct cpu_range){ end + (*end == ','), (unsigned)first, (unsigned)last + 1 };
	return 1;
}
