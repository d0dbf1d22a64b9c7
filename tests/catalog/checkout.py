# SPDX-License-Identifier: MIT
"""checkout.py - what perfmon.py and libpfm.py say of a checkout of perfmon, on small ones made
here.

A folder of Sapphire Rapids, of whose 44 metrics in perfmon.tsv two are published as they stand
there, and one with another code; a fourth is not there. uncored is a program that knows one row.
What has to come out is written by hand.
"""
import ctypes
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))
import harness as h                                   # noqa: E402

PERFMON = os.path.join(h.SRC, "tests/catalog/perfmon.py")
LIBPFM = os.path.join(h.SRC, "tests/catalog/libpfm.py")
EVENTS = [{"Unit": "iMC", "EventCode": "0x05", "UMask": umask, "UMaskExt": "0x00000000",
           "EventName": "UNC_M_CAS_COUNT." + name, "Counter": "0,1,2,3", "FILTER_VALUE": "0"}
          for name, umask in (("RD", "0xcf"), ("WR", "0xf1"))] + [
          {"Unit": "iMC", "EventCode": "0x03", "UMask": "0x11", "UMaskExt": "0x00000000",
           "EventName": "UNC_M_PRE_COUNT.RD", "Counter": "0,1", "FILTER_VALUE": "0"}]


def metric(name, unit, formula, *events):
    return {"MetricName": name, "UnitOfMeasure": unit, "BriefDescription": "what Intel says",
            "Events": [{"Name": e, "Alias": a} for a, e in zip("ab", events)], "Constants": [],
            "Formula": formula}


READ = metric("memory_bandwidth_read", "MB/sec", "(a * 64 / 1000000) / DURATIONTIMEINSECONDS",
              "UNC_M_CAS_COUNT.RD")
WRITE = metric("memory_bandwidth_write", "MB/sec", "(a * 64 / 1000000) / DURATIONTIMEINSECONDS",
               "UNC_M_CAS_COUNT.WR")
DATA = metric("upi_data_transmit_bw", "MB/sec",
              "(a * (64 / 9.0) / 1000000) / DURATIONTIMEINSECONDS", "UNC_UPI_TxL_FLITS.ALL_DATA")
PAGES = metric("memory_page_misses", "percent", "100 * a / b", "UNC_M_PRE_COUNT.RD",
               "UNC_M_CAS_COUNT.RD")
CORE = metric("cpi", "", "a / b", "CPU_CLK_UNHALTED.THREAD", "INST_RETIRED.ANY")
UPI = {"Unit": "UPI LL", "EventCode": "0x02", "UMask": "0x0f", "UMaskExt": "0x00000000",
       "EventName": "UNC_UPI_TxL_FLITS.ALL_DATA", "Counter": "0,1,2,3", "FILTER_VALUE": "0"}

ROW = {"name": "memory_read_bytes_total", "absent": None, "source": "", "scale": 64,
       "numerator": [{"event": "perf/uncore_imc/event=0x05,umask=0xcf,name=x/", "weight": 1}],
       "denominator": [], "cycles_of": None, "unscaled": 0}

CAS = 'P("perf/uncore_imc/event=0x05,umask=0x%s,name=cas_count_%s/", "perfmon SPR ' \
    'UNC_M_CAS_COUNT.%s"),'
