/* SPDX-License-Identifier: MIT
 * uncorectl capture: this machine as a text.
 * Owns:  the comments at its head; the file, which is there as a whole or not at all.
 * Never: the lines of the machine (topo/machine_capture.c).
 */
#include "ctl/ctl.h"

#include "topo/machine_capture.h"
#include "topo/machine_find.h"
#include "topo/machine_text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COLUMNS = 100, LEFT_OUT = 8 };     /* of the lines; things that are named */

/* ------------------------------------------------------------------ comments */

/* A comment, in lines of at most COLUMNS; what is not printed in these texts becomes '?'. */
static void add_comment(struct strb *to, const char *begin, const char *text)
{
	size_t column = 0;

	while (*text) {
		size_t n = strcspn(text, " \n");

		if (column && column + 1 + n > COLUMNS) {
			strb_add_char(to, '\n');
			column = 0;
		}
		if (!column) {
			strb_add(to, begin);
			column = strlen(begin);
		}
		strb_add_char(to, ' ');
		for (size_t i = 0; i < n; i++)
			strb_add_char(to, text[i] >= ' ' && text[i] <= '~' ? text[i] : '?');
		column += 1 + n;
		text += n + strspn(text + n, " \n");
	}
	if (column)
		strb_add_char(to, '\n');
}

/* What uncored would count by default: the engine and its reason, groups, what is refused. */
static void add_plan(struct strb *to, const struct machine *m)
{
	AUTO_FREE(conf_free) struct conf *conf = conf_default();
	AUTO_FREE(plan_free) struct plan *plan = NULL;
	AUTO_DONE(diags_done) struct diags d = { 0 };
	struct strb line = { .max = MACHINE_TEXT_MAX };

	strb_addf(&line, "Engine %s: %s.", machine_engine_name(m), m->why.text);
	add_comment(to, "#", line.s ?: "");
	strb_clear(&line);
	if (conf)
		machine_plan(m, conf, time(NULL), &plan, &d);
	strb_add(&line, plan && plan->n_sockets && plan->sockets[0].n_groups ?
		 "Groups counted by default:" : "Nothing is counted by default.");
	for (unsigned i = 0; plan && plan->n_sockets && i < plan->sockets[0].n_groups; i++)
		strb_addf(&line, "%s %s", i ? "," : "", plan->sockets[0].groups[i].name);
	if (plan)
		strb_addf(&line, " (%u series)", plan->n_series);
	add_comment(to, "#", line.s ?: "");
	for (unsigned i = 0; plan && i < plan->n_notes; i++)
		add_comment(to, "#", plan->notes[i]);
	for (size_t i = 0; i < d.n; i++)
		add_comment(to, "#", d.v[i]);
	to->failed |= line.failed;
	strb_done(&line);
}

static void add_head(struct strb *to, const struct machine *m, const struct diags *left_out)
{
	char text[MACHINE_TEXT], line[MACHINE_TEXT + 200];

	machine_text(m, text);
	snprintf(line, sizeof(line), "%s: captured by uncorectl %s", text, PACKAGE_VERSION);
	for (char *s = strchr(text, ':'); s; s = strchr(s + 1, ':'))
		*s = ' ';                       /* list machines shows it as far as the colon */
	add_comment(to, "#", line);
	add_comment(to, "#", "It has the names of network interfaces and drives, but no address "
		    "and no name of a host.");
	add_plan(to, m);
	for (size_t i = 0; i < left_out->n && i < LEFT_OUT; i++) {
		snprintf(line, sizeof(line), "Left out: %.200s", left_out->v[i]);
		add_comment(to, "#", line);
	}
	if (left_out->n > LEFT_OUT) {
		snprintf(line, sizeof(line), "Left out are %zu more files.",
			 diags_count(left_out) - LEFT_OUT);
		add_comment(to, "#", line);
	}
}

/* ------------------------------------------------------------------ the text */

/* The PCI functions of the processor's boxes, and the registers of its constants. */
static struct capture_function *known_functions(const struct cat_processor *p, unsigned *ret_n)
{
	struct capture_function *v = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < p->n_boxes; i++) {
		const struct cat_box *b = p->boxes[i];

		for (unsigned u = 0; b->space == SPACE_PCI && u < b->n_units; u++)
			for (unsigned k = 0; k < COUNT(b->units[u].id); k++) {
				struct capture_function *more =
					realloc(v, (n + 1) * sizeof(*v));

				if (!more || !b->units[u].id[k]) {
					v = more ?: v;
					continue;
				}
				v = more;
				v[n++] = (struct capture_function){ b->units[u].id[k], 0 };
			}
	}
	for (unsigned i = 0; i < p->n_constants; i++) {
		const struct cat_constant *c = &p->constants[i];
		const struct cat_box *b = cat_box_by_name(p, c->box);
		const struct cat_reg *row = cat_reg_find(b, CAT_OTHER, c->id, 0);

		for (unsigned u = 0; u < b->n_units && b->space == SPACE_PCI; u++)
			for (unsigned k = 0; k < n; k++)
				if (v[k].id == b->units[u].id[row->bank])
					v[k].off = (uint16_t)(cat_reg_address(b, row, u, 0).off &
							      ~3u);
	}
	*ret_n = n;
	return v;
}

