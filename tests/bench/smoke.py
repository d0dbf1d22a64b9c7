# SPDX-License-Identifier: MIT
"""smoke.py - the floors and the load generator measure what they say, in a few milliseconds each:
no figure is judged here."""
import http.server
import json
import os
import re
import shutil
import sys
import threading
import xml.dom.minidom

sys.path.insert(0, os.path.join(os.environ.get("top_srcdir", "."), "tests/bench"))
import rows_server  # noqa: E402
import rows_store  # noqa: E402
import svg  # noqa: E402
import trees  # noqa: E402
from common import EVENTS, Row, conf, floor, h, percentile  # noqa: E402
from standin import Standin, TickLog  # noqa: E402


class Page(http.server.BaseHTTPRequestHandler):
    """A page in one piece or in chunks, whose visits are counted."""
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 65536
    visits, lock = {}, threading.Lock()
    body = b"a_total 1\n" * 700

    def do_GET(self):
        with Page.lock:
            Page.visits[self.path] += 1
        self.send_response(200)
        if self.path.startswith("/chunks"):
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for at in range(0, len(self.body), 3000):
                part = self.body[at:at + 3000]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.send_header("Content-Length", str(len(self.body)))
            self.end_headers()
            self.wfile.write(self.body)

    def log_message(self, *args):
        pass

    def handle(self):
        try:
            super().handle()
        except ConnectionResetError:    # load ends with requests on their way
            pass


def test_load_counts_what_the_server_counts():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    for path, rate, size in (("/a", 0, 7000), ("/b", 200, 7000), ("/chunks", 0, 0)):
        for seconds in (0.2, 3):                        # longer where the machine lets nobody run
            Page.visits[path + str(seconds)] = 0
            n, took, got, errors, p50, p99, top = floor("load", port, path + str(seconds), 2,
                                                        seconds, rate, -1)
            if n:
                break
        assert errors == 0 and got == size, (path, errors, got)
        visits = Page.visits[path + str(seconds)]
        # one may be on its way at the end of each
        assert 0 < n <= visits <= n + 2, (path, n, visits)
        assert rate == 0 or n <= rate * took + 1, (n, took)
        assert 0 < p50 <= p99 <= top, (p50, p99, top)
    server.shutdown()
    server.server_close()


def test_static_floor_and_first_scrape():
    port = h.free_port()
    ms = floor("first_scrape", port, "/metrics", "xxxx",
               os.path.join(h.BUILD, "tests/bench/floor_http"), "20000", "-1", port)[0]
    assert 0 < ms < 10000, ms


def test_timers_tick():
    ticks, p50, p99, top = floor("floor_timer", 1000, 0.05, 0, 0)
    assert 1 <= ticks <= 50 and p50 <= p99 <= top, (ticks, p50, p99, top)
    for file in ("/dev/zero", "filter:/dev/zero"):
        ticks, ns = floor("floor_pread", file, 1000, 0.05, 0, 0, 0, 8, 16, "+", 10, 24)
        assert 1 <= ticks <= 50 and ns > 0, (file, ticks, ns)


def test_format_puts_the_same_lines_together():
    if not os.path.exists(os.path.join(h.BUILD, "tests/bench/floor_format")):
        h.skip("built without cmocka")
    lines, render, bare = floor("floor_format", 1, 2)       # fails if they differ
    assert lines > 98 and render > 0 and bare > 0


def test_standin_counts():
    """Every counter of a socket on a plain file; what is published is what the file holds, read
    between the kernel's ticks."""
    if h.SANITIZED:
        h.skip("a sanitizer's runtime does not let another library come first")
    stand = Standin(conf(EVENTS, "10ms"))
    ticks = TickLog(stand, 10000)
    u = stand.start(env=ticks.env)
    h.wait_for("counts",
               lambda: u.value('uncore_ubox_woken_total{socket="0",unit="0"}') >= 1000)
    total = u.value('uncore_ubox_woken_total{socket="0",unit="0"}')
    assert total % 1000 == 0 and total <= stand.count, (total, stand.count)
    assert not [k for k in u.metrics() if k.startswith("uncored_slot_invalid")]
    # Half a millisecond behind the multiples of 10 ms: who ticks at those is 9.5 ms late by this
    # log.
    h.wait_for("ticks", lambda: ticks.count() >= 20)
    assert percentile(ticks.since(0), 0.5) < 9e6, ticks.since(0)
    assert u.stop() == 0
    stand.remove()


