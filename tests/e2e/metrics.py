# SPDX-License-Identifier: MIT
"""metrics.py - every derived metric of every register family, on the model: plausible, and what the
load says it is.

The numbers are those of the load "stream" in model/workload.c and of the events in
model/*_events.c, which were typed from the manuals and know nothing of the catalog: a metric of a
wrong event, unit mask or factor says something else.
"""
import json
import re
import sys

import harness as h

FAMILIES = ("nehalem-ex", "westmere-ex", "nehalem", "westmere", "ivytown")
ENDS = {"ratio": "_ratio", "seconds": "_seconds", "cycles": "_cycles", "bytes": "_bytes_total",
        "hertz": "_hertz", "count": "_total"}

# What stream does: 0.04 look-ups a cycle of which 40 % miss, a fifth of them for another socket; an
# IMT of 160 cycles; a quarter of the links' slots filled; 2.4 GHz. Queues: entries stay so many
# cycles as the event tables say.
EX = {"imt_latency_cycles": 160, "imt_latency_seconds": 160 / 2.4e9, "imt_occupancy_entries": 11,
      "tf_all_latency_cycles": 256,
      "llc_hit_ratio": 0.6, "llc_socket_hit_ratio": 0.6,
      # of port 1, which has 4 % less to do than port 0
      "link_utilization_ratio": 0.25 * 0.96,
      "clock_hertz": 2.4e9, "page_hit_ratio": 0.5,
      "queue_irq_latency_cycles": 10, "queue_ipq_latency_cycles": 8, "queue_maf_latency_cycles": 60,
      "queue_rwrf_latency_cycles": 20,
      "queue_rspf_latency_cycles": 6, "page_miss_ratio": 0.2, "page_empty_ratio": 0.3,
      "snoop_miss_ratio": 0.7,
      "memory_read_priority_ratio": 0.3, "memory_write_priority_ratio": 0.2}
NHM = {"clock_hertz": 2.4e9}
TRUE = {
    "nehalem-ex": EX, "westmere-ex": EX, "nehalem": NHM, "westmere": NHM,
    "ivytown": {"clock_hertz": 2.4e9, "dram_clock_hertz": 0.933e9, "link_clock_hertz": 1e9,
                "home_remote_read_ratio": 0.2,
                "home_remote_write_ratio": 0.2, "home_local_read_latency_cycles": 140,
                "home_remote_write_latency_cycles": 196,
                "home_local_write_latency_seconds": 140 / 2.4e9,
                "llc_misses_per_request_ratio": 0.4, "llc_data_read_miss_ratio": 0.4,
                "llc_socket_code_read_miss_ratio": 0.4, "llc_rfo_miss_ratio": 0.4,
                "llc_remote_miss_ratio": 0.2,
                "llc_socket_remote_miss_ratio": 0.2, "tor_latency_cycles": 0.6 * 30 + 0.4 * 160,
                "tor_local_miss_latency_cycles": 160,
                "tor_rfo_miss_latency_seconds": 160 / 2.4e9, "link_sent_utilization_ratio": 0.25,
                "link_sent_slot_utilization_ratio": 0.25,
                "link_received_utilization_ratio": 0.25, "link_ingress_drs_latency_cycles": 12,
                "link_ingress_hom_latency_cycles": 12,
                "frequency_band0_ratio": None, "io_read_latency_cycles": 300},
}
# The same counted in parts, in one group: data flits of QPI are those of data responses and of
# bypass messages.
SUMS = {"ivytown": [("link_sent_data_bytes_total",
                     ["link_sent_drs_data_bytes_total", "link_sent_ncb_data_bytes_total"]),
                    ("link_received_data_bytes_total",
                     ["link_received_drs_data_bytes_total", "link_received_ncb_data_bytes_total"])]}

