/* SPDX-License-Identifier: MIT
 * Power control unit of the Xeon E5/E7 v2: frequency, voltage, sleep states.
 * Owns:  its registers, its four frequency bands, its events.
 * Never: other boxes.
 * Pure data; any thread.
 */
#include "catalog/tables/ivytown.h"

enum { ID_FILTER = 1 };

static const struct cat_field core_fields[] = { F("event_count", 63, 0, "The count") };

/* The two cycle counters of core states run freely: no control register enables or stops them. */
#define SRC "kernel uncore_snbep, likwid, pcm"
static const struct cat_reg regs[] = {
	R("PCU_MSR_PMON_BOX_CTL", BOX_CTL, RW, 4, 4, 0x00, SRC, FIELDS(ivytown_box_fields)),
	R("PCU_MSR_PMON_BOX_FILTER", FILTER, RW, 1, 4, 0x10, "329468-002 Table 2-123", .id = ID_FILTER, FIELDS_HERE(
	  F("filt31_24", 31, 24, "Band 3, in 100 MHz"),
	  F("filt23_16", 23, 16, "Band 2, in 100 MHz"),
	  F("filt15_8", 15, 8, "Band 1, in 100 MHz"),
	  F("filt7_0", 7, 0, "Band 0, in 100 MHz"))),
	R("PCU_MSR_PMON_BOX_STATUS", STATUS, W1C, 4, 4, 0x11, "likwid", FIELDS(ivytown_status_fields)),
	R("PCU_MSR_PMON_CTL%n", CTL, RW, 4, 4, 0x0c, SRC, .step = 1, FIELDS_HERE(
	  F("occ_edge_det", 31, 31, "Counts changes of the occupancy comparison"),
	  F("occ_invert", 30, 30, "Turns the occupancy comparison round"),
	  IVYTOWN_THRESH(28), IVYTOWN_EN, F("ev_sel_ext", 21, 21, "Event, bit 8"), IVYTOWN_OV_EN,
	  IVYTOWN_EDGE_RST,
	  F("occ_sel", 15, 14, "Cores that an occupancy event counts: 1 in C0, 2 in C3, 3 in C6"),
	  IVYTOWN_EV_SEL)),
	R("PCU_MSR_PMON_CTR%n", CTR, RW, 4, 8, 0x12, SRC, .step = 1, FIELDS(ivytown_ctr48_fields)),
	R("PCU_MSR_CORE_C3_CTR", OTHER, RO, 1, 8, 0x3fc, "329468-002 Table 2-125", .bank = 1, FIELDS(core_fields)),
	R("PCU_MSR_CORE_C6_CTR", OTHER, RO, 1, 8, 0x3fd, "329468-002 Table 2-124", .bank = 1, FIELDS(core_fields)),
};

/* Events 0x0b to 0x0e each compare with their own byte of the filter and count the same otherwise:
 * an event may replace another (the kernel moves them too). Its own encoding comes first. */
#define BAND(n) ENCODING(0x0b + (n), { ID_FILTER, 8 * (n) + 7, 8 * (n) })
static const struct cat_key band_keys[] = {
	K("band", 0, 7, 0,
	  "Frequency to compare with, in steps of 100 MHz; without it every cycle counts",
	  .free = true),
};
#define BANDS(a, b, c, d) .selector = &(const struct cat_selector){ \
	ENCODINGS(BAND(a), BAND(b), BAND(c), BAND(d)), KEYS(band_keys), .name = "frequency bands of the PCU's filter" }

#define MOST IVYTOWN_PCU_MOST

static const struct cat_umask cores[] = {
	U("CORES_C0", 0x40, "Cores in C0 or C1"),
	U("CORES_C3", 0x80, "Cores in C3"),
	U("CORES_C6", 0xc0, "Cores in C6 or C7"),
};

