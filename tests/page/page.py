# SPDX-License-Identifier: MIT
"""page.py - what the front page shows, in a real browser: `make check-page`. How it is looked at:
looks.py.

The charts are compared with what /metrics says; nobody compares pixels, but the pictures of the
last run lie in tests/page of the build tree, to be looked at.
"""
import os
import re
import signal
import sys
import time

from seen import GONE, PICTURES, ROWS, STATE, STEADY, charts, near, number, silent
import harness
from harness import Uncored, wait_for, write
from browser import Browser


TURNS = """interval = "100ms"; rotation = "100ms";
groups = ( "memory", "writes", "llc", "links" );
"""


def test_groups_that_take_turns():
    """A total is counted for a moment of the interval in which its turn begins or ends: a rate of
    that moment would be any number. The load is constant, so every point is the same."""
    u = Uncored("-c", write("turns.conf", TURNS), "--engine", STEADY)
    seen = {}
    with Browser() as b:
        b.open(u.url + "/")
        end = time.monotonic() + 10
        while time.monotonic() < end:
            for socket, text in b.run(ROWS).get("Memory read", {}).items():
                if text[0].isdigit():
                    seen.setdefault(socket, set()).add(number(text))
            time.sleep(0.05)
        silent(b)
    assert len(seen) == 2, seen
    for socket, values in seen.items():
        assert max(values) < 1.03 * min(values), (socket, values)


# Of each row: value, how it looks, how high its held lines are, how many gaps it has.
HELD = """return [...document.querySelectorAll(".row")].map(r => ({
    said: r.querySelector("b").textContent, cls: r.querySelector("b").className,
    colour: getComputedStyle(r.querySelector("b")).color,
    held: [...r.querySelectorAll("polyline.held")].map(p => p.getAttribute("points").split(" ").map(
        xy => +xy.split(",")[1])),
    gaps: r.querySelectorAll(".gap").length }))"""


def test_the_last_turn_is_held():
    """While other groups have their turn, for longer than a gap in the stream may last, the value
    stands, in grey: in chart and table, and under the cursor."""
    conf = write("held.conf", TURNS.replace("100ms", "5s", 2).replace(
        'interval = "5s"', 'interval = "1s"'))
    with Browser() as b:
        # a page that is opened later knows the first turns from the history
        u = Uncored("-c", conf, "--engine", STEADY)
        time.sleep(1.5)                     # and before its first window nothing has a value
        b.open(u.url + "/")
        waiting = wait_for("a row that waits", lambda: [
            r for r in b.run(HELD) if r["said"] == "waits for its turn"])
        assert not any(r["gaps"] for r in waiting), waiting
        wait_for("a turn of each", lambda: len(b.run(HELD)) >= 8 and all(
            r["said"][0].isdigit() for r in b.run(HELD)), 40)
        seen = {"": set(), "held": set()}

        def both():
            rows = b.run(HELD)
            assert all(r["said"][0].isdigit() and not r["gaps"] for r in rows), rows
            for r in rows:
                seen[r["cls"]].add(r["colour"])
                assert all(len(set(line)) == 1 for line in r["held"]), r
            return all(seen.values()) and any(r["held"] for r in rows)
        wait_for("turns", both)
        assert len(seen[""]) == 1 and len(seen["held"]) == 1 and seen[""] != seen["held"], seen
        tables = b.run("return [...document.querySelectorAll('h3 + .wide')].map(t => ["
                       "t.previousElementSibling.textContent, [...t.querySelectorAll('.v')].map("
                       "e => e.classList.contains('held'))])")
        # the clock is of each round, and its first group has it
        running = [any(held) for head, held in tables if "running" in head]
        resting = [all(held[-2:]) for head, held in tables if "held since" in head]
        assert running and not any(running) and resting and all(resting), tables
        # under the cursor, too
        time.sleep(2)
        b.run("document.getElementById('view').focus()")
        b.keys("ArrowLeft")
        time.sleep(4)
        rows = b.run(HELD)
        assert {r["cls"] for r in rows} == {"", "held"} and all(
            r["said"][0].isdigit() for r in rows), rows
        silent(b)


