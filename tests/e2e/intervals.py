# SPDX-License-Identifier: MIT
"""intervals.py - what is counted, interval by interval: uncored --once --every, and uncorectl stat
--interval, which prints a line for each value.
"""
import csv
import json
import re
import signal
import subprocess
import sys
import time

import harness as h
import schema

LONGEST = 3 * h.PATIENCE        # of what starts an uncored of its own
CLOCK = 'uncore_wbox_clockticks_total{socket="%d",unit="0"}'
CONTROL = 0xc32         # B-Box 0, whose bit 0 is on while it counts
# A step is shorter than the time between a line and a tick: the model counts no faster than it can.
STEPS = "for i in 1 2 3 4 5; do sleep 0.15; echo advance 1000000 >%s/control; done"


def begin(program, *args, **kw):
    p = subprocess.Popen([program, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, **kw)
    h._cleanup.append(lambda: p.poll() is None and p.kill())
    return p


def once(*args, **kw):
    return begin(h.UNCORED, "--once", "--format", "json", *args, **kw)


def value(snapshot, name):
    family, _, labels = name.partition("{")
    for m in snapshot["metrics"]:
        for s in m["series"] if m["name"] == family else []:
            if ",".join('%s="%s"' % p for p in s["labels"].items()) == labels[:-1]:
                return s.get("value")
    raise AssertionError("no series " + name)


def test_once_prints_each_time():
    """The totals are those of the registers, also of the part at the end, and no time is lost."""
    m = h.Msrfs("--virtual")
    conf = h.write("every.conf", 'groups = [ "memory" ];')
    p = once("--every", "200ms", "-c", conf, *m.options(), "--", "sh", "-c",
             STEPS % m.at)
    out, err = p.communicate(timeout=LONGEST)
    assert p.returncode == 0, (p.returncode, err)
    lines = [json.loads(line) for line in out.splitlines()]
    accepts = schema.validator("snapshot")
    for line in lines:
        schema.accept(accepts, line, "--every")
    assert len(lines) >= 4, len(lines)
    for socket in 0, 1:
        totals = [value(line, CLOCK % socket) for line in lines]
        assert totals == sorted(totals) and len(set(totals)) >= 4, totals
        assert totals[-1] == m.truth()[(socket, 0x394)][0], (totals, m.truth())
    times = [line["elapsed_seconds"] for line in lines]
    assert times == sorted(times) and 0.2 <= times[0] < times[-1] and times[-1] >= 0.75, times
    assert m.register(0, CONTROL) == 0, "registers are back"


def test_once_ends_by_a_signal():
    """What is asked for by a signal is an end like another: the last values, 0, registers back."""
    m = h.Msrfs("--virtual")
    for sig in signal.SIGINT, signal.SIGTERM:
        p = once("--every", "1h", *m.options())
        h.wait_for("it counts", lambda: m.register(8, CONTROL) & 1)
        time.sleep(0.2)         # as long as the clock moves, or longer
        m.control("advance 20000000")
        p.send_signal(sig)
        out, err = p.communicate(timeout=LONGEST)
        assert p.returncode == 0 and out.count("\n") == 1, (sig, p.returncode, err)
        assert value(json.loads(out), CLOCK % 1) > 0
        assert m.register(0, CONTROL) == 0, "registers are back"


def test_once_has_no_reader():
    """With a command, that is told to end; registers are back."""
    m = h.Msrfs("--virtual")
    for command in [], ["--", "sleep", "1000"]:
        p = once("--every", "50ms", *m.options(), *command)
        assert p.stdout.readline().startswith("{")
        p.stdout.close()
        began = time.monotonic()
        assert p.wait(h.PATIENCE) == -signal.SIGPIPE, (command, p.returncode, p.stderr.read())
        assert time.monotonic() - began < 10
        assert p.stderr.read().count("cannot be printed") == 0
        assert m.register(0, CONTROL) == 0, "registers are back"


# ---- uncorectl stat --interval

COLUMNS = ["seconds", "timestamp_seconds", "series", "type", "unit", "value", "rate",
           "active_seconds", "reason", "simulated"]
READ = "uncore_memory_read_bytes_total"


def stat(*args, **kw):
    return begin(h.CTL, "stat", *args, **kw)


def rows_of(out, **kw):
    rows = list(csv.DictReader(out.splitlines(), **kw))
    assert rows and all(list(row) == COLUMNS or list(row) == COLUMNS[:-1] for row in rows), out
    return rows


def totals(rows, value="value", name="series"):
    """What the lines of each series come to; a line without a value adds nothing."""
    found = {}
    for row in rows:
        if row["type"] == "counter" and row[value]:
            found[row[name]] = found.get(row[name], 0) + float(row[value])
    return found


def expect_truth(rows, m, name="series"):
    """Of each series alone, and of both sockets line by line: a clock has no value before it has
    moved, and then there is no sum."""
    found = totals(rows, name=name)
    for socket in 0, 1:
        assert found[CLOCK % socket] == m.truth()[(socket, 0x394)][0], (found, m.truth())
    known = 0
    for at in sorted({row["seconds"] for row in rows}):
        of = {row[name]: row["value"] for row in rows if row["seconds"] == at}
        parts, both = [of[CLOCK % s] for s in (0, 1)], of["sum(uncore_wbox_clockticks_total)"]
        whole = not any(v in ("", None) for v in parts)
        assert (both not in ("", None)) == whole, (at, parts, both)
        assert not whole or float(both) == sum(map(float, parts)), (at, parts, both)
        known += whole
    assert known >= 2, rows


def test_lines_come_to_the_truth():
    """As CSV, with another separator, and as JSON: each count is in one line, and in one alone."""
    for form in ["-o", "csv"], ["-x", ";"], ["-x", "\\t"]:
        m = h.Msrfs("--virtual")
        p = stat("-I", "200", "-g", "memory", *form, *m.options(), "--", "sh", "-c", STEPS % m.at)
        out, err = p.communicate(timeout=LONGEST)
        assert p.returncode == 0, err
        rows = rows_of(out, delimiter={";": ";", "\\t": "\t"}.get(form[1], ","))
        expect_truth(rows, m)
        times = sorted({float(row["seconds"]) for row in rows})
        assert len(times) >= 4 and times[0] >= 0.2 and 0.75 <= times[-1] < h.PATIENCE, times
        for row in rows:
            if row["value"] and row["rate"]:
                assert abs(float(row["rate"]) * float(row["active_seconds"]) -
                           float(row["value"])) <= 1e-6 * float(row["value"]), row
            assert bool(row["value"]) != bool(row["reason"]), row
            assert abs(float(row["timestamp_seconds"]) - time.time()) < h.PATIENCE, row
    m = h.Msrfs("--virtual")
    p = stat("-I", "200", "-g", "memory", "-o", "json", *m.options(), "--", "sh", "-c",
             STEPS % m.at)
    out, err = p.communicate(timeout=LONGEST)
    lines, accepts = [json.loads(line) for line in out.splitlines()], schema.validator("stat-line")
    for line in lines:
        schema.accept(accepts, line, "line")
    expect_truth(lines, m, "name")
    assert m.register(0, CONTROL) == 0, "registers are back"


def test_lines_for_people():
    """Numbers with units, and what all of it comes to at the end, whose totals are exact, too."""
    m = h.Msrfs("--virtual")
    p = stat("-I", "200", "-g", "memory", *m.options(), "--", "sh", "-c", STEPS % m.at)
    _, err = p.communicate(timeout=LONGEST)
    assert p.returncode == 0, err
    lines, _, report = err.partition("1 run of")
    found = re.findall(r"^ +([\d.]+) +(\d+) +[\d.]+ [kMG]?/s  (uncore_wbox\S+)$", lines, re.M)
    for socket in 0, 1:
        truth = m.truth()[(socket, 0x394)][0]
        counted = {at: int(n) for at, n, name in found if name == CLOCK % socket}
        assert sum(counted.values()) == truth, (counted, truth, err)
        # where it was counted for less than the rest, the share of the time follows
        assert re.search(r"^ +%d +\S.*/s  %s(  \(\d+ %%\))?$" % (
            truth, re.escape(CLOCK % socket)), report, re.M), (truth, report)
    assert re.search(r"^ +[\d.]+ +\S+ +\d+ cycles  uncore_imt_latency_cycles", lines, re.M), lines
    assert "Gauges are left out: each line has that of its interval" in report, report
    assert "imt_latency_cycles" not in report, report


def test_until_a_signal():
    """Without a command; what was written is read at once, and the end is as it is meant to be."""
    for sig in signal.SIGINT, signal.SIGTERM:
        p = stat("-I", "100", "-M", "memory_read_bytes_total", "-o", "csv", "--engine",
                 "model:spr")
        head, first = p.stdout.readline(), p.stdout.readline()
        assert head.split(",")[0] == "seconds" and READ in first, (head, first)
        p.send_signal(sig)
        out, err = p.communicate(timeout=LONGEST)
        assert p.returncode == 0, (sig, p.returncode, err)
        assert out.endswith("SIMULATED\n"), out
    # a report at the end alone
    p = stat("-M", "memory_read_bytes_total", "-o", "json", "--engine", "model:spr",
             start_new_session=True)
    h.wait_for("it counts", lambda: "SIMULATED" in p.stderr.readline())
    time.sleep(1)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=LONGEST)
    said = json.loads(out)
    schema.accept(schema.validator("stat"), said, "stat")
    assert p.returncode == 0 and said["command"] == [] and said["sums"], (p.returncode, said)
    assert said["counted_seconds"] > 0, said


