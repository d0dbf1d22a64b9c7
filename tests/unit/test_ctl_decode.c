/* SPDX-License-Identifier: MIT
 * uncorectl's arguments: register addresses and values, names of events; and a
 * write as a line and as JSON. Which exit code, which words; nothing on standard output then. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bits.h"
#include "capture.h"
#include "ctl/ctl.h"

/* As fail.c has it, but for where it goes. */
static char said[512];

int ctl_fail(int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(said, sizeof(said), fmt, ap);
	va_end(ap);
	return code;
}

static struct ctl on(const char *processor)
{
	return (struct ctl){ .processor = cat_processor_by_name(processor), .counter = -1 };
}

/* What it prints; its exit code in *ret. */
static const char *decoded(struct ctl *c, const char *const *args, int n, int *ret)
{
	c->args = (char **)(uintptr_t)args;
	c->n_args = n;
	said[0] = '\0';
	capture_begin(STDOUT_FILENO);
	*ret = ctl_decode(c);
	return capture_end();
}

/* 64 usage, 78 configuration (uncorectl(1)). PCI: 32 devices, 8 functions, 4096 bytes. */
static void test_refused(void **state)
{
	static const struct { int line; const char *processor, *address, *value; int code;
			      const char *words; } rows[] = {
		{ __LINE__, "nehalem-ex", "0xd1g", "0", 64, "'0xd1g' is not a register address" },
		{ __LINE__, "nehalem-ex", "", "0", 64, "'' is not a register address" },
		{ __LINE__, "nehalem-ex", "0x100000000", "0", 64, "is not a register address" },
		{ __LINE__, "ivytown", "19:5", "0", 64, "'19:5' is not a register address" },
		{ __LINE__, "ivytown", "32:5+0xd8", "0", 64, "is not a register address" },
		{ __LINE__, "ivytown", "19:8+0xd8", "0", 64, "is not a register address" },
		{ __LINE__, "ivytown", "19:5+4096", "0", 64, "is not a register address" },
		{ __LINE__, "nehalem-ex", "0xd10", "many", 64, "'many' is not a number" },
		{ __LINE__, "nehalem-ex", "0xd10", "-1", 64, "'-1' is not a number" },
		{ __LINE__, "ivytown", "19:5+0xd8", "0x100000000", 64,
		  "'0x100000000' does not fit: the register at 19:5+0xd8 has 32 bits" },
		{ __LINE__, "nehalem-ex", "0x10", "0", 78, "no PMON register at 0x10" },
		{ __LINE__, "nehalem-ex", "19:5+0xd8", "0", 78, "no PMON register at 19:5+0xd8" },
	};
	struct ctl c;
	int r;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *const args[] = { rows[i].address, rows[i].value };

		c = on(rows[i].processor);
		assert_string_equal(decoded(&c, args, 2, &r), "");
		if (r != rows[i].code || !strstr(said, rows[i].words))
			fail_msg("row at line %d: %d, \"%s\"", rows[i].line, r, said);
	}
	c = on("nehalem-ex");
	assert_string_equal(decoded(&c, (const char *const[]){ "0xd10" }, 1, &r), "");
	assert_int_equal(r, 64);
	assert_string_equal(said, "decode needs pairs: ADDRESS VALUE");
	c = on("pentium");
	decoded(&c, (const char *const[]){ "0xd10", "0" }, 2, &r);
	assert_int_equal(r, 64);
	assert_non_null(strstr(said, "does not know this processor's registers"));
}

/* 323535-001: control of C-Box 0 counter 0, LLC_HITS is code 0x15 with unit masks 0xf, bit 22
 * enables; 0xc00 is the U-Box's global control. */
static void test_decoded(void **state)
{
	const char *const args[] = { "0xd10", "0x400f15" }, *const global[] = { "0xc00", "0" };
	const char *const twice[] = { "0xd10", "0x400f15", "3344", "0" };
	struct ctl c = on("nehalem-ex");
	const char *text;
	json_t *j;
	int r;

	(void)state;
	text = decoded(&c, args, 2, &r);
	assert_int_equal(r, 0);
	assert_non_null(strstr(text, "CB0_CR_C_MSR_PMON_EVT_SEL_0"));
	assert_non_null(strstr(text, "event cbox0/LLC_HITS:ALL on counter 0"));
	text = decoded(&c, global, 2, &r);
	assert_int_equal(r, 0);
	assert_non_null(strstr(text, "no event: none of these is a control register"));
	/* of two values of one register the last one holds; 3344 is 0xd10 */
	text = decoded(&c, twice, 4, &r);
	assert_null(strstr(text, "LLC_HITS:ALL on counter"));
	assert_non_null(strstr(text, "no event: control register 0xd10 selects none"));
	c.json = true;
	j = json_loads(decoded(&c, args, 2, &r), 0, NULL);
	assert_non_null(j);
	assert_string_equal(json_string_value(json_object_get(j, "processor")), "nehalem-ex");
	assert_int_equal(json_array_size(json_object_get(j, "registers")), 1);
	assert_int_equal(json_array_size(json_object_get(j, "events")), 1);
	assert_string_equal(json_string_value(json_object_get(
		json_array_get(json_object_get(j, "events"), 0), "spec")), "cbox0/LLC_HITS:ALL");
	json_decref(j);
}

