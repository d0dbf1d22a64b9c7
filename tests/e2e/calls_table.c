/* SPDX-License-Identifier: MIT
 * Prints the tables of process/calls.h, a row a line: the table, the call, its number, how many
 * conditions its arguments have to meet. */
#include "base/bits.h"
#include "process/calls.h"

#include <stdio.h>

int main(void)
{
	const struct {
		const char *name;
		const struct calls *calls;
	} tables[] = { { "http", &calls_of_http }, { "refused", &calls_refused },
		       { "limited", &calls_limited }, { "spawner", &calls_of_spawner } };

	for (size_t i = 0; i < COUNT(tables); i++) {
		for (size_t k = 0; k < tables[i].calls->n; k++) {
			const struct call *c = &tables[i].calls->rows[k];
			unsigned n = 0;

			while (n < CALL_CONDITIONS && c->when[n].test)
				n++;
			printf("%s %s %d %u\n", tables[i].name, c->name, c->number, n);
		}
	}
	return 0;
}
