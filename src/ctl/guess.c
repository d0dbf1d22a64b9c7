/* SPDX-License-Identifier: MIT
 * What people who know other tools type first, and what does that here.
 * Owns:  these words.
 * Never: the commands that there are.
 * Pure; any thread.
 */
#include "ctl/ctl.h"

#include "base/bits.h"
#include "base/name.h"

#include <stdio.h>
#include <string.h>

/* Of one command: the words for it. */
static const struct { const char *command, *words; } guesses[] = {
	{ "uncorectl describe EVENT", "show explain whatis" },
	{ "uncorectl doctor", "info check diagnose detect discover probe health why" },
	{ "uncorectl help", "usage man commands" },
	{ "uncorectl list boxes", "pmu pmus unit units counter counters devices" },
	{ "uncorectl list groups", "ls sets" },
	{ "uncorectl pause DURATION", "suspend hold release yield" },
	{ "uncorectl pause DURATION; for good, systemctl stop uncored", "stop disable kill" },
	{ "uncorectl plan", "schedule rounds" },
	{ "uncorectl search WORD", "find grep lookup memory bandwidth latency" },
	{ "uncorectl stat -- COMMAND", "record run perf measure count sample trace profile time "
				       "exec report" },
	{ "uncorectl stat -o json", "json csv" },
	{ "uncorectl top", "monitor watch live view graph history htop" },
	{ "uncorectl top --batch", "read dump export print get tail snapshot values" },
	{ "uncorectl verify", "test selftest self-test bench benchmark calibrate" },
	{ "uncorectl --version", "version" },
	{ "uncored --check-config", "config check-config configtest validate lint" },
	{ "Ctrl-C where uncorectl pause runs: its end ends the pause", "resume unpause continue" },
	{ "systemctl start uncored", "start enable daemon serve" },
	{ "systemctl status uncored", "status state" },
	{ "systemctl restart uncored", "restart" },
	{ "systemctl reload uncored", "reload" },
	{ "journalctl -u uncored", "log logs journal" },
};

/* "events", "event", "list-events". */
static const char *list_of(const char *word)
{
	return ctl_list_name(name_after(word, "list-") ?: word);
}

bool ctl_guess(const char *word, char *ret, size_t size)
{
	const char *list = list_of(word);

	for (size_t i = 0; i < COUNT(guesses); i++)
		if (name_listed(guesses[i].words, word, strlen(word))) {
			snprintf(ret, size, "%s", guesses[i].command);
			return true;
		}
	if (list)
		snprintf(ret, size, "uncorectl list %s", list);
	return list;
}
