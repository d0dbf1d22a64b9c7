# SPDX-License-Identifier: MIT
"""service.py - what systemd and HTTP clients see: notifications, socket activation, methods,
limits."""
import contextlib
import errno
import os
import re
import signal
import socket
import sys
import time

import harness as h
from service_sockets import activate, listener_of, taken

CONF = 'interval = "200ms";\n' + h.MEMORY
MODEL = ["--engine", "model:nehalem-ex"]


def test_a_watchdog_that_cannot_be_kept():
    """One below 2 ms: no thread spins for it."""
    n = h.Notify("short")
    c = h.write("short.conf", CONF)
    u = h.Uncored("-c", c, *MODEL, env={"NOTIFY_SOCKET": n.path, "WATCHDOG_USEC": "1000"})
    n.until("WATCHDOG=1")
    threads = {}
    for moment in 0, 1:
        for task in os.listdir("/proc/%d/task" % u.pid):
            of = h.read("/proc/%d/task/%s/stat" % (u.pid, task))
            ticks = sum(map(int, of.rsplit(")", 1)[1].split()[11:13]))
            threads.setdefault(of[of.index("("):of.rindex(")") + 1] + task, []).append(ticks)
        time.sleep(0 if moment else 2)
    used = {k: v[-1] - v[0] for k, v in threads.items()}
    hz = os.sysconf("SC_CLK_TCK")
    assert max(used.values()) < 2 * hz * 0.2, used
    assert u.stop() == 0


def test_ready_watchdog_reload_stop():
    n = h.Notify("notify")
    c = h.write("notify.conf", CONF)
    u = h.Uncored("-c", c, *MODEL,
                  env={"NOTIFY_SOCKET": n.path, "WATCHDOG_USEC": "400000"}, ready=False)
    n.until("READY=1")
    u.url = u.serving()
    # READY means: every socket has its first sample.
    assert all(float(v) >= 1 for k, v in u.metrics().items()
               if k.startswith("uncored_samples_total"))
    n.until("WATCHDOG=1")
    t = time.monotonic()
    for _ in range(5):
        n.until("WATCHDOG=1")
    assert time.monotonic() - t < 5 * 0.4, "the watchdog of 400 ms is fed too late"
    status = n.until("STATUS=")
    assert "SIMULATED" in status[0], status
    h.write("notify.conf", CONF + "nonsense = 1;\n")
    n.seen.clear()
    u.p.send_signal(signal.SIGHUP)
    reloading = n.until("RELOADING=1")
    assert any(part.startswith("MONOTONIC_USEC=") for part in reloading), reloading
    n.until("READY=1")
    assert sum(any(p == "RELOADING=1" for p in m) for m in n.seen) == \
        sum(any(p == "READY=1" for p in m) for m in n.seen) == 1
    h.wait_for("the failed reload shows",
               lambda: u.metrics().get("uncored_config_last_reload_successful") == "0")
    u.p.send_signal(signal.SIGTERM)
    n.until("STOPPING=1")
    assert u.p.wait(h.PATIENCE) == 0


def test_a_reload_begins_after_its_signal():
    """systemd ignores a RELOADING=1 whose MONOTONIC_USEC is before the SIGHUP that it sent
    (systemd.service, Type=notify-reload)."""
    n = h.Notify("reloading")
    u = h.Uncored("-c", h.write("reloading.conf", CONF), *MODEL, env={"NOTIFY_SOCKET": n.path})
    n.until("READY=1")
    for _ in range(10):
        sent = time.monotonic_ns() // 1000
        u.p.send_signal(signal.SIGHUP)
        at = [int(part.split("=")[1]) for part in n.until("RELOADING=1")
              if part.startswith("MONOTONIC_USEC=")]
        assert len(at) == 1 and sent <= at[0] <= time.monotonic_ns() // 1000, (sent, at)
        n.until("READY=1")


def test_a_full_notify_queue_holds_nothing_up():
    n = h.Notify("full")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s, \
            contextlib.suppress(BlockingIOError):
        s.setblocking(False)
        while True:
            s.sendto(b"X_OTHER=1", n.path)
    u = h.Uncored("-c", h.write("full.conf", CONF), *MODEL, env={"NOTIFY_SOCKET": n.path})
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("it reloads", lambda: "read again" in u.text())
    h.wait_for("it samples", lambda: u.value('uncored_samples_total{socket="0"}') > 3)
    n.until("READY=1")                      # was owed, and comes when there is room
    assert u.stop() == 0


def test_a_sampler_that_cannot_be_bound_says_so():
    c = h.write("unbound.conf",
                'groups = ( { name = "g"; events = [ "perf/software/cpu-clock/" ]; } );')
    p = h.Process([h.UNCORED, "--listen", "127.0.0.1:0", "--engine", "perf", "-c", c], "unbound",
                  preexec_fn=h.deny(203, errno.EINVAL))
    if not p.serving(may_end=True) and p.p.poll() == 77:
        h.skip("perf may not count here: " + p.text())
    told = re.compile(r"socket \d+: cannot bind its sampler .*: Invalid argument; counting works")
    h.wait_for("it is told", lambda: told.search(p.text()))
    assert len(told.findall(p.text())) == 1, p.text()
    assert p.stop() == 0


