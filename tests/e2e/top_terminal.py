# SPDX-License-Identifier: MIT
"""top_terminal.py - uncorectl top in its terminal: keys, sizes and locales, and that it is put back
however top ends; and servers whose answers are not uncored's.
"""
import contextlib
import fcntl
import http.server
import itertools
import json
import os
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
import time

import harness as h
from terminal import ENTER, LEAVE, Terminal, daemon, press

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
        h.wait_for("two samples", lambda: re.search(r"Memory read +\S+ GB/s  +[^\s\d]{2}",
                                                    "\n".join(t.screen())))
        assert t.text.isascii() != blocks and ("\u2588" in t.text) == blocks, (env, t.screen())
        os.write(t.main, b"q")
        assert t.p.wait(h.PATIENCE) == 0 and t.is_back()
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