def rate(u, name, seconds=3):
    """Bytes per second of each socket, by two scrapes of /metrics and the counted time."""
    def read():
        totals, times = {}, {}
        for series, text in u.metrics().items():
            value = float(text)
            s = re.search(r'socket="(\d+)"', series)
            if series.startswith(name + "{"):
                totals[s[1]] = totals.get(s[1], 0) + value
            elif series.startswith("uncored_active_seconds_total{"):
                times[s[1]] = value
        return totals, times
    a, t = read()
    time.sleep(seconds)
    b, u2 = read()
    return {s: (b[s] - a[s]) / (u2[s] - t[s]) for s in a}


def test_charts_say_what_metrics_say():
    u = Uncored("--engine", STEADY)
    with Browser() as b:
        b.open(u.url + "/")
        rows = charts(b)
        reads = rate(u, "uncore_memory_command_read_bytes_total")
        for s in ("0", "1"):
            who = "socket " + s
            near(rows["Memory read"][who], reads[s])
            latency = [float(v) for k, v in u.metrics().items()
                       if k.startswith('uncore_imt_latency_seconds{socket="%s"' % s)]
            near(rows["Memory latency"][who], sum(latency) / len(latency))
            near(rows["LLC hit ratio"][who],
                 u.value('uncore_llc_socket_hit_ratio{socket="%s"}' % s))
            near(rows["Link utilisation, busiest link"][who],
                 max(float(v) for k, v in u.metrics().items()
                     if k.startswith('uncore_link_utilization_ratio{socket="%s"' % s)))
        assert "SIMULATED" in b.run("return document.querySelector('.loud').textContent")
        assert "memory write" in b.run("return document.querySelector('.absent').textContent")
        asked = b.run("return [...document.querySelectorAll('.chart details')].map("
                      "e => e.textContent).join()")
        assert "sum by (instance, socket) (rate(uncore_memory_command_read_bytes_total[2m]))" \
            in asked, asked
        silent(b)
        b.screenshot(os.path.join(PICTURES, "wide.png"))
    size = len(u.get("/")[2])
    print("# the page has %d bytes" % size)
    assert size < 80000, size


def test_a_stalled_daemon_is_a_gap_with_its_reason():
    u = Uncored("--engine", STEADY)
    gaps = "return [...document.querySelectorAll('.gap title')].map(t => t.textContent)"
    wait_for("a first window of each", lambda: sum(k.startswith("uncore_imt_latency_seconds{")
                                                   for k in u.metrics()) == 4)
    with Browser() as b:
        b.open(u.url + "/")
        charts(b)
        assert b.run(gaps) == [], b.run(gaps)
        os.kill(u.p.pid, signal.SIGSTOP)
        try:
            wait_for("a gap in each row", lambda: all(
                v == "stalled" for r in b.run(ROWS).values() for v in r.values()) and
                "left out: stalled" in b.run(gaps))
            wait_for("it says so", lambda: b.run(STATE) == "no new samples")
            assert b.run("return document.body.className") == "", "somebody answers"
        finally:
            os.kill(u.p.pid, signal.SIGCONT)
        charts(b)
        wait_for("updating", lambda: b.run(STATE) == "updating")
        assert set(b.run(gaps)) == {"left out: stalled"}, "the gap stays drawn"
        u.stop()
        wait_for("the end", lambda: GONE.match(b.run(STATE)))
        wait_for("that is a gap, too", lambda: "left out: no answer from uncored" in b.run(gaps))


def test_another_uncored():
    """After a restart totals and their times begin anew: the chart goes on."""
    options = ["--engine", STEADY, "--listen", "127.0.0.1:%d" % harness.free_port()]
    u = Uncored(*options)
    wait_for("some seconds", lambda: u.value('uncored_active_seconds_total{socket="0"}') > 6)
    url = "http://" + options[-1] + "/"
    with Browser() as b:
        b.open(url)
        charts(b)
        u.stop()
        wait_for("the end", lambda: GONE.match(b.run(STATE)))
        u = Uncored(*options)
        wait_for("it answers", lambda: b.run(STATE) == "updating")
        begun = time.monotonic()
        charts(b)
        assert time.monotonic() - begun < 5, "no rate until the time exceeds that of the last one"
    u.stop()


FEED = "return [...document.querySelectorAll('.chart details code')].map(e => e.textContent)"