# The formulas as the manuals and other tools give them, typed from there: scale * sum / sum @ clock
# whose cycles become seconds; "1 -" before it: the rest; "!" a share above which it is left out.
# Xeon 7500: 323535-001 2.3.4.4, 2.4.4.2-3, 2.5.4.2-3, 2.6.4.1, Tables 2-48, 2-49, 2-53, 2-102, p
# 2-40, 2-111, 2-119; PCM for QPI. Nehalem, Westmere: likwid's MEM and L3CACHE groups. Ivytown:
# likwid, PCM, 329468-002 p 50, 61, 129. A row with a link: "name/link".
FEW = "! bbox/CONFLICTS / bbox/%s 0.05"
# 2.4.4.2: a tracker file's latency "will not hold true if the IMT is full"
RARELY_FULL = "! bbox/IMT_FULL / bbox/%s 0.05"
FORMULAS = {
    "nehalem-ex": {
        "clock_hertz": "wbox/CLOCKTICKS / seconds",
        "imt_occupancy_entries": "32 * bbox/IMT_VALID_OCCUPANCY / wbox/CLOCKTICKS",
        "imt_latency_cycles": "32 * bbox/IMT_VALID_OCCUPANCY / bbox/IMT_INSERTS_ALL " +
        FEW % "IMT_INSERTS_ALL",
        "imt_latency_seconds": "32 * bbox/IMT_VALID_OCCUPANCY / bbox/IMT_INSERTS_ALL @ "
                               "wbox/CLOCKTICKS " + FEW % "IMT_INSERTS_ALL",
        "imt_busy_ratio": "bbox/IMT_NE_CYCLES / wbox/CLOCKTICKS",
        "imt_full_ratio": "bbox/IMT_FULL / bbox/IMT_INSERTS_ALL",
        **{"tf_%s_latency_cycles" % c.lower(): "256 * bbox/TF_%s / bbox/IMT_INSERTS_%s " % (c, c) +
           RARELY_FULL % ("IMT_INSERTS_" + c)
           for c in ("ALL", "WR", "INVITOE", "IOH", "IOH_WR", "IOH_INVITOE")},
        "tf_all_occupancy_entries": "256 * bbox/TF_ALL / wbox/CLOCKTICKS",
        "memory_read_bytes_total": "64 * bbox/IMT_INSERTS_RD",
        "memory_write_bytes_total": "64 * bbox/IMT_INSERTS_WR",
        "memory_command_read_bytes_total": "64 * mbox/FVC_EV0:BBOX_CMDS_READS",
        "llc_hit_ratio": "cbox/LLC_HITS:ALL / cbox/LLC_HITS:ALL + cbox/LLC_MISSES:ALL",
        "llc_socket_hit_ratio": "cbox/LLC_HITS:ALL / cbox/LLC_HITS:ALL + cbox/LLC_MISSES:ALL",
        "snoop_miss_ratio": "1 - cbox/SNP_HITS:REMOTE_ANY / cbox/SNPS:REMOTE_ANY",
        "maf_nack_ratio": "cbox/MAF_NACK1:TOTAL_MAF_NACKS / cbox/MAF_NACK1:TOTAL_MAF_NACKS + "
                          "cbox/MAF_ACK",
        **{"queue_%s_latency_cycles" % q: "cbox/OCCUPANCY_%s / cbox/TRANS_%s"
           % (q.upper(), q.upper())
           for q in ("irq", "ipq", "viq", "maf", "rwrf", "rspf")},
        "queue_maf_occupancy_entries": "cbox/OCCUPANCY_MAF / wbox/CLOCKTICKS",
        "ring_system_to_llc_data_bytes_total": "32 * cbox/SINKS_S2C:BL",
        "link_drs_queue_entries/s2r": "sbox/TO_R_DRS_MSGQ_OCCUPANCY:ALL / wbox/CLOCKTICKS",
        "link_drs_utilization_ratio/s2r": "sbox/FLITS_SENT_DRS / wbox/CLOCKTICKS",
        "link_drs_utilization_ratio/r2s": "9 * sbox/PKTS_RCVD_DRS_FROM_R / wbox/CLOCKTICKS",
        "link_drs_utilization_ratio/b2s": "9 * sbox/PKTS_RCVD_DRS_FROM_B / wbox/CLOCKTICKS",
        "link_ncs_utilization_ratio/r2s": "3 * sbox/PKTS_RCVD_NCS / wbox/CLOCKTICKS",
        "link_ncb_utilization_ratio/r2s": "11 * sbox/PKTS_RCVD_NCB / wbox/CLOCKTICKS",
        "link_hom_utilization_ratio/s2b": "sbox/PKTS_SENT_HOM:BBOX / wbox/CLOCKTICKS",
        "link_snp_utilization_ratio/s2r": "sbox/PKTS_SENT_SNP / wbox/CLOCKTICKS",
        "link_ndr_utilization_ratio/r2s": "sbox/PKTS_RCVD_NDR / wbox/CLOCKTICKS",
        "link_utilization_ratio": "1 - rbox/NULL_IDLE / rbox/FLITS_SENT "
                                  "! rbox/NULL_IDLE / rbox/FLITS_SENT 1",
        "link_capacity_bytes_total": "8 * rbox/FLITS_SENT",
        "link_received_data_bytes_total": "64 * rbox/NEW_PACKETS_RECV:ANY_DRS",
        **{"arb_queue_%s_vn0_fail_ratio"
           % c.lower(): "rbox/QUE_ARB_BID_FAIL:VN0_%s / rbox/QUE_ARB_BID:VN0_%s" % (c, c)
           for c in ("HOM", "SNP", "NDR", "DRS", "NCS", "NCB")},
        **{"arb_%s_hom_vn0_fail_ratio"
           % r.lower(): "rbox/%s_ARB_BID_FAIL:VN0_HOM / rbox/%s_ARB_BID:VN0_HOM" % (r, r)
           for r in ("LOCAL", "GLOBAL")},
        **{"eot_%s_inserts_total" % c.lower(): "128 * rbox/EOT_OCCUPANCY:" + c
           for c in ("HOM_VN0", "HOM_VN1", "SNP", "NDR", "DRS_VN0", "DRS_VN1", "NCS", "NCB")},
        # AnyResp, 0x1c00 with mask 0x1e00, less AnyDataC, 0x1c00 with mask 0x1f80: bit 8 set, or
        # bit 7 alone
        "link_sent_drs_write_packets_total": "rbox/XBAR_MM,match=0x1c80,mask=0x1f80 + "
                                             "rbox/XBAR_MM:DRS.AnyResp11flits",
        "link_message_flits_total/b2s": "9 * bbox/MSGS_B_TO_S",
        **{"throttle_%s_core%d_ratio" % (cause, n): "wbox/%s:CORE%d / wbox/CLOCKTICKS" % (event, n)
           for n in range(8) for cause, event in
           (("temperature", "C_THROTTLE_TMP"), ("die", "C_C0_THROTTLE_DIE"),
            ("prochot", "C0_THROTTLE_PROCHOT"), ("tm1", "TM1_ON"))},
        "package_prochot_ratio": "wbox/PROCHOT / wbox/CLOCKTICKS",
        "page_hit_ratio": "mbox/PAGE_HIT / mbox/PAGE_HIT + mbox/PAGE_MISS + mbox/PAGE_EMPTY",
        "page_empty_ratio": "mbox/PAGE_EMPTY / mbox/PAGE_HIT + mbox/PAGE_MISS + mbox/PAGE_EMPTY",
        "memory_read_priority_ratio": "mbox/CYCLES_SCHED_MODE:RDPRIO / mbox/CYCLES",
        "memory_retry_queue_full_ratio": "mbox/CYCLES_RETRYQ_MFULL / mbox/CYCLES",
    },
    "westmere": {
        "clock_hertz": "uncore/CLK_UNHALTED / seconds",
        "memory_read_bytes_total": "64 * uncore/QMC_NORMAL_READS:ANY",
        "memory_write_bytes_total": "64 * uncore/QMC_WRITES:FULL_ANY",
        "memory_partial_writes_total": "uncore/QMC_WRITES:PARTIAL_ANY",
        "remote_read_bytes_total": "64 * uncore/QHL_REQUESTS:REMOTE_READS",
        "remote_write_bytes_total": "64 * uncore/QHL_REQUESTS:REMOTE_WRITES",
        "io_read_bytes_total": "64 * uncore/QHL_REQUESTS:IOH_READS",
        "llc_socket_miss_ratio": "uncore/LLC_MISS:ANY / uncore/LLC_HITS:ANY + uncore/LLC_MISS:ANY",
        "gq_read_latency_cycles": "uncore/GC_OCCUPANCY:READ_TRACKER / uncore/GQ_ALLOC:READ_TRACKER",
    },
    "ivytown": {
        "clock_hertz": "ubox/UCLK / seconds", "dram_clock_hertz": "imc/DCLK / seconds",
        "memory_read_bytes_total": "64 * imc/CAS_COUNT:RD",
        "memory_write_bytes_total": "64 * imc/CAS_COUNT:WR",
        "home_read_bytes_total": "64 * ha/IMC_READS:NORMAL",
        "home_write_bytes_total": "64 * ha/IMC_WRITES:ALL",
        "home_remote_read_ratio": "ha/REQUESTS:READS_REMOTE / ha/REQUESTS:READS_LOCAL + "
                                  "ha/REQUESTS:READS_REMOTE",
        "home_local_read_latency_cycles": "ha/BT_OCCUPANCY:READS_LOCAL / ha/REQUESTS:READS_LOCAL",
        "llc_misses_total": "cbox/LLC_LOOKUP:ANY,state=1",
        "llc_writeback_bytes_total": "64 * cbox/LLC_VICTIMS:M_STATE",
        "llc_data_read_miss_ratio": "cbox/TOR_INSERTS:MISS_OPCODE,opc=0x182 / "
                                    "cbox/TOR_INSERTS:OPCODE,opc=0x182",
        "tor_latency_cycles": "cbox/TOR_OCCUPANCY:ALL / cbox/TOR_INSERTS:ALL",
        "tor_latency_seconds": "cbox/TOR_OCCUPANCY:ALL / cbox/TOR_INSERTS:ALL @ ubox/UCLK",
        "tor_remote_miss_latency_cycles": "cbox/TOR_OCCUPANCY:MISS_REMOTE / "
                                          "cbox/TOR_INSERTS:MISS_REMOTE",
        "link_sent_data_bytes_total": "8 * qpi/TXL_FLITS_G0:DATA",
        "link_sent_bytes_total": "8 * qpi/TXL_FLITS_G0:DATA + qpi/TXL_FLITS_G0:NON_DATA",
        "link_sent_drs_data_bytes_total": "8 * qpi/TXL_FLITS_G1:DRS_DATA",
        "link_received_ncb_data_bytes_total": "8 * qpi/RXL_FLITS_G2:NCB_DATA",
        "link_sent_utilization_ratio": "8 * qpi/TXL_FLITS_G0:DATA + qpi/TXL_FLITS_G0:NON_DATA / "
                                       "link_bytes",
        "link_direct_bytes_total": "64 * qpi/DIRECT2CORE:SUCCESS_RBT_HIT",
        "link_ingress_drs_latency_cycles": "r3qpi/RXR_OCCUPANCY:DRS / r3qpi/RXR_INSERTS:DRS",
        "residency_c0_cores": "pcu/POWER_STATE_OCCUPANCY:CORES_C0 / pcu/CLOCKTICKS",
        "residency_c6_cores": "pcu/POWER_STATE_OCCUPANCY:CORES_C6 / pcu/CLOCKTICKS",
        "frequency_band2_ratio": "pcu/FREQ_BAND2_CYCLES / pcu/CLOCKTICKS",
    },
}
FORMULAS["westmere-ex"] = FORMULAS["nehalem-ex"]
FORMULAS["nehalem"] = {k: v for k, v in FORMULAS["westmere"].items() if not k.startswith("gq_")}


