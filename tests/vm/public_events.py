#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""public_events.py - writes events.tsv: what each event of the ready-made metrics counts, by public
lists of events.

    public_events.py LINUX >events.tsv

LINUX is the source of a kernel from 6.12 on (Debian: linux-source-6.12): codes, unit masks, ports
and filters are those of tools/perf/pmu-events. What that does not list is typed below, each with
its source. Nothing here is taken from src/catalog.
"""
import glob
import json
import os
import sys

X86 = "tools/perf/pmu-events/arch/x86/"
PMUS = {"iMC": "uncore_imc", "IMC": "uncore_imc", "CBO": "uncore_cbox", "CBOX": "uncore_cbox",
        "CHA": "uncore_cha", "QPI LL": "uncore_qpi", "QPI": "uncore_qpi", "UPI LL": "uncore_upi",
        "UPI": "uncore_upi", "IIO": "uncore_iio", "MCHBM": "uncore_hbm", "L3PMC": "amd_l3",
        "DFPMC": "amd_df", "UMCPMC": "amd_umc", "arm_cmn": "arm_cmn", "PCU": "uncore_pcu"}
# a list's name of a field, and the kernel's in format/
FIELDS = {"EventCode": "event", "UMask": "umask", "PortMask": "ch_mask", "FCMask": "fc_mask",
          "NodeType": "type", "EventidCode": "eventid", "EnAllSlices": "enallslices",
          "EnAllCores": "enallcores", "SliceId": "sliceid", "ThreadMask": "threadmask",
          "RdWrMask": "rdwrmask"}
LINE = "64"                 # bytes of a cache line
# an access that opens a page hit none; a page is closed first where another one was open
PAGES = " page_access page_hit"
FLIT = "64/9"               # UPI: nine data flits for a line (metric upi_data_transmit_bw)

# trees of src/topo/machines by the folder of their list
QPI = (("snbep", "jaketown"), ("ivt", "ivytown"), ("hsx", "haswellx"), ("bdx", "broadwellx"))
CBOX = QPI + (("bdxde", "broadwellde"),)
HSX = (("hsx,bdxde", "haswellx"), ("bdx", "broadwellx"))
SKX = (("skx", "skylakex"), ("clx,clxap,cpx", "cascadelakex"))
NEWER = (("icx", "icelakex"), ("spr,sprhbm", "sapphirerapids"), ("emr", "emeraldrapids"),
         ("gnr", "graniterapids"))
SRF = (("srf,cwf", "sierraforest"),)
PMEM = SKX[1:] + NEWER[:2]
TWO = NEWER[3:] + SRF       # two schedulers a channel
ZEN = (("zen1", "amdzen1"), ("zen2", "amdzen2"), ("zen3", "amdzen3"))
ZEN4 = (("zen4", "amdzen4"), ("zen5", "amdzen5"))
MESH = "cmn600,altra2,altra2_lts,cmn700,yitian710"
# a Ryzen has the L3 of its server, and another data fabric
ZEN_L3 = (ZEN[0], ("zen2,ryzen", "amdzen2"), ZEN[2])
ZEN4_L3 = (("zen4,raphael", "amdzen4"), ZEN4[1])
DRD = "filter_opc=0x182"    # LLC_MISSES.DATA_READ of haswellx/uncore-cache.json


def parts(name, n):
    return ["%s.PART%d" % (name, i) for i in range(n)]


# lists, names (together: all bits of all), what a count is, hertz, terms beside the list's
LISTED = [
    (CBOX + SKX + NEWER[:1], "UNC_M_CAS_COUNT.RD", "memory_read*" + LINE + PAGES, 70000000, ""),
    (NEWER[1:3], "UNC_M_CAS_COUNT.RD", "memory_read*" + LINE, 70000000, ""),
    (CBOX + SKX + NEWER[:1], "UNC_M_CAS_COUNT.WR", "memory_write*" + LINE + PAGES, 50000000, ""),
    (NEWER[1:3], "UNC_M_CAS_COUNT.WR", "memory_write*" + LINE, 50000000, ""),
    (TWO, "UNC_M_CAS_COUNT_SCH0.RD", "memory_read*" + LINE, 40000000, ""),
    (TWO, "UNC_M_CAS_COUNT_SCH1.RD", "memory_read*" + LINE, 30000000, ""),
    (TWO, "UNC_M_CAS_COUNT_SCH0.WR", "memory_write*" + LINE, 20000000, ""),
    (TWO, "UNC_M_CAS_COUNT_SCH1.WR", "memory_write*" + LINE, 25000000, ""),
    (TWO, "UNC_M_CAS_COUNT_SCH0.ALL", "memory_any*" + LINE, 65000000, ""),
    (TWO, "UNC_M_CAS_COUNT_SCH1.ALL", "memory_any*" + LINE, 60000000, ""),
    # of the memory: half of the data rate, with two schedulers a channel a quarter; each unit has
    # up to a quarter more, and that is below the fastest memory of its server
    (CBOX[1:2], "UNC_M_DCLOCKTICKS", "ddr3_clock", 700000000, ""),
    (CBOX[2:], "UNC_M_DCLOCKTICKS", "ddr4_clock", 800000000, ""),
    (SKX + NEWER[:1], "UNC_M_CLOCKTICKS", "ddr4_clock", 1000000000, ""),
    (NEWER[1:] + SRF, "UNC_M_CLOCKTICKS", "ddr5_clock", 1200000000, ""),
    (CBOX, "UNC_C_CLOCKTICKS", "clock", 2200000000, ""),
    (SKX + NEWER + SRF, "UNC_CHA_CLOCKTICKS", "clock", 2100000000, ""),
    (CBOX, "UNC_C_TOR_INSERTS.MISS_OPCODE", "llc_miss", 9000000, DRD),
    (CBOX, "UNC_C_TOR_OCCUPANCY.MISS_OPCODE", "llc_waiting", 1500000000, DRD),
    (CBOX, "UNC_C_TOR_INSERTS.OPCODE", "llc_read", 31000000, DRD),
    (SKX, "UNC_CHA_TOR_INSERTS.IA_MISS_DRD", "llc_miss llc_read", 8000000, ""),
    (SKX, "UNC_CHA_TOR_INSERTS.IA_HIT_DRD", "llc_read", 21000000, ""),
    (SKX, "UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD", "llc_waiting", 1300000000, ""),
    (NEWER, "UNC_CHA_TOR_INSERTS.IA_MISS_DRD", "llc_miss llc_read", 7000000, ""),
    (NEWER, "UNC_CHA_TOR_INSERTS.IA_HIT_DRD", "llc_read", 22000000, ""),
    (NEWER, "UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD", "llc_waiting", 1200000000, ""),
    (SRF, "UNC_CHA_TOR_INSERTS.IA_MISS_DRD_OPT", "llc_miss llc_read", 6000000, ""),
    (SRF, "UNC_CHA_TOR_INSERTS.IA_HIT_DRD_OPT", "llc_read", 23000000, ""),
    (SRF, "UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD_OPT", "llc_waiting", 1100000000, ""),
    # tid_en: the events want it for their filter_tid
    (HSX, "LLC_REFERENCES.PCIE_READ", "pcie_read*64", 17000000, ""),
    (HSX, "LLC_REFERENCES.PCIE_WRITE", "pcie_write*64", 13000000, "tid_en=1"),
    (HSX, "LLC_REFERENCES.PCIE_NS_PARTIAL_WRITE", "pcie_partial_write", 2000000, "tid_en=1"),
    (QPI, "UNC_Q_TxL_FLITS_G0.DATA", "link_sent*8", 300000000, ""),
    (QPI, "UNC_Q_TxL_FLITS_G0.DATA|UNC_Q_TxL_FLITS_G0.NON_DATA", "link_busy", 500000000, ""),
    # a flit takes four transfers; the clock is an eighth of these, from Haswell on a quarter
    (QPI[:2], "UNC_Q_CLOCKTICKS", "link_flits*2", 1000000000, ""),
    (QPI[2:], "UNC_Q_CLOCKTICKS", "link_flits*1", 2000000000, ""),
    (SKX + NEWER + SRF, "UNC_UPI_TxL_FLITS.ALL_DATA", "link_sent*" + FLIT, 310000000, ""),
    (SKX + NEWER + SRF, "UNC_UPI_RxL_FLITS.ALL_DATA", "link_received*" + FLIT, 270000000, ""),
    (SKX + NEWER + SRF, "UNC_UPI_TxL_FLITS.ALL_DATA|UNC_UPI_TxL_FLITS.NON_DATA", "link_busy",
     900000000, ""),
    # pcm: five flits in six clocks, three slots a flit
    (SKX + NEWER + SRF, "UNC_UPI_CLOCKTICKS", "link_clock link_flits*5/2", 1300000000, ""),
    (SKX, "|".join(parts("UNC_IIO_DATA_REQ_OF_CPU.MEM_READ", 4)), "pcie_read*4", 170000000, ""),
    (SKX, "|".join(parts("UNC_IIO_DATA_REQ_OF_CPU.MEM_WRITE", 4)), "pcie_write*4", 150000000, ""),
    (NEWER + SRF, "|".join(parts("UNC_IIO_DATA_REQ_OF_CPU.MEM_READ", 8)), "pcie_read*4", 160000000,
     ""),
    (NEWER + SRF, "|".join(parts("UNC_IIO_DATA_REQ_OF_CPU.MEM_WRITE", 8)), "pcie_write*4",
     140000000, ""),
    # sets: requests to the home agents
    *((SKX + NEWER + SRF, "UNC_CHA_REQUESTS.%s_%s" % (what.upper() + "S", where.upper()),
       "home_%s_%s*64" % (where, what), hertz, "")
      for what, where, hertz in (("read", "local", 12000000), ("read", "remote", 5000000),
                                 ("write", "local", 9000000), ("write", "remote", 4000000))),
    # metrics numa_reads_addressed_to_local_dram, _remote_dram
    *((lists, "UNC_CHA_TOR_INSERTS.IA_MISS_%s_%s" % (event, where.upper()),
       "llc_%s_%s numa_%s_reads numa_reads" % (where, what, where), hertz, "")
      for lists, name in ((NEWER, "DRD"), (SRF, "DRD_OPT"))
      for event, what, hertz in ((name, "miss", 3000000), (name + "_PREF", "prefetch", 2000000))
      for where in ("local", "remote")),
    *((NEWER, "UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD_" + event, "llc_%s_waiting" % what, hertz, "")
      for event, what, hertz in (("LOCAL", "local", 400000000), ("REMOTE", "remote", 600000000),
                                 ("DDR", "dram", 500000000))),
    (NEWER, "UNC_CHA_TOR_INSERTS.IA_MISS_DRD_DDR", "llc_dram_miss", 3500000, ""),
    (NEWER[:2], "UNC_CHA_TOR_INSERTS.IA_MISS_DRD_PMM", "llc_pmem_miss", 400000, ""),
    (NEWER[:2], "UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD_PMM", "llc_pmem_waiting", 200000000, ""),
    # metrics io_bandwidth_read, io_read_l3_miss and so on: a line of 64 bytes
    *((NEWER + SRF, "UNC_CHA_TOR_INSERTS.IO_" + event, counts, hertz, "")
      for event, counts, hertz in (
          ("PCIRDCUR", "io_read*64", 9000000),
          ("MISS_PCIRDCUR", "io_read_miss*64", 4000000),
          ("PCIRDCUR_LOCAL", "io_local_read*64", 6000000),
          ("PCIRDCUR_REMOTE", "io_remote_read*64", 3000000),
          ("ITOM", "io_full_write*64 io_write*64", 7000000),
          ("MISS_ITOM", "io_full_write_miss*64 io_write_miss*64", 5000000),
          ("ITOMCACHENEAR", "io_partial_write*64 io_write*64 io_partial", 2000000),
          ("MISS_ITOMCACHENEAR", "io_partial_write_miss*64 io_write_miss*64 io_partial_miss",
           1500000),
          ("RFO", "io_own io_partial", 1200000),
          ("MISS_RFO", "io_own_miss io_partial_miss", 700000),
          ("ITOM_LOCAL", "io_local_full_write*64 io_local_write*64", 4500000),
          ("ITOM_REMOTE", "io_remote_full_write*64 io_remote_write*64", 2500000),
          ("ITOMCACHENEAR_LOCAL", "io_local_partial_write*64 io_local_write*64", 1300000),
          ("ITOMCACHENEAR_REMOTE", "io_remote_partial_write*64 io_remote_write*64", 600000))),
    *((NEWER[:1], "UNC_CHA_TOR_INSERTS.IO_HIT_" + event, counts, hertz, "")
      for event, counts, hertz in (
          ("PCIRDCUR", "io_read_hit*64", 5000000),
          ("ITOM", "io_full_write_hit*64 io_write_hit*64", 2000000),
          ("ITOMCACHENEAR", "io_partial_write_hit*64 io_write_hit*64", 500000))),
    # metric memory_extra_write_bw_due_to_directory_updates
    (NEWER[:3], "UNC_CHA_DIR_UPDATE.HA", "directory_home*64 directory_write*64", 300000, ""),
    (NEWER[:3], "UNC_CHA_DIR_UPDATE.TOR", "directory_table*64 directory_write*64", 200000, ""),
    # metrics cpu_cstate_c0, cpu_cstate_c6
    (NEWER[1:3], "UNC_P_CLOCKTICKS", "pcu_clock", 1000000000, ""),
    (NEWER[1:3], "UNC_P_POWER_STATE_OCCUPANCY_CORES_C0", "c0_cores", 7000000000, ""),
    (NEWER[1:3], "UNC_P_POWER_STATE_OCCUPANCY_CORES_C6", "c6_cores", 5000000000, ""),
    (PMEM, "UNC_M_PMM_RPQ_INSERTS", "pmem_read*" + LINE, 11000000, ""),
    (PMEM, "UNC_M_PMM_WPQ_INSERTS", "pmem_write*" + LINE, 13000000, ""),
    # pcm, getHBMCASTransferSize: 32 bytes
    ((("sprhbm", "sapphirerapids"),), "UNC_MCHBM_CAS_COUNT.RD", "hbm_read*32", 90000000, ""),
    ((("sprhbm", "sapphirerapids"),), "UNC_MCHBM_CAS_COUNT.WR", "hbm_write*32", 80000000, ""),

    (ZEN_L3, "l3_lookup_state.all_l3_req_typs|l3_accesses", "l3_lookup", 210000000, ""),
    (ZEN_L3, "l3_misses", "l3_miss", 50000000, ""),
    # metric l3_read_miss_latency
    (ZEN_L3, "xi_sys_fill_latency", "l3_waiting*16", 60000000, ""),
    (ZEN_L3, "xi_ccx_sdp_req1.all_l3_miss_req_typs|xi_ccx_sdp_req1", "l3_request", 40000000, ""),
    (ZEN4_L3, "l3_lookup_state.all_coherent_accesses_to_l3", "l3_lookup", 220000000, ""),
    (ZEN4_L3, "l3_lookup_state.l3_miss", "l3_miss", 55000000, ""),
    (ZEN4[1:], "l3_xi_sampled_latency.all", "l3_ns*10", 80000000, ""),
    (ZEN4[1:], "l3_xi_sampled_latency_requests.all", "l3_request", 9000000, ""),
    # metric umc_mem_read_bandwidth, umc_data_bus_utilization
    (ZEN4, "umc_cas_cmd.rd", "memory_read*64 memory_read_cas", 75000000, ""),
    (ZEN4, "umc_cas_cmd.wr", "memory_write*64 memory_write_cas", 45000000, ""),
    # metrics umc_cas_cmd_rate, umc_activate_cmd_rate, umc_precharge_cmd_rate
    (ZEN4, "umc_cas_cmd.all", "memory_cas", 120000000, ""),
    (ZEN4, "umc_act_cmd.all", "memory_activate", 30000000, ""),
    (ZEN4, "umc_pchg_cmd.all", "memory_precharge", 29000000, ""),
    # metrics l3_read_miss_latency_for_local_dram, _for_remote_dram
    (ZEN4[1:], "l3_xi_sampled_latency.dram_near", "l3_near_ns*10", 50000000, ""),
    (ZEN4[1:], "l3_xi_sampled_latency.dram_far", "l3_far_ns*10", 40000000, ""),
    (ZEN4[1:], "l3_xi_sampled_latency_requests.dram_near", "l3_near_request", 6000000, ""),
    (ZEN4[1:], "l3_xi_sampled_latency_requests.dram_far", "l3_far_request", 2000000, ""),
    (ZEN4, "umc_data_slot_clks.all", "umc_busy*1/2", 1100000000, ""),
    (ZEN4, "umc_mem_clk", "umc_clock", 2400000000, ""),
] + [
    # descriptions: 32 bytes; dram: 64 bytes (metric nps1_die_to_dram)
    (ZEN[1:], "remote_outbound_data_controller_%d" % i, "link_sent*32", 60000000 + 1000000 * i, "")
    for i in range(4)
] + [
    (ZEN[:1], "dram_channel_data_controller_%d" % i, "die_memory*64", 70000000 + 1000000 * i, "")
    for i in range(2)
] + [
    (ZEN[1:], "dram_channel_data_controller_%d" % i,
     "memory_channels_%s*64" % ("0_to_3" if i < 4 else "4_to_7"), 30000000 + 1000000 * i, "")
    for i in range(8)
] + [
    # metric local_socket_outbound_data_from_all_links
    (ZEN4[:1], "local_socket_outbound_data_beats_link%d" % i, "link_sent*64",
     50000000 + 1000000 * i, "")
    for i in range(8)
] + [
    # metrics local_socket_upstream_dma_read_data and so on: 6.103515625e-5 MiB, 64 bytes
    (ZEN4[:1], "%s_socket_upstream_%s_beats_iom%d" % (where, what, i),
     "pcie_%s*64 io_%s_%s*64" % (what, where, what), 30000000 + 1000000 * i, "")
    for where in ("local", "remote") for what in ("read", "write") for i in range(4)
] + [
    # metrics dram_read_data_for_local_processor and so on: 64 bytes
    (ZEN4[:1], "%s_processor_%s_data_beats_cs%d" % (where, what, i),
     "home_%s_%s*64" % (where, what), hertz + 1000000 * i, "")
    for where, what, hertz in (("local", "read", 10000000), ("remote", "read", 10100000),
                               ("local", "write", 10200000), ("remote", "write", 10300000))
    for i in range(12)
] + [
    # metrics local_socket_inbound_data_to_cpu and so on: 3.0517578125e-5 MiB, 32 bytes; 64 out
    (ZEN4[:1], "%s_socket_inf%d_%s_data_beats_ccm%d" % (where, i // 8, way, i % 8),
     "numa_%s_%s" % (where, what), hertz + 1000000 * i, "")
    for where, way, what, hertz in (("local", "inbound", "read*32", 8000000),
                                    ("remote", "inbound", "read*32", 8100000),
                                    ("local", "outbound", "write*64", 8200000),
                                    ("remote", "outbound", "write*64", 8300000))
    for i in range(16)
]

PERFMON = "perfmon 6dadedf "
RAPL = "arch/x86/events/rapl.c: 2^-32 joules"
CSTATE = "arch/x86/events/intel/cstate.c; they run with the time stamp counter"
SNB_C = "arch/x86/events/intel/uncore_snb.c "
NVIDIA = "Linux 6.12 drivers/perf/arm_cspmu/nvidia_cspmu.c"
NVIDIA_7 = "Linux drivers/perf/arm_cspmu/nvidia_cspmu.c"
T410_CMEM = "Linux drivers/perf/nvidia_t410_cmem_latency_pmu.c"
T410_C2C = "Linux drivers/perf/nvidia_t410_c2c_pmu.c"
CMN = "tools/perf/pmu-events/arch/arm64/arm/cmn/sys/"
SERVERS = "snbep ivt hsx bdx bdxde skx clx clxap cpx icx spr sprhbm emr gnr srf cwf".split()
CLIENTS = "skl tgl adl mtl lnl".split()
SKYLAKE = "skx,clx,clxap,cpx"
INTEL = ",".join(SERVERS + CLIENTS)
SAMPLED = ",enallslices=0x1,enallcores=0x1,sliceid=0x3,threadmask=0x3"
# trees, PMU, name, terms, what a count is, hertz, source
TYPED = [
    (INTEL + ",zen1,zen2,zen3,zen4,zen5,zen6,ryzen,raphael", "power", "energy-pkg", "event=0x02",
     "energy_package*1/4294967296", 700000000, RAPL),
    (INTEL, "power", "energy-ram", "event=0x03", "energy_dram*1/4294967296", 300000000, RAPL),
    (INTEL, "power", "energy-cores", "event=0x01", "energy_cores*1/4294967296", 400000000, RAPL),
    (INTEL, "power", "energy-gpu", "event=0x04", "energy_gpu*1/4294967296", 200000000, RAPL),
    (INTEL, "power", "energy-psys", "event=0x05", "energy_system*1/4294967296", 900000000, RAPL),
    (INTEL, "msr", "tsc", "event=0x00", "tsc", 2000000000, "arch/x86/events/msr.c"),
] + [
    (INTEL, "cstate_pkg", "c%d-residency" % c, "event=0x%02x" % code, "c%d" % c,
     100000000 + 20000000 * code, CSTATE)
    for code, c in enumerate((2, 3, 6, 7, 8, 9, 10))
] + [
    # the lists of 6.12 give no event its extra select bit
    ("snbep,ivt,hsx,bdx", "uncore_qpi", "drs_data", "event=0x102,umask=0x8",
     "link_received_drs*8", 280000000,
     "arch/x86/events/intel/uncore_snbep.c snbep_uncore_qpi_events"),
    ("skl", "uncore_imc", "data_reads", "event=0x01", "memory_read*64", 60000000,
     SNB_C + "snb_uncore_imc_events: 6.103515625e-5 MiB"),
    ("skl", "uncore_imc", "data_writes", "event=0x02", "memory_write*64", 40000000,
     SNB_C + "snb_uncore_imc_events: 6.103515625e-5 MiB"),
    ("tgl,adl,mtl,lnl", "uncore_imc_free_running", "data_read", "event=0xff,umask=0x20",
     "memory_read*64", 60000000, SNB_C + "tgl_uncore_imc_events: 6.103515625e-5 MiB"),
    ("tgl,adl,mtl,lnl", "uncore_imc_free_running", "data_write", "event=0xff,umask=0x30",
     "memory_write*64", 40000000, SNB_C + "tgl_uncore_imc_events: 6.103515625e-5 MiB"),
    *(("icx", "uncore_imc_free_running", name, "event=0xff,umask=" + umask, counts, rate,
       "arch/x86/events/intel/uncore_snbep.c icx_uncore_imc_freerunning_events: "
       "6.103515625e-5 MiB") for name, umask, counts, rate in (
           ("read", "0x20", "memory_read*64", 60000000),
           ("write", "0x21", "memory_write*64", 40000000),
           ("ddrt_read", "0x30", "pmem_read*64", 11000000),
           ("ddrt_write", "0x31", "pmem_write*64", 13000000))),
    ("skl", "uncore_cbox", "clockticks", "event=0xff", "clock", 1900000000,
     SNB_C + "snb_uncore_events"),
    ("tgl,adl", "uncore_clock", "clockticks", "event=0xff", "clock", 1900000000,
     SNB_C + "icl_uncore_events"),
    ("mtl", "uncore_cncu", "clockticks", "event=0xff", "clock", 1900000000,
     SNB_C + "mtl_uncore_cncu"),
    ("nehalem,westmere", "uncore", "clockticks", "event=0xff", "clock", 1900000000,
     SNB_C + "nhm_uncore_events"),
    ("nehalem,westmere", "uncore", "qmc_normal_reads_any", "event=0x2c,umask=0x7", "memory_read*64",
     60000000, "SDM 3B 19 UNC_QMC_NORMAL_READS.ANY; a line each"),
    ("nehalem,westmere", "uncore", "qmc_writes_full_any", "event=0x2f,umask=0x7", "memory_write*64",
     40000000, "SDM 3B 19 UNC_QMC_WRITES.FULL.ANY; a line each"),
] + [
    ("nehalem,westmere", "uncore", "qhl_request_" + name, "event=0x20,umask=0x%02x" % umask,
     what + "*64",
     20000000 + 100000 * umask, SNB_C + "nhm_uncore_events; a line each")
    for umask, name, what in ((0x04, "remote_reads", "remote_read"),
                              (0x08, "remote_writes", "remote_write"),
                              (0x01, "ioh_reads", "io_read"), (0x02, "ioh_writes", "io_write"))
] + [
    (MESH, "arm_cmn", "dtc_cycles", "type=0x3", "clock", 1800000000,
     "drivers/perf/arm-cmn.c"),
    (MESH, "arm_cmn", "hnf_slc_sf_cache_access", "type=0x5,eventid=0x2",
     "l3_lookup",
     150000000, CMN + "cmn.json"),
    (MESH, "arm_cmn", "hnf_cache_miss", "type=0x5,eventid=0x1", "l3_miss",
     30000000, CMN + "cmn.json"),
    (MESH, "arm_cmn", "rnid_rxdat_flits", "type=0xa,eventid=0x4", "io_read*32",
     80000000, CMN + "metric.json rni_actual_read_bandwidth.all: 32 bytes"),
    (MESH, "arm_cmn", "rnid_txdat_flits", "type=0xa,eventid=0x5",
     "io_write*32",
     70000000, CMN + "metric.json rni_actual_write_bandwidth.all: 32 bytes"),
    ("cmn600,altra2", "arm_dmc620", "clkdiv2_rdwr", "event=0x12,clkdiv2=1",
     "memory_command memory*64", 55000000, "drivers/perf/arm_dmc620_pmu.c"),
    ("cmn600,altra2", "arm_dmc620", "clk_cycle_count", "", "umc_clock", 800000000,
     "drivers/perf/arm_dmc620_pmu.c"),
] + [
    # what a filter lets through: metrics ..._miss_latency_for_local_requests, _for_remote_requests
    *((SKYLAKE, "uncore_cha", "UNC_CHA_TOR_%s.IA_MISS, filter 0x%x" % (event, value),
       "event=0x%x,umask=0x21,config1=0x%x00000000" % (code, value), counts, hertz,
       PERFMON + "SKX, CLX")
      for event, code, value, counts, hertz in (
          ("INSERTS", 0x35, 0x40432, "llc_local_miss numa_local_reads", 3000000),
          ("INSERTS", 0x35, 0x40431, "llc_remote_miss numa_remote_reads", 2000000),
          ("OCCUPANCY", 0x36, 0x40432, "llc_local_waiting", 400000000),
          ("OCCUPANCY", 0x36, 0x40431, "llc_remote_waiting", 600000000))),
    # metric Info_System_MEM_DRAM_Read_Latency
    *((SKYLAKE, "uncore_imc", "UNC_M_RPQ_" + event, "event=0x%x" % code, counts, hertz,
       PERFMON + "SKX, CLX")
      for event, code, counts, hertz in (("INSERTS", 0x10, "queue_insert", 60000000),
                                         ("OCCUPANCY", 0x80, "queue_waiting", 900000000))),
    # requests to the home agents: UNC_H_REQUESTS; a line of 64 bytes, as of SKX
    *(("ivt,hsx,bdx", "uncore_ha", "UNC_H_REQUESTS.%sS_%s" % (what.upper(), where.upper()),
       "event=0x1,umask=0x%x" % umask, "home_%s_%s*64" % (where, what), hertz,
       PERFMON + "IVT, HSX, BDX")
      for umask, what, where, hertz in ((1, "read", "local", 12000000),
                                        (2, "read", "remote", 5000000),
                                        (4, "write", "local", 9000000),
                                        (8, "write", "remote", 4000000))),
    # metrics numa_reads_addressed_to_local_dram and so on
    *(("hsx,bdx", "uncore_cbox", "UNC_C_TOR_%s.MISS_%s_OPCODE" % (event, where),
       "event=0x%x,umask=0x%x,filter_opc=0x182" % (code, umask), counts, hertz,
       PERFMON + "HSX, BDX")
      for event, code, where, umask, counts, hertz in (
          ("INSERTS", 0x35, "LOCAL", 0x23, "llc_local_miss numa_local_reads numa_reads", 5000000),
          ("INSERTS", 0x35, "REMOTE", 0x83, "llc_remote_miss numa_remote_reads numa_reads",
           3000000),
          ("OCCUPANCY", 0x36, "LOCAL", 0x23, "llc_local_waiting", 700000000),
          ("OCCUPANCY", 0x36, "REMOTE", 0x83, "llc_remote_waiting", 800000000))),
    *((trees, "uncore_imc", "UNC_M_ACT_COUNT", terms, "page_empty page_hit*-1", 40000000,
       PERFMON + of) for trees, terms, of in (
           ("snbep", "event=0x1", "JKT"),
           ("ivt,hsx,bdx,bdxde," + SKYLAKE, "event=0x1,umask=0xb",
            "IVT to CLX UNC_M_ACT_COUNT.RD, .WR, .BYP"),
           ("icx", "event=0x1,umask=0xb", "ICX UNC_M_ACT_COUNT.ALL"))),
    *((trees, "uncore_imc", "UNC_M_PRE_COUNT.PAGE_MISS", "event=0x2,umask=" + umask,
       "page_miss page_empty*-1", 25000000, PERFMON + of) for trees, umask, of in (
           ("snbep,ivt,hsx,bdx,bdxde," + SKYLAKE, "0x1", "JKT to CLX"), ("icx", "0xc", "ICX"))),
    *(("gnr,srf,cwf", "uncore_pcu", name, terms, counts, hertz, PERFMON + "GNR, SRF, CWF")
      for name, terms, counts, hertz in (
          ("UNC_P_CLOCKTICKS", "event=0x1", "pcu_clock", 1000000000),
          ("UNC_P_POWER_STATE_OCCUPANCY_CORES_C0", "event=0x35", "c0_cores", 7000000000),
          ("UNC_P_POWER_STATE_OCCUPANCY_CORES_C6", "event=0x37", "c6_cores", 5000000000))),
    *(("gnr,srf,cwf", "uncore_irp", "UNC_I_MISC1." + name, "event=0x1f,umask=" + umask, counts,
       hertz, PERFMON + "GNR, SRF, CWF")
      for name, umask, counts, hertz in (
          ("LOST_FWD", "0x10", "io_lost_forward io_lost", 30000),
          ("SEC_RCVD_INVLD", "0x20", "io_lost_invalid io_lost", 20000))),
    ("gnr,srf,cwf", "uncore_iio", "UNC_IIO_NUM_REQ_OF_CPU_BY_TGT.UBOX_POSTED",
     "event=0x8e,umask=0x4,ch_mask=0xff,fc_mask=0x1", "io_interrupt", 400000,
     PERFMON + "GNR, SRF, CWF"),
    *((trees, "uncore_m2m", "UNC_M2M_DIRECTORY_UPDATE.ANY", terms,
       "directory_mesh*64 directory_write*64", 100000, PERFMON + archs)
      for trees, terms, archs in (("icx", "event=0x2e,umask=0x1", "ICX"),
                                  ("spr,sprhbm,emr", "event=0x21,umask=0x301", "SPR, EMR"))),
] + [
    # amdzen5 of Linux 6867849aac96: local_or_remote_socket_upstream_..._data_beats_io_0 to 7
    ("zen5", "amd_df", "local_or_remote_socket_upstream_%s_data_beats_io_%d" % (what, i),
     "event=0x%x,umask=0x%x" % ((0x81f, 0x85f, 0x89f, 0x8df, 0x91f, 0x95f, 0x99f, 0x9df)[i],
                                umask), "pcie_%s*64" % what, 30000000 + 1000000 * i,
     "Linux 6867849aac96 " + X86 + "amdzen5/data-fabric.json")
    for what, umask in (("read", 0xffe), ("write", 0xfff)) for i in range(8)
] + [
    ("zen5", "amd_df", "local_socket_%s_data_beats_link_%d" % (way, i),
     "event=0x%x,umask=0x%x" % ((0xd5f, 0xd9f, 0xddf, 0xe1f, 0xe5f, 0xe9f)[i], umask),
     what + "*64", 40000000 + 1000000 * i,
     "Linux 6867849aac96 " + X86 + "amdzen5/data-fabric.json")
    for way, umask, what in (("outbound", 0xf3e, "link_sent"), ("inbound", 0xf3f, "link_received"))
    for i in range(6)
] + [
    ("zen5", "amd_df", "%s_socket_write_data_beats_dram_%d" % (where, i),
     "event=0x%x,umask=0x%x" % (0x1f + 0x40 * i, umask), "home_%s_write*64" % where,
     hertz + 1000000 * i, "Linux 6867849aac96 " + X86 + "amdzen5/data-fabric.json")
    for where, umask, hertz in (("local", 0x7ff, 10200000), ("remote", 0xbff, 10300000))
    for i in range(12)
] + [
    ("zen5", "amd_df", "%s_socket_%s_data_beats_cfi_%d" % (where, way, i),
     "event=0x%x,umask=0x%x" % (0x41e + i // 8 + 0x40 * (i % 8), umask),
     "numa_%s_%s" % (where, what), hertz + 1000000 * i,
     "Linux 6867849aac96 " + X86 + "amdzen5/data-fabric.json")
    for where, way, umask, what, hertz in (("local", "inbound", 0x7fe, "read*32", 8000000),
                                           ("remote", "inbound", 0xbfe, "read*32", 8100000),
                                           ("local", "outbound", 0x7ff, "write*64", 8200000),
                                           ("remote", "outbound", 0xbff, "write*64", 8300000))
    for i in range(16)
] + [
    ("zen5", "amd_df", "%s_socket_upstream_%s_data_beats_io_%d" % (where, what, i),
     "event=0x%x,umask=0x%x" % (0x81f + i // 4 * 0x100 + 0x40 * (i % 4), umask),
     "io_%s_%s*64" % (where, what), hertz + 1000000 * i,
     "Linux 6867849aac96 " + X86 + "amdzen5/data-fabric.json")
    for where, what, umask, hertz in (("local", "read", 0x7fe, 5000000),
                                      ("remote", "read", 0xbfe, 5100000),
                                      ("local", "write", 0x7ff, 5200000),
                                      ("remote", "write", 0xbff, 5300000))
    for i in range(8)
] + [
    # amdzen6 is younger than 6.12
    *(("zen6", "amd_l3", name, terms, counts, hertz,
       "Linux de18394f8f69 " + X86 + "amdzen6/l3-cache.json") for name, terms, counts, hertz in (
           ("l3_lookup_state.all_coherent_accesses_to_l3", "event=0x4,umask=0xff", "l3_lookup",
            220000000),
           ("l3_lookup_state.l3_miss", "event=0x4,umask=0x1", "l3_miss", 55000000),
           ("l3_xi_sampled_latency.all", "event=0xac,umask=0x3f" + SAMPLED, "l3_ns*10", 80000000),
           ("l3_xi_sampled_latency_requests.all", "event=0xad,umask=0x3f" + SAMPLED, "l3_request",
            9000000),
           ("l3_xi_sampled_latency.dram_near", "event=0xac,umask=0x1" + SAMPLED, "l3_near_ns*10",
            50000000),
           ("l3_xi_sampled_latency.dram_far", "event=0xac,umask=0x2" + SAMPLED, "l3_far_ns*10",
            40000000),
           ("l3_xi_sampled_latency_requests.dram_near", "event=0xad,umask=0x1" + SAMPLED,
            "l3_near_request", 6000000),
           ("l3_xi_sampled_latency_requests.dram_far", "event=0xad,umask=0x2" + SAMPLED,
            "l3_far_request", 2000000))),
    *(("zen6", "amd_umc", name, terms, counts, hertz,
       "Linux d4eb7b2da66c " + X86 + "amdzen6/memory-controller.json")
      for name, terms, counts, hertz in (
          ("umc_cas_cmd.rd", "event=0xa,rdwrmask=0x1", "memory_read*64 memory_read_cas", 75000000),
          ("umc_cas_cmd.wr", "event=0xa,rdwrmask=0x2", "memory_write*64 memory_write_cas",
           45000000),
          ("umc_cas_cmd.all", "event=0xa", "memory_cas", 120000000),
          ("umc_act_cmd.all", "event=0x5", "memory_activate", 30000000),
          ("umc_pchg_cmd.all", "event=0x6", "memory_precharge", 29000000),
          ("umc_data_slot_clks.all", "event=0x14", "umc_busy*1/2", 1100000000),
          ("umc_mem_clk", "", "umc_clock", 2400000000))),
] + [
    ("snbep,ivt", "uncore_cbox", name, "event=0x35,umask=0x1,filter_opc=0x%x" % opcode, what,
     10000000 + 10000 * opcode, "Linux 0871d5a66da5 " + X86 + "ivytown/uncore-cache.json")
    for name, opcode, what in (
        ("LLC_REFERENCES.PCIE_READ", 0x19e, "pcie_snooped_read*64"),
        ("LLC_REFERENCES.PCIE_NS_READ", 0x1e4, "pcie_non_snooped_read*64"),
        ("LLC_REFERENCES.PCIE_WRITE", 0x19c, "pcie_allocating_write*64"),
        ("LLC_REFERENCES.PCIE_NS_WRITE", 0x1e6, "pcie_non_snooped_write*64"),
        ("LLC_REFERENCES.PCIE_NS_PARTIAL_WRITE", 0x1e5, "pcie_non_snooped_partial_write"))
] + [
    ("snbep,ivt", "uncore_cbox", "PCIeWiLF", "event=0x35,umask=0x1,filter_opc=0x194",
     "pcie_non_allocating_write*64", 15000000, "pcm cpucounters.h: a full line"),
    (MESH, "arm_cmn", "hnf_mc_reqs", "type=0x5,eventid=0xd", "memory_request",
     65000000, CMN + "cmn.json"),
    ("cmns3", "arm_cmn", "dtc_cycles", "type=0x3", "clock", 1800000000,
     "Linux drivers/perf/arm-cmn.c"),
    ("cmns3", "arm_cmn", "hns_slc_sf_cache_access_all", "type=0x200,eventid=0x2", "l3_lookup",
     150000000,
     "Linux drivers/perf/arm-cmn.c CMN_EVENT_HNS_HBT"),
    ("cmns3", "arm_cmn", "hns_cache_miss_all", "type=0x200,eventid=0x1", "l3_miss", 30000000,
     "Linux drivers/perf/arm-cmn.c CMN_EVENT_HNS_HBT"),
    ("cmns3", "arm_cmn", "hns_mc_reqs_local_sn", "type=0x200,eventid=0xd,occupid=0x1",
     "memory_request", 65000000,
     "facebookincubator/dynolog 0x080D0200"),
    ("cmns3", "arm_cmn", "hns_mc_reqs_remote_sn", "type=0x200,eventid=0x3b,occupid=0x1",
     "remote_memory_request", 25000000,
     "facebookincubator/dynolog 0x083B0200"),
    ("cmns3", "arm_cmn", "rnid_rxdat_flits", "type=0xa,eventid=0x4", "io_read*32", 80000000,
     "Linux tools/perf/pmu-events/arch/arm64/arm/cmn/sys/metric.json "
     "rni_actual_read_bandwidth.all: 32 bytes"),
    ("cmns3", "arm_cmn", "rnid_txdat_flits", "type=0xa,eventid=0x5", "io_write*32", 70000000,
     "Linux tools/perf/pmu-events/arch/arm64/arm/cmn/sys/metric.json "
     "rni_actual_write_bandwidth.all: 32 bytes"),
    ("cmns3", "cxl_pmu_mem", "m2s_req_memrd", "vid=0x1e98,gid=0x20,mask=0x2", "cxl_read*64",
     21000000,
     "Linux drivers/perf/cxl_pmu.c"),
    ("cmns3", "cxl_pmu_mem", "m2s_req_memrddata", "vid=0x1e98,gid=0x20,mask=0x4", "cxl_read*64",
     9000000,
     "Linux drivers/perf/cxl_pmu.c"),
    ("cmns3", "cxl_pmu_mem", "m2s_rwd_memwr", "vid=0x1e98,gid=0x21,mask=0x2", "cxl_write*64",
     13000000,
     "Linux drivers/perf/cxl_pmu.c"),
    ("cmns3", "cxl_pmu_mem", "m2s_rwd_memwrptl", "vid=0x1e98,gid=0x21,mask=0x4",
     "cxl_partial_write", 1000000,
     "Linux drivers/perf/cxl_pmu.c"),
    ("kunpeng920", "hisi_sccl_ddrc", "flux_rd", "event=0x1", "memory_read*32", 60000000,
     "Linux drivers/perf/hisilicon/hisi_uncore_ddrc_pmu.c; libkperf DDRBw: 32 bytes"),
    ("kunpeng920", "hisi_sccl_ddrc", "flux_wr", "event=0x0", "memory_write*32", 40000000,
     "Linux drivers/perf/hisilicon/hisi_uncore_ddrc_pmu.c; libkperf DDRBw: 32 bytes"),
    ("kunpeng930", "hisi_sccl_ddrc", "flux_rd", "event=0x84", "memory_read*32", 60000000,
     "Linux drivers/perf/hisilicon/hisi_uncore_ddrc_pmu.c; libkperf DDRBw: 32 bytes"),
    ("kunpeng930", "hisi_sccl_ddrc", "flux_wr", "event=0x83", "memory_write*32", 40000000,
     "Linux drivers/perf/hisilicon/hisi_uncore_ddrc_pmu.c; libkperf DDRBw: 32 bytes"),
    ("kunpeng920", "hisi_sccl_hha", "rd_ddr_64b", "event=0x1c", "home_read*64", 31000000,
     "Linux tools/perf/pmu-events/arch/arm64/hisilicon/hip08/uncore-hha.json"),
    ("kunpeng920", "hisi_sccl_hha", "rd_ddr_128b", "event=0x1e", "home_read*128", 11000000,
     "Linux tools/perf/pmu-events/arch/arm64/hisilicon/hip08/uncore-hha.json"),
    ("kunpeng920", "hisi_sccl_hha", "wr_ddr_64b", "event=0x1d", "home_write*64", 27000000,
     "Linux tools/perf/pmu-events/arch/arm64/hisilicon/hip08/uncore-hha.json"),
    ("kunpeng920", "hisi_sccl_hha", "wr_ddr_128b", "event=0x1f", "home_write*128", 8000000,
     "Linux tools/perf/pmu-events/arch/arm64/hisilicon/hip08/uncore-hha.json"),
    ("kunpeng920,kunpeng930", "hisi_sccl_hha", "rx_ops_num", "event=0x0", "home_request", 90000000,
     "Linux tools/perf/pmu-events/arch/arm64/hisilicon/hip08/uncore-hha.json"),
    ("kunpeng920,kunpeng930", "hisi_sccl_hha", "rx_outer", "event=0x1", "home_remote_request",
     20000000,
     "Linux tools/perf/pmu-events/arch/arm64/hisilicon/hip08/uncore-hha.json"),
    ("kunpeng920", "hisi_sccl_l3c", "rd_cpipe", "event=0x0", "l3_lookup llc_lookup", 120000000,
     "Linux tools/perf/pmu-events/arch/arm64/hisilicon/hip08/uncore-l3c.json"),
    ("kunpeng920", "hisi_sccl_l3c", "wr_cpipe", "event=0x1", "l3_lookup llc_lookup", 50000000,
     "Linux tools/perf/pmu-events/arch/arm64/hisilicon/hip08/uncore-l3c.json"),
    ("kunpeng920", "hisi_sccl_l3c", "rd_hit_cpipe", "event=0x2", "llc_hit", 80000000,
     "Linux tools/perf/pmu-events/arch/arm64/hisilicon/hip08/uncore-l3c.json"),
    ("kunpeng920", "hisi_sccl_l3c", "wr_hit_cpipe", "event=0x3", "llc_hit", 30000000,
     "Linux tools/perf/pmu-events/arch/arm64/hisilicon/hip08/uncore-l3c.json"),
    ("kunpeng930", "hisi_sccl_l3c", "l3c_ref", "event=0xb8", "l3_lookup llc_lookup", 170000000,
     "Linux drivers/perf/hisilicon/hisi_uncore_l3c_pmu.c"),
    ("kunpeng930", "hisi_sccl_l3c", "l3c_hit", "event=0x48", "llc_hit", 110000000,
     "Linux drivers/perf/hisilicon/hisi_uncore_l3c_pmu.c"),
    ("ampereone", "ampere_mcu_pmu", "rd_rda_sent", "event=0xf", "memory_read_cas", 50000000,
     "Linux drivers/perf/arm_cspmu/ampere_cspmu.c"),
    ("ampereone", "ampere_mcu_pmu", "wr_wra_sent", "event=0x10", "memory_write_cas", 30000000,
     "Linux drivers/perf/arm_cspmu/ampere_cspmu.c"),
    ("ampereone", "ampere_mcu_pmu", "cycle_count", "event=0x0", "umc_clock", 1200000000,
     "Linux drivers/perf/arm_cspmu/ampere_cspmu.c"),
    ("yitian710", "ali_drw", "hif_rd", "event=0x2", "memory_read*64", 55000000,
     "Linux tools/perf/pmu-events/arch/arm64/thead/yitian710/sys/metrics.json: 64 bytes"),
    ("yitian710", "ali_drw", "hif_wr", "event=0x1", "memory_write*64", 25000000,
     "Linux tools/perf/pmu-events/arch/arm64/thead/yitian710/sys/metrics.json: 64 bytes"),
    ("yitian710", "ali_drw", "hif_rmw", "event=0x3", "memory_write*64", 5000000,
     "Linux tools/perf/pmu-events/arch/arm64/thead/yitian710/sys/metrics.json: 64 bytes"),
    ("yitian710", "ali_drw", "cycle", "event=0x80", "umc_clock", 800000000,
     "Linux drivers/perf/alibaba_uncore_drw_pmu.c"),
    ("nehalem_ex", "uncore_mbox", "bbox_cmds_write", "inc_sel=0xd,fvc=0x2820",
     "memory_write_command*64", 30000000, "arch/x86/events/intel/uncore_nhmex.c"),
    ("nehalem_ex", "uncore_wbox", "clockticks", "event=0xff", "clock", 2100000000,
     "arch/x86/events/intel/uncore_nhmex.c"),
    ("nehalem_ex", "uncore_cbox", "LLC_HITS.ALL", "event=0x15,umask=0xf", "llc_hit llc_lookup",
     60000000, "323535-001 table 2-15"),
    ("nehalem_ex", "uncore_cbox", "LLC_MISSES.ALL", "event=0x14,umask=0x7", "llc_lookup",
     20000000, "323535-001 table 2-15"),
    ("nehalem_ex", "uncore_bbox", "IMT_VALID_OCCUPANCY", "config=0xe", "imt_waiting*32", 9000000,
     "323535-001 2.4.6: event 7 in bits 5:1 of counter 0"),
    ("nehalem_ex", "uncore_bbox", "IMT_INSERTS_ALL", "config=0x4e", "imt_insert", 7000000,
     "323535-001 2.4.6: event 7 in bits 5:1 of counter 1"),
    ("nehalem_ex", "uncore_bbox", "CONFLICTS", "config=0xee", "imt_conflict", 100000,
     "323535-001 2.4.6: event 0x17 in bits 5:1 of counter 3"),
    ("nehalem_ex", "uncore_mbox", "bbox_cmds_read", "inc_sel=0xd,fvc=0x2800",
     "memory_read_command*64", 50000000, "arch/x86/events/intel/uncore_nhmex.c"),
] + [
    ("grace", "nvidia_scf_pmu", name, "event=0x%x" % code, what, rate, NVIDIA)
    for name, code, what, rate in (
        ("cmem_rd_data", 0x1a5, "memory_read*32", 90000000),
        ("cmem_wr_total_bytes", 0x1db, "memory_write", 60000000),
        ("cmem_rd_access", 0x1a6, "llc_miss", 70000000),
        ("cmem_rd_outstanding", 0x1a7, "llc_waiting", 1700000000),
        ("cycles", 0x100000000, "clock", 3200000000),
        ("scf_cache", 0xf2, "l3_lookup", 230000000),
        ("scf_cache_refill", 0xf1, "l3_miss", 65000000),
        ("remote_socket_rd_data", 0x1a2, "numa_remote_read*32", 21000000),
        ("remote_socket_wr_total_bytes", 0x1a1, "numa_remote_write", 12000000),
        ("remote_socket_rd_access", 0x1a4, "l3_far_request", 18000000),
        ("remote_socket_rd_outstanding", 0x1a3, "l3_far_waiting", 900000000))
] + [
    ("grace", "nvidia_%s_pmu" % pmu, name, "event=0x%x%s" % (code, ports), what % way,
     1000000000 + 100000000 * code, NVIDIA)
    for pmu, ports, what in (("pcie", ",root_port=0x3ff", "pcie_%s"),
                             ("nvlink_c2c0", "", "nvlink_c2c0_%s"),
                             ("nvlink_c2c1", "", "nvlink_c2c1_%s"),
                             ("cnvlink", ",rem_socket=0xf", "cnvlink_%s"))
    for code, name, way in ((0, "rd_bytes_loc", "read"), (1, "rd_bytes_rem", "read"),
                            (2, "wr_bytes_loc", "write"), (3, "wr_bytes_rem", "write"))
] + [
    ("vera", "nvidia_ucf_pmu", name, terms, what, rate, NVIDIA_7)
    for name, terms, what, rate in (
        ("cmem_bytes_rd", "event=0x123,dst_loc_cmem=0x1", "memory_read", 90000000),
        ("cmem_bytes_wr", "event=0x124,dst_loc_cmem=0x1", "memory_write", 60000000),
        ("cycles", "event=0x100000000", "clock", 2800000000),
        ("slc_access_rd", "event=0x111", "l3_lookup llc_lookup", 150000000),
        ("slc_access_wr", "event=0x112", "l3_lookup", 80000000),
        ("slc_hit_rd", "event=0x119", "llc_hit", 65000000),
        ("cpu_cmem_bytes_rd", "event=0x123,src_loc_cpu=0x1,dst_loc_cmem=0x1", "numa_local_read",
         61000000),
        ("cpu_cmem_bytes_wr", "event=0x124,src_loc_cpu=0x1,dst_loc_cmem=0x1", "numa_local_write",
         42000000),
        ("cpu_remote_bytes_rd", "event=0x123,src_loc_cpu=0x1,dst_rem=0x1", "numa_remote_read",
         21000000),
        ("cpu_remote_bytes_wr", "event=0x124,src_loc_cpu=0x1,dst_rem=0x1", "numa_remote_write",
         12000000))
] + [
    ("vera", "nvidia_cmem_latency_pmu", name, "event=0x%x" % code, what, rate, T410_CMEM)
    for code, name, what, rate in ((0, "cycles", "cmem_clock", 2100000000),
                                   (1, "rd_req", "llc_miss", 70000000),
                                   (2, "rd_cum_outs", "llc_waiting", 1700000000))
] + [
    # NV-CLink: "The outgoing events count the reads from the SoC to remote device"
    ("vera", "nvidia_nvclink_pmu", name, "event=0x%x" % code, what, rate, T410_C2C)
    for code, name, what, rate in ((0, "cycles", "nvclink_clock", 1900000000),
                                   (6, "out_rd_req", "nvclink_read", 20000000),
                                   (5, "out_rd_cum_outs", "nvclink_waiting", 1500000000))
] + [
    ("vera", "nvidia_pcie_pmu_rc", name, "event=0x%x,dst_loc_cmem=0x1,dst_loc_gmem=0x1,"
     "dst_loc_pcie_cxl=0x1,dst_rem=0x1" % code, what, rate, NVIDIA_7)
    for code, name, what, rate in ((0, "rd_bytes", "pcie_read", 1000000000),
                                   (1, "wr_bytes", "pcie_write", 1100000000))
]


def number(text):
    return int(text.split(",")[0], 0)


def fields_of(entry):
    """Its terms as {name of format/: number}, and terms that are given as such."""
    got = {name: number(entry[key]) for key, name in FIELDS.items() if key in entry}
    if "PortMask" in entry:     # a newer list has ports also above the eight bits of the unit mask
        got["umask"] = got.get("umask", 0) & 0xff
    elif "UMaskExt" in entry and got.get("umask", 0) <= 0xff:
        got["umask"] = got.get("umask", 0) | number(entry["UMaskExt"]) << 8
    return {k: v for k, v in got.items() if v}, entry.get("Filter", "")


def lists(linux, folder):
    """{event: (entry, file)}"""
    found = {}
    for path in sorted(glob.glob(os.path.join(linux, X86, folder, "*.json"))):
        with open(path) as f:
            entries = json.load(f)
        found.update((e["EventName"], (e, X86 + folder + "/" + os.path.basename(path)))
                     for e in entries if isinstance(e, dict) and "EventName" in e)
    return found


def row(known, names, trees, what, hertz, more):
    """Of an event, or of several whose bits are wanted together; a list may lack one that another
    name stands for."""
    entries = [known[n] for n in names.split("|") if n in known]
    if not entries:
        raise SystemExit("%s: no list has %s" % (trees, names))
    terms, (first, path) = {}, entries[0]
    for entry, _ in entries:
        fields, listed = fields_of(entry)
        for name, value in fields.items():
            terms[name] = terms.get(name, 0) | value
    given = ["%s=0x%x" % t for t in terms.items()] + [t for t in (listed, more) if t]
    return (trees, PMUS[first["Unit"]], names.split("|")[0] + ("..." if len(entries) > 1 else ""),
            ",".join(given), what, str(hertz), path)


def main(linux):
    rows = [row(lists(linux, folder), names, trees, what, hertz, more)
            for where, names, what, hertz, more in LISTED for trees, folder in where]
    named = ("Linux", "SDM", "perfmon", "323535", "pcm")
    rows += [r[:5] + (str(r[5]), r[6] if r[6].startswith(named) else "Linux " + r[6])
             for r in TYPED]
    print("# SPDX-License-Identifier: MIT")
    print("# Made by public_events.py; what a count is: quantities of truth.py, with a factor.")
    print("trees\tpmu\tevent\tterms\tcounts\thertz\tsource")
    for r in rows:
        print("\t".join(c or "-" for c in r))


if __name__ == "__main__":
    main(sys.argv[1])