def test_rows_and_plot():
    assert Row("", "<= 1.15", [1.0, 1.3, 1.15]).state() == "met"
    assert Row("", "<= 1.15", [1.0, 1.16, 1.2]).state() == "missed"
    assert Row("", ">= 0.9", [0.8, 0.89, 1.0]).state() == "missed"
    assert Row("", "<= 1", []).measured() == "absent"
    for logarithmic in (False, True):
        xml.dom.minidom.parseString(svg.draw(
            [("<a & b>", "x", "y", {"one": [(1, 2), (98, 200)], "two": [(1, 1), (98, 3)]})],
            logarithmic))
    assert svg.y_ticks(20, 90) != svg.y_ticks(20, 90, True) == [10, 100]


def test_another_revision():
    """What is asked of one that is not there is said, and nothing is built."""
    code, _, err = h.run(sys.executable, "-B", os.path.join(h.SRC, "tests/bench/bench.py"),
                         "--base", "no-such-revision", "format")
    assert code and "BASE=no-such-revision" in err, (code, err)


def test_figures_of_another_build():
    """Programs of another build directory are measured where base.py says so."""
    env = {"BENCH_BUILD": "/elsewhere", "BENCH_ROUNDS": "1"}
    code, out, err = h.run(sys.executable, "-B", "-c", "import common; print(common.h.UNCORED, "
                           "common.CODE, common.HERE == common.CODE, common.ROUNDS)",
                           env=dict(env, PYTHONPATH=os.path.join(h.SRC, "tests/bench")))
    assert out.split() == ["/elsewhere/uncored", "/elsewhere/tests/bench", "False", "1"], (out, err)


def test_perf_kernel_counts():
    """Totals that rise with the time, at the rate of each event's place in its group; every event
    is one descriptor."""
    if h.SANITIZED:
        h.skip("a sanitizer's runtime does not let another library come first")
    root = trees.make(trees.grown("icx", 2, 1, 4))
    spec = '"perf/uncore_imc_0/event=0x%d,name=%s/"'
    u = rows_server.start(root, "-c", h.write("two.conf", "groups = ( { name = \"g\"; events = [ "
                          + ", ".join((spec % (1, "one"), spec % (2, "two"))) + " ]; } );\n"))
    first, second = ('uncore_imc_%s_total{socket="1",unit="0"}' % name for name in ("one", "two"))
    assert rows_server.counted(u.pid) == 4
    h.wait_for("counts", lambda: u.value(first) > 0)
    got = u.metrics()
    seconds = float(got['uncored_active_seconds_total{socket="1"}'])
    assert float(got[second]) == 2 * float(got[first]), (got[first], got[second])
    assert 0 < float(got[first]) < 1.5e6 * seconds + 1e6, (got[first], seconds)
    assert not [k for k in got if k.startswith("uncored_slot_invalid")]
    assert u.stop() == 0


def test_store_keeps_every_sample():
    """A series that stands still costs less than one whose bits all move."""
    if not shutil.which("promtool"):
        h.skip("prometheus is not installed")
    still, moving = ([{'a_total{socket="%d"}' % s: str(v) for s in range(20)} for v in values]
                     for values in ([7] * 100, [1 / (3 + k) for k in range(100)]))
    (one, n), (two, m) = (rows_store.stored(name, bodies, 15)
                          for name, bodies in (("still", still), ("moving", moving)))
    assert n == m == 2000 and one / n < 1 and 7 < two / m < 10, (one, two, n, m)


def test_sysfs_floor_reads_every_file():
    """A machine of 8 CPUs and their PMUs: as many files as are listed here."""
    root = trees.make(trees.grown("icx", 2, 1, 4))
    at = root + "/bus/event_source/devices/"
    listed = 8 + sum(name in os.listdir(at + pmu) for pmu in os.listdir(at)
                     for name in ("type", "cpumask"))
    for pmu in os.listdir(at):
        for part in ("format", "events"):
            if os.path.isdir(os.path.join(at, pmu, part)):
                listed += len(os.listdir(os.path.join(at, pmu, part)))
    files, ns = floor("floor_sysfs", root)
    assert files == listed and ns > 0, (files, listed)


def planned(root):
    code, out, err = h.run(h.CTL, "plan", "--json", "--path-sysfs", root, "--path-procfs", root)
    assert code == 0, err
    return re.sub(r'"type": \d+', '"type": 0', out)    # PMUs are numbered anew


def test_grown_trees_are_the_same_machines():
    """Grown by nothing a machine has its own plan; larger ones have the same series."""
    for name, layout, larger in (("icx", (2, 1, 4), (2, 1, 80)), ("zen4", (2, 6, 2), (2, 6, 16)),
                                 ("gnr", (2, 1, 4), (2, 1, 256))):
        plain = planned(h.tree(name))
        assert planned(trees.make(trees.grown(name, *layout))) == plain, name
        large = json.loads(planned(trees.make(trees.grown(name, *larger))))
        assert large["series"] == json.loads(plain)["series"], name
    planned(trees.make(trees.grown("spr", 8, 1, 4)))    # more sockets than the text has


h.main(sys.modules[__name__])