def listed(processor):
    return json.loads(h.run(h.CTL, "list", "metrics", "--json", "-p", processor)[1])["metrics"]


def formula(m):
    """A row in the words of FORMULAS."""
    def total(terms):
        return " + ".join(("" if t["weight"] == 1 else "%g " % t["weight"]) + t["event"]
                          for t in terms)
    text = ("1 - " if m["complement"] else "") + ("%g * " % m["scale"] if m["scale"] != 1
                                                  else "") + total(m["numerator"])
    text += " / " + total(m["denominator"]) if m["denominator"] else ""
    text += " @ " + m["cycles_of"] if m["cycles_of"] else ""
    g = m["guard"]
    return text + (" ! %s / %s %g" % (total(g["numerator"]), total(g["denominator"]), g["max"])
                   if g else "")


def test_formulas():
    for processor in FAMILIES:
        rows = {m["name"] + ("/" + m["link"] if m["link"] else ""): formula(m)
                for m in listed(processor)}
        wrong = {k: (rows.get(k), v) for k, v in FORMULAS[processor].items() if rows.get(k) != v}
        assert not wrong, (processor, wrong)


def events(m):
    """What a configuration names to get the metric: with a port and a band, which no row names."""
    guard = m["guard"] or {"numerator": [], "denominator": []}
    terms = [t["event"] for t in m["numerator"] + m["denominator"] + guard["numerator"] +
             guard["denominator"]]
    for e in dict.fromkeys(terms + ([m["cycles_of"]] if m["cycles_of"] else [])):
        if "/" in e:
            yield e + (",port=1" if e.startswith("rbox/") else ",band=12"
                       if "FREQ_BAND" in e else "")


