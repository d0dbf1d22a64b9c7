# SPDX-License-Identifier: MIT
"""stalled.py - samplers that do not tick: their register files are served by a process that is
stopped, or the daemon itself is.

Every format says the same then, and what was kept from before is not served. When ticks come back
every total is the truth.
"""
import contextlib
import http.client
import json
import os
import signal
import socket
import sys
import time

import harness as h

CONF = """interval = "200ms";
groups = (
  { name = "memory"; events = [ "bbox/IMT_VALID_OCCUPANCY", "bbox/IMT_INSERTS_ALL",
    "bbox/CONFLICTS", "wbox/CLOCKTICKS" ];
    resolution = "50ms"; distribution = true; },
  { name = "llc"; events = [ "cbox/LLC_HITS:ALL", "cbox/LLC_MISSES:ALL" ]; }
);
"""
SLOTS = 7 + 16                          # of one socket: two B-Boxes, one W-Box, eight C-Boxes
# ns of model time per advance, which stands still else: two samples may be that near, where a late
# one or a reload is followed by the next tick, and more clocks than that time has would be a reset
STEP = 100_000
INSERTS = 'uncore_bbox_imt_inserts_all_total{socket="%d",unit="0"}'
OPENMETRICS = "application/openmetrics-text;version=1.0.0"
PROTOBUF = ("application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;"
            "encoding=delimited")


class Manager:
    """The other end of NOTIFY_SOCKET: what was said since it was asked last."""

    def __init__(self):
        self.path = h.path("notify")
        self.s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        h._cleanup.append(self.s.close)
        self.s.bind(self.path)
        self.s.setblocking(False)

    def lines(self):
        out = []
        with contextlib.suppress(BlockingIOError):
            while True:
                out += self.s.recv(4096).decode().splitlines()
        return out

    def status(self):
        return [line for line in self.lines() if line.startswith("STATUS=")]


def of_socket(s):
    return lambda key: 'socket="%d"' % s in key


def expect_stalled(u, stalled, well):
    """Of these sockets nothing is shown, of those everything, in whatever format."""
    for accept in ("text/plain", OPENMETRICS):
        got = h.samples(u.get("/metrics", {"Accept": accept})[2].decode())
        counted = [k for k in got if k.startswith("uncore_")]
        for s in stalled:
            assert not list(filter(of_socket(s), counted)), counted
            states = {k: v for k, v in got.items()
                      if of_socket(s)(k) and k.startswith(("uncored_slot_", "uncored_metric_")) and
                      "_active_seconds_" not in k}
            assert sum(k.startswith("uncored_slot_invalid") for k in states) == SLOTS, states
            assert all(v == "0" if "_valid{" in k else v == "1" and 'reason="stalled"' in k
                       for k, v in states.items()), states
            assert got['uncored_samples_invalid_total{socket="%d",reason="stalled"}' % s] == "0"
            assert float(got['uncored_samples_total{socket="%d"}' % s]) > 0
        for s in well:
            assert INSERTS % s in got
            assert not [k for k in got if of_socket(s)(k) and k.startswith("uncored_slot_invalid")]
        assert {k: v for k, v in got.items() if k.startswith("uncored_up")} == {
            'uncored_up{socket="%d"}' % s: str(int(s in well)) for s in (0, 1)}
    body = u.get("/metrics", {"Accept": PROTOBUF})[2]
    assert (b"uncore_bbox_imt_inserts_all_total" in body) == bool(well) and b"stalled" in body
    snapshot = json.loads(u.get("/api/v1/snapshot")[2])
    expect_snapshot(snapshot, stalled, well)
    status = u.status()
    assert status["ready"] is False
    for s in status["sockets"]:
        reasons = {row["reason"] for row in s["invalid_slots"] + s["invalid_metrics"]} - {"no_data"}
        assert s["up"] == s["ready"] == (s["socket"] in well), s
        assert reasons == (set() if s["socket"] in well else {"stalled"}), reasons
    page = u.get("/")[2].decode()
    assert all('socket %d</b> <span class="bad">stalled<' % s in page for s in stalled), page[:9000]
    assert all('socket %d</b> <span class="ok">counting<' % s in page for s in well)
    assert "%d of 2 sockets not sampled" % len(stalled) in page
    assert u.get("/-/ready")[0] == 503 and u.get("/-/healthy")[0] == 200


