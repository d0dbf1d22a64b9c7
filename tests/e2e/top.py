# SPDX-License-Identifier: MIT
"""top.py - uncorectl top on the register model, in a terminal of its own (pty): what it shows is
what /metrics says, and the terminal is put back however it ends.
"""
import codecs
import contextlib
import fcntl
import http.server
import itertools
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time

import harness as h

CONF = 'interval = "1s"; groups = [ "memory", "llc", "links" ];'
ENTER, LEAVE = "\033[?1049h\033[?25l", "\033[?25h\033[?1049l"


def daemon(conf=CONF):
    return h.Uncored("-c", h.write("top.conf", conf), "--engine", "model:nehalem-ex:stream",
                     "--path-run", h.path("run"))


class Terminal:
    """uncorectl top, and what it has written."""

    def __init__(self, url, columns=100, rows=40, **env):
        self.main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.before = termios.tcgetattr(side)
        self.side, self.text = side, ""
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.p = subprocess.Popen([h.CTL, "top", "--url", url], stdin=side, stdout=side,
                                  stderr=subprocess.PIPE, start_new_session=True,
                                  env={**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", **env},
                                  preexec_fn=lambda: fcntl.ioctl(side, termios.TIOCSCTTY, 0))
        h._cleanup.append(self.p.stderr.close)
        h._cleanup.append(lambda: self.p.poll() is None and self.p.kill())

    def read(self):
        while select.select([self.main], [], [], 0.05)[0]:
            self.text += self.decoder.decode(os.read(self.main, 65536))
        return self.text

    def screen(self):
        """The last whole one, as plain lines."""
        screens = [s for s in self.read().split("\033[H")[1:] if "\033[J" in s]
        return re.sub(r"\033\[[0-9;?]*[A-Za-z]", "", screens[-1]).split("\r\n") if screens else []

    def shows(self, what):
        h.wait_for("the screen shows " + what, lambda: what in "\n".join(self.screen()))

    def both_sockets_show(self, what):
        """In the line of what memory reads: one socket has its first window before the other."""
        h.wait_for("both sockets show " + what, lambda: sum(
            line.startswith("  Memory read ") and what in line for line in self.screen()) == 2)

    def is_back(self):
        """The terminal is as it was found."""
        h.wait_for("the other screen is left", lambda: self.read().rstrip().endswith(LEAVE))
        return termios.tcgetattr(self.side) == self.before and self.text.count(ENTER) == \
            self.text.count(LEAVE)


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


UP, DOWN, PAGE_UP, PAGE_DOWN, HOME, END = ("\033[A", "\033[B", "\033[5~", "\033[6~", "\033[H",
                                           "\033[F")


def resize(t, rows, columns):
    fcntl.ioctl(t.side, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    h.wait_for("%d rows of %d" % (rows, columns), lambda: len(t.screen()) <= rows and all(
        len(line) <= columns for line in t.screen()) and t.screen()[-1].startswith(
            ("lines ", "q quits")))


def body(t):
    """What scrolls: not the two lines above, nor the one below."""
    return t.screen()[2:-1]


def press(t, key, what, shown):
    os.write(t.main, key.encode())
    h.wait_for(what, shown)


def test_scrolling():
    """Each line can be seen in a terminal of any size, beside who it is and that it is simulated;
    no line is cut by the terminal, and a new size is used at once, however long the interval."""
    u = h.Uncored("-c", h.write("slow.conf", 'interval = "10s";\n'), "--engine", "model:spr",
                  "--path-run", h.path("run-slow"))
    t = Terminal(u.url, rows=70)
    t.shows("GB/s")
    whole = body(t)
    assert 24 < len(whole) < 60 and t.screen()[-1].startswith("q quits"), t.screen()
    began = time.monotonic()
    for rows, columns in (24, 80), (10, 40):
        resize(t, rows, columns)
        room = rows - 3
        assert len(t.screen()) == rows and len(body(t)) == room, t.screen()
        assert t.screen()[0].startswith("uncored at ") and "SIMULATED" in t.screen()[1]
        titles = [line[:26] for line in whole]
        seen = [line[:26] for line in body(t)]
        assert seen == titles[:room] and t.screen()[-1].startswith(
            "lines 1 to %d of %d" % (room, len(whole))), t.screen()
        for at in range(1, 4):
            press(t, DOWN, "line %d is the first" % (at + 1),
                  lambda: body(t)[0][:26] == titles[at][:26])
        press(t, UP, "a line back", lambda: body(t)[0][:26] == titles[2])
        press(t, END, "the end", lambda: body(t)[-1][:26] == titles[-1])
        assert [line[:26] for line in body(t)] == titles[-room:], t.screen()
        press(t, DOWN, "no further", lambda: body(t)[-1][:26] == titles[-1])
        press(t, PAGE_UP, "a page back", lambda: body(t)[-1][:26] != titles[-1])
        press(t, PAGE_DOWN, "a page on", lambda: body(t)[-1][:26] == titles[-1])
        press(t, HOME, "the beginning", lambda: body(t)[0][:26] == titles[0])
        assert any(re.search(r"\d (GB/s|ns|%)", line) for line in body(t)) or rows == 10
    assert time.monotonic() - began < 9, "it has waited for a sample"
    # just enough, and a line too few
    resize(t, len(whole) + 3, 100)
    assert body(t) == whole or len(body(t)) == len(whole), t.screen()
    assert t.screen()[-1].startswith("q quits"), t.screen()
    resize(t, len(whole) + 2, 100)
    assert t.screen()[-1].startswith("lines 1 to %d" % (len(whole) - 1)), t.screen()
    os.write(t.main, b"q")
    assert t.p.wait(h.PATIENCE) == 0 and t.is_back()
    assert u.stop() == 0


def test_values_in_a_narrow_terminal():
    u = daemon()
    t = Terminal(u.url, columns=40, rows=60)
    t.both_sockets_show("GB/s")
    lines = [line for line in t.screen() if line.startswith("  Memory read ")]
    assert lines and all(re.search(r"[\d.]+ GB/s", line) for line in lines), t.screen()
    assert all(len(line) <= 40 for line in t.screen()), t.screen()
    os.write(t.main, b"q")
    assert t.p.wait(h.PATIENCE) == 0
    assert u.stop() == 0


def test_a_terminal_that_is_dumb():
    """It cannot place text: it gets lines, with values in base units, and no escape sequence."""
    u = daemon()
    for term in "dumb", "":
        t = Terminal(u.url, TERM=term)
        h.wait_for("lines of a window", lambda: t.read().count("B/s") > 6)
        assert "\033" not in t.text and re.match(r"\d+\.\d+ socket=0 SIMULATED", t.text), t.text
        t.p.send_signal(signal.SIGINT)
        assert t.p.wait(h.PATIENCE) == -signal.SIGINT
        assert termios.tcgetattr(t.side) == t.before
    assert u.stop() == 0


def test_locales():
    """Blocks where the locale has UTF-8, installed or not; else what every terminal can show. The
    first variable that is set counts."""
    u = daemon()
    for env, blocks in (({"LC_ALL": "", "LC_CTYPE": "", "LANG": "xx_YY.utf8"}, True),
                        ({"LC_ALL": "C", "LC_CTYPE": "C.UTF-8", "LANG": "C.UTF-8"}, False),
                        ({"LC_ALL": "", "LC_CTYPE": "de_DE.ISO-8859-1", "LANG": "C.UTF-8"}, False),
                        ({"LC_ALL": "", "LC_CTYPE": "", "LANG": ""}, False)):
        t = Terminal(u.url, **env)
        t.shows("B/s")
        h.wait_for("two samples", lambda: re.search(r"Memory read +\S+ GB/s  \S\S",
                                                    "\n".join(t.screen())))
        assert t.text.isascii() != blocks and ("\u2588" in t.text) == blocks, (env, t.screen())
        os.write(t.main, b"q")
        assert t.p.wait(h.PATIENCE) == 0 and t.is_back()
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


def test_however_it_ends():
    """By a signal; while its uncored goes; stopped and continued."""
    u = daemon()
    for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV,
                signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGPIPE):
        t = Terminal(u.url)
        t.shows("socket 1")
        t.p.send_signal(sig)
        assert t.p.wait(h.PATIENCE) == -sig and t.is_back(), sig
    t = Terminal(u.url)
    t.shows("socket 1")
    t.p.send_signal(signal.SIGTSTP)
    h.wait_for("it has stopped", lambda: "T" == h.read("/proc/%d/stat" % t.p.pid).split()[2])
    assert t.is_back()
    t.text = ""
    t.p.send_signal(signal.SIGCONT)
    t.shows("socket 1")
    assert ENTER in t.text
    assert u.stop() == 0
    assert t.p.wait(h.PATIENCE) == 69 and t.read().rstrip().endswith(LEAVE)
    said = t.p.stderr.read()    # the latter: it ended between connection and answer
    assert b"cannot be reached" in said or b"does not answer" in said, said


def test_nobody_there():
    code, out, err = h.run(h.CTL, "top", "--url", "http://127.0.0.1:1")
    assert code == 69 and out == "" and "cannot be reached" in err, (code, out, err)


def small(**more):
    """A snapshot with a little of everything that top, stat and verify look at."""
    def metric(name, *values, kind="counter", **labels):
        return {"name": name, "type": kind, "unit": "", "series": [
            {"labels": {"socket": str(i), **labels}, "valid": True, "value": v,
             "active_seconds": 1.0 + time.monotonic() % 1000} for i, v in enumerate(values)]}
    return {"format": "uncored-snapshot-1", "name": "uncored", "version": "0", "revision": "0",
            "processor": "nehalem-ex", "engine": "model", "simulated": True,
            "interval_seconds": 0.2, "sockets": [
                {"socket": 0, "publication": 1, "timestamp_seconds": time.time()}],
            "metrics": [metric("uncored_up", 1, kind="gauge"),
                        metric("uncore_memory_command_read_bytes_total", 7),
                        metric("uncored_slot_invalid", 1, kind="gauge", box="bbox", unit="0",
                               event="X", reason="late")], **more}


class Stranger:
    """A server that answers every request with what say(wfile) writes."""

    def __init__(self, say, chunked=False):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.close_connection = True
                self.send_response(200)
                self.send_header("Connection", "close")
                if chunked:
                    self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                with contextlib.suppress(OSError):
                    say(self.wfile)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        h._cleanup.append(server.server_close)
        h._cleanup.append(server.shutdown)
        self.url = "http://127.0.0.1:%d" % server.server_port

    def each(self, *more):
        """What each command that reads of a server says and how it ends."""
        for argv in (["top", "--batch", "-r", "2"], ["stat", "--", "touch", h.path("begun")],
                     ["stat", "-o", "csv", "--", "true"], ["verify", "--quick"]):
            yield argv, h.run(h.CTL, argv[0], "--url", self.url, *argv[1:], *more)


def says(body):
    return Stranger(lambda f: f.write(json.dumps(body() if callable(body) else body).encode()))


def test_nobody_knows_localhost():
    """It is this machine all the same: an image may lack /etc/hosts, and a resolver the name."""
    u = daemon()
    nothing = "for f in /etc/hosts /etc/nsswitch.conf /etc/resolv.conf; do " \
        "[ ! -e $f ] || mount --bind /dev/null $f; done; exec \"$@\""
    asked = ["--batch", "-r", "1", "--url", u.url.replace("127.0.0.1", "localhost")]
    code, out, err = h.run("unshare", "-rm", "sh", "-c", nothing, "sh", h.CTL, "top", *asked)
    if code and "unshare" in err:
        h.skip("no mount namespace here: " + err.strip())
    assert code == 0 and "memory" in out.lower(), (code, out, err)
    assert u.stop() == 0


def test_a_server_that_answers_otherwise():
    """As another program, or another version: no command takes it for uncored."""
    odd = [7, {}, {"name": 5, "type": 5, "series": 5}]
    for more in ({"metrics": odd}, {"sockets": [{"socket": "a"}]}, {"interval_seconds": 1e9},
                 {"interval_seconds": 0}, {"metrics": [{"name": "x", "type": "gauge", "unit": "",
                                                        "series": [{"labels": {"socket": 5}}]}]}):
        for argv, (code, out, err) in says(small(**more)).each():
            assert code == 69 and "does not answer like an uncored" in err, (argv, code, out, err)
    assert not os.path.exists(h.path("begun"))
    for argv, (code, out, err) in says(small).each():
        assert code == (69 if argv[0] == "verify" else 0), (argv, code, out, err)


def test_what_a_terminal_obeys():
    """Texts of the server reach it as characters that are seen."""
    evil = "\033]0;title\007\033[2J\x9b31m\u202e\b\r"

    def body():
        s = small(processor=evil, engine=evil, version=evil, note=evil)
        s["metrics"][2]["series"][0]["labels"].update(event=evil, reason=evil, umask=evil)
        s["metrics"][1]["series"][0]["labels"][evil] = evil
        return s
    server = says(body)
    said = "".join(out + err for _, (_, out, err) in server.each())
    assert "\\x1b]0;title\\x07\\x1b[2J" in said, said
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", said), said
    t = Terminal(server.url)
    t.shows("Invalid now")
    text = t.read()
    assert "\\x1b]0;title" in text and "\033]" not in text and "\033[2J" not in text, text
    assert "\x07" not in text and "\x9b" not in text and "\u202e" not in text, text
    os.write(t.main, b"q")
    assert t.p.wait(h.PATIENCE) == 0 and t.is_back()


def test_a_total_that_falls():
    """Below the line there are no bars."""
    values = itertools.cycle([0, 10**12])

    def body():
        s = small()
        s["metrics"][1]["series"][0]["value"] = next(values)
        return s
    t = Terminal(says(body).url)
    h.wait_for("some samples", lambda: t.p.poll() is not None or t.read().count("\033[H") > 6)
    line = next(row for row in t.screen() if "Memory read" in row)
    assert re.fullmatch(r"  Memory read +\S+ \S+  [ \u2581-\u2588]+  \S+ \S+ to \S+ \S+",
                        line), line
    os.write(t.main, b"q")
    assert t.p.wait(h.PATIENCE) == 0 and t.is_back()


def test_an_answer_without_end():
    """Chunks for ever, a byte now and then, or none: it ends, in bounded memory and time."""
    chunk = b"%x\r\n" % (1 << 20) + b" " * (1 << 20) + b"\r\n"

    def fast(f):
        while True:
            f.write(chunk)

    def slow(f):
        for _ in range(200):
            f.write(b"2\r\n  \r\n")
            time.sleep(0.5)
    p = subprocess.Popen([h.CTL, "top", "--batch", "--url", Stranger(fast, True).url],
                         stderr=subprocess.PIPE)
    h._cleanup.append(p.stderr.close)
    _, status, usage = os.wait4(p.pid, 0)
    said = p.stderr.read().decode()
    assert os.waitstatus_to_exitcode(status) == 69 and "more than 64 MB" in said, (status, said)
    assert h.SANITIZED or usage.ru_maxrss < 200 << 10, usage.ru_maxrss
    p.returncode = 69
    began = time.monotonic()
    code, out, err = h.run(h.CTL, "top", "--batch", "--url", Stranger(slow, True).url)
    assert code == 69 and "has not answered in 12 s" in err, (code, out, err)
    assert time.monotonic() - began < 20
    began = time.monotonic()
    silent = Stranger(lambda _: time.sleep(20), True)
    code, out, err = h.run(h.CTL, "top", "--batch", "--url", silent.url)
    assert code == 69 and "has not answered in 5 s" in err, (code, out, err)
    assert time.monotonic() - began < 10


h.main(sys.modules[__name__])
