# SPDX-License-Identifier: MIT
"""rows_http.py - what a scrape costs: beside libmicrohttpd with one static buffer of the same size,
beside other exporters.

uncored samples all counters of a machine of four sockets once a second through the msr path.
Servers run on CPU 0, scrapers on CPU 1, each in turn, five rounds; a price per scrape includes
everything that the server does meanwhile, sampling too.
"""
import re
import shutil
import statistics
import threading
import time

from common import EVENTS, HERE, ROUNDS, Row, conf, cpu, floor, h
from standin import Standin

CONNECTIONS = (1, 16, 200)
SOCKETS = 4
SLICES = 4
SAMPLE = re.compile(rb"^[^#\n]", re.M)
TICKS = re.compile(rb"^uncored_samples_total{.*} (\d+)$", re.M)
NODE_EXPORTER = shutil.which("prometheus-node-exporter") or shutil.which("node_exporter")
COLLECTD = shutil.which("collectd") or shutil.which("collectd", path="/usr/sbin")


WHY = ("nine tenths of the server's time is the kernel's, most of that copying the body, and the "
       "same four system calls in both; the seccomp "
       "filter takes 70 ns of each, which is what entering it costs: the kernel knows by number "
       "alone that they are allowed. Our own part "
       "are 2000 instructions a request and 2000 a turn of the loop, of 40000. On a busy machine "
       "the ratios scatter by more than "
       "the goal allows: see the load average above.")


class Server:
    """One that is scraped: its processes, port and path."""

    def __init__(self, name, pids, port, path="/metrics"):
        self.name, self.pids, self.port, self.path = name, pids, port, path

    def load(self, connections, seconds, rate=0):
        """CPU us per scrape, scrapes a second, p99 in us, bytes of a body."""
        for longer in (1, 4, 16):       # where the machine is so busy that no scrape ends in time
            before = cpu(*self.pids)
            n, took, size, errors, _, p99, _ = floor("load", self.port, self.path, connections,
                                                     longer * seconds, rate, 1)
            used = cpu(*self.pids) - before
            assert not errors, "%s: %d errors in %d scrapes" % (self.name, errors, n)
            if n:
                return used / n / 1000, n / took, p99, int(size)
        raise AssertionError("%s: no scrape ended" % self.name)

    def body(self):
        return h.fetch("http://127.0.0.1:%d%s" % (self.port, self.path))[2]

    def samples(self):
        return len(SAMPLE.findall(self.body()))

    def whole_size(self):
        """Bytes of uncored's body when all of it is there: derived metrics come with the second
        sample."""
        h.wait_for("two samples of each socket",
                   lambda: all(int(n) > 1 for n in TICKS.findall(self.body())))
        return len(self.body())


def port_of(process):
    return int(process.serving().rsplit(":", 1)[1])


def start_uncored(stand, on=0, env=None):
    u = stand.start(argv0=["taskset", "-c", "0"] if on == 0 else None, env=env)
    return u, Server("uncored", [u.pid, u.child()], port_of(u))


def start_floor(size, on=0):
    p = h.Process([HERE + "/floor_http", str(size), str(on)], "floor_http")
    return p, Server("static", [p.pid], port_of(p))


def start_peer(name, argv, port):
    p = h.Process(["taskset", "-c", "0", *argv], name)
    h.wait_for(name + " serves", lambda: not p.running() or answers(port))
    if not p.running():
        raise AssertionError("%s ended: %s" % (name, p.text()[-500:]))
    return p, Server(name, [p.pid], port)


def answers(port):
    try:
        return h.fetch("http://127.0.0.1:%d/metrics" % port)[0] == 200
    except OSError:
        return False


def node_exporter():
    port = h.free_port()
    return start_peer("node_exporter",
                      [NODE_EXPORTER, "--web.listen-address=127.0.0.1:%d" % port], port)


def collectd():
    port = h.free_port()
    plugins = ["cpu", "memory", "load", "interface", "disk", "processes", "vmem", "df", "irq"]
    c = h.write("collectd.conf", 'Interval 1\nBaseDir "%s"\nPIDFile "%s"\n'
                % (h.path("collectd"), h.path("collectd.pid")) +
                "".join("LoadPlugin %s\n" % p for p in plugins + ["write_prometheus"]) +
                '<Plugin cpu>\nValuesPercentage false\nReportByCpu true\n</Plugin>\n'
                '<Plugin write_prometheus>\nHost "127.0.0.1"\nPort "%d"\n</Plugin>\n' % port)
    p, server = start_peer("collectd", [COLLECTD, "-f", "-C", c], port)
    time.sleep(2.5)             # rates need two samples
    return p, server


def unchanged(servers, seconds):
    """{(connections, server): [means of the rounds]}: in each round every server has SLICES turns,
    so that what the machine does otherwise, and at which speed, is shared."""
    got = {}
    for _ in range(ROUNDS):
        for n in CONNECTIONS:
            turns = [[s.load(n, seconds / SLICES) for s in servers] for _ in range(SLICES)]
            for s, mine in zip(servers, zip(*turns)):
                got.setdefault((n, s.name), []).append([statistics.mean(v) for v in zip(*mine)])
    return got


def ratios(got, n, i):
    return [u[i] / f[i] for u, f in zip(got[n, "uncored"], got[n, "static"])]


