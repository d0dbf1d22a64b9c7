/* ivytown_pcu.c - power control unit of the Xeon E5/E7 v2: frequency, voltage, sleep states.
 *
 * Owns:  its registers, its four frequency bands, its events.
 * Never: other boxes.
 * Pure data; any thread.
 */
#include "config.h"

#include "catalog/ivytown.h"

/* ------------------------------------------------------------------ registers */

enum { ID_FILTER = 1 };

static const struct cat_field ctl_fields[] = {
	{ "occ_edge_det", 31, 31, CAT_FIELD, "Counts changes of the occupancy comparison" },
	{ "occ_invert", 30, 30, CAT_FIELD, "Turns the occupancy comparison round" },
	{ "thresh", 28, 24, CAT_FIELD, "If not 0: count 1 in each cycle whose increment is at least this" },
	{ "en", 22, 22, CAT_FIELD, "Enables this counter" },
	{ "ev_sel_ext", 21, 21, CAT_FIELD, "Event, bit 8" },
	{ "ov_en", 20, 20, CAT_FIELD, "Reports an overflow, which stops the socket's counters" },
	{ "edge_det", 18, 18, CAT_FIELD, "Counts changes from 0 to 1; needs a threshold" },
	{ "rst", 17, 17, CAT_FIELD_PULSE, "Sets the counter to 0" },
	{ "occ_sel", 15, 14, CAT_FIELD, "Cores that an occupancy event counts: 1 in C0, 2 in C3, 3 in C6" },
	{ "ev_sel", 7, 0, CAT_FIELD, "Event" },
};

static const struct cat_field filter_fields[] = {
	{ "filt31_24", 31, 24, CAT_FIELD, "Band 3, in 100 MHz" },
	{ "filt23_16", 23, 16, CAT_FIELD, "Band 2, in 100 MHz" },
	{ "filt15_8", 15, 8, CAT_FIELD, "Band 1, in 100 MHz" },
	{ "filt7_0", 7, 0, CAT_FIELD, "Band 0, in 100 MHz" },
};

static const struct cat_field core_fields[] = {
	{ "event_count", 63, 0, CAT_FIELD, "The count" },
};

/* The two cycle counters of core states run freely: no control register enables or stops them. */
#define SRC "kernel uncore_snbep, likwid, pcm"
static const struct cat_reg regs[] = {
	{ .name = "PCU_MSR_PMON_BOX_CTL", .role = CAT_BOX_CTL, .access = CAT_RW, .count = 4, .bytes = 4,
	  .off = 0x00, IVYTOWN_FIELDS(ivytown_box_fields), .source = SRC },
	{ .name = "PCU_MSR_PMON_BOX_FILTER", .role = CAT_FILTER, .access = CAT_RW, .id = ID_FILTER, .count = 1,
	  .bytes = 4, .off = 0x10, IVYTOWN_FIELDS(filter_fields), .source = "329468-002 Table 2-123" },
	{ .name = "PCU_MSR_PMON_BOX_STATUS", .role = CAT_STATUS, .access = CAT_W1C, .count = 4, .bytes = 4,
	  .off = 0x11, IVYTOWN_FIELDS(ivytown_status_fields), .source = "likwid" },
	{ .name = "PCU_MSR_PMON_CTL%n", .role = CAT_CTL, .access = CAT_RW, .count = 4, .bytes = 4, .step = 1,
	  .off = 0x0c, IVYTOWN_FIELDS(ctl_fields), .source = SRC },
	{ .name = "PCU_MSR_PMON_CTR%n", .role = CAT_CTR, .access = CAT_RW, .count = 4, .bytes = 8, .step = 1,
	  .off = 0x12, IVYTOWN_FIELDS(ivytown_ctr48_fields), .source = SRC },
	{ .name = "PCU_MSR_CORE_C3_CTR", .role = CAT_OTHER, .access = CAT_RO, .bank = 1, .count = 1, .bytes = 8,
	  .off = 0x3fc, IVYTOWN_FIELDS(core_fields), .source = "329468-002 Table 2-125" },
	{ .name = "PCU_MSR_CORE_C6_CTR", .role = CAT_OTHER, .access = CAT_RO, .bank = 1, .count = 1, .bytes = 8,
	  .off = 0x3fd, IVYTOWN_FIELDS(core_fields), .source = "329468-002 Table 2-124" },
};

static const struct cat_unit units[] = {
	{ .base = { 0xc24 } },
};

/* ------------------------------------------------------------------ frequency bands */

/* Events 0x0b to 0x0e each compare with their own byte of the filter and count the same otherwise: an
 * event may stand in for another (the kernel moves them too). Its own place comes first. */