def test_a_reload_that_feeds_a_chart_from_another_metric():
    """Series and query follow, and no line leads from one metric to the other."""
    text = 'groups = ( { name = "a"; metrics = [ "%s" ]; } );'
    names = "memory_command_read_bytes_total", "memory_read_bytes_total"
    u = Uncored("-c", write("feed.conf", text % names[0]), "--engine", STEADY)
    with Browser() as b:
        b.open(u.url + "/")
        for i, name in enumerate(names):
            wait_for(name, lambda: b.run(FEED) == [
                "uncore_" + name, "sum by (instance, socket) (rate(uncore_%s[2m]))" % name])
            wait_for("gaps", lambda: b.run(
                "return [...document.querySelectorAll('.gap title')].map(t => t.textContent)")
                == ["left out: another metric from here on"] * 2 * i)
            wait_for("values", lambda: all(v[0].isdigit() for v in b.run(ROWS)[
                "Memory read"].values()))
            write("feed.conf", text % names[1])
            os.kill(u.p.pid, signal.SIGHUP)
        assert b.run("return document.querySelectorAll('.chart').length") == 1
        silent(b)


def test_a_reload_adds_a_chart():
    # FVC_EV0 counts reads or writes: what is counted first is the smaller set.
    conf = write("page.conf", 'groups = ( { name = "a"; metrics = [ "imt_latency_seconds" ]; } );')
    u = Uncored("-c", conf, "--engine", STEADY)
    with Browser() as b:
        b.open(u.url + "/")
        wait_for("a chart", lambda: list(b.run(ROWS)) == ["Memory latency"])
        write("page.conf", 'groups = ( { name = "a"; metrics = [ "imt_latency_seconds", '
              '"memory_command_write_bytes_total" ]; resolution = "100ms"; } );')
        os.kill(u.p.pid, signal.SIGHUP)
        wait_for("a second one", lambda: set(b.run(ROWS)) == {"Memory write", "Memory latency"})
        # of each latency no peak is that of a mean of two, nor of a sum of two
        wait_for("peaks of units", lambda: b.run(RANGES) and all(
            "one unit of 2 up to " in v for v in b.run(RANGES)))
        assert b.run("return document.querySelectorAll('.peak').length") == 0
        silent(b)


def test_a_page_that_opens_sees_the_past():
    """After a reload of the page, and in another browser: as many seconds as there were."""
    u = Uncored("--engine", "model:nehalem-ex:day")
    wait_for("some seconds", lambda: u.value('uncored_active_seconds_total{socket="0"}') > 12)
    for _ in range(2):
        with Browser() as b:
            for _ in range(2):
                begun = time.monotonic()
                b.open(u.url + "/")
                rows = wait_for("charts", lambda: [r for r in b.run(DRAWN) if r["lines"]])
                # a point a second, all of 60 s, which are 600 wide; the last ones are live
                live = time.monotonic() - begun
                for r in rows:
                    x = [x for line in r["lines"] for x, _ in line]
                    assert max(x) - min(x) > 10 * (live + 6) and len(x) >= 8, (live, x, r["said"])
            wait_for("it follows", lambda: b.run(STATE) == "updating")
            silent(b)
            b.screenshot(os.path.join(PICTURES, "history.png"))


RANGES = "return [...document.querySelectorAll('.row small')].map(e => e.textContent)"
# Of each chart's lines: their points' and their peaks' heights, of 60, 0 at the top.
HEIGHTS = """return [...document.querySelectorAll(".row svg")].filter(s => s.querySelector(".peak"))
    .map(s => [+s.querySelector(".peak").getAttribute("y1"), Math.min(...[...s.querySelectorAll(
        "polyline")].flatMap(p => p.getAttribute("points").split(" ").map(
            xy => +xy.split(",")[1])))])"""
# Of each chart with peaks: its ranges, its scale, the height of the highest peak.
SCALES = """return [...document.querySelectorAll(".chart")].filter(c => c.querySelector(".peak"))
    .map(c => [[...c.querySelectorAll(".row small")].map(e => e.textContent),
        c.querySelector("h3 small").textContent,
        Math.min(...[...c.querySelectorAll(".peak")].map(e => +e.getAttribute("y1")))])"""