/* An event by its name, with all that may stand around it; what is told where it has no such part,
 * and nothing where there is none. */
static void test_find_event(void **state)
{
	static const struct { int line; const char *text, *box, *words; int r; } rows[] = {
		{ __LINE__, "cbox/LLC_HITS", "cbox", "", 0 },
		{ __LINE__, "cbox7/LLC_HITS:ALL", "cbox", "", 0 },
		{ __LINE__, "LLC_HITS:M:E,threshold=1", "cbox", "", 0 },
		{ __LINE__, "IMT_FULL", "bbox", "", 0 },
		{ __LINE__, "cbox8/LLC_HITS", "cbox", "cbox has no unit 8: 0 to 7", CTL_CONFIG },
		{ __LINE__, "cbox/LLC_HITS:Q", "cbox", "cbox/LLC_HITS has no unit mask 'Q'",
		  CTL_CONFIG },
		{ __LINE__, "xbox/LLC_HITS", NULL, "", -ENOENT },
		{ __LINE__, "cbox/LLC_HIT", NULL, "", -ENOENT },
		{ __LINE__, "bbox/LLC_HITS", NULL, "", -ENOENT },
		{ __LINE__, "", NULL, "", -ENOENT },
	};
	const struct cat_processor *p = cat_processor_by_name("nehalem-ex");
	char long_name[600];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct cat_box *box = NULL;
		const struct cat_event *event = NULL;
		int r;

		said[0] = '\0';
		r = ctl_find_event(p, rows[i].text, &box, &event);
		if (r != rows[i].r || !box != !rows[i].box || !event != !box ||
		    (box && strcmp(box->name, rows[i].box) != 0) ||
		    !strstr(said, rows[i].words) || (r == -ENOENT && *said))
			fail_msg("row at line %d: \"%s\"", rows[i].line, said);
	}
	memset(long_name, 'A', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	assert_int_equal(ctl_find_event(p, long_name, &(const struct cat_box *){ NULL },
					&(const struct cat_event *){ NULL }), -ENOENT);
}

/* Of registers that are shared only the bits are ours; what was found there goes back into some. */
static void test_writes(void **state)
{
	struct plan_reg regs[] = {
		{ .reg = { .space = SPACE_MSR, .bytes = 8, .off = 0xd10 }, .name = "CTL" },
		{ .reg = { .space = SPACE_PCI, .bytes = 4, .dev = 19, .fn = 5, .off = 0xd8 },
		  .name = "PCI" },
	};
	const struct plan_program p = { .regs = regs, .n_regs = 2 };
	static const struct { struct plan_write w; const char *line, *json; } rows[] = {
		{ { .reg = 0, .mask = UINT64_MAX, .value = 0x400f15,
		    .phase = PHASE_ENABLE_COUNTER },
		  "> 0xd10      CTL   0x400f15\n",
		  "{\"space\": \"msr\", \"address\": \"0xd10\", \"register\": \"CTL\", "
		  "\"value\": \"0x400f15\", \"phase\": \"enable_counter\"}" },
		{ { .reg = 1, .mask = 0x30, .value = 0x10, .phase = PHASE_STOP },
		  "> 19:5+0xd8  PCI   0x10 in bits 0x30\n",
		  "{\"space\": \"pci\", \"device\": 19, \"function\": 5, \"offset\": \"0xd8\", "
		  "\"register\": \"PCI\", \"value\": \"0x10\", \"mask\": \"0x30\", "
		  "\"phase\": \"stop\"}" },
		{ { .reg = 0, .mask = 0xff, .found = 0xff, .phase = PHASE_STOP },
		  "> 0xd10      CTL   what was found in bits 0xff\n",
		  "{\"space\": \"msr\", \"address\": \"0xd10\", \"register\": \"CTL\", "
		  "\"mask\": \"0xff\", \"phase\": \"stop\"}" },
		{ { .reg = 0, .mask = 0xff, .value = 1, .found = 0xf0, .phase = PHASE_STOP },
		  "> 0xd10      CTL   0x1 in bits 0xff, of which 0xf0 get what was found\n",
		  "{\"space\": \"msr\", \"address\": \"0xd10\", \"register\": \"CTL\", "
		  "\"value\": \"0x1\", \"mask\": \"0xff\", \"found\": \"0xf0\", "
		  "\"phase\": \"stop\"}" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		json_t *got = ctl_write_json(&p, &rows[i].w, true);
		json_t *want = json_loads(rows[i].json, 0, NULL);

		capture_begin(STDOUT_FILENO);
		ctl_print_write(&p, &rows[i].w, "> ", 5);
		assert_string_equal(capture_end(), rows[i].line);
		assert_non_null(want);
		if (!json_equal(got, want))
			fail_msg("row %zu: %s", i, json_dumps(got, 0));
		json_decref(got);
		got = ctl_write_json(&p, &rows[i].w, false);
		assert_null(json_object_get(got, "phase"));
		json_decref(got);
		json_decref(want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused), cmocka_unit_test(test_decoded),
		cmocka_unit_test(test_find_event), cmocka_unit_test(test_writes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
