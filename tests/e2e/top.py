# SPDX-License-Identifier: MIT
"""top.py - what uncorectl top shows of the register model and of simulated servers is what /metrics
says; its terminal: top_terminal.py.
"""
import contextlib
import os
import re
import signal
import subprocess
import sys

import harness as h
from terminal import CONF, Terminal, daemon, press


def test_batch_says_what_metrics_say():
    u = daemon()
    h.wait_for("a first window of both sockets", lambda: all(any(k.startswith(
        'uncore_imt_latency_seconds{socket="%d"' % s) for k in u.metrics()) for s in (0, 1)))
    code, out, err = h.run(h.CTL, "top", "--batch", "-r", "3", "--url", u.url)
    m = u.metrics()
    assert code == 0 and out.count("\n") == 6, (code, out, err)
    assert out.count(" SIMULATED ") == 6, out
    for line in out.splitlines():
        socket = re.search(r"socket=(\d)", line)[1]
        found = {k: float(v) for k, v in re.findall(r'"([^"]+)"=(\S+)', line)}

        def of(name, how, **labels):
            return how([float(v) for k, v in m.items() if k.startswith(
                'uncore_%s{socket="%s"' % (name, socket))])
        active = float(m['uncored_active_seconds_total{socket="%s"}' % socket])
        for what, unit in (("Memory read", "B/s"), ("Memory latency", "s"),
                           ("LLC hit ratio", "ratio")):
            assert re.search(r' "%s"=\S+ %s( |$)' % (what, unit), line), line
        read = of("memory_command_read_bytes_total", sum) / active
        assert abs(found["Memory read"] / read - 1) < 0.02, (found, read)     # a steady load
        latency = of("imt_latency_seconds", lambda v: sum(v) / len(v))
        assert abs(found["Memory latency"] / latency - 1) < 0.01, (found, latency)
        ratio = of("llc_socket_hit_ratio", max)
        assert abs(found["LLC hit ratio"] / ratio - 1) < 0.01, (found, ratio)
        link = of("link_utilization_ratio", max)
        assert abs(found["Link utilisation, busiest link"] / link - 1) < 0.05, (found, link)
    assert u.stop() == 0


def test_no_interval_is_left_out():
    """Also of those that are shorter than a second: each has a line; two may be lost where top has
    no CPU for so long."""
    u = daemon('interval = "200ms"; groups = [ "memory" ];')
    code, out, err = h.run(h.CTL, "top", "--batch", "-r", "25", "--url", u.url)
    times = [float(t) for t in re.findall(r"^(\S+) socket=0 ", out, re.M)]
    assert code == 0 and len(times) >= 24, (code, out, err)
    intervals = round((times[-1] - times[0]) / 0.2)
    assert intervals - (len(times) - 1) <= 2, times
    assert u.stop() == 0


def test_groups_that_take_turns():
    """What a total gained is divided by the time in which it was counted, and where that is a
    moment, between two turns, the rate of the last turn stays: the load is steady."""
    u = daemon('interval = "100ms"; rotation = "100ms"; '
               'groups = [ "memory", "writes", "llc", "links" ];')
    h.wait_for("a turn of each group", lambda: all(
        float(v) > 0.1 for k, v in u.metrics().items()
        if k.startswith("uncored_group_active_seconds_total{")))
    code, out, err = h.run(h.CTL, "top", "--batch", "-r", "20", "--url", u.url)
    m = u.metrics()
    assert code == 0 and "nan" not in out, (code, out, err)
    truths = {}
    for name, family in (("Memory read", "memory_command_read_bytes_total"),
                         ("Memory write", "memory_command_write_bytes_total")):
        for socket in "01":
            of = 'uncore_%s{socket="%s",unit="0"}' % (family, socket)
            active = 'uncored_metric_active_seconds_total{socket="%s",unit="0",metric="%s"}' % (
                socket, family)
            truth = float(m[of]) / float(m[active])
            truths[socket] = truths.get(socket, 0) + truth
            rates = [float(v) for v in re.findall(r'socket=%s .*"%s"=(\S+)' % (socket, name), out)]
            assert len(rates) > 10, out
            for rate in rates:      # of both memory controllers, which differ by a hundredth
                assert abs(rate / truth / 2 - 1) < 0.03, (name, socket, rate, truth)
    # reads and writes never count at once; their sum is that of the last rate of each
    for socket, truth in truths.items():
        sums = [float(v) for v in re.findall(
            r'socket=%s .*"Memory read and written"=(\S+)' % socket, out)]
        assert len(sums) > 10, out
        assert all(abs(v / truth / 2 - 1) < 0.03 for v in sums), (socket, sums, truth)
    assert u.stop() == 0


