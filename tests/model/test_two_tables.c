/* SPDX-License-Identifier: MIT
 * The catalog and the model were typed separately from the same manual: do they
 * agree?
 * Whatever the catalog encodes must count in the model, read back as written and touch no reserved
 * bit. An encoding mistake that both make is not found here; tests/catalog compares with the
 * manual's tables.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "../catalog/selection.h"
#include "inspect.h"

#include <errno.h>
#include <stdio.h>

/* How many rows (a unit mask, on each unit, port and place) the lists of each processor have, at
 * least. */
static const struct {
	const char *name;
	unsigned rows;
	const char *codes;              /* where the model has the codes of its events */
} tables[] = {
#define EX "nehalem_ex_events.c, of R- and M-Boxes nehalem_ex_redirect.c"
	{ "nehalem-ex", 844, EX }, { "westmere-ex", 860, EX },
	{ "ivytown", 880, "ivytown_events.c" },
	{ "nehalem", 175, "model_nehalem.c" }, { "westmere", 218, "model_nehalem.c" },
};
static const struct cat_processor *processor;   /* the one under test */
static const char *codes;                       /* its */

static struct model *new_model(void)
{
	struct model_options o = { .processor = processor->name, .n_sockets = 1,
				   .cores = 8, .seed = 1 };
	struct model *m = NULL;

	assert_int_equal(model_new(&o, &m, NULL), 0);
	return m;
}

/* --- registers: existence, access, reserved bits --- */

static uint64_t reserved(const struct cat_field *f, unsigned n)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < n; i++)
		if (f[i].kind == CAT_FIELD_RSV)
			bits |= bits_mask(f[i].hi, f[i].lo);
	return bits;
}

static void register_agrees(const struct cat_reg *row, struct reg r, const char *name)
{
	struct model *m = new_model();
	bool reads = row->access != CAT_WO, writes = row->access != CAT_RO;
	uint64_t rsv = reserved(row->fields, row->n_fields), v = 0;

	if (model_read(m, 0, r, &v) != (reads ? 0 : -EIO))
		fail_msg("%s: the catalog says %s", name, reads ? "readable" : "not readable");
	if (model_write(m, 0, r, 0) != (writes ? 0 : -EIO))
		fail_msg("%s: the catalog says %s", name, writes ? "writable" : "read-only");
	model_free(m);
	if (!writes)
		return;
	m = new_model();
	model_write(m, 0, r, ~rsv);
	if (model_violations(m, NULL, 0))
		fail_msg("%s: the model knows reserved bits that the catalog does not", name);
	for (unsigned bit = 0; bit < 64; bit++)
		if (rsv & BIT(bit)) {
			unsigned before = model_violations(m, NULL, 0);

			model_write(m, 0, r, BIT(bit));
			if (model_violations(m, NULL, 0) != before + 1)
				fail_msg("%s: bit %u is reserved in the catalog only", name, bit);
		}
	model_free(m);
}

static void check_registers(void)
{
	struct reg counters[256];
	struct model *m = new_model();
	size_t n = model_counters(m, counters, COUNT(counters)), found = 0;

	for (unsigned b = 0; b < processor->n_boxes; b++)
		for (unsigned k = 0; k < processor->boxes[b]->n_regs; k++) {
			const struct cat_box *box = processor->boxes[b];
			const struct cat_reg *row = &box->regs[k];

			for (unsigned u = 0; u < box->n_units; u++)
				for (unsigned i = row->first;
				     i < (unsigned)row->first + row->count; i++) {
					struct reg r = cat_reg_address(box, row, u, i);
					char name[CAT_NAME_TEXT];

					register_agrees(row,
							r, cat_reg_name(row, u, i, name,
						sizeof(name)));
					if (row->role == CAT_CTR || row->role == CAT_FIXED_CTR)
						for (size_t c = 0; c < n; c++)
							found += reg_equal(counters[c], r);
				}
		}
	assert_int_equal(found, n);
	model_free(m);
}

static void test_registers(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(tables); i++) {
		processor = cat_processor_by_name(tables[i].name);
		assert_non_null(processor);
		check_registers();
	}
}

/* --- events --- */

static void spell(const struct cat_selection *c, unsigned encoding, char *buf, size_t n)
{
	unsigned k = c->umasks ? (unsigned)__builtin_ctzll(c->umasks) : 0;

	snprintf(buf, n, "%s%u/%s:%s,port=%u place %u", c->box->name, c->unit, c->event->name,
		 c->umasks ? c->event->umasks[k].name : "-", c->port, encoding);
}

/* Write what the catalog encodes, as the daemon would: sub-controls and filters, then the
 * control. */