#define BAND(n) { .code = 0x0b + (n), .t = { { ID_FILTER, 8 * (n) + 7, 8 * (n) } } }
static const struct cat_key band_keys[] = {
	{ .name = "band", .target = 0, .hi = 7, .lo = 0, .free = true,
	  .help = "Frequency to compare with, in steps of 100 MHz; without it every cycle counts" },
};
#define BANDS(a, b, c, d) .route = &(const struct cat_route){ \
	.n_places = 4, .places = (const struct cat_place[]){ BAND(a), BAND(b), BAND(c), BAND(d) }, \
	.keys = band_keys, .n_keys = COUNT(band_keys), .name = "frequency bands of the PCU's filter" }

/* ------------------------------------------------------------------ events */

#define MOST IVYTOWN_PCU_MOST
#define CYCLE .max_inc = 1, .dflt = -1
#define ANY   .max_inc = MOST, .dflt = -1

static const struct cat_umask cores[] = {
	{ .name = "CORES_C0", .value = 0x40, .help = "Cores in C0 or C1" },
	{ .name = "CORES_C3", .value = 0x80, .help = "Cores in C3" },
	{ .name = "CORES_C6", .value = 0xc0, .help = "Cores in C6 or C7" },
};

#define TRANSITION(n) \
	{ .name = "CORE" #n "_TRANSITION_CYCLES", .code = 0x70 + (n), CYCLE, .source = IVYTOWN_JSON, \
	  .help = "Cycles in which the hardware of core " #n " goes from one sleep state (C-state) to another" }
#define ABORT(n) \
	{ .name = "DELAYED_C_STATE_ABORT_CORE" #n, .code = 0x17 + (n), IVYTOWN_EXT, ANY, .source = IVYTOWN_JSON, \
	  .help = "Times core " #n " asked for a deep sleep state and woke up before it was entered" }
#define DEMOTION(n, code_) \
	{ .name = "DEMOTIONS_CORE" #n, .code = (code_), ANY, .source = IVYTOWN_JSON, \
	  .note = "Intel's event file names the filter's byte 0 beside it; no other source does, and it stays as it is", \
	  .help = "Times core " #n " was given a lighter sleep state than it had asked for" }
#define FREQ_BAND(n, ...) \
	{ .name = "FREQ_BAND" #n "_CYCLES", .code = 0x0b + (n), BANDS(__VA_ARGS__), .set = SET(.has = BIT(0)), \
	  CYCLE, .source = IVYTOWN_JSON ", 329468-002 Table 2-123, kernel", \
	  .help = "Cycles at or above the frequency given with band=, register byte " #n " of four" }
#define RESIDENCY(state, code_) \
	{ .name = "PKG_C_STATE_RESIDENCY_" state "_CYCLES", .code = (code_), IVYTOWN_EXT, CYCLE, \
	  .source = IVYTOWN_JSON, .help = "Cycles in which the whole package is in sleep state " state }

static const struct cat_event events[] = {
	{ .name = "CLOCKTICKS", .code = 0x00, IVYTOWN_CLOCK, .source = IVYTOWN_JSON,
	  .help = "Cycles of the power control unit's own clock, which never changes its speed" },

	{ .name = "VOLT_TRANS_CYCLES_INCREASE", .code = 0x01, CYCLE, .source = IVYTOWN_MANUAL " p 130",
	  .help = "Cycles in which the voltage is being raised" },
	{ .name = "VOLT_TRANS_CYCLES_DECREASE", .code = 0x02, CYCLE, .source = IVYTOWN_MANUAL " p 130",
	  .help = "Cycles in which the voltage is being lowered" },
	{ .name = "VOLT_TRANS_CYCLES_CHANGE", .code = 0x03, CYCLE, .source = IVYTOWN_MANUAL " p 130",
	  .help = "Cycles in which the voltage is being raised or lowered" },
	{ .name = "FREQ_MAX_LIMIT_THERMAL_CYCLES", .code = 0x04, CYCLE, .source = IVYTOWN_JSON,
	  .help = "Cycles in which heat is what keeps the frequency from rising" },
	{ .name = "FREQ_MAX_POWER_CYCLES", .code = 0x05, CYCLE, .source = IVYTOWN_JSON,
	  .help = "Cycles in which the power limit is what keeps the frequency from rising" },
	{ .name = "FREQ_MAX_OS_CYCLES", .code = 0x06, CYCLE, .source = IVYTOWN_JSON,
	  .help = "Cycles in which the operating system is what keeps the frequency from rising" },
	{ .name = "FREQ_MAX_CURRENT_CYCLES", .code = 0x07, CYCLE, .source = IVYTOWN_JSON,
	  .help = "Cycles in which the electric current is what keeps the frequency from rising" },
	{ .name = "PROCHOT_INTERNAL_CYCLES", .code = 0x09, CYCLE, .source = IVYTOWN_MANUAL " p 130",
	  .help = "Cycles of throttling because a sensor on the chip found it too hot (PROCHOT)" },
	{ .name = "PROCHOT_EXTERNAL_CYCLES", .code = 0x0a, CYCLE, .source = IVYTOWN_MANUAL " p 129",
	  .help = "Cycles of throttling because something outside the chip, like memory, is too hot (PROCHOT)" },
	FREQ_BAND(0, 0, 1, 2, 3),
	FREQ_BAND(1, 1, 2, 3, 0),
	FREQ_BAND(2, 2, 3, 0, 1),
	FREQ_BAND(3, 3, 0, 1, 2),
	{ .name = "MEMORY_PHASE_SHEDDING_CYCLES", .code = 0x2f, CYCLE, .source = IVYTOWN_MANUAL " p 129",
	  .help = "Cycles in which memory saves power at the price of a longer latency (phase shedding)" },
	{ .name = "VR_HOT_CYCLES", .code = 0x32, CYCLE, .source = IVYTOWN_MANUAL " p 130",
	  .help = "Cycles in which the voltage regulator says that it is too hot" },
	{ .name = "FREQ_TRANS_CYCLES", .code = 0x60, CYCLE, .source = IVYTOWN_MANUAL " p 129",
	  .help = "Cycles in which the frequency is being changed" },
	{ .name = "FREQ_MIN_IO_P_CYCLES", .code = 0x61, CYCLE, .source = IVYTOWN_JSON,
	  .help = "Cycles in which input and output keep the frequency from falling" },
	{ .name = "FREQ_MIN_PERF_P_CYCLES", .code = 0x62, CYCLE, .source = IVYTOWN_JSON,
	  .disputed = "Code 0x62 by Intel's event file; libpfm4 has 0x02 with the extension bit",
	  .help = "Cycles in which the needs of other sockets keep the frequency from falling" },
	{ .name = "TOTAL_TRANSITION_CYCLES", .code = 0x63, ANY, .source = IVYTOWN_MANUAL " p 130",
	  .help = "Cycles that all cores together spend going from one sleep state to another" },
	{ .name = "POWER_STATE_OCCUPANCY", .code = 0x80, .max_inc = MOST, .invert_bit = 30, IVYTOWN_ONE(cores, -1),
	  .source = IVYTOWN_MANUAL " p 129; occ_invert: kernel uncore_snbep, pcm",
	  .help = "Cores in the chosen sleep state, added up each cycle" },

	TRANSITION(0), TRANSITION(1), TRANSITION(2), TRANSITION(3), TRANSITION(4),
	TRANSITION(5), TRANSITION(6), TRANSITION(7), TRANSITION(8), TRANSITION(9),
	TRANSITION(10), TRANSITION(11), TRANSITION(12), TRANSITION(13), TRANSITION(14),

	DEMOTION(0, 0x1e), DEMOTION(1, 0x1f), DEMOTION(2, 0x20), DEMOTION(3, 0x21), DEMOTION(4, 0x22),
	DEMOTION(5, 0x23), DEMOTION(6, 0x24), DEMOTION(7, 0x25), DEMOTION(8, 0x40), DEMOTION(9, 0x41),
	DEMOTION(10, 0x42), DEMOTION(11, 0x43), DEMOTION(12, 0x44), DEMOTION(13, 0x45), DEMOTION(14, 0x46),

	ABORT(0), ABORT(1), ABORT(2), ABORT(3), ABORT(4), ABORT(5), ABORT(6), ABORT(7),
	ABORT(8), ABORT(9), ABORT(10), ABORT(11), ABORT(12), ABORT(13), ABORT(14),

	{ .name = "PKG_C_EXIT_LATENCY", .code = 0x26, IVYTOWN_EXT, CYCLE, .alias = TEXTS("PKG_C_EXIT_LATENCY_SEL"),
	  .source = IVYTOWN_MANUAL " p 129",
	  .help = "Cycles in which the package goes from sleep state C2 to C3" },
	RESIDENCY("C0", 0x2a),
	RESIDENCY("C2", 0x2b),
	RESIDENCY("C3", 0x2c),
	RESIDENCY("C6", 0x2d),
};

/* ------------------------------------------------------------------ the box */

const struct cat_box ivytown_pcu = {
	.name = "pcu", .letter = "P", .title = "PCU: power control unit",
	UNITS(units), ROWS, .max_inc = IVYTOWN_PCU_MOST,
	.clock = "pcu/CLOCKTICKS", .max_hz = IVYTOWN_PCLK_HZ,
	.space = SPACE_MSR, .width = 48, .n_counters = 4, IVYTOWN_CONTROL_5, IVYTOWN_FROZEN, .source = "329468-002 2.7",
};
