/* SPDX-License-Identifier: MIT
 * Preloaded: libconfig meets with an accident where the configuration has it as a
 * value. And the memory in which it ever ran is spoilt: its process ends when it gives back memory,
 * as uncored does at the end of a start and of a reload. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int config_read_string(void *config, const char *text);
int malloc_trim(size_t left);

static volatile int spoilt;

int malloc_trim(size_t left)
{
	(void)left;
	if (spoilt)
		abort();
	return 0;
}

int config_read_string(void *config, const char *text)
{
	const struct rlimit little = { 1 << 20, 1 << 20 };
	int (*real)(void *, const char *) = (int (*)(void *, const char *))dlsym(RTLD_NEXT,
		"config_read_string");

	spoilt = 1;
	if (strstr(text, "accident = \"crash\""))
		raise(SIGSEGV);
	if (strstr(text, "accident = \"abort\""))
		abort();
	if (strstr(text, "accident = \"exit\""))
		exit(2);
	if (strstr(text, "accident = \"hang\""))
		for (;;)
			pause();
	if (strstr(text, "accident = \"memory\""))
		setrlimit(RLIMIT_AS, &little);
	return real(config, text);
}
