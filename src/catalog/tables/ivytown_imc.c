/* SPDX-License-Identifier: MIT
 * Memory channels of the Xeon E5/E7 v2, up to four at each of two controllers.
 * Owns:  their registers, the DRAM clock, their events.
 * Never: other boxes.
 * Pure data; any thread.
 *
 * CAS is the DRAM command that reads or writes 64 bytes of an open page, activate opens a page,
 * precharge closes it. In read major mode (RMM) reads go first, in write major mode (WMM) writes.
 * VMSE is the link of the E7 v2 to its memory buffers.
 */
#include "catalog/tables/ivytown.h"

#define SRC "329468-002 2.5.3, kernel uncore_snbep, likwid, pcm"
static const struct cat_reg regs[] = {
	IVYTOWN_PCI_BOX("MC_CH%u", 4, SRC),
	R("MC_CH%u_PCI_PMON_FIXED_CTL", FIXED_CTL, RW, 1, 4, 0xf0, SRC, FIELDS_HERE(
	  F("en", 22, 22, "Enables the DRAM clock counter"),
	  PULSE("rst", 19, 19, "Sets the DRAM clock counter to 0"))),
	R("MC_CH%u_PCI_PMON_FIXED_CTR", FIXED_CTR, RW, 1, 8, 0xd0, SRC, FIELDS(ivytown_ctr48_fields)),
	IVYTOWN_PCI_CTL("MC_CH%u", 4, ivytown_ctl_fields, SRC),
	IVYTOWN_PCI_CTR("MC_CH%u", 4, ivytown_ctr48_fields, SRC),
};

#define OTHER_WAY .disputed = "RD_RMM is 0x20 and RD_WMM 0x10 in Intel's event file, the other " \
		"way round in libpfm4"

static const struct cat_umask refreshes[] = {
	U("PANIC", 0x02, "Overdue, before anything else"),
	U("HIGH", 0x04, "Of high priority"),
};

#define RANK(n, bit) U("RANK" #n, bit, "DRAM rank " #n)
static const struct cat_umask ranks[] = {
	RANK(0, 0x01), RANK(1, 0x02), RANK(2, 0x04), RANK(3, 0x08),
	RANK(4, 0x10), RANK(5, 0x20), RANK(6, 0x40), RANK(7, 0x80),
};

#define BANK(n, bit) U("BANK" #n, bit, "DRAM bank " #n)
static const struct cat_umask banks[] = {
	BANK(0, 0x01), BANK(1, 0x02), BANK(2, 0x04), BANK(3, 0x08),
	BANK(4, 0x10), BANK(5, 0x20), BANK(6, 0x40), BANK(7, 0x80),
};