def unchanged_rows(got):
    for n in CONNECTIONS:
        mine, bare = ([statistics.median(r[i] for r in got[n, s]) for i in range(3)]
                      for s in ("uncored", "static"))
        at = "%d connection%s" % (n, "s" if n > 1 else "")
        yield Row("CPU per scrape, body unchanged, %s / static floor" % at, "<= 1.15",
                  ratios(got, n, 0),
                  "%.0f us, floor %.0f us, %.0f kB"
                  % (mine[0], bare[0], got[n, "static"][0][3] / 1000), why=WHY)
        yield Row("scrapes per second, %s / static floor" % at, ">= 0.9", ratios(got, n, 1),
                  "%.0f, floor %.0f" % (mine[1], bare[1]), why=WHY)
        yield Row("p99 latency, %s / static floor" % at, "<= 1.2", ratios(got, n, 2),
                  "%.0f us, floor %.0f us" % (mine[2], bare[2]), why=WHY)


def peer_rows(peers, me, bare, seconds):
    """CPU per scrape and sample, one connection. bare: us a scrape of the static floor."""
    samples = {s.name: s.samples() for s in [me] + peers}
    got = {s.name: [] for s in [me] + peers}
    for _ in range(ROUNDS):
        for s in [me] + peers:
            got[s.name].append(s.load(1, seconds)[0] / samples[s.name])
    for name, goal in (("node_exporter", 1 / 250), ("collectd", 1 / 20)):
        ratio = [a / b for a, b in zip(got[me.name], got.get(name, []))]
        yield Row("CPU per scrape and sample / %s" % name, "<= %g" % goal, ratio,
                  "%.0f ns with %d samples, %s %.0f ns with %d: 1/%.0f" % (
                      1000 * statistics.median(got[me.name]), samples[me.name], name,
                      1000 * statistics.median(got[name]),
                      samples[name], 1 / statistics.median(ratio)) if ratio else
                      "%s is not installed" % name,
                  why="what is there to serve: a body of that size that never changes already "
                      "takes libmicrohttpd %.0f us a scrape, 1/%.0f of %s for each sample."
                      % (bare, statistics.median(got[name]) / (bare / samples[me.name]), name)
                      if ratio else None)


def fresh_rows(seconds=12):
    """Each scrape finds a new generation, as with Prometheus: five pairs scraped once a second, all
    in the same seconds. The first few are not counted: their bodies get their memory. What the same
    process takes in as many seconds without a scrape, to keep the history, is no part of a scrape:
    it has a row of its own beside a timer."""
    stands = [Standin(conf(EVENTS, "1s"), SOCKETS) for _ in range(ROUNDS)]
    mine = [(u, s) for u, s in map(start_uncored, stands)]
    bare = [start_floor(mine[0][1].whole_size()) for _ in range(ROUNDS)]
    servers = [s for pair in zip(mine, bare) for _, s in pair]
    children = {s: s.pids[-1:] for s in servers}        # not the sampling
    alone, results = {}, {}

    def scrape(server, after):
        time.sleep(after)
        floor("load", server.port, server.path, 1, 4, 1, 1)
        before = cpu(*children[server])
        time.sleep(seconds)
        alone[server] = (cpu(*children[server]) - before) / 1000 / seconds
        before = cpu(*children[server])
        n = floor("load", server.port, server.path, 1, seconds, 1, 1)[0]
        took = (cpu(*children[server]) - before) / 1000
        results[server] = (took - alone[server] * seconds) / n

    loads = [threading.Thread(target=scrape, args=(s, i / len(servers)))
             for i, s in enumerate(servers)]
    for t in loads:
        t.start()
    timers = [floor("floor_perf", 0, 5, 1000, 1)[1] / 5000 for _ in range(ROUNDS)]
    for t in loads:
        t.join()
    for p, _ in mine + bare:
        p.stop()
    for s in stands:
        s.remove()
    ours, floors = [results[s] for _, s in mine], [results[s] for _, s in bare]
    yield Row("CPU per scrape, a new generation each second / static floor", "<= 1.7",
              [a / b for a, b in zip(ours, floors)],
              "%.0f us, floor %.0f us" % (statistics.median(ours), statistics.median(floors)),
              why="each body is made afresh: reading the rings and putting the lines together, on "
                  "caches that went cold for a second.")
    kept = [alone[s] for _, s in mine]
    yield Row("CPU of the HTTP process in a second without a scrape: its history / a bare timer",
              "<= 3", [a / b for a, b in zip(kept, timers)],
              "%.0f us, a timer %.0f us" % (statistics.median(kept), statistics.median(timers)))


def flood_rows(me, bare):
    """A scraper at 127.0.0.9 while 127.0.0.2 opens 8,000 silent connections a second. Beside it
    libmicrohttpd with as many places, which closes what comes while all of them are taken."""
    slowest, median, lost = [], [], []
    for _ in range(ROUNDS):
        took = h.scrapes_under_flood(me.port, 60, 0.05)
        assert None not in took, took
        slowest.append(1000 * max(took))
        median.append(1000 * statistics.median(took))
        lost.append(h.scrapes_under_flood(bare.port, 60, 0.05).count(None))
    yield Row("a scrape while another address opens 8,000 connections/s, the slowest of 60",
              "<= 500", slowest, "the median takes %.1f ms, none is lost; static floor: %d of 60 "
              "are lost" % (statistics.median(median), statistics.median(lost)), unit=" ms")


def rows(seconds=0.8):
    stand = Standin(conf(EVENTS, "1s"), SOCKETS)
    u, me = start_uncored(stand)
    p, bare = start_floor(me.whole_size())
    got = unchanged([me, bare], seconds)
    yield from unchanged_rows(got)
    static = statistics.median(g[0] for g in got[1, "static"])
    yield from flood_rows(me, bare)
    p.stop()
    yield from fresh_rows()
    peers = [start() for start, there in ((node_exporter, NODE_EXPORTER), (collectd, COLLECTD))
             if there]
    yield from peer_rows([s for _, s in peers], me, static, seconds)
    for p, _ in peers:
        p.stop()
    u.stop()
    stand.remove()
