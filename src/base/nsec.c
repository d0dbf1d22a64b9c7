/* SPDX-License-Identifier: MIT */
#include "base/nsec.h"

#include "base/bits.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	nsec unit;
} units[] = {
	{ "ns", 1 }, { "us", NSEC_PER_USEC }, { "ms", NSEC_PER_MSEC }, { "s", NSEC_PER_SEC },
	{ "min", 60 * NSEC_PER_SEC }, { "h", 3600 * NSEC_PER_SEC }, { "d", 86400 * NSEC_PER_SEC },
};
#define NSEC_MAX (3650 * 86400 * NSEC_PER_SEC)

int nsec_parse(const char *s, nsec *ret)
{
	uint64_t whole, frac = 0, den = 1;
	char *p;
	__int128 t;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	whole = strtoull(s, &p, 10);
	if (whole / 10 > UINT64_MAX / 100)
		return -ERANGE;
	if (*p == '.') {
		const char *digits = p + 1;

		if (!isdigit((unsigned char)*digits))
			return -EINVAL;
		frac = strtoull(digits, &p, 10);
		if (p - digits > 9)
			return -EINVAL;
		for (; digits < p; digits++)
			den *= 10;
	}
	for (size_t i = 0; i < COUNT(units); i++) {
		if (strcmp(p, units[i].name) != 0)
			continue;
		t = (__int128)whole * units[i].unit + (__int128)frac * units[i].unit / (int64_t)den;
		if ((__int128)frac * units[i].unit % (int64_t)den != 0)
			return -EINVAL;
		if (t > NSEC_MAX)
			return -ERANGE;
		*ret = (nsec)t;
		return 0;
	}
	return -EINVAL;
}

struct nsec_text nsec_text(nsec t)
{
	size_t i = (t % NSEC_PER_USEC == 0) + (t % NSEC_PER_MSEC == 0) + (t % NSEC_PER_SEC == 0);
	struct nsec_text text;

	snprintf(text.s, sizeof(text.s), "%lld%s", (long long)(t / units[i].unit), units[i].name);
	return text;
}
