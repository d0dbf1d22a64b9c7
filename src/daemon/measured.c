/* SPDX-License-Identifier: MIT */
#include "daemon/measured.h"

#include "base/bits.h"
#include "base/state_dir.h"
#include "base/strb.h"
#include "machine/machine.h"
#include "process/log.h"

/* What was found once is not said again at each reload that finds the same. */
static void log_stale(const struct verified *v, const struct err *err)
{
	static unsigned said;
	struct strb why;

	if (v->stale == said)
		return;
	said = v->stale;
	strb_init(&why, 256);
	for (unsigned i = 0; i < VERIFIED_STALES; i++)
		if (v->stale & BIT(i))
			strb_addf(&why, "%s%s", why.n ? ", " : "", verified_stale_names[i]);
	if (err->text[0])
		log_msg(LOG_NOTICE, "what uncorectl verify found is not served: %s", err->text);
	else if (v->stale)
		log_msg(LOG_NOTICE, "what uncorectl verify found is not served, because this is "
			"another one: %s; run it again", why.s ?: "");
	strb_done(&why);
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
		*ret = (struct verified){ .stale = BIT(VERIFIED_UNREADABLE) };
	else
		r = verified_parse(text, n, ret, &err);
	if (r == 0) {
		host_versions_read(&m->asked.roots, &now);
		verified_compare(ret, &now, machine_model_text(m, processor),
				 m->engine == CONF_MODEL);
	}
	log_stale(ret, &err);
	return true;
}