#define MOST IVYTOWN_IMC_MOST
#define BY_NAME .note = "Intel's event file gives its name only"
#define RD_RANK(n) \
	E("RD_CAS_RANK" #n, 0xb0 + (n), MOST, JSON, MASKS(banks, -1), \
	  .help = "Reads (CAS) of rank " #n " of the channel, by bank")
#define WR_RANK(n) \
	E("WR_CAS_RANK" #n, 0xb8 + (n), MOST, JSON, MASKS(banks, -1), \
	  .help = "Writes (CAS) of rank " #n " of the channel, by bank")

static const struct cat_event events[] = {
	E("DCLK", 0, 1, "329468-002 2.5.3, " LIBPFM4, .fixed = true, CLOCK, .alias = TEXTS("CLOCKTICKS"),
	  .help = "Cycles of the DRAM clock, half the memory's transfer rate, on the counter made for it"),
	E("DCLOCKTICKS", 0x00, 1, JSON, CLOCK,
	  .help = "Cycles of the DRAM clock, half the memory's transfer rate, on a general counter"),
	E("ACT_COUNT", 0x01, MOST, JSON,
	  .help = "DRAM pages opened (activate commands)",
	  MASKS_HERE(-1,
	  U("RD", 0x01, "For a read"),
	  U("WR", 0x02, "For a write"),
	  U("BYP", 0x08, "For a read on the short cut (bypass)"))),
	E("PRE_COUNT", 0x02, MOST, JSON,
	  .help = "DRAM pages closed (precharge commands)",
	  MASKS_HERE(-1,
	  U("PAGE_MISS", 0x01, "Because another page of the bank is needed"),
	  U("PAGE_CLOSE", 0x02, "Because the page was not used for a while"),
	  U("RD", 0x04, "For a read"),
	  U("WR", 0x08, "For a write"),
	  U("BYP", 0x10, "For a read on the short cut (bypass)"))),
	E("CAS_COUNT", 0x04, MOST, JSON, .cas = true,
	  .help = "Reads and writes of 64 bytes that the channel sent to the DRAM (CAS commands)",
	  MASKS_HERE(0,
	  U("ALL", 0x0f, "Reads and writes"),
	  U("RD", 0x03, "Reads, underfills too"),
	  U("RD_REG", 0x01, "Reads, underfills not"),
	  U("RD_UNDERFILL", 0x02, "Reads of a line that is about to be written in part"),
	  U("WR", 0x0c, "All writes"),
	  U("WR_WMM", 0x04, "Writes in write major mode"),
	  U("WR_RMM", 0x08, "Writes in read major mode"),
	  U("RD_WMM", 0x10, "Reads in write major mode", OTHER_WAY),
	  U("RD_RMM", 0x20, "Reads in read major mode", OTHER_WAY))),
	E("DRAM_REFRESH", 0x05, MOST, JSON, MASKS(refreshes, -1),
	  .help = "Refreshes of the DRAM"),
	E("DRAM_PRE_ALL", 0x06, MOST, JSON, PLAIN,
	  .help = "Times all open pages of a rank were closed at once (precharge all)"),
	E("MAJOR_MODES", 0x07, 1, JSON,
	  .help = "Cycles in which the channel prefers one kind of requests",
	  SUMMED_HERE(-1,
	  U("READ", 0x01, "Reads first: the normal mode"),
	  U("WRITE", 0x02, "Writes first: the write queue was nearly full"),
	  U("PARTIAL", 0x04, "Underfill reads only, which had waited too long"),
	  U("ISOCH", 0x08, "Isochronous requests first"))),
	E("PREEMPTION", 0x08, 1, MANUAL " p 88",
	  .help = "Times an urgent read went before another request and closed its page",
	  SUMMED_HERE(-1,
	  U("RD_PREEMPT_RD", 0x01, "A read before another read"),
	  U("RD_PREEMPT_WR", 0x02, "A read before a write"))),
	E("ECC_CORRECTABLE_ERRORS", 0x09, MOST, JSON, PLAIN,
	  .help = "Memory errors that were detected and corrected (ECC)"),
	E("RPQ_INSERTS", 0x10, MOST, JSON, PLAIN,
	  .help = "Reads put into the read queue of the channel"),
	E("RPQ_CYCLES_NE", 0x11, 1, JSON, PLAIN,
	  .help = "Cycles in which the read queue of the channel is not empty"),
	E("WPQ_INSERTS", 0x20, MOST, JSON, PLAIN,
	  .help = "Writes put into the write queue of the channel"),
	E("WPQ_CYCLES_NE", 0x21, 1, JSON, PLAIN,
	  .help = "Cycles in which the write queue of the channel is not empty"),
	E("WPQ_CYCLES_FULL", 0x22, 1, JSON, PLAIN,
	  .help = "Cycles in which the write queue of the channel is full"),
	E("WPQ_READ_HIT", 0x23, MOST, JSON, PLAIN,
	  .help = "Reads answered from a write that still waited in the write queue"),
	E("WPQ_WRITE_HIT", 0x24, MOST, JSON, PLAIN,
	  .help = "Writes to the address of a write that still waited in the write queue"),
	E("POWER_THROTTLE_CYCLES", 0x41, 1, MANUAL " p 88, Table 2-83", SUMMED(ranks, -1),
	  .help = "Cycles in which a rank is slowed down, for heat or by the power control unit"),
	E("POWER_PCU_THROTTLING", 0x42, MOST, JSON, PLAIN, BY_NAME,
	  .help = "Throttling of the channel that the power control unit asked for"),
	E("POWER_SELF_REFRESH", 0x43, 1, MANUAL " p 88", PLAIN,
	  .help = "Cycles in which the DRAM refreshes itself while the channel still has its clock",
	  .note = "In deep package sleep the channel has no clock to count with"),
	E("POWER_CKE_CYCLES", 0x83, 1, JSON, SUMMED(ranks, -1),
	  .help = "Cycles in which a rank is awake (its CKE signal is on)"),
	E("POWER_CHANNEL_DLLOFF", 0x84, 1, JSON, PLAIN,
	  .help = "Cycles in which all ranks of the channel sleep deeply (DLL off)"),
	E("POWER_CHANNEL_PPD", 0x85, 1, JSON, PLAIN,
	  .help = "Cycles in which all ranks of the channel sleep lightly (precharge power-down)"),
	E("POWER_CRITICAL_THROTTLE_CYCLES", 0x86, 1, JSON, PLAIN,
	  .help = "Cycles in which overheating stops all traffic of the channel"),
	E("VMSE_WR_PUSH", 0x90, MOST, JSON, BY_NAME,
	  .help = "Times the memory buffer was told to carry out its writes",
	  MASKS_HERE(-1,
	  U("WMM", 0x01, "In write major mode"),
	  U("RMM", 0x02, "In read major mode"))),
	E("VMSE_MXB_WR_OCCUPANCY", 0x91, MOST, JSON, PLAIN, BY_NAME,
	  .help = "Writes that wait in the memory buffer, added up each cycle"),
	E("RD_CAS_PRIO", 0xa0, MOST, JSON,
	  .help = "Reads (CAS) of the channel, by priority",
	  MASKS_HERE(-1,
	  U("LOW", 0x01, "Low priority"),
	  U("MED", 0x02, "Medium priority"),
	  U("HIGH", 0x04, "High priority"),
	  U("PANIC", 0x08, "Highest priority"))),
	E("BYP_CMDS", 0xa1, MOST, JSON,
	  .help = "DRAM commands sent on the short cut past the queues (bypass)",
	  MASKS_HERE(-1,
	  U("ACT", 0x01, "Activate"),
	  U("CAS", 0x02, "Read (CAS)"),
	  U("PRE", 0x04, "Precharge"))),
	RD_RANK(0), RD_RANK(1), RD_RANK(2), RD_RANK(3), RD_RANK(4), RD_RANK(5), RD_RANK(6), RD_RANK(7),
	WR_RANK(0), WR_RANK(1), WR_RANK(2), WR_RANK(3), WR_RANK(4), WR_RANK(5), WR_RANK(6), WR_RANK(7),
	E("WMM_TO_RMM", 0xc0, MOST, JSON,
	  .help = "Times the channel went from write major mode back to read major mode",
	  MASKS_HERE(-1,
	  U("LOW_THRESH", 0x01, "Few writes were left", .alias = "LOW_THRES"),
	  U("STARVE", 0x02, "Reads had waited too long"),
	  U("VMSE_RETRY", 0x04, "The link to the memory buffer had to repeat"))),
	E("WRONG_MM", 0xc1, MOST, JSON, PLAIN,
	  .help = "Times the channel was not in the major mode that it wanted"),
};

const struct cat_box ivytown_imc = {
	.name = "imc", .letter = "M", .title = "iMC: memory channel",
	ROWS, .max_inc = IVYTOWN_IMC_MOST,
	/* Channels 0-3 of the first controller, 0-3 of the second; the functions are not in
	 * their order. */
	UNITS_HERE(
	  { .dev = { 16 }, .fn = { 4 }, .id = { 0x0eb4 } },
	  { .dev = { 16 }, .fn = { 5 }, .id = { 0x0eb5 } },
	  { .dev = { 16 }, .fn = { 0 }, .id = { 0x0eb0 } },
	  { .dev = { 16 }, .fn = { 1 }, .id = { 0x0eb1 } },
	  { .dev = { 30 }, .fn = { 4 }, .id = { 0x0ef4 } },
	  { .dev = { 30 }, .fn = { 5 }, .id = { 0x0ef5 } },
	  { .dev = { 30 }, .fn = { 0 }, .id = { 0x0ef0 } },
	  { .dev = { 30 }, .fn = { 1 }, .id = { 0x0ef1 } }),
	.clock = "imc/DCLK", .max_hz = IVYTOWN_DCLK_HZ,
	.space = SPACE_PCI, .width = 48, .n_counters = 4, IVYTOWN_CONTROL_8, IVYTOWN_FROZEN,
	.has_fixed = true, .fixed_enable = BIT(22), .source = "329468-002 2.5",
};
