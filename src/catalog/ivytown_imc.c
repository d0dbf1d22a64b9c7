/* ivytown_imc.c - memory channels of the Xeon E5/E7 v2, up to four at each of two controllers.
 *
 * Owns:  their registers, the DRAM clock, their events.
 * Never: other boxes.
 * Pure data; any thread.
 *
 * CAS is the DRAM command that reads or writes 64 bytes of an open page, activate opens a page, precharge
 * closes it. In read major mode (RMM) reads go first, in write major mode (WMM) writes. VMSE is the link
 * of the E7 v2 to its memory buffers.
 */
#include "config.h"

#include "catalog/ivytown.h"

/* ------------------------------------------------------------------ registers */

static const struct cat_field fixed_fields[] = {
	{ "en", 22, 22, CAT_FIELD, "Enables the DRAM clock counter" },
	{ "rst", 19, 19, CAT_FIELD_PULSE, "Sets the DRAM clock counter to 0" },
};

#define SRC "329468-002 2.5.3, kernel uncore_snbep, likwid, pcm"
static const struct cat_reg regs[] = {
	IVYTOWN_PCI_BOX("MC_CH%u", 4, SRC),
	{ .name = "MC_CH%u_PCI_PMON_FIXED_CTL", .role = CAT_FIXED_CTL, .access = CAT_RW, .count = 1, .bytes = 4,
	  .off = 0xf0, IVYTOWN_FIELDS(fixed_fields), .source = SRC },
	{ .name = "MC_CH%u_PCI_PMON_FIXED_CTR", .role = CAT_FIXED_CTR, .access = CAT_RW, .count = 1, .bytes = 8,
	  .off = 0xd0, IVYTOWN_FIELDS(ivytown_ctr48_fields), .source = SRC },
	IVYTOWN_PCI_CTL("MC_CH%u", 4, ivytown_ctl_fields, SRC),
	IVYTOWN_PCI_CTR("MC_CH%u", 4, ivytown_ctr48_fields, SRC),
};

/* Channels 0-3 of the first controller, 0-3 of the second; the functions are not in their order. */
static const struct cat_unit units[] = {
	{ .dev = { 16 }, .fn = { 4 }, .id = { 0x0eb4 } },
	{ .dev = { 16 }, .fn = { 5 }, .id = { 0x0eb5 } },
	{ .dev = { 16 }, .fn = { 0 }, .id = { 0x0eb0 } },
	{ .dev = { 16 }, .fn = { 1 }, .id = { 0x0eb1 } },
	{ .dev = { 30 }, .fn = { 4 }, .id = { 0x0ef4 } },
	{ .dev = { 30 }, .fn = { 5 }, .id = { 0x0ef5 } },
	{ .dev = { 30 }, .fn = { 0 }, .id = { 0x0ef0 } },
	{ .dev = { 30 }, .fn = { 1 }, .id = { 0x0ef1 } },
};

/* ------------------------------------------------------------------ unit masks */

static const struct cat_umask activates[] = {
	{ .name = "RD", .value = 0x01, .help = "For a read" },
	{ .name = "WR", .value = 0x02, .help = "For a write" },
	{ .name = "BYP", .value = 0x08, .help = "For a read on the short cut (bypass)" },
};

static const struct cat_umask precharges[] = {
	{ .name = "PAGE_MISS", .value = 0x01, .help = "Because another page of the bank is needed" },
	{ .name = "PAGE_CLOSE", .value = 0x02, .help = "Because the page was not used for a while" },
	{ .name = "RD", .value = 0x04, .help = "For a read" },
	{ .name = "WR", .value = 0x08, .help = "For a write" },
	{ .name = "BYP", .value = 0x10, .help = "For a read on the short cut (bypass)" },
};