static void program(struct model *m, const struct cat_field_value *w, unsigned n, struct reg ctl,
		    uint64_t value)
{
	for (unsigned i = 0; i < n; i++)
		if (w[i].row->write_enable)
			assert_int_equal(model_write(m, 0, w[i].reg, 0), 0);
	for (unsigned i = 0; i < n; i++) {
		uint64_t old = 0;

		assert_int_equal(model_read(m, 0, w[i].reg, &old), 0);
		assert_int_equal(model_write(m, 0, w[i].reg, (old & ~w[i].mask) | w[i].value), 0);
	}
	assert_int_equal(model_write(m, 0, ctl, value), 0);
}

static void selection_counts(const struct cat_selection *c, unsigned encoding, unsigned counter)
{
	const struct cat_box *box = c->box;
	bool fixed = c->event->fixed;
	const struct cat_reg *row = cat_reg_find(box, fixed ? CAT_FIXED_CTL : CAT_CTL, 0, counter);
	const struct cat_reg *data = cat_reg_find(box, fixed ? CAT_FIXED_CTR : CAT_CTR, 0, counter);
	struct reg ctl = cat_reg_address(box, row, c->unit, counter),
		ctr = cat_reg_address(box, data, c->unit, counter);
	const struct cat_umask *umask = c->umasks ? &c->event->umasks[__builtin_ctzll(c->umasks)]
		: NULL;
	/* ALL, pages 2-66 to 2-69 */
	bool undefined = umask && c->event->one_umask && umask->value & (umask->value - 1u);
	bool here = !undefined && (!umask || !umask->ports || umask->ports & BIT(c->port));
	struct model *m = new_model();
	struct cat_field_value wants[CAT_FIELD_VALUES];
	uint64_t value, back = 0;
	unsigned n = cat_encode(c, encoding, counter, &value, wants);
	char what[160], violation[160] = "";

	spell(c, encoding, what, sizeof(what));
	program(m, wants, n, ctl, value);
	if (model_violations(m, violation, sizeof(violation)))
		fail_msg("%s: %s", what, violation);
	model_read(m, 0, ctl, &back);
	if (back != (value & ~cat_pulse_bits(row)))
		fail_msg("%s: control 0x%llx reads 0x%llx", what, (unsigned long long)value,
			 (unsigned long long)back);
	for (unsigned i = 0; i < n; i++) {
		model_read(m, 0, wants[i].reg, &back);
		if ((back & wants[i].mask) != wants[i].value)
			fail_msg("%s: register 0x%x does not keep its value", what,
				 wants[i].reg.off);
	}
	if ((model_rate(m, 0, ctr) > 0) != here)
		fail_msg("%s: counts %g a second: add what 0x%llx in its control register counts "
			 "to src/model/%s", what, model_rate(m, 0, ctr), (unsigned long long)value,
			 codes);
	model_free(m);
}

/* The event with one sub-event, on every port, place and unit, each on its first and last
 * counter. */
static unsigned event_counts(const struct cat_box *box, const struct cat_event *e, uint64_t umasks)
{
	struct cat_selection c = { .box = box, .event = e, .umasks = umasks };
	unsigned n = 0;

	give_required_keys(&c);
	for (c.unit = 0; c.unit < box->n_units; c.unit++)
		for (c.port = 0; c.port < (box->n_ports ? box->n_ports : 1u); c.port++)
			for (unsigned encoding = 0; encoding < cat_encodings(e); encoding++, n++) {
				uint32_t may = cat_counters(&c);

				if (e->fixed) {
					selection_counts(&c, encoding, 0);
					continue;
				}
				assert_true(may != 0);
				selection_counts(&c, encoding, (unsigned)__builtin_ctz(may));
				selection_counts(&c, encoding, 31u - (unsigned)__builtin_clz(may));
			}
	return n;
}

static unsigned check_events(void)
{
	unsigned n = 0;

	for (const struct cat_box *b = cat_box_next(processor, NULL); b;
	     b = cat_box_next(processor, b))
		for (const struct cat_event *e = cat_event_next(b, NULL); e;
		     e = cat_event_next(b, e)) {
			if (e->combine == CAT_NO_UMASK || e->dflt == CAT_OPTIONAL)
				n += event_counts(b, e, 0);
			for (unsigned u = 0; u < e->n_umasks; u++)
				n += event_counts(b, e, BIT(u));
		}
	return n;
}

static void test_events(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(tables); i++) {
		processor = cat_processor_by_name(tables[i].name);
		codes = tables[i].codes;
		assert_true(check_events() >= tables[i].rows);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
