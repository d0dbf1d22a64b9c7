/* SPDX-License-Identifier: MIT */
#include "daemon/measured.h"

#include "base/bits.h"
#include "base/state_dir.h"
#include "machine/machine.h"
#include "process/log.h"

#include <time.h>

/* What was found once is not said again at each reload that finds the same. */
static void log_stale(const struct verified *v, const struct err *err)
{
	static unsigned said;
	char what[STALE_TEXT];

	if (v->stale == said)
		return;
	said = v->stale;
	if (err->text[0])
		log_msg(LOG_NOTICE, "what uncorectl verify found is not served: %s", err->text);
	else if (v->stale)
		log_msg(LOG_NOTICE, "what uncorectl verify found is not served, because this is "
			"another one: %s; run it again", stale_text(v->stale, what));
}

bool measured_read(const struct machine *m, struct verified *ret)
{
	AUTO_FREE(free) char *text = NULL;
	char processor[MACHINE_MODEL];
	struct host_versions now;
	struct err err = { "" };
	size_t n = 0;
	int r = state_dir_read(m->asked.roots.state, VERIFIED_FILE, &text, &n, &err);

	if (r == 0 && !text)
		return false;
	if (r < 0)
		*ret = (struct verified){ .stale = BIT(STALE_UNREADABLE) };
	else
		r = verified_parse(text, n, time(NULL), ret, &err);
	if (r == 0) {
		host_versions_read(&m->asked.roots, &now);
		verified_compare(ret, &now, machine_model_text(m, processor),
				 m->engine == CONF_MODEL);
	}
	log_stale(ret, &err);
	return true;
}
