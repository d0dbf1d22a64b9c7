/* SPDX-License-Identifier: MIT
 * Runs a fuzz target over its stored inputs, without libFuzzer: part of `make check`.
 * Arguments are files or directories; without any, the target's own corpus is replayed. `make fuzz`
 * searches for new inputs.
 */
#include "fuzz.h"

#ifndef FUZZ_SEARCH                     /* libFuzzer has a main of its own */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define INPUT_MAX (4u << 20)

static unsigned replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc(INPUT_MAX), *exact;
	size_t n;

	if (!f || !data) {
		perror(path);
		exit(1);
	}
	n = fread(data, 1, INPUT_MAX, f);
	fclose(f);
	exact = realloc(data, n ? n : 1); /* so that AddressSanitizer sees a read behind the end */
	LLVMFuzzerTestOneInput(exact, n);
	free(exact);
	return 1;
}

static unsigned replay(const char *path)
{
	struct stat st;
	struct dirent **names;
	unsigned done = 0;
	int n;

	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
		return replay_file(path);
	n = scandir(path, &names, NULL, alphasort);
	if (n < 0) {
		perror(path);
		exit(1);
	}
	for (int i = 0; i < n; i++) {
		char file[4096];

		snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			done += replay(file);
		free(names[i]);
	}
	free(names);
	return done;
}

int main(int argc, char **argv)
{
	const char *top = getenv("top_srcdir");
	char corpus[4096];
	unsigned done = 0;

	for (int i = 1; i < argc; i++)
		done += replay(argv[i]);
	if (argc == 1) {
		snprintf(corpus, sizeof(corpus), "%s/tests/fuzz/corpus/%s",
			 top ? top : ".", program_invocation_short_name + strlen("fuzz_"));
		done = replay(corpus);
	}
	printf("%u inputs\n", done);
	return done ? 0 : 1;
}

#endif
