# SPDX-License-Identifier: MIT
"""metrics.py - every derived metric of every register family, on the model: plausible, and what the
load says it is.

The numbers are those of the load "stream" in model/workload.c and of the events in
model/*_events.c, which were typed from the manuals and know nothing of the catalog: a metric of a
wrong event, unit mask or factor says something else. (The formulas: tests/catalog/metrics.tsv.)
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


def listed(processor):
    return json.loads(h.run(h.CTL, "list", "metrics", "--json", "-p", processor)[1])["metrics"]


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
    # the use of memory is known after a minute: tests/unit/test_sampler_channels; the knee takes a
    # curve: knee.py
    rows = [m for m in listed(processor) if not m["with_memory"] and not m["on_request"] and
            not m["knee"]]
    sums, interval = SUMS.get(processor, []), 10
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