def test_a_reader_that_goes():
    """Whatever the interval, and whether there is a command: it ends, and registers are back."""
    m = h.Msrfs("--virtual")
    for interval, command in (("50", []), ("50", ["--", "sleep", "1000"]), ("3600000", []),
                              ("3600000", ["--", "sleep", "1000"])):
        p = stat("-I", interval, "-g", "memory", "-o", "csv", *m.options(), *command,
                 start_new_session=True)
        h.wait_for("it counts", lambda: m.register(8, CONTROL) & 1)
        if interval == "50":
            assert p.stdout.readline().startswith("seconds,")
        p.stdout.close()
        began = time.monotonic()
        assert p.wait(h.PATIENCE) == -signal.SIGPIPE, (command, p.returncode, p.stderr.read())
        assert time.monotonic() - began < 10
        assert m.register(0, CONTROL) == 0, "registers are back"


def test_what_is_not_known():
    """A counter that cannot be read has no value in its lines, nor has the sum; and a reason."""
    m = h.Msrfs("--virtual")
    p = stat("-I", "200", "-g", "memory", "-o", "csv", *m.options(), "--", "sh", "-c",
             "sleep 0.3; echo fault eio 0 0xc33 on >%s/control; sleep 0.7" % m.at)
    out, err = p.communicate(timeout=LONGEST)
    rows = rows_of(out)
    name = 'uncore_bbox_imt_inserts_all_total{socket="0",unit="0"}'
    bad = [row for row in rows if row["series"] == name and not row["value"]]
    assert len(bad) >= 2 and {row["reason"] for row in bad} == {"read_error"}, (bad, err)
    assert all(row["rate"] == row["active_seconds"] == "" for row in bad), bad
    at = bad[-1]["seconds"]
    sums = {row["series"]: row for row in rows if row["seconds"] == at and "sum(" in row["series"]}
    for of in '{socket="0"}', "":
        row = sums["sum(uncore_bbox_imt_inserts_all_total%s)" % of]
        assert row["value"] == "" and row["reason"] == "read_error", row
    assert sums['sum(uncore_bbox_imt_inserts_all_total{socket="1"})']["reason"] == "", sums


