/* SPDX-License-Identifier: MIT
 * Which rules software broke, in words; see inspect.h. */
#include "inspect.h"

#include "model/model_internal.h"

#include <inttypes.h>
#include <stdio.h>

/* "C0.ctl3", "R.port1.iperf1", "M1.fvc" */
static void name_nehalem_ex(const struct reg_def *d, char *buf, size_t n)
{
	static const char *const kinds[] = {
		"none", "global_ctl", "global_status", "ovf_ctl", "summary", "ctl", "ctr", "mm_cfg",
		"match", "mask", "iperf0", "iperf1", "qlx", "mm_cfg", "match", "mask", "dsp", "iss",
		"map", "thr", "pgt", "pld", "fvc", "timestamp", "tsc",
	};
	const char *kind = kinds[d->kind];
	unsigned port = 4u * d->unit + d->index % 4;            /* of the R-Box */
	char box = "UCBSRMW-"[d->box];

	if (d->kind >= KIND_XBR_CFG && d->kind <= KIND_XBR_MASK)
		snprintf(buf, n, "R.port%u.set%u.%s", port, d->index / 4 + 1, kind);
	else if (d->kind >= KIND_IPERF0 && d->kind <= KIND_QLX)
		snprintf(buf, n, "R.port%u.%s", port, kind);
	else if ((d->kind == KIND_CTL || d->kind == KIND_CTR) && d->index == 31)
		snprintf(buf, n, "W.fixed_%s", kind);
	else if (d->kind == KIND_CTL || d->kind == KIND_CTR)
		snprintf(buf, n, "%c%u.%s%u", box, d->unit, kind, d->index);
	else
		snprintf(buf, n, "%c%u.%s", box, d->unit, kind);
}

static void name_nehalem(const struct reg_def *d, char *buf, size_t n)
{
	static const char *const names[] = { "global_ctrl", "global_status", "ovf_ctrl",
					     "addr_opcode_match" };

	if (d->kind >= KIND_FAMILY)
		snprintf(buf, n, "%s", names[d->kind - KIND_FAMILY]);
	else
		snprintf(buf, n, d->fixed ? "fixed_%s" : "%s%u",
			 d->kind == KIND_CTL ? "ctl" : "ctr", d->index);
}

static void name_ivytown(const struct reg_def *d, char *buf, size_t n)
{
	static const char *const boxes[] = { "U", "C", "P", "HA", "M", "IRP", "Q", "R2", "R3" };
	static const char *const kinds[] = {
		"global_ctl", "global_status", "global_config", "box_ctl", "box_status", "filter",
		"free_ctr", "ctr_high", "constant", "node_id",
	};

	if (d->kind >= KIND_FAMILY)
		snprintf(buf, n, "%s%u.%s", boxes[d->box], d->unit, kinds[d->kind - KIND_FAMILY]);
	else
		snprintf(buf, n, "%s%u.%s%u", boxes[d->box], d->unit,
			 d->kind == KIND_CTL ? "ctl" : "ctr", d->index);
}

static void name_register(const struct model *m, struct reg r, char *buf, size_t n)
{
	const struct reg_def *d = &m->def[register_number(m->family, r)];

	if (m->family == &family_ivytown)
		name_ivytown(d, buf, n);
	else if (m->family == &family_nehalem || m->family == &family_westmere)
		name_nehalem(d, buf, n);
	else
		name_nehalem_ex(d, buf, n);
}

/* "socket 0 S0.match (0xe49): ..." */
static void describe(const struct model *m, char *buf, size_t n)
{
	const struct violation *v = &m->violation;
	char name[32], what[48] = "";

	switch (v->rule) {
	case RULE_WRITE_ONLY: snprintf(what, sizeof(what), "write-only register read"); break;
	case RULE_READ_ONLY: snprintf(what, sizeof(what), "read-only register written"); break;
	case RULE_RESERVED:
		snprintf(what, sizeof(what), "reserved bits 0x%" PRIx64 " written", v->bits);
		break;
	case RULE_LOCKED: snprintf(what, sizeof(what), "written while MM_CFG[63] is 1"); break;
	}
	name_register(m, v->reg, name, sizeof(name));
	snprintf(buf, n, "socket %u %s (%s): %s", v->socket, name, reg_text(v->reg).s, what);
}

unsigned model_violations(struct model *m, char *last, size_t n)
{
	LOCKED(m);

	if (last && n) {
		*last = '\0';
		if (m->violations)
			describe(m, last, n);
	}
	return m->violations;
}