def test_a_peak_is_of_what_the_chart_shows():
    """The line of a peak is nowhere below what it is the peak of. A unit's is none of the sum's."""
    conf = write("peaks.conf", """groups = ( { name = "a"; resolution = "10ms"; metrics = [
        "memory_command_read_bytes_total", "link_utilization_ratio", "llc_socket_hit_ratio" ]; } );
        """)
    u = Uncored("-c", conf, "--engine", "model:nehalem-ex:bursty")
    with Browser() as b:
        b.open(u.url + "/")
        wait_for("charts", lambda: len(b.run(ROWS)) == 3)
        # two sockets, of the busiest link and of the hit ratio
        heights = wait_for("peaks", lambda: len(b.run(HEIGHTS)) == 4 and b.run(HEIGHTS))
        assert all(peak <= line + 0.2 for peak, line in heights), heights
        reads = [v for v in b.run(RANGES) if "B/s" in v]
        assert len(reads) == 2 and all(re.search(r", one unit of 2 up to [0-9.]+ GB/s$", v)
                                       for v in reads), reads
        silent(b)


# In place of the stream: what tell() is given, one snapshot each second.
TOLD = """
let heard, clock = 1e6;
Date.now = () => clock;
window.EventSource = class { addEventListener(what, f) { heard = f; } };
window.tell = m => { clock += 1000; heard({ data: JSON.stringify(m) }); };
"""
# Of each row: its lines' points [x, y], the height of the peak, the reasons of gaps, what it says.
DRAWN = """return [...document.querySelectorAll(".row")].map(r => ({
    lines: [...r.querySelectorAll("polyline")].map(p => p.getAttribute("points").split(" ").map(
        xy => xy.split(",").map(Number))),
    peak: [...r.querySelectorAll("line.peak")].map(p => +p.getAttribute("y1")),
    gaps: [...r.querySelectorAll(".gap title")].map(t => t.textContent),
    scale: r.closest(".chart").querySelector("h3 small").textContent,
    said: r.querySelector("b").textContent }))"""


def told(b, t, **metrics):
    """A snapshot of the second t: {metric: [a member's value and more]}."""
    families = [{"name": "uncored_up", "type": "gauge",
                 "series": [{"labels": {"socket": "0"}, "value": 1, "valid": True}]}]
    for name, series in metrics.items():
        families.append({"name": "uncore_" + name, "type": "gauge", "series": [
            {"labels": {"socket": "0", "unit": str(i)}, "valid": True, **s}
            for i, s in enumerate(series)]})
    b.run("tell(arguments[0])", {
        "metrics": families, "interval_seconds": 1,
        "sockets": [{"socket": 0, "timestamp_seconds": 1000000 + t, "publication": t}]})


def height(v, top):
    """Of 60, 0 at the top; 2 are left free at both ends."""
    return 58 - 56 * v / top


def alike(shown, truth):
    assert len(shown) == len(truth), (shown, truth)
    assert all(abs(s - t) < 0.06 for s, t in zip(shown, truth)), (shown, truth)


def test_what_is_drawn():
    """Of snapshots that are written here, by hand."""
    u = Uncored("--engine", STEADY)
    with Browser() as b:
        b.cdp("Page.addScriptToEvaluateOnNewDocument", source=TOLD)
        b.open(u.url + "/")
        # the largest of several peaks, beside the busiest link; a value left out parts the line
        for t, v in enumerate((0.1, 0.2, None, 0.3, 0.2)):
            told(b, t, link_utilization_ratio=[
                {"value": 0.1}, {"value": v} if v else {"valid": False, "reason": "foreign"}],
                link_utilization_peak_ratio=[{"value": v} for v in (0.3, 0.9, 0.5)])
        row, = b.run(DRAWN)
        alike(row["peak"], [height(0.9, 1)])
        alike([y for line in row["lines"] for _, y in line],
              [height(v, 1) for v in (0.1, 0.2, 0.3, 0.2)])
        assert [len(line) for line in row["lines"]] == [2, 2], row
        assert row["gaps"] == ["left out: foreign"] and row["said"] == "20.0 %", row

        # A total: its rate of the time counted. In the turn of another group it has counted for a
        # moment, and nothing is known of that second. The axis ends above the peak.
        b.open(u.url + "/")
        counted = 0, 1, 2, 2.01, 2.02, 3.02, 4.02
        values = 0, 4e9, 8e9, 9e9, 9e9, 13e9, 15e9
        for t, (seconds, value) in enumerate(zip(counted, values)):
            told(b, t, memory_read_bytes_total=[{"value": value, "active_seconds": seconds}],
                 memory_read_peak_bytes_per_second=[{"value": 8e9}])
        row, = b.run(DRAWN)
        top = 8e9 * 1.05
        rates = [4e9, 4e9, 5e9 / 1.02, 2e9]     # of the third: since the last one that was told
        alike([y for line in row["lines"] for _, y in line], [height(v, top) for v in rates])
        alike(row["peak"], [height(8e9, top)])
        assert len(row["lines"]) == 1 and row["gaps"] == [], row
        assert row["scale"] == "0 to 8.40 GB/s" and row["said"] == "2.00 GB/s", row