def expect_snapshot(snapshot, stalled, well):
    for socket_id in (0, 1):
        series = [s for m in snapshot["metrics"] for s in m["series"]
                  if m["name"].startswith("uncore_") and s["labels"]["socket"] == str(socket_id)]
        # in a model whose time stands still a quotient has no_data
        reasons = {s.get("reason") for s in series}
        assert reasons == {"stalled"} if socket_id in stalled else \
            socket_id in well and reasons <= {None, "no_data"}, (socket_id, reasons)


def down(u, *sockets):
    h.wait_for("sockets are down",
               lambda: all(u.metrics().get('uncored_up{socket="%d"}' % s) == "0" for s in sockets))


def expect_truth(u, models):
    """Counting goes on with what happened meanwhile, to the last count."""
    h.wait_for("ready again", lambda: u.get("/-/ready")[0] == 200)
    for m in set(models):
        m.control("advance %d" % STEP)
    for s, m in enumerate(models):
        h.wait_for("the truth",
                   lambda: u.metrics().get(INSERTS % s) == str(m.truth()[(s, 0xc33)][0]))
    got = u.metrics()
    assert not [k for k in got if k.startswith("uncored_slot_invalid")]
    for s in (0, 1):
        assert got['uncored_resets_total{socket="%d"}' % s] == \
            got['uncored_samples_invalid_total{socket="%d",reason="stalled"}' % s] == "0"
    assert u.stop() == 0


def test_one_of_two_sockets():
    """The other one goes on; so does the watchdog."""
    a, b, options = h.two_servers()
    manager = Manager()
    u = h.Uncored("-c", h.write("one.conf", CONF), *options, env={"NOTIFY_SOCKET": manager.path})
    for m in (a, b):
        m.control("advance %d" % STEP)
    h.wait_for("both count", lambda: all(int(u.metrics().get(INSERTS % s, 0)) > 0 for s in (0, 1)))
    with h.stopped(b.pid):
        began = time.monotonic()
        time.sleep(1.5)
        # a late tick is no stall
        assert u.value('uncored_up{socket="1"}') == 1 and INSERTS % 1 in u.metrics()
        down(u, 1)
        assert time.monotonic() - began < 8
        expect_stalled(u, [1], [0])
        h.wait_for("it is told", lambda: "socket 1: not sampled for 3 s" in u.text())
        manager.lines()
        h.wait_for("the status says so",
                   lambda: any("%d events on 2 sockets, %d invalid, 1 of the sockets stalled" %
                               (2 * SLOTS, SLOTS) in line for line in manager.status()))
        manager.lines()
        h.wait_for("the watchdog is fed", lambda: "WATCHDOG=1" in manager.lines())
    h.wait_for("it is told", lambda: "socket 1: sampled again" in u.text())
    expect_truth(u, [a, b])
    assert u.text().count("not sampled for") == 1, u.text()


def test_every_socket():
    """Nothing is counted any more: the service manager is to end it. Who listens to the stream is
    told."""
    m, manager = h.Msrfs("--virtual"), Manager()
    u = h.Uncored("-c", h.write("every.conf", CONF), *m.options_apart(),
                  env={"NOTIFY_SOCKET": manager.path})
    m.control("advance %d" % STEP)
    h.wait_for("it counts", lambda: int(u.metrics().get(INSERTS % 1, 0)) > 0)
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", int(u.url.rsplit(":", 1)[1]),
                                                       timeout=h.PATIENCE)) as c:
        c.request("GET", "/api/v1/stream")
        stream = c.getresponse()
        with h.stopped(m.pid):
            down(u, 0, 1)
            expect_stalled(u, [0, 1], [])
            for line in stream:
                message = json.loads(line[6:]) if line.startswith(b"data: ") else None
                if message and not any(s["value"] for f in message["metrics"] for s in f["series"]
                                       if f["name"] == "uncored_up"):
                    break
            expect_snapshot(message, [0, 1], [])
            h.wait_for("it is told", lambda: u.text().count("not sampled for") == 2)
            manager.lines()
            time.sleep(2.5)
            said = manager.lines()
            assert "WATCHDOG=1" not in said, said
            assert any("2 of the sockets stalled" in line for line in said), said
    h.wait_for("the watchdog is fed again", lambda: "WATCHDOG=1" in manager.lines())
    expect_truth(u, [m, m])