def test_one_socket():
    u = daemon()
    t = Terminal(u.url, rows=60)
    t.shows("socket 1")
    for shown in (["0"], ["1"], ["0", "1"]):
        press(t, "s", "sockets %s" % shown, lambda: [line[7:] for line in t.screen()
                                                     if re.match(r"socket \d", line)] == shown)
    os.write(t.main, b"q")
    assert t.p.wait(h.PATIENCE) == 0
    assert u.stop() == 0


def test_units_and_links():
    """By a key: what each does now, as /metrics says it of a steady load; a key that has no use
    changes nothing."""
    u = h.Uncored("-c", h.write("units.conf", 'interval = "500ms";\n'), "--engine",
                  "model:spr:stream", "--path-run", h.path("run-units"))
    t = Terminal(u.url, rows=300, columns=120)
    t.shows("GB/s")
    assert "Units and links" not in "\n".join(t.screen())
    os.write(t.main, b"\033[15~u")          # F5
    t.shows("    link_sent_data_bytes_total unit=3")
    h.wait_for("values", lambda: not any(re.match(r"    link_sent.* -", line)
                                         for line in t.screen()))
    m, screen = u.metrics(), t.screen()
    status = u.status()
    for socket, lines in parts(screen).items():
        found = {line.split("  ")[2].strip(): line for line in lines if line.startswith("    ")}
        for unit in range(4):
            name = 'uncore_link_sent_data_bytes_total{socket="%s",unit="%d"}' % (socket, unit)
            active = float(m['uncored_active_seconds_total{socket="%s"}' % socket])
            shown = re.search(r"([\d.]+) GB/s", found["link_sent_data_bytes_total unit=%d" % unit])
            assert abs(float(shown[1]) * 1e9 / (float(m[name]) / active) - 1) < 0.05, (shown, name)
            ratio = 'uncore_link_sent_utilization_ratio{socket="%s",unit="%d"}' % (socket, unit)
            shown = re.search(r"([\d.]+) %", found["link_sent_utilization_ratio unit=%d" % unit])
            assert abs(float(shown[1]) - 100 * float(m[ratio])) < 0.3, (shown, m[ratio])
        # beside a stack's bytes what is behind it, as the status says; no link has a device
        stacks = {str(k["unit"]): k["devices"] for s in status["sockets"]
                  if str(s["socket"]) == socket for k in s["io_stacks"] if k["devices"]}
        assert len(stacks) > 1, stacks
        named = {line.split("unit=")[1].split()[0]: line.split("B/s  ")[1] for line in lines
                 if line.startswith("    pcie_read_bytes_total") and not line.endswith("B/s  ")}
        assert named == stacks, (named, stacks)
        assert all(line.endswith("B/s  ") for line in lines if " link_sent_data" in line), lines
    os.write(t.main, b"u")
    h.wait_for("none again", lambda: not any("link_sent_data" in line for line in t.screen()))
    os.write(t.main, b"q")
    assert t.p.wait(h.PATIENCE) == 0 and t.is_back()
    assert u.stop() == 0


def test_screen():
    u = daemon()
    t = Terminal(u.url)
    t.shows("  nothing")
    t.both_sockets_show("GB/s")
    screen = t.screen()
    assert "press q to quit" in screen[0], screen
    assert screen[2] == os.uname().nodename + ": Nehalem-EX (nehalem-ex), 2 sockets", screen
    assert any("SIMULATED" in line for line in screen), screen
    read = [line for line in screen if line.startswith("  Memory read")]
    assert len(read) == 2 and all("GB/s" in line and "\u2588" in line for line in read), screen
    assert all(len(line) <= 100 for line in screen), screen
    os.write(t.main, b"q")
    assert t.p.wait(h.PATIENCE) == 0 and t.is_back()
    assert u.stop() == 0