# Of each row: the height of its limit, and what is said behind its value.
LIMITS = """return [...document.querySelectorAll(".row")].map(r => [
    [...r.querySelectorAll("line.limit")].map(l => +l.getAttribute("y1")),
    r.querySelector("small").textContent])"""


def test_the_limit_of_memory():
    """60 GB/s are read and 30 written; the knee is at 120, then at 80, then it is not known. The
    scale goes on beyond it."""
    u = Uncored("--engine", STEADY)
    with Browser() as b:
        b.cdp("Page.addScriptToEvaluateOnNewDocument", source=TOLD)
        b.open(u.url + "/")
        for t, knee in enumerate((120e9, 120e9, 80e9, None)):
            told(b, t, memory_read_bytes_total=[{"value": t * 60e9, "active_seconds": t}],
                 memory_write_bytes_total=[{"value": t * 30e9, "active_seconds": t}],
                 memory_knee_bytes_per_second=[{"value": knee} if knee else
                                               {"valid": False, "reason": "conflict"}])
            if not t:
                continue
            (limit, said), *others = b.run(LIMITS)
            top = max(knee or 0, 90e9) * 1.05
            alike(limit, [height(knee, top)] if knee else [])
            percent = {120e9: ", 75 % of limit 120 GB/s", 80e9: ", 113 % of limit 80.0 GB/s"}
            assert said == "90.0 GB/s to 90.0 GB/s" + percent.get(knee, ""), said
            assert all(not o[0] and "limit" not in o[1] for o in others), others


def test_what_a_chart_rests_on():
    """Below its query; of a sum that is said once where it is the same."""
    for engine, rests in (("model:spr:stream", "perf of a guest's kernel, on PMUs of known rates"),
                          (STEADY, "a model of the registers, by their manual")):
        u = Uncored("--engine", engine)
        with Browser() as b:
            b.open(u.url + "/")
            wait_for("charts", lambda b=b: len(b.run(FEED)) > 6)
            said = b.run("return [...document.querySelectorAll('.chart details')].map("
                         "d => d.lastChild.textContent)")
            assert set(said) == {"Rests on: the published formula of its source; %s." % rests}, \
                said
        u.stop()


# What a two-socket server of today has by default, counted for t seconds: a socket's memory, and
# units of the others; values of a total are rates.
def server(t):
    def total(*rates):
        return [{"value": round(r * t), "active_seconds": t} for r in rates]

    def gauges(*values):
        return [{"value": v} for v in values]
    return {"memory_read_bytes_total": total(120e9), "memory_write_bytes_total": total(40e9),
            "memory_read_peak_bytes_per_second": gauges(130e9),
            "memory_write_peak_bytes_per_second": gauges(50e9),
            "llc_data_read_miss_latency_seconds": gauges(120e-9),
            "llc_data_read_miss_ratio": gauges(0.25),
            "memory_channel_utilization_ratio": gauges(0.3, 0.6, 0.5),
            "link_sent_utilization_ratio": gauges(0.1, 0.2, 0.4),
            "pcie_read_bytes_total": total(3e9, *[1e6] * 11),
            "pcie_write_bytes_total": total(1e9, 2e9, *[0] * 10),
            "package_power_watts": gauges(280.0), "dram_power_watts": gauges(45.0)}


BARS = """return Object.fromEntries([...document.querySelectorAll(".chart")].map(c => [
    c.querySelector("h3").firstChild.data, [...c.querySelectorAll(".each:not([hidden]) i")].map(
        i => [i.title, i.getBoundingClientRect().height])]))"""