#define OTHER_WAY .disputed = "RD_RMM is 0x20 and RD_WMM 0x10 in Intel's event file, the other way round in libpfm4"
static const struct cat_umask cas[] = {
	{ .name = "ALL", .value = 0x0f, .help = "Reads and writes" },
	{ .name = "RD", .value = 0x03, .help = "Reads, underfills too" },
	{ .name = "RD_REG", .value = 0x01, .help = "Reads, underfills not" },
	{ .name = "RD_UNDERFILL", .value = 0x02, .help = "Reads of a line of which only a part is to be written" },
	{ .name = "WR", .value = 0x0c, .help = "All writes" },
	{ .name = "WR_WMM", .value = 0x04, .help = "Writes in write major mode" },
	{ .name = "WR_RMM", .value = 0x08, .help = "Writes in read major mode" },
	{ .name = "RD_WMM", .value = 0x10, .help = "Reads in write major mode", OTHER_WAY },
	{ .name = "RD_RMM", .value = 0x20, .help = "Reads in read major mode", OTHER_WAY },
};

static const struct cat_umask refreshes[] = {
	{ .name = "PANIC", .value = 0x02, .help = "Overdue, before anything else" },
	{ .name = "HIGH", .value = 0x04, .help = "Of high priority" },
};

static const struct cat_umask modes[] = {
	{ .name = "READ", .value = 0x01, .help = "Reads first: the normal mode" },
	{ .name = "WRITE", .value = 0x02, .help = "Writes first: the write queue was nearly full" },
	{ .name = "PARTIAL", .value = 0x04, .help = "Underfill reads only, which had waited too long" },
	{ .name = "ISOCH", .value = 0x08, .help = "Isochronous requests first" },
};

static const struct cat_umask preemptions[] = {
	{ .name = "RD_PREEMPT_RD", .value = 0x01, .help = "A read before another read" },
	{ .name = "RD_PREEMPT_WR", .value = 0x02, .help = "A read before a write" },
};

#define RANK(n, bit) { .name = "RANK" #n, .value = (bit), .help = "DRAM rank " #n }
static const struct cat_umask ranks[] = {
	RANK(0, 0x01), RANK(1, 0x02), RANK(2, 0x04), RANK(3, 0x08),
	RANK(4, 0x10), RANK(5, 0x20), RANK(6, 0x40), RANK(7, 0x80),
};

#define BANK(n, bit) { .name = "BANK" #n, .value = (bit), .help = "DRAM bank " #n }
static const struct cat_umask banks[] = {
	BANK(0, 0x01), BANK(1, 0x02), BANK(2, 0x04), BANK(3, 0x08),
	BANK(4, 0x10), BANK(5, 0x20), BANK(6, 0x40), BANK(7, 0x80),
};

static const struct cat_umask priorities[] = {
	{ .name = "LOW", .value = 0x01, .help = "Low priority" },
	{ .name = "MED", .value = 0x02, .help = "Medium priority" },
	{ .name = "HIGH", .value = 0x04, .help = "High priority" },
	{ .name = "PANIC", .value = 0x08, .help = "Highest priority" },
};

static const struct cat_umask bypasses[] = {
	{ .name = "ACT", .value = 0x01, .help = "Activate" },
	{ .name = "CAS", .value = 0x02, .help = "Read (CAS)" },
	{ .name = "PRE", .value = 0x04, .help = "Precharge" },
};

static const struct cat_umask pushes[] = {
	{ .name = "WMM", .value = 0x01, .help = "In write major mode" },
	{ .name = "RMM", .value = 0x02, .help = "In read major mode" },
};

static const struct cat_umask back_to_reads[] = {
	{ .name = "LOW_THRESH", .value = 0x01, .alias = "LOW_THRES", .help = "Few writes were left" },
	{ .name = "STARVE", .value = 0x02, .help = "Reads had waited too long" },
	{ .name = "VMSE_RETRY", .value = 0x04, .help = "The link to the memory buffer had to repeat" },
};

/* ------------------------------------------------------------------ events */