def measure(processor, rows, sums, interval):
    """The rows' events in groups, and the sums': [(row, [(labels, value)])], {family: ...}
    of socket 0, and the names of what a guard omitted."""
    groups, of = {}, {}
    # same events, one group
    named = [(of.setdefault(tuple(events(m)), m["name"] + (m["link"] or "")), m) for m in rows]
    for g, m in named:
        groups[g] = list(events(m))
    for whole, parts in sums:
        groups["sum_" + whole] = list(dict.fromkeys(e for m in listed(processor)
                                                    if m["name"] in (whole,
                                                                     *parts) for e in events(m)))
    text = ['{ name = "%s"; events = [ %s ]; }' % (g, ", ".join('"%s"' % e for e in v))
            for g, v in groups.items()]
    conf = h.write(processor + ".conf", 'interval = "%dms";\nrotation = "%dms";\ngroups = ( %s );\n'
                   % (interval, interval, ",\n".join(text)))
    code, out, err = h.run(h.UNCORED, "-c", conf,
                           "--engine", "model:%s:stream" % processor, "--once")
    assert code == 0, err
    got, omitted = {}, set()
    for series, value in h.samples(out).items():
        family, labels = re.fullmatch(r"(\w+)(?:\{(.*)\})?", series).groups()
        labels = dict(re.findall(r'(\w+)="([^"]*)"', labels or ""))
        if family == "uncored_metric_invalid":
            omitted.add(labels["metric"])
        elif labels.get("socket") == "0":
            got.setdefault(family, []).append((labels, float(value)))
    # only what a full table forbids is left out: few inserts of a class beside all that found it
    # full
    omitted = {n for n in omitted if re.fullmatch(r"tf_\w+_latency_(cycles|seconds)", n)}
    return [(m, [v for v in got.get(m["family"], []) if m["link"] in (None, v[0].get("link"))])
            for _, m in named], got, omitted