def test_few_descriptors():
    u = h.Uncored("-c", h.write("few.conf", CONF), *MODEL, argv0=["prlimit", "--nofile=40:40"])
    port = int(u.url.rsplit(":", 1)[1])
    many = [socket.create_connection(("127.0.0.1", port)) for _ in range(60)]
    assert u.get("/metrics")[0] == 200
    for s in many:
        s.close()
    assert u.stop() == 0


def test_socket_activation():
    c = h.write("activated.conf", CONF)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        port = s.getsockname()[1]
        p = activate([s], "-c", c, *MODEL)
        h.wait_for("it serves the passed socket",
                   lambda: "127.0.0.1:%d" % port in p.text() or not p.running())
        assert p.running(), p.text()
        h.wait_for("ready", lambda: h.fetch("http://127.0.0.1:%d/-/ready" % port)[0] == 200)
        assert p.stop() == 0
        # A `listen` that differs from what systemd passes is a mistake, and names the socket unit.
        c = h.write("activated2.conf", 'listen = [ "127.0.0.1:1" ];\n' + CONF)
        p = activate([s], "-c", c, *MODEL)
        assert p.p.wait(h.PATIENCE) == 78 and "uncored.socket" in p.text(), p.text()
        assert "activated2.conf:1" in p.text(), p.text()


def refused(p, *words):
    assert p.p.wait(h.PATIENCE) == 78, p.text()
    assert all(word in p.text() for word in ("uncored.socket", *words)), p.text()
    assert "serving" not in p.text(), p.text()


def test_passed_sockets_of_the_wrong_kind():
    """Nobody would be answered, and it would say READY=1."""
    conf = ["-c", h.write("kinds.conf", CONF), *MODEL]
    with socket.socket() as good, socket.socket() as apart, socket.socket() as silent, \
            socket.socket(type=socket.SOCK_DGRAM) as udp, \
            open(conf[1]) as file:
        good.bind(("127.0.0.1", 0))
        good.listen()
        silent.bind(("127.0.0.1", 0))
        udp.bind(("127.0.0.1", 0))
        with socket.create_connection(good.getsockname()) as connected:
            for other, words in ((udp, "is not a stream socket"), (apart, "does not listen"),
                                 (silent, "does not listen"),
                                 (connected, "does not listen"), (file, "is not a socket")):
                refused(activate([good, other], *conf),
                        "descriptor 4 from systemd " + words)
        # Fewer than announced; those that are not there must not be taken for what uncored itself
        # opened meanwhile.
        for said in "2", "3", "17", "many":
            refused(activate([good], *conf, said=said))
    # Where stderr is a pipe, the log has such a number, and can still say so.
    code, out, err = h.run("sh", "-c", 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" "$@" 3<&-', h.UNCORED,
                           *conf, "--path-run", h.path("run-pipe"))
    assert (code, out) == (78, "") and "descriptor 3 from systemd " in err, (code, err)


def test_a_listener_that_was_shut_down():
    """By an http process that was taken over: the file is shared, so that it is shut down for the
    parent and every successor, too."""
    port = h.free_port()
    with socket.socket() as s:
        # as systemd does; connections of before linger
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # a port that the kernel chose would be given back by shutdown()
        s.bind(("127.0.0.1", port))
        s.listen()
        p = activate([s], "-c", h.write("shut.conf", CONF), *MODEL)

        def ready():
            return h.answers("http://127.0.0.1:%d/-/ready" % port)
        h.wait_for("it serves", ready)
        child = h.child_of(p.pid)
        s.shutdown(socket.SHUT_RDWR)
        assert not ready()
        with contextlib.suppress(ProcessLookupError):   # its parent may have looked at it before
            os.kill(child, signal.SIGKILL)
        h.wait_for("it serves again", ready)
        assert "closed or changed its listening sockets; reopening them" in p.text(), p.text()
        assert p.stop() == 0


def test_a_listener_that_is_shut_down_by_who_lives_on():
    """The http process answers its parent's look all the same; and a port that the kernel chose is
    to be the same again."""
    u = h.Uncored("-c", h.write("lives.conf", CONF), *MODEL)
    fd = listener_of(u.pid, int(u.url.rsplit(":", 1)[1]))
    if fd is None:
        h.skip("pidfd_getfd is not permitted here")
    with taken(u.pid, fd) as s:
        s.shutdown(socket.SHUT_RDWR)

    h.wait_for("it serves again, where it said", lambda: h.answers(u.url + "/-/ready"))
    assert "closed its listening sockets; killing it" in u.text(), u.text()
    assert "closed or changed its listening sockets; reopening them" in u.text(), u.text()
    assert u.stop() == 0