#define TRANSITION(n) \
	E("CORE" #n "_TRANSITION_CYCLES", 0x70 + (n), 1, JSON, PLAIN, \
	  .help = "Cycles in which the hardware of core " #n " goes from one sleep state (C-state) to another")
#define ABORT(n) \
	E("DELAYED_C_STATE_ABORT_CORE" #n, 0x17 + (n), MOST, JSON, PLAIN, IVYTOWN_EXT, \
	  .help = "Times core " #n " asked for a deep sleep state and woke up before it was entered")
#define DEMOTION(n, code_) \
	E("DEMOTIONS_CORE" #n, code_, MOST, JSON, PLAIN, \
	  .help = "Times core " #n " was given a lighter sleep state than it had asked for", \
	  .note = "Intel's event file names the filter's byte 0 beside it; no other source does, and it stays as it is")
#define FREQ_BAND(n, ...) \
	E("FREQ_BAND" #n "_CYCLES", 0x0b + (n), 1, JSON ", 329468-002 Table 2-123, kernel", PLAIN, BANDS(__VA_ARGS__), \
	  .values = VALUES(.has = BIT(0)), \
	  .help = "Cycles at or above the frequency given with band=, register byte " #n " of four")
#define RESIDENCY(state, code_) \
	E("PKG_C_STATE_RESIDENCY_" state "_CYCLES", code_, 1, JSON, PLAIN, IVYTOWN_EXT, \
	  .help = "Cycles in which the whole package is in sleep state " state)

static const struct cat_event events[] = {
	E("CLOCKTICKS", 0x00, 1, JSON, CLOCK,
	  .help = "Cycles of the power control unit's own clock, which never changes its speed"),

	E("VOLT_TRANS_CYCLES_INCREASE", 0x01, 1, MANUAL " p 130", PLAIN,
	  .help = "Cycles in which the voltage is being raised"),
	E("VOLT_TRANS_CYCLES_DECREASE", 0x02, 1, MANUAL " p 130", PLAIN,
	  .help = "Cycles in which the voltage is being lowered"),
	E("VOLT_TRANS_CYCLES_CHANGE", 0x03, 1, MANUAL " p 130", PLAIN,
	  .help = "Cycles in which the voltage is being raised or lowered"),
	E("FREQ_MAX_LIMIT_THERMAL_CYCLES", 0x04, 1, JSON, PLAIN,
	  .help = "Cycles in which heat is what keeps the frequency from rising"),
	E("FREQ_MAX_POWER_CYCLES", 0x05, 1, JSON, PLAIN,
	  .help = "Cycles in which the power limit is what keeps the frequency from rising"),
	E("FREQ_MAX_OS_CYCLES", 0x06, 1, JSON, PLAIN,
	  .help = "Cycles in which the operating system is what keeps the frequency from rising"),
	E("FREQ_MAX_CURRENT_CYCLES", 0x07, 1, JSON, PLAIN,
	  .help = "Cycles in which the electric current is what keeps the frequency from rising"),
	E("PROCHOT_INTERNAL_CYCLES", 0x09, 1, MANUAL " p 130", PLAIN,
	  .help = "Cycles of throttling because a sensor on the chip found it too hot (PROCHOT)"),
	E("PROCHOT_EXTERNAL_CYCLES", 0x0a, 1, MANUAL " p 129", PLAIN,
	  .help = "Cycles of throttling because something outside the chip, like memory, is too hot (PROCHOT)"),
	FREQ_BAND(0, 0, 1, 2, 3),
	FREQ_BAND(1, 1, 2, 3, 0),
	FREQ_BAND(2, 2, 3, 0, 1),
	FREQ_BAND(3, 3, 0, 1, 2),
	E("MEMORY_PHASE_SHEDDING_CYCLES", 0x2f, 1, MANUAL " p 129", PLAIN,
	  .help = "Cycles in which memory saves power at the price of a longer latency (phase shedding)"),
	E("VR_HOT_CYCLES", 0x32, 1, MANUAL " p 130", PLAIN,
	  .help = "Cycles in which the voltage regulator says that it is too hot"),
	E("FREQ_TRANS_CYCLES", 0x60, 1, MANUAL " p 129", PLAIN,
	  .help = "Cycles in which the frequency is being changed"),
	E("FREQ_MIN_IO_P_CYCLES", 0x61, 1, JSON, PLAIN,
	  .help = "Cycles in which input and output keep the frequency from falling"),
	E("FREQ_MIN_PERF_P_CYCLES", 0x62, 1, JSON, PLAIN,
	  .help = "Cycles in which the needs of other sockets keep the frequency from falling",
	  .disputed = "Code 0x62 by Intel's event file; libpfm4 has 0x02 with the extension bit"),
	E("TOTAL_TRANSITION_CYCLES", 0x63, MOST, MANUAL " p 130", PLAIN,
	  .help = "Cycles that all cores together spend going from one sleep state to another"),
	E("POWER_STATE_OCCUPANCY", 0x80, MOST, MANUAL " p 129; occ_invert: kernel uncore_snbep, pcm", ONE_OF(cores, -1),
	  .invert_bit = 30,
	  .help = "Cores in the chosen sleep state, added up each cycle"),

	TRANSITION(0), TRANSITION(1), TRANSITION(2), TRANSITION(3), TRANSITION(4),
	TRANSITION(5), TRANSITION(6), TRANSITION(7), TRANSITION(8), TRANSITION(9),
	TRANSITION(10), TRANSITION(11), TRANSITION(12), TRANSITION(13), TRANSITION(14),

	DEMOTION(0, 0x1e), DEMOTION(1, 0x1f), DEMOTION(2, 0x20), DEMOTION(3, 0x21), DEMOTION(4, 0x22),
	DEMOTION(5, 0x23), DEMOTION(6, 0x24), DEMOTION(7, 0x25), DEMOTION(8, 0x40), DEMOTION(9, 0x41),
	DEMOTION(10, 0x42), DEMOTION(11, 0x43), DEMOTION(12, 0x44), DEMOTION(13, 0x45), DEMOTION(14, 0x46),

	ABORT(0), ABORT(1), ABORT(2), ABORT(3), ABORT(4), ABORT(5), ABORT(6), ABORT(7),
	ABORT(8), ABORT(9), ABORT(10), ABORT(11), ABORT(12), ABORT(13), ABORT(14),

	E("PKG_C_EXIT_LATENCY", 0x26, 1, MANUAL " p 129", PLAIN, IVYTOWN_EXT, .alias = TEXTS("PKG_C_EXIT_LATENCY_SEL"),
	  .help = "Cycles in which the package goes from sleep state C2 to C3"),
	RESIDENCY("C0", 0x2a),
	RESIDENCY("C2", 0x2b),
	RESIDENCY("C3", 0x2c),
	RESIDENCY("C6", 0x2d),
};

const struct cat_box ivytown_pcu = {
	.name = "pcu", .letter = "P", .title = "PCU: power control unit",
	UNITS_HERE({ .base = { 0xc24 } }), ROWS, .max_inc = IVYTOWN_PCU_MOST,
	.clock = "pcu/CLOCKTICKS", .max_hz = IVYTOWN_PCLK_HZ,
	.space = SPACE_MSR, .width = 48, .n_counters = 4, IVYTOWN_CONTROL_5, IVYTOWN_FROZEN,
	.source = "329468-002 2.7",
};
