# SPDX-License-Identifier: MIT
"""soak.py - reloads without end, while it is scraped: descriptors and memory stay as they were, and
no total falls.

200 reloads; UNCORED_TEST_LONG=1: 10,000, which the build with sanitizers is meant for. Memory is
compared with that after a tenth of them, when allocators have what they keep. UNCORED_TEST_RELOADS:
another number. UNCORED_TEST_PLOT=FILE draws both; docs/soak.svg is 10,000 reloads without
sanitizers.

10,000 on two busy CPUs. With AddressSanitizer: 573 s, 35,707 scrapes; uncored from 27.7 to 31.0 MB,
uncored-http from 21.3 to 21.4 MB. Without: 327 s, 24,075 scrapes; 6.2 and 6.2 MB, 6.0 and 6.1 MB;
16 and 8 descriptors from the beginning to the end.

With ThreadSanitizer, test_reloads finds what other tests do not reach: groups that take turns while
a reload swaps them. A log_path in TSAN_OPTIONS gets the stacks of uncored; uncored-http has an
empty root directory and cannot write there.
"""
import contextlib
import os
import re
import signal
import sys
import threading
import time

import harness as h

CONF = """interval = "20ms"; rotation = "20ms";
groups = (
  { name = "a"; events = [ "bbox/IMT_INSERTS_ALL", "wbox/CLOCKTICKS" ]; },
  { name = "b"; events = [ "bbox/IMT_INSERTS_RD", "cbox0/LLC_HITS:ALL" ]; } %s
);
"""
MORE = """, { name = "c"; events = [ "bbox/CONFLICTS", "rbox/FLITS_SENT,port=0" ];
    resolution = "5ms"; distribution = true; }"""
INSERTS = 'uncore_bbox_imt_inserts_all_total{socket="0",unit="0"}'
ASKED = [("/metrics", {"Accept-Encoding": "gzip"}), ("/api/v1/snapshot", {}), ("/", {}),
         ("/metrics", {"Accept": "application/openmetrics-text;version=1.0.0"})]
RELOADS = int(os.environ.get("UNCORED_TEST_RELOADS") or
              (10000 if os.environ.get("UNCORED_TEST_LONG") else 200))
KB = 1024
PLOT = os.environ.get("UNCORED_TEST_PLOT")
PLOTTED = [n for n in (1, 4, 16, 64, 256, 1024, 4096) if n < RELOADS] + [RELOADS]


class Scraper(threading.Thread):
    """Asks for one thing after the other, and sees that the total does not fall."""

    def __init__(self, u):
        super().__init__(daemon=True)
        self.u, self.n, self.last, self.wrong, self.done = u, 0, 0, [], False
        self.asking = threading.Lock()
        self.start()

    def run(self):
        while not self.done:
            with self.asking:
                code, _, body = self.u.get(*ASKED[self.n % len(ASKED)])
            if code != 200:
                self.wrong.append("%s: %d" % (ASKED[self.n % len(ASKED)][0], code))
            if self.n % len(ASKED) == 3:
                now = int(h.samples(body.decode()).get(INSERTS, self.last))
                if now < self.last:
                    self.wrong.append("the total fell from %d to %d" % (self.last, now))
                self.last = now
            self.n += 1
            time.sleep(0.01)


def cost(u):
    """{what: value} of both processes."""
    out = {}
    for name, pid in (("uncored", u.pid), ("uncored-http", u.child())):
        status = h.read("/proc/%d/status" % pid)
        out[name + " kB"] = int(re.search(r"VmRSS:\s+(\d+)", status)[1])
        out[name + " threads"] = int(re.search(r"Threads:\s+(\d+)", status)[1])
        fds = 0
        with contextlib.suppress(PermissionError):
            fds = len(os.listdir("/proc/%d/fd" % pid))
        out[name + " descriptors"] = fds
    return out


def settled(scraper):
    """While the scraper pauses and its connections have gone."""
    with scraper.asking:
        time.sleep(0.5)
        return cost(scraper.u)


def plot(seen):
    """seen: {number of reloads: what they cost}"""
    sys.path.append(os.path.join(h.SRC, "tests/bench"))
    import svg

    def lines(what, unit=1):
        return {name: [(n, seen[n]["%s %s" % (name, what)] / unit) for n in seen]
                for name in ("uncored", "uncored-http")}
    with open(PLOT, "w", encoding="utf-8") as f:
        f.write(svg.draw([("Memory", "reloads", "MB resident", lines("kB", 1000)),
                          ("Descriptors", "reloads", "open", lines("descriptors")),
                          ("Threads", "reloads", "number", lines("threads"))]))


def test_reloads():
    env = {"ASAN_OPTIONS": "quarantine_size_mb=4:" + os.environ.get("ASAN_OPTIONS", "")}
    u = h.Uncored("-c", h.write("soak.conf", CONF % ""), "--engine", "model:nehalem-ex", env=env)
    scraper, http, began, first = Scraper(u), u.child(), time.monotonic(), None
    seen = {}
    with open(u.log) as log:
        for n in range(RELOADS):
            if n == RELOADS // 10:
                first = settled(scraper)
            h.write("soak.conf", CONF % (MORE if n % 2 == 0 else ""))
            u.p.send_signal(signal.SIGHUP)
            said, end = "", time.monotonic() + h.PATIENCE
            while "configuration read again" not in said:
                assert time.monotonic() < end and u.running(), (n, said)
                time.sleep(0.002)
                said += log.read()
            assert "failed" not in said, (n, said)
            if PLOT and n + 1 in PLOTTED:
                seen[n + 1] = settled(scraper)
    took = time.monotonic() - began
    scraper.done = True
    scraper.join()
    last = settled(scraper)
    print("%d reloads in %.0f s beside %d scrapes; after a tenth of them, and at the end:" %
          (RELOADS, took, scraper.n))
    for what, was in first.items():
        print("%s: %d, %d" % (what, was, last[what]))
    if PLOT:
        plot(seen)
    assert not scraper.wrong, scraper.wrong[:10]
    assert scraper.n > 10 and scraper.last > 0
    assert u.child() == http, "another http process serves"
    for what, was in first.items():
        if what.endswith("kB"):
            assert last[what] < was + was // 10 + 4 * KB, (what, was, last[what])
        else:
            assert last[what] == was, (what, was, last[what])
    assert u.stop() == 0, u.text()[-3000:]
    assert "ERROR: " not in u.text(), u.text()[-3000:]


h.main(sys.modules[__name__])