#define MOST IVYTOWN_IMC_MOST
#define PLAIN .max_inc = MOST, .dflt = -1, .source = IVYTOWN_JSON
#define CYCLE .max_inc = 1, .dflt = -1, .source = IVYTOWN_JSON
#define BITS(m, d) .max_inc = MOST, IVYTOWN_MASKS(m, d), .source = IVYTOWN_JSON
#define BY_NAME .note = "Intel's event file gives its name only"
#define RD_RANK(n) { .name = "RD_CAS_RANK" #n, .code = 0xb0 + (n), BITS(banks, -1), \
	.help = "Reads (CAS) of rank " #n " of the channel, by bank" }
#define WR_RANK(n) { .name = "WR_CAS_RANK" #n, .code = 0xb8 + (n), BITS(banks, -1), \
	.help = "Writes (CAS) of rank " #n " of the channel, by bank" }

static const struct cat_event events[] = {
	{ .name = "DCLK", .fixed = true, IVYTOWN_CLOCK, .alias = TEXTS("CLOCKTICKS"),
	  .source = "329468-002 2.5.3, " IVYTOWN_PFM4,
	  .help = "Cycles of the DRAM clock, half the memory's transfer rate, on the counter made for it" },
	{ .name = "DCLOCKTICKS", .code = 0x00, IVYTOWN_CLOCK, .source = IVYTOWN_JSON,
	  .help = "Cycles of the DRAM clock, half the memory's transfer rate, on a general counter" },
	{ .name = "ACT_COUNT", .code = 0x01, BITS(activates, -1),
	  .help = "DRAM pages opened (activate commands)" },
	{ .name = "PRE_COUNT", .code = 0x02, BITS(precharges, -1),
	  .help = "DRAM pages closed (precharge commands)" },
	{ .name = "CAS_COUNT", .code = 0x04, BITS(cas, 0),
	  .help = "Reads and writes of 64 bytes that the channel sent to the DRAM (CAS commands)" },
	{ .name = "DRAM_REFRESH", .code = 0x05, BITS(refreshes, -1),
	  .help = "Refreshes of the DRAM" },
	{ .name = "DRAM_PRE_ALL", .code = 0x06, PLAIN,
	  .help = "Times all open pages of a rank were closed at once (precharge all)" },
	{ .name = "MAJOR_MODES", .code = 0x07, IVYTOWN_CYCLES, IVYTOWN_MASKS(modes, -1), .source = IVYTOWN_JSON,
	  .help = "Cycles in which the channel prefers one kind of requests" },
	{ .name = "PREEMPTION", .code = 0x08, .max_inc = 1, .adds = CAT_ADDS, IVYTOWN_MASKS(preemptions, -1),
	  .source = IVYTOWN_MANUAL " p 88",
	  .help = "Times an urgent read went before another request and closed its page" },
	{ .name = "ECC_CORRECTABLE_ERRORS", .code = 0x09, PLAIN,
	  .help = "Memory errors that were detected and corrected (ECC)" },
	{ .name = "RPQ_INSERTS", .code = 0x10, PLAIN,
	  .help = "Reads put into the read queue of the channel" },
	{ .name = "RPQ_CYCLES_NE", .code = 0x11, CYCLE,
	  .help = "Cycles in which the read queue of the channel is not empty" },
	{ .name = "WPQ_INSERTS", .code = 0x20, PLAIN,
	  .help = "Writes put into the write queue of the channel" },
	{ .name = "WPQ_CYCLES_NE", .code = 0x21, CYCLE,
	  .help = "Cycles in which the write queue of the channel is not empty" },
	{ .name = "WPQ_CYCLES_FULL", .code = 0x22, CYCLE,
	  .help = "Cycles in which the write queue of the channel is full" },
	{ .name = "WPQ_READ_HIT", .code = 0x23, PLAIN,
	  .help = "Reads answered from a write that still waited in the write queue" },
	{ .name = "WPQ_WRITE_HIT", .code = 0x24, PLAIN,
	  .help = "Writes to the address of a write that still waited in the write queue" },
	{ .name = "POWER_THROTTLE_CYCLES", .code = 0x41, IVYTOWN_CYCLES, IVYTOWN_MASKS(ranks, -1),
	  .source = IVYTOWN_MANUAL " p 88, Table 2-83",
	  .help = "Cycles in which a rank is slowed down, for heat or by the power control unit" },
	{ .name = "POWER_PCU_THROTTLING", .code = 0x42, PLAIN, BY_NAME,
	  .help = "Throttling of the channel that the power control unit asked for" },
	{ .name = "POWER_SELF_REFRESH", .code = 0x43, .max_inc = 1, .dflt = -1, .source = IVYTOWN_MANUAL " p 88",
	  .note = "In deep package sleep the channel has no clock to count with",
	  .help = "Cycles in which the DRAM refreshes itself while the channel still has its clock" },
	{ .name = "POWER_CKE_CYCLES", .code = 0x83, IVYTOWN_CYCLES, IVYTOWN_MASKS(ranks, -1), .source = IVYTOWN_JSON,
	  .help = "Cycles in which a rank is awake (its CKE signal is on)" },
	{ .name = "POWER_CHANNEL_DLLOFF", .code = 0x84, CYCLE,
	  .help = "Cycles in which all ranks of the channel sleep deeply (DLL off)" },
	{ .name = "POWER_CHANNEL_PPD", .code = 0x85, CYCLE,
	  .help = "Cycles in which all ranks of the channel sleep lightly (precharge power-down)" },
	{ .name = "POWER_CRITICAL_THROTTLE_CYCLES", .code = 0x86, CYCLE,
	  .help = "Cycles in which overheating stops all traffic of the channel" },
	{ .name = "VMSE_WR_PUSH", .code = 0x90, BITS(pushes, -1), BY_NAME,
	  .help = "Times the memory buffer was told to carry out its writes" },
	{ .name = "VMSE_MXB_WR_OCCUPANCY", .code = 0x91, PLAIN, BY_NAME,
	  .help = "Writes that wait in the memory buffer, added up each cycle" },
	{ .name = "RD_CAS_PRIO", .code = 0xa0, BITS(priorities, -1),
	  .help = "Reads (CAS) of the channel, by priority" },
	{ .name = "BYP_CMDS", .code = 0xa1, BITS(bypasses, -1),
	  .help = "DRAM commands sent on the short cut past the queues (bypass)" },
	RD_RANK(0), RD_RANK(1), RD_RANK(2), RD_RANK(3), RD_RANK(4), RD_RANK(5), RD_RANK(6), RD_RANK(7),
	WR_RANK(0), WR_RANK(1), WR_RANK(2), WR_RANK(3), WR_RANK(4), WR_RANK(5), WR_RANK(6), WR_RANK(7),
	{ .name = "WMM_TO_RMM", .code = 0xc0, BITS(back_to_reads, -1),
	  .help = "Times the channel went from write major mode back to read major mode" },
	{ .name = "WRONG_MM", .code = 0xc1, PLAIN,
	  .help = "Times the channel was not in the major mode that it wanted" },
};

/* ------------------------------------------------------------------ the box */

const struct cat_box ivytown_imc = {
	.name = "imc", .letter = "M", .title = "iMC: memory channel",
	UNITS(units), ROWS, .max_inc = IVYTOWN_IMC_MOST,
	.clock = "imc/DCLK", .max_hz = IVYTOWN_DCLK_HZ,
	.space = SPACE_PCI, .width = 48, .n_counters = 4, IVYTOWN_CONTROL_8, IVYTOWN_FROZEN,
	.has_fixed = true, .fixed_enable = BIT(22), .source = "329468-002 2.5",
};
