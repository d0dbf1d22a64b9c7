/* SPDX-License-Identifier: MIT
 * The control file: what a test does to the hardware behind the daemon's back.
 * Owns:  its language: one command a line (usage() in msrfs.c tells them), the names of faults.
 * Never: what a fault does (model/).
 */
#include "msrfs.h"

#include "base/num.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 5

/* "0xd10", or "16:4+0xd8" in PCI space, or "16:4" for a whole function. */
static bool parse_reg(const char *s, struct reg *ret)
{
	unsigned dev, fn, off = 0;
	uint64_t addr;
	int end = 0;

	if (sscanf(s, "%2u:%1u%n", &dev, &fn, &end) == 2 && end) {
		if (s[end] == '+' && sscanf(s + end + 1, "%i", (int *)&off) != 1)
			return false;
		*ret = (struct reg){ .space = SPACE_PCI, .bytes = 8, .dev = (uint8_t)dev,
				     .fn = (uint8_t)fn, .off = off };
		return true;
	}
	if (num_parse_u64(s, &addr) < 0)
		return false;
	*ret = msr_reg(addr);
	return true;
}

/* reg: it may be of one register. */
static const struct { const char *name; enum model_fault fault; bool reg; } faults[] = {
	{ "eio", MODEL_EIO, true }, { "stuck", MODEL_STUCK, true },
	{ "stop_clock", MODEL_STOP_CLOCK, false },
	{ "offline", MODEL_OFFLINE, false }, { "write_eperm", MODEL_WRITE_EPERM, false },
	{ "erratum", MODEL_ERRATUM, false }, { "hidden", MODEL_HIDDEN, true },
};

static int control_fault(char **w, unsigned n)
{
	struct reg reg = msr_reg(0);
	uint64_t socket;
	bool on = strcmp(w[n - 1], "on") == 0;

	if (n < 4 || n > 5 || (!on && strcmp(w[n - 1], "off") != 0) ||
	    num_parse_u64(w[2], &socket) < 0 ||
	    socket >= fs.sockets || (n == 5 && !parse_reg(w[3], &reg)))
		return -EINVAL;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (strcmp(faults[i].name, w[1]) == 0 && (n == 4 || faults[i].reg)) {
			model_fault(fs.model, (unsigned)socket, faults[i].fault, reg, on);
			return 0;
		}
	return -EINVAL;
}

static int control_line(char *line)
{
	char *w[WORDS + 1], *save = NULL;
	unsigned n = 0;
	uint64_t v[3] = { 0, 0, 0 };
	struct reg reg;

	for (char *p = strtok_r(line, " \t", &save); p && n <= WORDS;
	     p = strtok_r(NULL, " \t", &save))
		w[n++] = p;
	if (n == 0)
		return 0;
	if (strcmp(w[0], "fault") == 0)
		return control_fault(w, n);
	if (strcmp(w[0], "poke") == 0 && n == 4 && strchr(w[2], ':')) {
		if (num_parse_u64(w[1], &v[0]) < 0 || v[0] >= fs.sockets ||
		    !parse_reg(w[2], &reg) || num_parse_u64(w[3], &v[2]) < 0)
			return -EINVAL;
		model_poke(fs.model, (unsigned)v[0], reg, v[2]);
		return 0;
	}
	for (unsigned i = 1; i < n; i++)
		if (i > 3 || num_parse_u64(w[i], &v[i - 1]) < 0)
			return -EINVAL;
	if (strcmp(w[0], "write") == 0 && n == 4 && v[0] < fs.cpus)
		return msr_write((unsigned)v[0], v[1], v[2], " control");
	if (strcmp(w[0], "poke") == 0 && n == 4 && v[0] < fs.sockets) {
		model_poke(fs.model, (unsigned)v[0], msr_reg(v[1]), v[2]);
		return 0;
	}
	if (strcmp(w[0], "online") == 0 && n == 3 && v[0] < fs.cpus && v[1] <= 1) {
		model_cpu_online(fs.model, (unsigned)v[0], v[1] == 1);
		return 0;
	}
	if (strcmp(w[0], "advance") == 0 && n == 2 && fs.virtual_time && v[0] <= INT64_MAX) {
		model_advance(fs.model, (nsec)v[0]);
		return 0;
	}
	return -EINVAL;
}

int control_write(const char *buf, size_t size)
{
	char *text = strndup(buf, size), *save = NULL;
	int r = text ? 0 : -ENOMEM;

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line && r == 0;
	     line = strtok_r(NULL, "\n", &save))
		r = control_line(line);
	free(text);
	return r < 0 ? r : (int)size;
}

