/* SPDX-License-Identifier: MIT
 * server_truth MACHINE.txt WORKLOAD PMU CPU CONFIG...: what a counter of the modelled kernel counts
 * in each second of a workload of one phase, a line for each config.
 */
#include "kernel_fixture.h"

int main(int argc, char **argv)
{
	struct modelled m;

	if (argc < 6)
		return 64;
	modelled_make(&m, argv[1], argv[2]);
	m.now += NSEC_PER_SEC;
	for (int i = 5; i < argc; i++)
		printf("%llu\n", (unsigned long long)truth(&m, argv[3], strtoull(argv[i], NULL, 0),
							   atoi(argv[4])));
	modelled_drop(&m);
	return 0;
}