def test_groups_that_take_turns():
    """A group without a turn in an interval was not counted in it: no 0, and a reason."""
    c = h.write("turns.conf", 'interval = "100ms"; rotation = "500ms"; '
                'groups = [ "memory", "writes", "llc", "links" ];')
    p = stat("-I", "200", "-c", c, "-o", "csv", "--engine", "model:nehalem-ex:stream", "--",
             "sleep", "3")
    rows = rows_of(p.communicate(timeout=LONGEST)[0])
    reads = [row for row in rows if row["type"] == "counter" and row["series"].startswith(
        'uncore_memory_command_read_bytes_total{socket="0",unit="0"')]
    counted = [float(row["rate"]) for row in reads if row["value"]]
    assert len(counted) >= 2 and len(counted) < len(reads), reads
    assert {row["reason"] for row in reads if not row["value"]} == {"not_counted"}, reads
    # a steady load: it is the rate of the time that was counted, not of all the interval
    assert max(counted) < 1.1 * min(counted), counted


def test_beside_one_that_runs():
    """Its samples, its gauges, until the command or a signal ends it; an interval shorter than its
    own gets a line for each of its own."""
    m = h.Msrfs("--virtual")
    u = h.Uncored("-c", h.write("beside.conf", 'interval = "100ms"; groups = [ "memory" ];'),
                  *m.options())
    before = m.truth()[(0, 0x394)][0]
    p = stat("-I", "300", "-o", "csv", "--url", u.url, "--", "sh", "-c", STEPS % m.at)
    out, err = p.communicate(timeout=LONGEST)
    rows = rows_of(out)
    assert p.returncode == 0, err
    assert totals(rows)[CLOCK % 0] == m.truth()[(0, 0x394)][0] - before, (rows, before)
    assert any(row["type"] == "gauge" and row["value"] for row in rows), rows
    p = stat("-I", "10", "-o", "csv", "--url", u.url)
    p.stdout.readline()
    p.stdout.readline()
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=LONGEST)
    assert p.returncode == 0, err
    p = stat("-I", "100", "-o", "csv", "--url", u.url, "--", "sleep", "1000")
    p.stdout.readline()
    p.stdout.close()
    assert p.wait(h.PATIENCE) == -signal.SIGPIPE
    # it ends: that is said, and the command goes on to its end
    p = stat("-I", "100", "-o", "csv", "--url", u.url, "--", "sleep", "3")
    p.stdout.readline()
    assert u.stop() == 0
    out, err = p.communicate(timeout=LONGEST)
    assert p.returncode == 69 and ("cannot be reached" in err or "does not answer" in err), err


def test_what_perf_users_type():
    """-a is what it always does."""
    p = stat("-a", "-I", "100", "-x", ",", "-M", "memory_read_bytes_total", "--engine",
             "model:spr", "--", "true")
    out, err = p.communicate(timeout=LONGEST)
    assert p.returncode == 0 and rows_of(out), err


h.main(sys.modules[__name__])