def test_what_is_invalid_is_named():
    m = h.Msrfs("--virtual")
    u = h.Uncored("-c", h.write("foreign.conf", 'interval = "100ms"; groups = [ "memory" ];'),
                  *m.options())
    t = Terminal(u.url)
    t.shows("Invalid now")
    m.control("fault eio 0 0xc33 on")          # B-Box 0 of socket 0, data of counter 1
    t.shows("read_error")
    assert any("socket 0 bbox0/IMT_INSERTS_ALL: read_error" in line for line in t.screen())
    os.write(t.main, b"q")
    assert t.p.wait(h.PATIENCE) == 0
    assert u.stop() == 0


# A guard that no load passes. By hand: the model counts in every window of a second.
GUARDED = CONF + """metrics = ( { name = "guarded_latency_cycles"; unit = "cycles"; per = "unit";
  numerator = ( "bbox/IMT_VALID_OCCUPANCY" ); denominator = ( "bbox/IMT_INSERTS_ALL" );
  guard = { numerator = ( "bbox/IMT_INSERTS_ALL" ); denominator = ( "bbox/IMT_INSERTS_ALL" );
            max = 0.5; }; } );"""


def test_a_metric_that_is_left_out_is_named():
    u = daemon(GUARDED)
    t = Terminal(u.url)
    for s in (0, 1):
        for unit in (0, 1):
            t.shows("  socket %d guarded_latency_cycles unit=%d: conflict" % (s, unit))
    assert "  nothing" not in t.screen()
    os.write(t.main, b"q")
    assert t.p.wait(h.PATIENCE) == 0
    assert u.stop() == 0


def parts(screen):
    """{socket: its lines}."""
    found, at = {}, None
    for line in screen:
        m = re.match(r"socket (\d)", line)
        at = m[1] if m else None if line.startswith("Invalid now") else at
        if at:
            found.setdefault(at, []).append(line)
    return found


def values(lines):
    """The column of the latest values."""
    return [line[34:46].strip() for line in lines if line.startswith("  ")]


def test_a_daemon_that_is_stopped():
    """No time stamp moves any more: it says so, and shows no number as if it were of now."""
    u = daemon()
    t = Terminal(u.url)
    t.shows("GB/s")
    with h.stopped(u.pid):
        t.shows("socket 0 stalled")
        h.wait_for("both", lambda: "socket 1 stalled" in t.screen())
        screen = t.screen()
        for lines in parts(screen).values():
            assert len(values(lines)) >= 3 and set(values(lines)) == {"-"}, screen
        assert "  socket 1, all of it: stalled" in screen and "  nothing" not in screen, screen
        assert not any("IMT" in line for line in screen), screen
        code, out, err = h.run(h.CTL, "top", "--batch", "-r", "2", "--url", u.url)
        assert code == 0 and out.count("\n") == 4, (code, out, err)
        assert all(re.fullmatch(r"\d+\.\d+ socket=\d SIMULATED stalled", line)
                   for line in out.splitlines()), out
    t.shows("  nothing")
    h.wait_for("values again", lambda: all(any("GB/s" in v for v in values(lines))
                                           for lines in parts(t.screen()).values()))
    os.write(t.main, b"q")
    assert t.p.wait(h.PATIENCE) == 0
    assert u.stop() == 0


def stack_values(lines):
    """Of each I/O stack: what its devices read and wrote."""
    first = next(i for i, line in enumerate(lines) if "I/O stacks" in line)
    return [re.findall(r"-|[\d.]+ .?B/s", line[50:]) for line in lines[first + 1:]
            if line.startswith("    ")]


def stacks_have_values(t):
    found = [stack_values(p) for p in parts(t.screen()).values() if len(p) > 10]
    return any("B/s" in v for stacks in found for two in stacks for v in two)


def simulated_stacks(name):
    at = h.write(name + ".conf", 'interval = "500ms";\n')
    return at, h.Uncored("-c", at, "--engine", "model:spr", "--path-run", h.path("run-" + name))


@contextlib.contextmanager
def paused(name):
    """uncorectl pause has the counters."""
    p = subprocess.Popen([h.CTL, "pause", "--path-run", h.path("run-" + name), "10m"],
                         stderr=subprocess.PIPE, text=True)
    try:
        assert "paused for" in p.stderr.readline()
        yield
    finally:
        p.send_signal(signal.SIGINT)
        p.communicate(timeout=h.PATIENCE)


