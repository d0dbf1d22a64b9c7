/* SPDX-License-Identifier: MIT
 * What the process that checks a configuration leaves, as the process that counts takes it. Each
 * mistake has a sentence, and no bytes are read but these. */
#include "fuzz.h"

#include "conf/conf.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	void *tree = malloc(n ? n : 1);
	struct diags d = { 0 };
	struct conf *c = NULL;
	int r;

	if (!tree)
		abort();
	memcpy(tree, data, n);
	r = conf_read("f", tree, n, &c, &d);
	if ((r == 0) != (d.n == 0) || (r == 0 && !c))
		abort();
	conf_free(c);
	diags_done(&d);
	free(tree);
	return 0;
}