def test_what_a_server_of_today_has():
    """A chart for each quantity, the sum of reads and writes among them; a bar for each link and
    each I/O stack."""
    u = Uncored("--engine", STEADY)
    with Browser() as b:
        b.cdp("Page.addScriptToEvaluateOnNewDocument", source=TOLD)
        b.open(u.url + "/")
        for t in range(1, 4):
            told(b, t, **server(t))
        shown = {title: r["socket 0"] for title, r in b.run(ROWS).items()}
        assert shown == {
            "Memory read and written": "160 GB/s", "Memory latency": "120 ns",
            "Memory read": "120 GB/s", "Memory write": "40.0 GB/s",
            "Channel use, busiest channel": "60.0 %", "LLC hit ratio": "75.0 %",
            "Link utilisation, busiest link": "40.0 %",
            "Devices read from memory": "3.01 GB/s", "Devices wrote to memory": "3.00 GB/s",
            "Power of the package": "280 W", "Power of the memory": "45.0 W"}, shown
        assert b.run("return document.querySelector('.absent').textContent") == ""
        bars = {title: each for title, each in b.run(BARS).items() if each}
        assert set(bars) == {"Channel use, busiest channel", "Link utilisation, busiest link",
                             "Devices read from memory", "Devices wrote to memory"}, bars
        assert [text for text, _ in bars["Link utilisation, busiest link"]] == [
            "unit 0: 10.0 %", "unit 1: 20.0 %", "unit 2: 40.0 %"], bars
        # what the bars are is read without pointing at one
        assert b.run("return [...document.querySelectorAll('.each:not([hidden])')].map("
                     "e => getComputedStyle(e, '::after').content)") == [
            '"each of 3"', '"each of 3"', '"each of 12"', '"each of 12"']
        writes = bars["Devices wrote to memory"]
        assert len(writes) == 12 and writes[1][0] == "unit 1: 2.00 GB/s", writes
        assert abs(writes[0][1] / writes[1][1] - 0.5) < 0.02, writes
        # of the sum nobody knows a peak: those of reads and writes are not of one moment
        first, = (r for r in b.run(RANGES) if r.startswith("160 GB/s"))
        assert first == "160 GB/s to 160 GB/s", first
        assert b.run(FEED)[:2] == [
            "uncore_memory_read_bytes_total, uncore_memory_write_bytes_total",
            "sum by (instance, socket) (rate(uncore_memory_read_bytes_total[2m])) + "
            "sum by (instance, socket) (rate(uncore_memory_write_bytes_total[2m]))"], b.run(FEED)
        # while one of the two has no value, neither has the sum
        told(b, 4, **dict(server(4), memory_write_bytes_total=[
            {"valid": False, "reason": "foreign"}]))
        shown = {title: r["socket 0"] for title, r in b.run(ROWS).items()}
        assert [shown[title] for title in ("Memory read and written", "Memory read",
                                           "Memory write")] == ["foreign", "120 GB/s", "foreign"]


def test_a_peak_has_its_place_on_the_scale():
    """Windows of 10 ms of a bursty load have peaks far above what a second shows: the scale goes
    on beyond them. At its edge a peak could be of any height."""
    conf = write("scale.conf", """groups = ( { name = "a"; resolution = "10ms"; metrics = [
        "memory_read_bytes_total" ]; } );
        """)
    u = Uncored("-c", conf, "--engine", "model:nehalem:bursty")
    with Browser() as b:
        b.open(u.url + "/")
        (texts, scale, height), = wait_for("two peaks", lambda: [
            s for s in b.run(SCALES) if len(s[0]) == 2 and
            all(re.search(" to .*, peak ", text) for text in s[0])])
        read = max(number(text.split(", peak ")[0].split(" to ")[1]) for text in texts)
        peak = max(number(text.split(", peak ")[1]) for text in texts)
        top = number(scale.split(" to ")[1])
        assert 1.5 * read < peak < top, (texts, scale)
        # 58 of 60 is 0, and 2 the top; three digits are shown
        assert abs(height - (58 - 56 * peak / top)) < 0.6, (texts, scale, height)
        silent(b)


if __name__ == "__main__":
    harness.main(sys.modules[__name__], at_once=2)