def test_a_daemon_that_is_stopped():
    """Samplers and main loop stand still; the process that serves has a clock of its own."""
    m = h.Msrfs("--virtual")
    u = h.Uncored("-c", h.write("stopped.conf", CONF), *m.options_apart())
    m.control("advance %d" % STEP)
    h.wait_for("it counts", lambda: int(u.metrics().get(INSERTS % 1, 0)) > 0)
    with h.stopped(u.pid):
        time.sleep(1)
        assert INSERTS % 1 in u.metrics() and u.get("/-/ready")[0] == 200
        down(u, 0, 1)
        expect_stalled(u, [0, 1], [])
    expect_truth(u, [m, m])


def test_the_end_while_a_sampler_hangs():
    """It does not wait for ever: what can be put back is, the rest stays owed."""
    a, b, options = h.two_servers()
    state = options[-1] + "/uncored.state"
    # a thread is left
    u = h.Uncored("-c", h.write("end.conf", CONF), *options, env={"ASAN_OPTIONS": "detect_leaks=0"})
    changed = [0xc00, 0xc20, 0xc30, 0xc32, 0xc36, 0xc80, 0x395, 0xd00, 0xd10, 0xd12]
    assert all(any(m.registers(cpu, changed).values()) for m, cpu in ((a, 0), (b, 8)))
    with h.stopped(b.pid):
        time.sleep(0.5)
        u.end()
        assert "socket 1: its sampler hangs in a read, so its registers were not restored; " \
            "run uncored --restore" in u.text()
        assert "registers of the other sockets hold again what was found" in u.text(), u.text()
        assert os.path.exists(state) and not any(a.registers(0, changed).values())
    assert u.p.wait(h.PATIENCE) == 70 and any(b.registers(8, changed).values())
    code, _, err = h.run(h.UNCORED, "--restore", *options)
    assert code == 0 and "did not exit cleanly" in err, (code, err)
    assert not any(b.registers(8, changed).values()) and not os.path.exists(state)


def test_a_reload_while_a_sampler_hangs():
    """Before anybody can know that it has stalled: nothing was stopped for it, and everything goes
    on."""
    a, b, options = h.two_servers()
    u = h.Uncored("-c", h.write("reload.conf", CONF), *options)
    with h.stopped(b.pid):
        time.sleep(0.5)
        began = time.monotonic()
        u.p.send_signal(signal.SIGHUP)
        h.wait_for("it is refused",
                   lambda: "socket 1 is stalled and cannot switch" in u.text())
        assert time.monotonic() - began < 10
        samples = u.value('uncored_samples_total{socket="0"}')
        h.wait_for("socket 0 goes on",
                   lambda: u.value('uncored_samples_total{socket="0"}') > samples + 2)
    h.wait_for("ready again", lambda: u.get("/-/ready")[0] == 200)
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("now it can be read", lambda: "configuration read again" in u.text())
    expect_truth(u, [a, b])


def test_the_end_before_the_first_sample():
    """The registers hang when the first of them has been written."""
    m = h.Msrfs("--virtual")
    c, state = h.write("early.conf", CONF), m.options_apart()[-1] + "/uncored.state"
    for _ in range(20):                     # until it is caught before its first sample
        before = len(m.read("writes"))
        u = h.Process([h.UNCORED, "--listen", "127.0.0.1:0", "-c", c, *m.options_apart()], "early",
                      env={"ASAN_OPTIONS": "detect_leaks=0"})
        while len(m.read("writes")) == before and u.running():
            pass
        with h.stopped(m.pid):
            u.end()
        assert u.p.wait(h.PATIENCE) == 70, u.text()
        code, _, err = h.run(h.UNCORED, "--restore", *m.options_apart())
        assert code == 0 and "did not exit cleanly" in err, (code, err)
        assert not os.path.exists(state)
        if "stopped before socket" in u.text():
            break
    assert "stopped before socket" in u.text(), u.text()


def test_a_long_interval():
    """With 2 s it is 6 s."""
    m = h.Msrfs("--virtual")
    u = h.Uncored("-c", h.write("long.conf", CONF.replace("200ms", "2s")), *m.options_apart())
    samples = 'uncored_samples_total{socket="0"}'
    first = u.value(samples)
    h.wait_for("a tick", lambda: u.value(samples) > first)
    with h.stopped(u.pid):
        began = time.monotonic()
        time.sleep(4)
        assert u.value('uncored_up{socket="0"}') == 1 and u.get("/-/ready")[0] == 200
        down(u, 0, 1)
        assert time.monotonic() - began < 12
    h.wait_for("ready again", lambda: u.get("/-/ready")[0] == 200)
    assert u.stop() == 0


h.main(sys.modules[__name__])