def has_no_values(t):
    """Of the quantities and of the stacks."""
    assert set(parts(t.screen())) == set("01"), t.screen()
    for lines in parts(t.screen()).values():
        stacks = stack_values(lines)
        first = [v for v in values(lines) if v and v[0] in "-0123456789"]
        assert len(stacks) > 1, t.screen()
        if stacks != [["-", "-"]] * len(stacks) or set(first) - {"-"}:
            return False
    return True


def test_a_pause():
    """Nothing has a value, stacks neither; the head says why, and no slot has a line of its own.
    Afterwards it goes on."""
    _, u = simulated_stacks("paused")
    t = Terminal(u.url, rows=90, columns=120)
    h.wait_for("stacks have values", lambda: stacks_have_values(t))
    with paused("paused"):
        t.shows("PAUSED: uncorectl pause has the counters; nothing is counted.")
        assert "PAUSED" in t.screen()[2], t.screen()
        h.wait_for("no values: %s" % t.screen(), lambda: has_no_values(t))
        invalid = t.screen()[t.screen().index("Invalid now (see uncored(8), VALIDITY):") + 1:-1]
        assert invalid == ["  socket %d, all of it: paused" % s for s in (0, 1)], invalid
        # one that starts now
        late = Terminal(u.url, rows=90, columns=120)
        late.shows("PAUSED")
        assert has_no_values(late), late.screen()
        os.write(late.main, b"q")
        assert late.p.wait(h.PATIENCE) == 0 and late.is_back()
        code, out, err = h.run(h.CTL, "top", "--batch", "-r", "1", "--url", u.url)
        assert code == 0 and re.fullmatch(
            r"(\d+\.\d+ socket=\d SIMULATED paused\n){2}", out), (code, out, err)
    h.wait_for("values again", lambda: "PAUSED" not in "\n".join(t.screen()) and
               stacks_have_values(t))
    os.write(t.main, b"q")
    assert t.p.wait(h.PATIENCE) == 0 and t.is_back()
    assert u.stop() == 0


def test_stacks_of_a_daemon_that_is_stopped():
    _, u = simulated_stacks("stopped")
    t = Terminal(u.url, rows=90, columns=120)
    h.wait_for("stacks have values", lambda: stacks_have_values(t))
    with h.stopped(u.pid):
        t.shows("socket 1 stalled")
        h.wait_for("no values", lambda: has_no_values(t))
    os.write(t.main, b"q")
    assert t.p.wait(h.PATIENCE) == 0
    assert u.stop() == 0


def test_a_reload_that_failed():
    at, u = simulated_stacks("reload")
    t = Terminal(u.url, rows=90)
    t.shows("GB/s")
    said = "The last reload failed; the old configuration is still in use."
    assert said not in t.screen()
    good = h.read(at)
    h.write("reload.conf", "no configuration\n")
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("the head says it", lambda: said in t.screen()[:4])
    h.write("reload.conf", good)
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("no longer", lambda: said not in t.screen())
    os.write(t.main, b"q")
    assert t.p.wait(h.PATIENCE) == 0
    assert u.stop() == 0


def test_one_socket_of_two_is_stalled():
    """The other one goes on."""
    a, b, options = h.two_servers()
    u = h.Uncored("-c", h.write("one.conf", 'interval = "200ms"; groups = [ "memory" ];'), *options)
    t = Terminal(u.url)
    t.shows("socket 1")

    def of(s):
        for m in (a, b):
            m.control("advance 200000000")
        return values(parts(t.screen()).get(s, []))
    h.wait_for("both have values", lambda: all(any("B/s" in v for v in of(s)) for s in "01"))
    with h.stopped(b.pid):
        t.shows("socket 1 stalled")
        a.control("advance 200000000")
        h.wait_for("no values", lambda: set(values(parts(t.screen())["1"])) == {"-"})
        assert "socket 0" in t.screen() and "  socket 1, all of it: stalled" in t.screen()

        def moved():
            a.control("advance 200000000")
            return any("B/s" in v for v in values(parts(t.screen())["0"]))
        h.wait_for("socket 0 goes on", moved)
    h.wait_for("both have values again", lambda: all(any("B/s" in v for v in of(s)) for s in "01"))
    os.write(t.main, b"q")
    assert t.p.wait(h.PATIENCE) == 0
    assert u.stop() == 0


h.main(sys.modules[__name__])
