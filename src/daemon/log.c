/* log.c - see log.h. */
#include "config.h"

#include "daemon/log.h"

#include "daemon/sd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool to_journal;
static int level = LOG_INFO;

static const struct {
	const char *name;
	int priority;
} levels[] = {
	{ "err", LOG_ERR }, { "warning", LOG_WARNING }, { "notice", LOG_NOTICE }, { "info", LOG_INFO },
	{ "debug", LOG_DEBUG },
};

void log_init(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	to_journal = stream && sscanf(stream, "%llu:%llu", &dev, &ino) == 2 && fstat(STDERR_FILENO, &st) == 0 &&
		     st.st_dev == dev && st.st_ino == ino;
}

int log_set_level(const char *name)
{
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (strcmp(levels[i].name, name) == 0) {
			level = levels[i].priority;
			return 0;
		}
	}
	return -EINVAL;
}

bool log_shows(int priority)
{
	return priority <= level;
}

void log_socket(int priority, int socket, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	if (!log_shows(priority))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!to_journal || sd_load(NULL) < 0)
		fprintf(stderr, "uncored: %s\n", text);
	else if (socket >= 0)
		sd_journal_send("MESSAGE=%s", text, "PRIORITY=%d", priority, "UNCORED_SOCKET=%d", socket,
				"DOCUMENTATION=man:uncored(8)", NULL);
	else
		sd_journal_send("MESSAGE=%s", text, "PRIORITY=%d", priority, "DOCUMENTATION=man:uncored(8)", NULL);
}

void log_diags(int priority, const struct diags *d)
{
	for (size_t i = 0; i < d->n; i++)
		log_msg(priority, "%s", d->v[i]);
	if (d->dropped)
		log_msg(priority, "and %zu more", d->dropped);
}
