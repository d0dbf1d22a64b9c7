/* SPDX-License-Identifier: MIT */
#include "machine/name_given.h"

#include "base/words.h"
#include "catalog/cpu.h"
#include "topo/machine_find.h"

#include <errno.h>

int name_given_nothing(const char *name, struct err *err)
{
	const char *nearest = cat_nearest_processor(name);
	char machine[MACHINE_NAME];

	err_set(err, -EINVAL, "there is no processor '%s' and no machine of this name (see: "
		"uncorectl list processors, and list machines)", name);
	words_add_nearest(err, nearest ?: machine_nearest(name, machine));
	return -EINVAL;
}

int name_given_find(const char *name, const struct cat_processor **ret, struct err *err)
{
	const struct cat_processor *p = cat_processor_by_name(name);
	const struct cat_cpu *cpu = cat_cpu_by_name(name);
	bool is_like = cat_nearest_processor(name);

	if (p || (!is_like && machine_is_installed(name))) {
		*ret = p;
		return 0;
	}
	if (!is_like && cpu)
		return err_set(err, -EINVAL, "no machine with %s (%s) is installed (see: uncorectl "
			       "list machines)", cpu->title, cpu->name);
	return name_given_nothing(name, err);
}