/* Is it a machine again, by uncored's own reader? */
static int check_text(const struct strb *text)
{
	AUTO_FREE(machine_text_free) struct machine_text *m = NULL;
	AUTO_DONE(diags_done) struct diags d = { 0 };

	if (text->failed || !text->s)
		return ctl_fail(CTL_TEMPORARY, "out of memory, or the text has more than %zu bytes",
				MACHINE_TEXT_MAX);
	if (machine_text_check(text->s, text->n, &m, &d) == 0)
		return 0;
	return ctl_fail(CTL_INTERNAL, "the text of this machine would not be read again: %s; "
			"please report it", d.n ? d.v[0] : "?");
}

int ctl_capture_text(const struct ctl *c, struct strb *ret)
{
	AUTO_DONE(machine_close) struct machine m = { .asked.roots = c->roots };
	AUTO_DONE(strb_done) struct strb body = { .max = MACHINE_TEXT_MAX };
	AUTO_DONE(diags_done) struct diags left_out = { 0 };
	AUTO_FREE(free) struct capture_function *functions = NULL;
	struct capture_pci pci = { .n = 0 };
	struct err err = { "" };
	int r = machine_read(&m, &err);

	if (r < 0)
		return ctl_fail(ctl_code(r, CTL_UNAVAILABLE), "%s", err.text);
	machine_choose(&m, CONF_AUTO);
	if (m.processor && m.processor->anchor.device) {
		functions = known_functions(m.processor, &pci.n);
		pci.anchor = m.processor->anchor;
		pci.v = functions;
	}
	r = machine_capture(&c->roots, &pci, &body, &left_out, &err);
	if (r < 0)
		return ctl_fail(ctl_code(r, CTL_UNAVAILABLE), "%s", err.text);
	add_head(ret, &m, &left_out);
	strb_add_mem(ret, body.s ?: "", body.n);
	return check_text(ret);
}

/* ------------------------------------------------------------------ the file */

static int fail_write(const char *path, int r)
{
	const char *advice = "; name a file elsewhere";
	int code = CTL_UNAVAILABLE;

	if (r == -EACCES || r == -EPERM || r == -EROFS)
		code = CTL_PERMISSION;
	else if (r == -ENOSPC || r == -EDQUOT || r == -EIO || r == -ENOMEM)
		code = CTL_TEMPORARY;
	if (r == -ENOSPC || r == -EDQUOT)
		advice = "; free some, or name a file elsewhere";
	return ctl_fail(code, "%.300s cannot be written: %s%s", path, strerror(-r), advice);
}

static int write_all(int fd, const struct strb *text)
{
	for (size_t at = 0; at < text->n;) {
		ssize_t n = write(fd, text->s + at, text->n - at);

		if (n < 0 && errno != EINTR)
			return -errno;
		at += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Beside the file, in whose place it is put when all of it is on the disk. */
static int replace_file(const char *path, const struct strb *text)
{
	char temporary[PATH_MAX];
	mode_t mask = umask(0);
	AUTO_FD int fd = -1;
	int r;

	umask(mask);
	if (snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path) >= PATH_MAX)
		return -ENAMETOOLONG;
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = write_all(fd, text);
	if (r == 0 && (fchmod(fd, 0666 & ~mask) < 0 || fsync(fd) < 0 ||
		       rename(temporary, path) < 0))
		r = -errno;
	if (r < 0)
		unlink(temporary);
	return r;
}

/* A device or a pipe is written to; what a link leads to is replaced, and not the link. */
static int write_file(const char *path, const struct strb *text)
{
	char real[PATH_MAX];
	struct stat st;

	if (stat(path, &st) < 0)
		return replace_file(path, text);
	if (!S_ISREG(st.st_mode)) {
		AUTO_FD int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

		return fd < 0 ? -errno : write_all(fd, text);
	}
	return realpath(path, real) ? replace_file(real, text) : -errno;
}

int ctl_capture(const struct ctl *c)
{
	AUTO_DONE(strb_done) struct strb text = { .max = 2 * MACHINE_TEXT_MAX };
	int r = ctl_capture_text(c, &text);

	if (r)
		return r;
	if (!c->n_args) {
		fwrite(text.s, 1, text.n, stdout);
		return 0;
	}
	r = write_file(c->args[0], &text);
	return r < 0 ? fail_write(c->args[0], r) : 0;
}
