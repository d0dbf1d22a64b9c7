/* SPDX-License-Identifier: MIT
 *
 * Owns:  what of a machine is written, and what is left out because it identifies somebody; that it
 *        is one state of the machine. The language is machine_text.h's.
 */
#include "topo/machine_capture.h"

#include "topo/capture_lines.h"
#include "topo/cpuinfo.h"
#include "topo/machine_text.h"

#include <errno.h>
#include <string.h>

enum { TRIES = 5 };

/* ------------------------------------------------------------------ the processor */

static int add_processor(const struct host_roots *roots, const struct topo *t, struct strb *to,
			 struct err *err)
{
	struct capture_words flags = { .to = to, .begin = "flags" };
	char text[CPUINFO_MAX], list[CPUINFO_MAX], *save = NULL;
	int n = sysfile_head(sysfile_path("%s/cpuinfo", roots->procfs).s, text, sizeof(text), err);

	if (n < 0)
		return n;
	if (t->implementer)
		strb_addf(to, "cpuinfo arm 0x%x 0x%x\n", t->implementer, t->part);
	else if (t->vendor[0] && !strpbrk(t->vendor, " \t"))
		strb_addf(to, "cpuinfo %s %u %u %u\n", t->vendor, t->family, t->model,
			  t->stepping);
	if (t->model_name[0]) {
		strb_add(to, "model ");
		for (const char *s = t->model_name; *s; s++)
			strb_add_char(to, *s >= ' ' && *s <= '~' ? *s : '?');
		strb_add_char(to, '\n');
	}
	if (cpuinfo_text(text, (size_t)n, "flags", list, sizeof(list)) == 0)
		return 0;
	for (char *w = strtok_r(list, " ", &save); w; w = strtok_r(NULL, " ", &save))
		capture_word(&flags, w);
	capture_words_end(&flags);
	return 0;
}

/* ------------------------------------------------------------------ all of it */

static int capture_once(const struct host_roots *roots, const struct capture_pci *pci,
			struct strb *to, struct diags *left_out, struct err *err)
{
	AUTO_FREE(topo_free) struct topo *t = NULL;
	AUTO_FREE(topo_pmus_free) struct topo_pmus *pmus = NULL;
	struct err odd = { "" };
	int r = topo_read(roots->sysfs, roots->procfs, NULL, &t, err);

	if (r < 0)
		return r;
	r = add_processor(roots, t, to, err);
	if (r < 0)
		return r;
	if (t->release[0] && !strpbrk(t->release, " \t\n"))
		strb_addf(to, "release %s\n", t->release);
	r = capture_cpus(roots->sysfs, t, to, err);
	if (r < 0)
		return r;
	if (host_device(roots, t, &odd) == 0)
		strb_add(to, "msr\n");
	capture_functions(roots->sysfs, pci, to, left_out);
	r = topo_pmus_read(roots->sysfs, &pmus, &odd);
	if (r < 0) {
		*err = odd;
		return r;
	}
	r = capture_devices(roots->sysfs, pmus, to, err);
	if (r < 0)
		return r;
	r = capture_pmus(pmus, to, left_out, err);
	if (r < 0)
		return r;
	return to->failed ? err_set(err, -EFBIG, "the text of this machine would have more than "
				    "%zu bytes", MACHINE_TEXT_MAX) : 0;
}

/* What was read twice alike did not change meanwhile. */
int machine_capture(const struct host_roots *roots, const struct capture_pci *pci,
		    struct strb *ret, struct diags *left_out, struct err *err)
{
	AUTO_DONE(strb_done) struct strb before = { .max = MACHINE_TEXT_MAX };
	AUTO_DONE(strb_done) struct strb now = { .max = MACHINE_TEXT_MAX };

	for (unsigned i = 0; i < TRIES; i++) {
		int r;

		diags_done(left_out);
		strb_clear(&now);
		r = capture_once(roots, pci, &now, left_out, err);
		if (r < 0 && r != -ENOENT)      /* a file went meanwhile */
			return r;
		if (r < 0 && i + 1 == TRIES)
			return r;
		if (i && r == 0 && before.n == now.n && memcmp(before.s, now.s, now.n) == 0) {
			strb_add_mem(ret, now.s, now.n);
			return 0;
		}
		strb_clear(&before);
		if (r == 0)
			strb_add_mem(&before, now.s, now.n);
	}
	return err_set(err, -EAGAIN, "this machine changes while it is read: CPUs or drivers come "
		       "and go; try again when it is still");
}
