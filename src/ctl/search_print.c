/* SPDX-License-Identifier: MIT
 * A result of uncorectl search as a line.
 * Owns:  what a line says, and that it fits the terminal.
 * Never: which results there are (search.c).
 */
#include "ctl/ctl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Of the terminal that reads this; 0: nothing cuts its lines, such as a pipe. */
static size_t columns(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}

/* A line, cut to so many columns; 0: whole. */
static void print_line(char *line, size_t width)
{
	if (width > 3 && strlen(line) > width)
		printf("%.*s...\n", (int)width - 3, line);
	else
		puts(line);
}

void ctl_result_print(json_t *j, bool elsewhere)
{
	const char *unit = ctl_text(j, "unit"), *group = ctl_text(j, "group"), *before = " (";
	char *line = NULL;
	size_t size, k;
	FILE *f = open_memstream(&line, &size);
	json_t *of;

	if (!f)
		return;
	fprintf(f, "%-9s %-36s ", ctl_text(j, "kind"), ctl_text(j, "name"));
	if (unit)
		fprintf(f, "%s%s%s: ", unit, group ? ", group " : "", group ?: "");
	fputs(ctl_text(j, "help"), f);
	json_array_foreach(json_object_get(j, "processors"), k, of) {
		if (!elsewhere)
			break;
		fprintf(f, "%s%s", before, json_string_value(of));
		before = ", ";
	}
	if (elsewhere && k)
		fputc(')', f);
	if (fclose(f) == 0)
		print_line(line, columns());
	free(line);
}
