/* SPDX-License-Identifier: MIT
 * The directory of a text of src/topo/machines, for tests that are no C programs:
 * make_tree TEXT DIR. */
#include "sysfs_tree.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct sysfs_tree t;

	if (argc != 3 || strlen(argv[2]) >= sizeof(t.root)) {
		fprintf(stderr, "make_tree TEXT DIR: DIR exists and has less than %zu letters\n",
			sizeof(t.root));
		return 64;
	}
	tree_make_in(&t, argv[2], argv[1]);
	tree_forget(&t);
	return 0;
}