def test_http_contract():
    u = h.Uncored("-c", h.write("http.conf", CONF), *MODEL)
    for where, kind in (("/", "text/html"), ("/metrics", "text/plain; version=0.0.4"),
                        ("/api/v1/status", "application/json"),
                        ("/-/healthy", "text/plain"), ("/-/ready", "text/plain")):
        code, headers, body = u.get(where)
        assert code == 200, (where, code, headers["Content-Type"])
        assert headers["Content-Type"].startswith(kind), (where, code, headers["Content-Type"])
        code, head, empty = u.get(where, method="HEAD")
        assert code == 200 and empty == b"" and int(head["Content-Length"]) > 0, where
        code, headers, _ = u.get(where, method="POST")
        assert code == 405, (where, code)
        assert set(headers["Allow"].replace(" ", "").split(",")) == {"GET", "HEAD"}, (where, code)
    assert u.get("/nothing")[0] == 404 and u.get("/metrics/")[0] == 404
    assert u.get("/%00")[0] in (400, 404)
    assert u.get("/metrics?x=1")[0] == 200
    om = "application/openmetrics-text; version=1.0.0; charset=utf-8"
    prometheus = (
        "application/openmetrics-text;version=1.0.0,"
        "application/openmetrics-text;version=0.0.1;q=0.75,"
                  "text/plain;version=0.0.4;q=0.5,*/*;q=0.1")
    code, headers, body = u.get("/metrics", {"Accept": prometheus})
    assert code == 200 and headers["Content-Type"] == om, headers["Content-Type"]
    assert body.endswith(b"# EOF\n"), headers["Content-Type"]
    assert "Accept" in headers["Vary"]
    def series(accept):
        names = h.samples(u.get("/metrics", {"Accept": accept})[2].decode())
        return {k for k in names if "_created" not in k}    # of histograms, in OpenMetrics alone
    # Values move with the clock, and a late sample on a busy machine takes series away for a while.
    h.wait_for("the same series in both formats",
               lambda: series(prometheus) == series("text/plain"))
    page = u.get("/")[2].decode()
    for words in ("uncored", "0.1.0", "SIMULATED", "/metrics", "/api/v1/status"):
        assert words in page, words
    status = u.status()
    assert status["simulated"] is True and [s["socket"] for s in status["sockets"]] == [0, 1]


def test_slow_clients_do_not_hold_the_scraper():
    u = h.Uncored("-c", h.write("slow.conf", CONF), *MODEL)
    port = int(u.url.rsplit(":", 1)[1])
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(50)]
    for s in slow:
        s.sendall(b"GET /metrics HT")
    t = time.monotonic()
    assert u.get("/metrics")[0] == 200
    assert time.monotonic() - t < 5         # each of them may take ten
    for s in slow:
        s.close()


def test_standard_files_that_are_closed():
    """Nothing else gets their numbers: a message would go into a register file or the lock."""
    sh = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh"]
    port, run = h.free_port(), h.path("run-closed")
    m = h.Msrfs("--virtual")
    p = h.Process([*sh, h.UNCORED, "-c", h.write("closed.conf", CONF), *m.options(),
                   "--path-run", run,
                   "--listen", "127.0.0.1:%d" % port], "closed")
    h.wait_for("it serves", lambda: h.answers("http://127.0.0.1:%d/-/ready" % port))
    for fd in 0, 1, 2:
        assert os.readlink("/proc/%d/fd/%d" % (p.pid, fd)) == "/", fd
    assert h.read(run + "/uncored.lock") == "%d\n" % p.pid
    assert p.stop() == 0
    code, _, err = h.run("sh", "-c", 'exec "$@" >&-', "sh", h.UNCORED,
                         "--once", "-c", h.write("once.conf", CONF), *MODEL)
    assert code == 70 and "cannot be printed: Bad file descriptor" in err, (code, err)


def test_hup_storm():
    u = h.Uncored("-c", h.write("storm.conf", CONF), *MODEL)
    key = 'uncore_wbox_clockticks_total{socket="0",unit="0"}'
    last = 0
    for _ in range(20):
        u.p.send_signal(signal.SIGHUP)
        now = int(u.metrics().get(key, last))
        assert now >= last
        last = now
    h.wait_for("it goes on", lambda: int(u.metrics().get(key, 0)) > last)
    # while a reload is under way there are more: look anew each time
    fds = lambda: sum(len(os.listdir("/proc/%d/fd" % pid)) for pid in (u.p.pid, u.child()))
    h.wait_for("no file of the reloads is left", lambda: fds() < 60)
    # its own count is up to ten seconds old, and may be one of a connection or two
    h.wait_for("it says so itself", lambda: abs(u.value("process_open_fds") - fds()) <= 2, 25)
    assert u.stop() == 0


def test_nothing_on_stdout():
    u = h.Uncored("-c", h.write("quiet.conf", CONF), *MODEL)
    assert u.stop() == 0
    assert h.read(u.out) == ""


h.main(sys.modules[__name__])