EXPECTED = [
    "spr\tmemory_bandwidth_read\tequal\tmemory_read_bytes_total",
    "spr\tupi_data_transmit_bw\tmissing\t(a * (64 / 9.0) / 1000000) / DURATIONTIMEINSECONDS",
    '\tP("perf/uncore_upi/event=0x02,umask=0x0f,name=txl_flits_all_data/", "perfmon SPR '
    'UNC_UPI_TxL_FLITS.ALL_DATA"),',
    '\tM("upi_data_transmit_bw_bytes_total", "bytes", SOCKET, "perfmon metric '
    'upi_data_transmit_bw", SUM(IN("perf/uncore_upi/event=0x02,umask=0x0f,'
    'name=txl_flits_all_data/")), .scale = 7.11111,',
    '\t  .help = "its help in our words"),   /* what Intel says */',
    "spr\tmemory_page_misses\tnew\t100 * a / b",
    '\tP("perf/uncore_imc/event=0x03,umask=0x11,name=pre_count_rd/", "perfmon SPR '
    'UNC_M_PRE_COUNT.RD", .counters = 0x3),',
    "\t" + CAS % ("cf", "rd", "RD"),
    '\tM("memory_page_misses_ratio", "ratio", SOCKET, "perfmon metric memory_page_misses", '
    'SUM(IN("perf/uncore_imc/event=0x03,umask=0x11,name=pre_count_rd/")), '
    '.den = SUM(IN("perf/uncore_imc/event=0x05,umask=0xcf,name=cas_count_rd/")),',
    '\t  .help = "its help in our words"),   /* what Intel says */',
    "\tperfmon.tsv: SPR\tmemory_page_misses\t100*UNC_M_PRE_COUNT.RD/UNC_M_CAS_COUNT.RD\t"
    "UNC_M_PRE_COUNT.RD=uncore_imc/event=0x03,umask=0x11/@01 "
    "UNC_M_CAS_COUNT.RD=uncore_imc/event=0x05,umask=0xcf/@0123",
    "spr\tmemory_bandwidth_write\tdifferent\t(a * 64 / 1000000) / DURATIONTIMEINSECONDS",
    "\t" + CAS % ("f1", "wr", "WR"),
    '\tM("memory_bandwidth_write_bytes_total", "bytes", SOCKET, "perfmon metric '
    'memory_bandwidth_write", SUM(IN("perf/uncore_imc/event=0x05,umask=0xf1,name=cas_count_wr/")), '
    '.scale = 64,',
    '\t  .help = "its help in our words"),   /* what Intel says */',
    "\tperfmon.tsv: SPR\tmemory_bandwidth_write\t(UNC_M_CAS_COUNT.WR*64/1000000)/T\t"
    "UNC_M_CAS_COUNT.WR=uncore_imc/event=0x05,umask=0xf1/@0123",
]


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(content)
    return path


def compare(name, metrics, *archs, rows=(ROW,)):
    """(exit code, lines) on a checkout with these metrics."""
    root = h.path(name)
    write(os.path.join(root, "SPR/metrics/sapphirerapids_metrics.json"),
          json.dumps({"Metrics": metrics}))
    write(os.path.join(root, "SPR/events/sapphirerapids_uncore.json"),
          json.dumps({"Events": EVENTS + [UPI]}))
    program = write(os.path.join(root, "uncorectl"), "#!/bin/sh\ncat '%s'\n" % write(
        os.path.join(root, "rows"), json.dumps({"ready": list(rows)})))
    os.chmod(program, 0o755)
    code, out, err = h.run(sys.executable, "-B", PERFMON, root, *archs,
                           env={"UNCORECTL": program})
    assert err == "", err
    return code, out.splitlines()


def test_each_kind():
    code, lines = compare("kinds", [READ, DATA, PAGES, WRITE, CORE])
    assert code == 1, code
    found = [line for line in lines if "\tgone\t" not in line]
    for have, want in zip(found, EXPECTED):
        assert have == want, "%s\nnot\n%s" % (have, want)
    assert found[len(EXPECTED):] == \
        ["# spr: 1 equal, 1 missing, 1 new, 1 different, 41 gone, 2 unlisted"], found
    gone = [line for line in lines if "\tgone\t" in line]
    assert len(gone) == 41 and "spr\tuncore_frequency\tgone\tof perfmon.tsv" in gone, gone
    assert not any(line.startswith("spr\tmemory_bandwidth_read\tgone") for line in gone)


