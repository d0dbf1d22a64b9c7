/* num.c - see num.h. */
#include "config.h"

#include "base/num.h"

#include <ctype.h>
#include <errno.h>

int num_parse_u64(const char *s, uint64_t *ret)
{
	unsigned base = 10;
	uint64_t v = 0;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
	}
	if (!*s)
		return -EINVAL;
	for (; *s; s++) {
		unsigned c = (unsigned char)*s, d;

		if (c >= '0' && c <= '9')
			d = c - '0';
		else if (base == 16 && isxdigit((int)c))
			d = (c | 0x20) - 'a' + 10;
		else
			return -EINVAL;
		if (v > (UINT64_MAX - d) / base)
			return -ERANGE;
		v = v * base + d;
	}
	*ret = v;
	return 0;
}

static int parse_cpu(const char **s, unsigned max, unsigned *ret)
{
	uint64_t v = 0;

	if (!isdigit((unsigned char)**s))
		return -EINVAL;
	for (; isdigit((unsigned char)**s); (*s)++) {
		v = v * 10 + (uint64_t)(**s - '0');
		if (v > max)
			return -EINVAL;
	}
	*ret = (unsigned)v;
	return 0;
}

int num_parse_cpulist(const char *s, unsigned max, void (*add)(void *, unsigned), void *p)
{
	unsigned a, b, next = 0;

	while (*s && *s != '\n') {
		if (parse_cpu(&s, max, &a) < 0)
			return -EINVAL;
		b = a;
		if (*s == '-') {
			s++;
			if (parse_cpu(&s, max, &b) < 0)
				return -EINVAL;
		}
		if (a < next || b < a)
			return -EINVAL;
		for (unsigned c = a; c <= b; c++)
			add(p, c);
		next = b + 1;
		if (*s == ',') {
			if (!isdigit((unsigned char)*++s))
				return -EINVAL;
		} else if (*s && *s != '\n') {
			return -EINVAL;
		}
	}
	if (*s == '\n')
		s++;
	return *s ? -EINVAL : 0;
}
