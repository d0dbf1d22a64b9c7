# SPDX-License-Identifier: MIT
"""plans.py - what a plan as JSON says, and a snapshot as JSON, of the configurations of conf/.

A plan: its slots, metrics and the registers that a check clears are in the tables below, from the
manual (323535-001) and by counting in the configuration. Its other lists of writes are those of
the text (expected/NAME.plan.txt); executed.py carries them out. The snapshot: golden.c puts numbers
into the rings that can be told from one another, and each is found where it belongs; help and the
set of series are the page's (expected/turns.prom).

Every object is compared whole, so that a member that is renamed, added or gone is noticed; what
type each has is in contrib/schema (tests/e2e/catalog.py, api.py).
"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.join(os.environ.get("top_srcdir", "."), "tests", "golden")
BIN = os.environ.get("top_builddir", ".")

MAX_HZ = 2.67e9             # of the uncore clock
MARGIN = 1.25               # the bound that a plan leaves above it


# ------------------------------------------------------------------------------ plans
#
# slots: identity, counter, control, data, largest increment; group by group. Counters and
# increments: the events' tables (B-Box 2-24, C-Box 2-15, S-Box 2-37, U-Box 2-8, M-Box 2-89, R-Box
# 2-45 to 2-48); an event of any counter gets the first that is free, in the order of the
# configuration. Registers: tables 2-1 and 2-5 (U), 2-9 (C), 2-16 (B), 2-25 (S), 2-39 (R), 2-67 (M),
# 2-94 (W).
#
# clear: OVF_CTL of each box that counts, with the bits of its counters; the fixed counter has bit
# 31. That of the U-Box, C02, tells of other boxes too and is left alone.
#
# series: slots, and each metric of each unit (B-Boxes and M-Boxes: 2) or link.

class Round:
    def __init__(self, groups, slots, metrics, clear, lacking=(), window=None):
        self.groups, self.metrics, self.window = groups, metrics, window
        self.slots = [line.split() for line in slots.strip().splitlines()]
        self.clear = [tuple(line.split()) for line in clear.strip().splitlines()]
        self.lacking = [dict(zip(("metric", "event", "group"), x)) for x in lacking]


PLANS = {
    # CONFLICTS and IMT_FULL count on counter 3 alone: the latency is there, the full ratio is not.
    # 9 slots, the clock, 4 metrics of 2 B-Boxes
    "memory": (9 + 1 + 4 * 2, [], [Round(
        ["memory"], """
        memory bbox0/IMT_VALID_OCCUPANCY 0 0xc30 0xc31 1
        memory bbox1/IMT_VALID_OCCUPANCY 0 0xc70 0xc71 1
        memory bbox0/IMT_INSERTS_ALL 1 0xc32 0xc33 1
        memory bbox1/IMT_INSERTS_ALL 1 0xc72 0xc73 1
        memory bbox0/IMT_NE_CYCLES 2 0xc34 0xc35 1
        memory bbox1/IMT_NE_CYCLES 2 0xc74 0xc75 1
        memory bbox0/CONFLICTS 3 0xc36 0xc37 1
        memory bbox1/CONFLICTS 3 0xc76 0xc77 1
        memory wbox0/CLOCKTICKS fixed 0x395 0x394 1
        """,
        ["clock_hertz", "imt_occupancy_entries", "imt_latency_cycles", "imt_latency_seconds",
         "imt_busy_ratio"], """
        0xc22 BB0_CR_C_MSR_PMON_GLOBAL_OVF_CTL 0xf
        0xc62 BB1_CR_C_MSR_PMON_GLOBAL_OVF_CTL 0xf
        0xc82 W_MSR_PMON_GLOBAL_OVF_CTRL 0x80000000
        """,
        lacking=[("imt_full_ratio", "bbox/IMT_FULL", "memory")])]),
    # Counter 3 was asked for; ports 4 to 7 have counters 8 to 15, bits 7:0 of a register of their
    # own. Utilization takes idle and sent flits: port 1 has both; capacity, the flits sent: 2 ports
    "links": (4 + 1 + 2, [], [Round(
        ["links"], """
        links rbox0/FLITS_SENT,port=1 3 0xe16 0xe17 1
        links rbox0/NULL_IDLE,port=1 0 0xe10 0xe11 1
        links rbox0/FLITS_SENT,port=4 8 0xe30 0xe31 1
        links rbox0/XBAR_MM:NCB.ANYINT,port=0 1 0xe12 0xe13 1
        """,
        ["link_utilization_ratio", "link_capacity_bytes_total"], """
        0xe02 R_MSR_PMON_OVF_CTL_7_0 0xb
        0xe22 R_MSR_PMON_OVF_CTL_15_8 0x1
        """)]),
    # REQ_TBL_OCCUPANCY rises by up to 48 a cycle (table 2-37). 11 slots, a metric of 2 M-Boxes
    "filters": (11 + 2, [], [Round(
        ["filters"], """
        filters mbox0/FVC_EV0:BBOX_CMDS_READS 0 0xcb0 0xcb1 1
        filters mbox1/FVC_EV0:BBOX_CMDS_READS 0 0xcf0 0xcf1 1
        filters mbox0/FVC_EV1:BBOX_RSP_ACK 1 0xcb2 0xcb3 1
        filters mbox1/FVC_EV1:BBOX_RSP_ACK 1 0xcf2 0xcf3 1
        filters mbox0/CYCLES 2 0xcb4 0xcb5 1
        filters mbox1/CYCLES 2 0xcf4 0xcf5 1
        filters sbox0/TO_R_PROG_EV,match=0x80000000000 0 0xc50 0xc51 1
        filters sbox1/TO_R_PROG_EV,match=0x80000000000 0 0xcd0 0xcd1 1
        filters sbox0/REQ_TBL_OCCUPANCY:ALL 1 0xc52 0xc53 48
        filters cbox3/LLC_HITS:M:E,threshold=1,edge 0 0xdd0 0xdd1 1
        filters ubox0/U2R_REQUESTS 0 0xc10 0xc11 1
        """,
        ["memory_command_read_bytes_total"], """
        0xca2 MB0_CR_M_MSR_PERF_GLOBAL_OVF_CTL 0x7
        0xce2 MB1_CR_M_MSR_PERF_GLOBAL_OVF_CTL 0x7
        0xc42 SR0_CR_S_MSR_PMON_OVF_CTL 0x3
        0xcc2 SR1_CR_S_MSR_PMON_OVF_CTL 0x1
        0xdc2 CB3_CR_C_MSR_PMON_GLOBAL_OVF_CTL 0x1
        """)]),
    # Both events of the B-Box are of counter 1 alone (table 2-24). 6 different slots (the clock is
    # in both rounds), the clock's metric, 3 metrics of 2 B-Boxes
    "turns": (6 + 1 + 3 * 2, [
        "Group 'writes' takes turns with 'reads': bbox: IMT_INSERTS_RD and IMT_INSERTS_WR both "
        "count only on counter 1."], [
        Round(["reads", "misses"], """
            reads bbox0/IMT_INSERTS_RD 1 0xc32 0xc33 1
            reads bbox1/IMT_INSERTS_RD 1 0xc72 0xc73 1
            reads wbox0/CLOCKTICKS fixed 0x395 0x394 1
            misses cbox0/LLC_MISSES:ALL 0 0xd10 0xd11 1
            """,
              ["clock_hertz", "memory_read_bytes_total"], """
            0xc22 BB0_CR_C_MSR_PMON_GLOBAL_OVF_CTL 0x2
            0xc62 BB1_CR_C_MSR_PMON_GLOBAL_OVF_CTL 0x2
            0xc82 W_MSR_PMON_GLOBAL_OVF_CTRL 0x80000000
            0xd02 CB0_CR_C_MSR_PMON_GLOBAL_OVF_CTL 0x1
            """,
              lacking=[("llc_hit_ratio", "cbox/LLC_HITS:ALL", "misses"),
                       ("llc_socket_hit_ratio", "cbox/LLC_HITS:ALL", "misses")]),
        # nobody there wants the C-Box: the misses count all the time
        Round(["writes", "misses"], """
            writes bbox0/IMT_INSERTS_WR 1 0xc32 0xc33 1
            writes bbox1/IMT_INSERTS_WR 1 0xc72 0xc73 1
            writes wbox0/CLOCKTICKS fixed 0x395 0x394 1
            misses cbox0/LLC_MISSES:ALL 0 0xd10 0xd11 1
            """,
              ["clock_hertz", "memory_write_bytes_total", "write_share_ratio"], """
            0xc22 BB0_CR_C_MSR_PMON_GLOBAL_OVF_CTL 0x2
            0xc62 BB1_CR_C_MSR_PMON_GLOBAL_OVF_CTL 0x2
            0xc82 W_MSR_PMON_GLOBAL_OVF_CTRL 0x80000000
            0xd02 CB0_CR_C_MSR_PMON_GLOBAL_OVF_CTL 0x1
            """,
              lacking=[("llc_hit_ratio", "cbox/LLC_HITS:ALL", "misses"),
                       ("llc_socket_hit_ratio", "cbox/LLC_HITS:ALL", "misses")])]),
    # Bit 3 of the B-Box is the window's: its end clears that, not a check. 3 slots and the clock
    "windows": (3 + 1, [
        "Group 'window' counts in windows that end when bbox1/CONFLICTS has counted 1000: then all "
        "uncore counters of the socket stand still until the next sample."], [Round(
            ["window"], """
        window wbox0/CLOCKTICKS fixed 0x395 0x394 1
        window bbox1/CONFLICTS 3 0xc76 0xc77 1
        window bbox1/IMT_INSERTS_ALL 1 0xc72 0xc73 1
        """,
            ["clock_hertz"], """
        0xc82 W_MSR_PMON_GLOBAL_OVF_CTRL 0x80000000
        0xc62 BB1_CR_C_MSR_PMON_GLOBAL_OVF_CTL 0x2
        """,
            lacking=[("imt_latency_cycles", "bbox/IMT_VALID_OCCUPANCY", "window"),
                     ("imt_latency_seconds", "bbox/IMT_VALID_OCCUPANCY", "window"),
                     ("imt_full_ratio", "bbox/IMT_FULL", "window")],
            window={"group": "window", "event": "bbox1/CONFLICTS", "count": "1000",
                    "clock": "wbox0/CLOCKTICKS",
                    # pmi and ov_s1; ov_mb of S-Box 1, which sums up; ov of counter 3
                    "status": [("0xc01", "U_MSR_PMON_GLOBAL_STATUS", hex(1 << 30 | 1 << 2)),
                               ("0xcc3", "SR1_CR_S_MSR_PMON_SUMMARY", hex(1 << 16)),
                               ("0xc61", "BB1_CR_B_MSR_PMON_GLOBAL_STATUS", hex(1 << 3))]})]),
}

# Which list stands below which line of the text
TITLES = {"at a check, ": "clear", "when it stops:": "stops", "at the end, ": "restore",
          "window of group ": "status", "then all counters stand still": "freeze",
          "they are read, ": "between"}


def equal(got, expected, what):
    if isinstance(got, list) and isinstance(expected, list) and len(got) == len(expected):
        for a, b in zip(got, expected):         # a message that names the one that differs
            assert a == b, "%s: %r instead of %r" % (what, a, b)
    assert got == expected, "%s: %r instead of %r" % (what, got, expected)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def text_lists(text):
    """A list for each round of {name of a list: [its lines]}; those of the end are in each."""
    rounds, name = [], None
    for line in text.splitlines():
        write = re.match(r" {6}(\S+) +(\S+) +(.*)", line)
        if write:
            rounds[-1].setdefault(name, []).append(write.groups())
        elif line.startswith("  round "):
            rounds.append({})
        else:
            line = line.strip()
            name = next((n for t, n in TITLES.items() if line.startswith(t)), line.rstrip(":"))
    for r in rounds:
        r["restore"] = rounds[-1]["restore"]
    return rounds


def write_line(w):
    """A write as the text has it."""
    equal(set(w) - {"value", "mask", "found", "phase"}, {"space", "address", "register"}, "write")
    equal(w["space"], "msr", w["register"])
    text = w.get("value", "what was found")
    if "OVF" in w["register"]:          # a 1 clears: no other bit has to be kept
        equal(w["mask"], w["value"], w["register"])
        return w["address"], w["register"], text
    whole = "0xffffffff" if "IPERF" in w["register"] else "0xffffffffffffffff"
    mask = w.get("mask", whole) if "value" in w else w["mask"]
    if mask != whole:
        text += " in bits " + mask
    if "found" in w:
        text += ", of which %s get what was found" % w["found"]
    return w["address"], w["register"], text


def bits_line(w):
    """Bits that are looked at, or cleared by a 1: the mask is the value."""
    equal(set(w), {"space", "address", "register", "value", "mask"}, "bits")
    equal((w["space"], w["mask"]), ("msr", w["value"]), w["register"])
    return w["address"], w["register"], w["value"]


def slot(row):
    """The whole slot of a row of the table."""
    group, identity, counter, control, data, most = row
    event, *filters = identity.split(",")
    event, *umask = event.split(":")
    box, unit, event = re.match(r"([a-z]+)(\d+)/(\w+)$", event).groups()
    s = {"group": group, "event": event, "umask": umask, "box": box, "unit": int(unit),
         "identity": identity, "counter": counter if counter == "fixed" else int(counter),
         "control": control, "data": data, "width": 48, "max_increment": int(most),
         "max_increment_of": "event"}
    s.update({"port": int(f[5:]) for f in filters if f.startswith("port=")})
    return s


def check_slot(got, row):
    expected = slot(row)
    got = dict(got)
    safe = got.pop("safe_interval_seconds")
    equal(got, expected, row[1])
    bound = 2 ** 48 / (MAX_HZ * MARGIN * expected["max_increment"])
    assert abs(safe - bound) < 1e-6, "%s: safe for %r s, not %r" % (row[1], safe, bound)


def check_round(got, expected, text):
    members = {"groups", "writes", "slots", "metrics", "metrics_lacking", "clear", "stop",
               "restore"}
    if expected.window:
        members |= {"window", "acknowledge", "between", "freeze"}
    equal(set(got), members, "members")
    equal(got["groups"], expected.groups, "groups")
    equal([s["identity"] for s in got["slots"]], [row[1] for row in expected.slots], "slots")
    for s, row in zip(got["slots"], expected.slots):
        check_slot(s, row)
    equal(got["metrics"], expected.metrics, "metrics")
    equal(got["metrics_lacking"], expected.lacking, "metrics_lacking")
    equal([bits_line(w) for w in got["clear"]], expected.clear, "clear")
    lists = {"clear": expected.clear, "stops": [write_line(w) for w in got["stop"]],
             "restore": [write_line(w) for w in got["restore"]]}
    for w in got["writes"]:
        lists.setdefault(w["phase"], []).append(write_line(w))
    order = ["stop", "select", "preload", "enable_counter", "enable_box", "enable_global"]
    phases = [order.index(w["phase"]) for w in got["writes"]]
    equal(phases, sorted(phases), "phases")
    if expected.window:
        window = dict(got["window"])
        window["status"] = lists["status"] = [bits_line(w) for w in window["status"]]
        equal(window, expected.window, "window")
        # Before the first window: what lies between two, but for the count and the enable.
        equal(got["acknowledge"], got["between"][:2], "acknowledge")
        lists["freeze"] = [write_line(w) for w in got["freeze"]]
        lists["between"] = [write_line(w) for w in got["between"]]
    equal(set(lists), set(text), "lists")
    for name in lists:
        equal(lists[name], text[name], name)


def check_plan(name):
    series, notes, rounds = PLANS[name]
    j = json.loads(run(os.path.join(BIN, "uncorectl"), "plan", "-p", "nehalem-ex", "--sockets", "1",
                       "--json", "-c", os.path.join(HERE, "conf", name + ".conf")))
    sockets = j.pop("sockets")
    equal(j, {"processor": "nehalem-ex", "notes": notes, "series": series}, "plan")
    got = sockets[0].pop("rounds")
    equal(sockets, [{"socket": 0, "cpu": 0}], "sockets")
    with open(os.path.join(HERE, "expected", name + ".plan.txt"), encoding="ascii") as f:
        text = text_lists(f.read())
    equal(len(got), len(rounds), "rounds")
    for r, expected, lists in zip(got, rounds, text):
        check_round(r, expected, lists)


# ------------------------------------------------------------------------- a snapshot
#
# What fill() of golden.c puts into the rings for turns.conf. Series i of a slot: total 1000 + i,
# after (100 + i) x 1.5 s; number 0 the largest total there is; the last is somebody else's now.
# Series k of a metric: 64 x (2000 + k) or, a gauge, k + 0.1, after (200 + k) x 1.5 s. Series are
# numbered round by round as PLANS has them, the clock's of the second round is that of the first.

def unit(*of):
    return [{"socket": "0", "unit": str(n)} for n in of]


def at(box, n, event, **more):
    return dict({"socket": "0", "box": box, "unit": str(n), "event": event}, **more)


SOCKET = [{"socket": "0"}]
REASONS = ["foreign", "reset", "late", "read_error", "refused", "stopped", "stalled", "offline",
           "hidden", "conflict", "no_data", "paused"]
MISSES = {"socket": "0", "unit": "0", "umask": "ALL"}
SLOTS = [at("bbox", 0, "IMT_INSERTS_RD"), at("bbox", 1, "IMT_INSERTS_RD"),
         at("wbox", 0, "CLOCKTICKS"), at("cbox", 0, "LLC_MISSES", umask="ALL"),
         at("bbox", 0, "IMT_INSERTS_WR"), at("bbox", 1, "IMT_INSERTS_WR")]

# (labels, value, active_seconds if it has them); a text as value: the reason why it has none
FAMILIES = {
    "uncore_bbox_imt_inserts_rd_total": list(zip(unit(0, 1), [2 ** 64 - 1, 1001], [150, 151.5])),
    "uncore_wbox_clockticks_total": list(zip(unit(0), [1002], [153])),
    "uncore_cbox_llc_misses_total": [(MISSES, 1003, 154.5)],
    "uncore_bbox_imt_inserts_wr_total": list(zip(unit(0), [1004], [156])) + [
        (unit(1)[0], "foreign")],
    "uncore_clock_hertz": list(zip(SOCKET, [0.1])),
    "uncore_memory_read_bytes_total": list(zip(unit(0, 1), [64 * 2001, 64 * 2002], [301.5, 303])),
    "uncore_memory_write_bytes_total": list(zip(unit(0, 1), [64 * 2003, 64 * 2004], [304.5, 306])),
    "uncore_write_share_ratio": list(zip(unit(0, 1), [5.1, 6.1])),
    # Of those that paused: every second slot, every second metric that is a total
    "uncored_slot_active_seconds_total": list(zip(SLOTS[1::2], [151.5, 154.5, 157.5])),
    "uncored_metric_active_seconds_total": [
        (dict(unit(0)[0], metric="memory_read_bytes_total"), 301.5),
        (dict(unit(0)[0], metric="memory_write_bytes_total"), 304.5)],
    "uncored_slot_valid": list(zip(SLOTS, [1, 1, 1, 1, 1, 0])),
    "uncored_slot_invalid": [(dict(SLOTS[5], reason="foreign"), 1)],
    "uncored_rounds": list(zip(SOCKET, [2])),
    "uncored_group_active_seconds_total": [
        ({"socket": "0", "group": "reads"}, 1.5), ({"socket": "0", "group": "writes"}, 3),
        ({"socket": "0", "group": "misses"}, 4.5)],
    "uncored_active_seconds_total": list(zip(SOCKET, [98.765625])),
    "uncored_frozen_seconds_total": list(zip(SOCKET, [1.23456789])),
    "uncored_last_sample_timestamp_seconds": list(zip(SOCKET, [1300000000.5])),
    "uncored_sample_duration_seconds": list(zip(SOCKET, [123456e-9])),
    "uncored_samples_invalid_total": [
        ({"socket": "0", "reason": r}, 27 + i) for i, r in enumerate(REASONS)],
    "uncored_samples_total": list(zip(SOCKET, [13])),
    "uncored_ticks_missed_total": list(zip(SOCKET, [14])),
    "uncored_wraps_total": list(zip(SOCKET, [16])),
    "uncored_resets_total": list(zip(SOCKET, [17])),
    "uncored_foreign_writes_total": list(zip(SOCKET, [18])),
    "uncored_read_errors_total": list(zip(SOCKET, [19])),
    "process_cpu_seconds_total": [({}, 12.345678901)],
    "process_resident_memory_bytes": [({}, 4096000)],
    "process_open_fds": [({}, 21)],
    "process_start_time_seconds": [({}, 1299999999)],
}
DOCUMENT = {"format": "uncored-snapshot-1", "name": "uncored", "version": "0", "revision": "",
            "processor": "nehalem-ex", "engine": "registers", "simulated": False, "note": "",
            "workload": "", "interval_seconds": 1, "rotation_seconds": 1,
            "sockets": [{"socket": 0, "publication": 1, "timestamp_seconds": 1300000000.5}]}


def page(text):
    """The page: {family: help}, [(family, labels, value)]."""
    helps, samples = {}, []
    for line in text.splitlines():
        if line.startswith("# HELP "):
            _, _, name, text = line.split(" ", 3)
            helps[name] = text
        elif not line.startswith("#"):
            name, labels, value = re.match(r"(\w+)(?:{(.*)})? (\S+)$", line).groups()
            samples.append((name, dict(re.findall(r'(\w+)="([^"]*)"', labels or "")), value))
    return helps, samples


def kind(name):
    """Type and unit, as the name ends in them."""
    total = name.endswith("_total")
    base = name.removesuffix("_total").rsplit("_", 1)[1]
    return ("info" if base == "info" else "counter" if total else "gauge",
            base if base in ("seconds", "bytes", "hertz", "ratio") else "")


def check_series(got, expected, what):
    labels, value, *seconds = expected
    got = dict(got)
    what = "%s %s" % (what, labels)
    equal(got.pop("labels"), labels, what)
    if isinstance(value, str):
        equal(got, {"valid": False, "reason": value}, what)
        return
    number = got.pop("value")
    rest = {"valid": True, **({"active_seconds": seconds[0]} if seconds else {})}
    equal(got, rest, what)
    if value > 2 ** 53:         # more than a JSON reader takes as a number
        equal(number, str(value), what)
    elif isinstance(value, int):
        equal(number, value, what)
    else:                       # gauges: 20 significant bits; seconds: to 2^-20 s
        assert abs(number - value) <= max(value, 1) * 2 ** -20, "%s: %r, not %r" % (
            what, number, value)


def check_snapshot():
    j = json.loads(run(os.path.join(BIN, "tests/golden/golden"), "page",
                       os.path.join(HERE, "conf/turns.conf"), "json"))
    families = j.pop("metrics")
    equal(j, DOCUMENT, "snapshot")
    with open(os.path.join(HERE, "expected/turns.prom"), encoding="ascii") as f:
        helps, samples = page(f.read())
    equal([f["name"] for f in families], list(helps), "families")
    valid = []
    for f in families:
        name = f["name"]
        equal(set(f), {"name", "type", "unit", "help", "series"}, name)
        equal((f["type"], f["unit"]), kind(name), name)
        equal(f["help"], helps[name], name)
        valid += [(name, s["labels"], float(s["value"])) for s in f["series"] if s["valid"]]
        expected = FAMILIES.get(name, [])
        if expected:
            equal(len(f["series"]), len(expected), name)
        for s, e in zip(f["series"], expected):
            check_series(s, e, name)
    equal(valid, [(n, labels, float(v)) for n, labels, v in samples], "valid series")
    equal(set(FAMILIES) - set(helps), set(), "not there")


def main():
    bad = 0
    checks = [(name, lambda name=name: check_plan(name)) for name in PLANS]
    checks.append(("snapshot", check_snapshot))
    print("1..%d" % len(checks))
    for n, (name, check) in enumerate(checks, 1):
        try:
            check()
            print("ok %d - %s" % (n, name))
        except (AssertionError, KeyError, subprocess.CalledProcessError) as e:
            print("not ok %d - %s: %r" % (n, name, e))
            bad = 1
    return bad


sys.exit(main())