def test_a_reason_is_no_miss():
    """Absent rows name the metrics that nobody can count."""
    absent = dict(ROW, name="upi_bytes", absent="nobody can", numerator=[],
                  source="perfmon SPR metric upi_data_transmit_bw")
    code, lines = compare("absent", [READ, DATA], "SPR", rows=(ROW, absent))
    assert code == 1 and lines[1] == \
        "spr\tupi_data_transmit_bw\tabsent\tupi_bytes: nobody can", lines
    assert lines[-1] == "# spr: 1 equal, 1 absent, 42 gone", lines


def test_a_folder_without_a_machine_is_said():
    """Grand Ridge: its metrics on uncore events are counted, not those of its cores."""
    root = h.path("unknown")
    for folder, stem, metrics in (("GRR", "grandridge", [READ, PAGES, CORE]),
                                  ("ADL", "alderlake", [CORE])):
        write(os.path.join(root, folder, "metrics", stem + "_metrics.json"),
              json.dumps({"Metrics": metrics}))
    line = "grr: 2 metrics on uncore events, no machine of that name"
    code, out, err = h.run(sys.executable, "-B", PERFMON, root)
    assert (code, out, err) == (1, line + "\n", ""), (code, out, err)
    code, lines = compare("unknown", [READ])
    assert code == 1 and lines[-1] == line, lines
    assert any(each.startswith("# spr: 1 equal") for each in lines), lines


def test_nothing_to_compare_is_no_success():
    root = h.path("nothing")
    os.makedirs(root)
    code, out, err = h.run(sys.executable, "-B", PERFMON, root)
    assert code == 1 and out == "" and "is it a checkout of" in err, (code, out, err)
    compare("nothing", [READ], "SPR")
    code, out, err = h.run(sys.executable, "-B", PERFMON, root, "TYPO", "GNR")
    assert code == 1 and out == "" and err.endswith(" of: GNR, TYPO\n"), (code, out, err)


def test_names_that_libpfm_has_otherwise():
    """libpfm4 (lib/events/intel_skx_unc_*_events.h) reads ACT_COUNT.RD as Intel does, sets 0x3b in
    the filter of a TOR's events, and has unit mask 0xa1 for TOTAL_M, as its own LOCAL_M."""
    try:
        ctypes.CDLL("libpfm.so.4")
    except OSError:
        h.skip("this machine has no libpfm4, which ./bootstrap check-pfm puts there")
    root = h.path("libpfm")
    skylake = [
        {"Unit": "iMC", "EventCode": "0x01", "UMask": "0x01", "EventName": "UNC_M_ACT_COUNT.RD"},
        {"Unit": "CHA", "EventCode": "0x35", "UMask": "0x14", "FILTER_VALUE": "0",
         "EventName": "UNC_CHA_TOR_INSERTS.IO_HIT"},
        {"Unit": "CHA", "EventCode": "0x37", "UMask": "0x01",
         "EventName": "UNC_CHA_LLC_VICTIMS.TOTAL_M"},
        {"Unit": "CHA", "EventCode": "0x00", "UMask": "0x00", "EventName": "UNC_CHA_NOBODYS"}]
    other = [{"Unit": "iMC", "EventCode": "0x01", "UMask": "0x01", "EventName": "UNC_M_NOBODYS"}]
    for folder in "SKX CLX HSX BDX JKT IVT ICX SPR EMR GNR".split():
        write(os.path.join(root, folder, "events/%s_uncore.json" % folder.lower()),
              json.dumps({"Events": skylake if folder == "SKX" else other}))
    code, out, err = h.run(sys.executable, LIBPFM, root)
    assert (code, err) == (0, ""), (code, err)
    assert [line for line in out.splitlines() if line.startswith('"')] == [
        '"skx_unc_cha::UNC_C_LLC_VICTIMS:TOTAL_M",', '"skx_unc_cha::UNC_C_TOR_INSERTS:IO_HIT",']
    assert "2 of 3." in out, out


if __name__ == "__main__":
    h.main(sys.modules[__name__])