def wrong_row(processor, m, found, omitted):
    """What is wrong with the values of a row; None: nothing."""
    name, unit, true = m["name"], m["unit"], TRUE[processor].get(m["name"])
    if not found:
        return None if name in omitted else "no value"
    for labels, v in found:
        if ("unit" in labels) != (m["per"] == "unit"):
            return labels
        if v < 0 or (unit == "ratio" and v > 1) or (unit == "cycles" and v < 1) or \
                (unit == "seconds" and not 1e-9 < v < 1e-6):
            return v
        if true is not None and abs(v - true) > 0.05 * true:
            return v, true
    return None


def wrong_sum(got, whole, parts):
    a, b = (sum(v for name in names for _, v in got.get("uncore_" + name, ()))
            for names in ([whole], parts))
    return None if a > 0 and abs(a - b) < 0.02 * a else (a, b)


def check(processor):
    """Windows of a real clock: whoever is held up in one reads two counters at two times. What is
    wrong is tried again, longer."""
    rows, sums, interval = listed(processor), SUMS.get(processor, []), 10
    for m in rows:
        # the reader adds up: a ratio of all slices beside those of each is the exception
        assert m["unit"] != "bytes" or m["per"] == "unit" or \
            processor in ("nehalem", "westmere"), m["name"]
        assert m["name"].endswith(ENDS.get(m["unit"],
                                           ("_entries", "_cores"))), (m["name"], m["unit"])
    assert set(TRUE[processor]) <= {m["name"]
                                    for m in rows}, set(TRUE[processor]) - {m["name"] for m in rows}
    while rows or sums:
        measured, _, omitted = measure(processor, rows, [], interval) if rows else ([], 0, ())
        # apart: what several rounds count is one total, of all its turns
        got = measure(processor, [], sums, interval)[1] if sums else {}
        bad = [(m, wrong_row(processor, m, found, omitted)) for m, found in measured]
        off = [(s, wrong_sum(got, *s)) for s in sums]
        rows, sums = [m for m, w in bad if w], [s for s, w in off if w]
        assert interval < 300 or not (rows or sums), \
            ([(m["name"], m["link"], w) for m, w in bad if w], [x for x in off if x[1]])
        interval *= 2


for _f in FAMILIES:
    globals()["test_" + _f.replace("-", "_")] = lambda f=_f: check(f)

h.main(sys.modules[__name__])
