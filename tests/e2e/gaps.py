# SPDX-License-Identifier: MIT
"""gaps.py - whatever goes wrong, a query is right within 1 % or has no answer, at every moment.

tests/model/gaps runs two machines through 25 minutes for each kind of gap and says what would be
scraped every 15 s, and what really happened. A Prometheus takes that as remote-write samples, with
the marks of staleness that its own scraper would set, evaluates the recording rules of contrib and
answers the queries every 5 s. contrib/gaps.md is what comes out; with --write it is written anew:
top_srcdir=. top_builddir=build python3 tests/e2e/gaps.py --write
"""
import bisect
import collections
import json
import os
import re
import struct
import subprocess
import sys
import textwrap
import urllib.parse
import urllib.request

import harness as h

TABLE = os.path.join(h.SRC, "contrib/gaps.md")
BEGIN = 1700006400      # virtual time begins here; a multiple of two hours, as Prometheus's blocks
END = 1500              # seconds of each gap
STEP = 5                # between two answers
SETTLED = 320           # from here on what is absent is absent for the gap
SEEDS = ["40"] if os.environ.get("UNCORED_TEST_LONG") else []
STALE = None            # Prometheus's mark of a series that has ended: a NaN of its own


# ---------------------------------------------------------------- remote write

def varint(n):
    out = bytearray()
    while n > 0x7f:
        out.append(n & 0x7f | 0x80)
        n >>= 7
    return bytes(out + bytes([n]))


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def double(value):
    return struct.pack("<Q", 0x7ff0000000000002) if value is STALE else struct.pack("<d", value)


def encode(labels, samples):
    """A prometheus.TimeSeries. samples: (ms, value), in order."""
    out = [field(1, field(1, k.encode()) + field(2, v.encode())) for k, v in sorted(labels)]
    out += [field(2, b"\x09" + double(value) + b"\x10" + varint(ms)) for ms, value in samples]
    return field(1, b"".join(out))


def snappy(data):
    """One literal: it is not about size."""
    return varint(len(data)) + b"\xfc" + struct.pack("<I", len(data) - 1) + data


class Store:
    """A Prometheus that nobody but us fills."""

    def __init__(self):
        self.base = h.prometheus(h.write("empty.yml", ""), "--storage.tsdb.retention.time=100y",
                                 "--web.enable-remote-write-receiver")

    def send(self, body):
        request = urllib.request.Request(self.base + "/api/v1/write", snappy(body), {
            "Content-Type": "application/x-protobuf", "Content-Encoding": "snappy",
            "X-Prometheus-Remote-Write-Version": "0.1.0"})
        try:
            with urllib.request.urlopen(request, timeout=30) as r:
                assert r.status in (200, 204), r.status
        except urllib.error.HTTPError as e:
            raise AssertionError("%d: %s" % (e.code, e.read().decode()))

    def write(self, series):
        """series: {labels: [(ms, value)]}"""
        body = []
        size = 0
        for labels, samples in series.items():
            body.append(encode(labels, samples))
            size += len(body[-1])
            if size > 1 << 20:
                self.send(b"".join(body))
                body, size = [], 0
        self.send(b"".join(body))

    def ask(self, expr):
        """{labels without name: {second: value}} of every STEP."""
        form = urllib.parse.urlencode({"query": expr, "start": BEGIN, "end": BEGIN + END,
                                       "step": STEP}).encode()
        try:
            with urllib.request.urlopen(self.base + "/api/v1/query_range", form, 60) as r:
                answer = json.loads(r.read())
        except urllib.error.HTTPError as e:
            raise AssertionError("%s: %s" % (expr, e.read().decode()))
        assert answer["status"] == "success", answer
        return {tuple(sorted((k, v) for k, v in r["metric"].items() if k != "__name__")):
                {int(t) - BEGIN: float(v) for t, v in r["values"]}
                for r in answer["data"]["result"]}

    def record(self, name, expr):
        """Evaluates a recording rule at each moment, and keeps the result as Prometheus does."""
        out = {}
        for labels, values in self.ask(expr).items():
            samples = []
            for s in range(0, END + 1, STEP):
                if s in values:
                    samples.append(((BEGIN + s) * 1000, values[s]))
                elif s - STEP in values:
                    samples.append(((BEGIN + s) * 1000, STALE))
            out[(("__name__", name), *labels)] = samples
        if out:
            self.write(out)


# ---------------------------------------------------------------- what was scraped

def parse(line, cache={}):
    """Labels of a line of an exposition, as (name, value) pairs, and its value."""
    key, value = line.rsplit(" ", 1)
    if key not in cache:
        name, _, rest = key.partition("{")
        cache[key] = (("__name__", name), *re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', rest))
    return cache[key], float(value)


# Of what is scraped, what the queries and rules below ask for.
NEEDED = ("up ", "uncored_up{", "uncored_slot_valid{", "uncored_active_seconds",
          "uncored_slot_active", "uncored_metric_active", "uncored_metric_invalid",
          "uncore_imt_latency_cycles{", "uncore_bbox", "uncore_cbox", "uncore_wbox", "uncore_rbox",
          "uncore_imc_cas_count_read_", "uncore_memory", "uncore_link_r")


class Truth:
    """What happened: cumulative, at each scrape."""

    def __init__(self):
        self.v = collections.defaultdict(list)

    def add(self, gap, instance, labels, s, value):
        d = dict(labels)
        key = gap, instance, d["socket"], d.get("identity", "ran")
        self.v[key].append((s, value))

    def total(self, key, at):
        """Between two scrapes in proportion."""
        v = self.v[key]
        i = min(max(bisect.bisect_left(v, (at,)), 1), len(v) - 1)
        (s, a), (t, b) = v[i - 1], v[i]
        return a + (b - a) * (at - s) / (t - s)

    def rates(self, gap, instance, socket, identity, start, end):
        """Events per second of all time, and of the time in which the socket's clock ran."""
        if instance == "perf":
            identity = "any"
        events, ran = (self.total((gap, instance, socket, what), end) -
                       self.total((gap, instance, socket, what), start)
                       for what in (identity, "ran"))
        return events / (end - start), events / ran if ran else 0.0

    def between(self, gap, instance, start, end):
        """The first and the last scrape of a window: Prometheus knows nothing beyond them."""
        at = [s for s, _ in self.v[gap, instance, "0", "ran"] if start < s <= end]
        return min(at[0], at[-1] - 1), at[-1]

    def steady(self, gap, instance):
        """Was it the same in each 15 s?"""
        def pieces(key):
            v = self.v[key]
            return [(b - a) / (t - s) for (s, a), (t, b) in zip(v, v[1:])]
        return all(max(p) < 1.0001 * min(p)
                   for p in (pieces(k) for k in self.v if k[:2] == (gap, instance)))


def scraped():
    """Series for the store, and the truth."""
    program = os.path.join(h.BUILD, "tests/model/gaps")
    if not os.path.exists(program):
        h.skip("tests/model/gaps was not built: cmocka is not installed")
    text = subprocess.run([program, *SEEDS], stdout=subprocess.PIPE, check=True).stdout.decode()
    series, truth = collections.defaultdict(list), Truth()
    where, before, now = None, set(), set()     # machine; series of the last scrape, of this one
    ms = 0
    for line in text.splitlines() + ["# scrape ,,0"]:
        if line.startswith("# scrape "):
            for gone in before - now:
                series[gone].append((ms, STALE))
            gap, instance, ms = line[9:].split(",")
            before, now = now if where == (gap, instance) else set(), set()
            where = gap, instance
            second, ms = int(ms) / 1000, BEGIN * 1000 + int(ms)
            extra = ("instance", gap + "/" + instance), ("job", "uncored")
        elif line.startswith(("truth{", "ran{")):
            labels, value = parse(line)
            truth.add(gap, instance, labels, second, value)
        elif line.startswith(NEEDED):
            labels, value = parse(line)
            labels = (*labels, *extra)
            now.add(labels)
            series[labels].append((ms, value))
    return series, truth


# ---------------------------------------------------------------- queries

SOCKETS, BBOXES, SLICES, CHANNELS = range(2), range(2), range(8), range(6)
Want = collections.namedtuple("Want", "instance labels value")


def want(instance, value, **labels):
    """A series that has to be there, and its value: of r, the rate of an identity of its socket,
    r(identity[, socket])."""
    return Want(instance, tuple(sorted(labels.items())), value)


def each_bbox(value):
    return [want("registers", lambda r, u=u: value(r, u), socket=str(s), unit=str(u))
            for s in SOCKETS for u in BBOXES]


def each_socket(value, instance="registers"):
    return [want(instance, value, socket=str(s)) for s in SOCKETS]


def each_port(value, port="0", link="qpi1"):
    return [want("registers", value, socket=str(s), unit="0", port=port, link=link)
            for s in SOCKETS]


def inserts(r, u):
    return r("bbox%d/IMT_INSERTS_ALL" % u)


def latency(r, u):
    """32 x occupancy / inserts (323535-001 2.4.4.2)."""
    return 32 * r("bbox%d/IMT_VALID_OCCUPANCY" % u) / inserts(r, u)


def commands(r, u):
    """64 bytes for each command of B-Box u's reads."""
    return 64 * r("mbox%d/FVC_EV0:BBOX_CMDS_READS" % u)


def hits(r, u):
    return r("cbox%d/LLC_HITS:ALL" % u)


def lookups(r, u):
    return hits(r, u) + r("cbox%d/LLC_MISSES:ALL" % u)


def clock(r):
    return r("wbox0/CLOCKTICKS")


CHANNEL = [want("perf", lambda r: r("any"), socket=str(s), unit=str(u))
           for s in SOCKETS for u in CHANNELS]
READ_BYTES = each_socket(lambda r: 6 * 64 * r("any"), "perf")

INSERTS = 'rate(uncore_bbox_imt_inserts_all_total[%s])' \
    ' / ignoring (box, event) slot:uncored_active:rate%s{box="bbox",event="IMT_INSERTS_ALL"}'
READS = 'rate(uncore_imc_cas_count_read_total[%s])' \
    ' / ignoring (box, event) slot:uncored_active:rate%s{box="imc",event="cas_count_read"}'
DERIVED = 'rate(uncore_%s[2m]) / ignoring (metric) metric:uncored_active:rate2m{metric="%s"}' \
    ' and count_over_time(uncore_%s[2m])' \
    ' == on (job, instance, socket) group_left () count_over_time(uncored_up[2m])'
# heading, seconds that it looks back, and of each instance the query and what it has to answer
QUERIES = [
    ("rate 1m", 60, [(INSERTS % ("1m", "1m"), each_bbox(inserts)),
                     (READS % ("1m", "1m"), CHANNEL)]),
    ("rate 2m", 120, [(INSERTS % ("2m", "2m"), each_bbox(inserts)),
                      (READS % ("2m", "2m"), CHANNEL)]),
    ("rate 5m", 300, [(INSERTS % ("5m", "5m"), each_bbox(inserts)),
                      (READS % ("5m", "5m"), CHANNEL)]),
    ("derived", 120, [(DERIVED % (("memory_command_read_bytes_total",) * 3), each_bbox(commands)),
                      (DERIVED % (("memory_read_bytes_total",) * 3), READ_BYTES)]),
    ("sum, units", 120, [
        ('sum without (unit) (rate(uncore_cbox_llc_hits_total[2m])'
         ' / ignoring (box, event) slot:uncored_active:rate2m{box="cbox",event="LLC_HITS"})'
         ' unless ignoring (box, event)'
         ' instance_socket_event:uncored_gap:present2m{box="cbox",event="LLC_HITS"}',
         [want("registers", lambda r: sum(hits(r, u) for u in SLICES), socket=str(s), umask="ALL")
          for s in SOCKETS])]),
    ("sum, sockets", 120, [
        ('sum without (unit, socket) (%s) unless ignoring (box, event)'
         ' group without (socket) (instance_socket_event:uncored_gap:present2m'
         '{box="bbox",event="IMT_INSERTS_ALL"})' % INSERTS % ("2m", "2m"),
         [want("registers", lambda r: sum(r("bbox%d/IMT_INSERTS_ALL" % u, s)
                                          for s in SOCKETS for u in BBOXES))])]),
    ("increase", 300, [((INSERTS % ("5m", "5m")).replace("rate(", "increase(", 1),
                        each_bbox(lambda r, u: 300 * inserts(r, u)))]),
    ("irate", 31.8, [((INSERTS % ("1m", "1m")).replace("rate(", "irate(", 1)
                    .replace(":rate1m", ":irate1m"), each_bbox(inserts))]),
    ("max, gauge", 120, [("max_over_time(uncore_imt_latency_cycles[2m])", each_bbox(latency))]),
    ("avg, gauge", 120, [("avg_over_time(uncore_imt_latency_cycles[2m])", each_bbox(latency))]),
    ("scaled", 120, [(READS.replace("read_total", "read_bytes_total") % ("2m", "2m"),
                      [w._replace(value=lambda r: 64 * r("any")) for w in CHANNEL])]),
]
# What each recorded name has to say; those that these machines have no events for are left out.
RECORDED = {
    "instance_socket:uncore_clock:hertz_rate2m": each_socket(clock),
    "instance_socket:uncore_memory_read_bytes:rate2m": READ_BYTES,
    "instance_socket_unit:uncore_memory_read_bytes:rate2m": READ_BYTES,
    "instance_socket:uncore_memory_write_bytes:rate2m": READ_BYTES,
    "instance_socket_unit:uncore_memory_write_bytes:rate2m": READ_BYTES,
    "instance_socket_unit:uncore_memory_command_read_bytes:rate2m": each_bbox(commands),
    "instance_socket:uncore_memory_command_read_bytes:rate2m":
        each_socket(lambda r: commands(r, 0) + commands(r, 1)),
    "instance_socket:uncore_memory_requests:rate2m":
        each_socket(lambda r: inserts(r, 0) + inserts(r, 1)),
    "instance_socket_unit:uncore_imt_latency_cycles:rate2m": each_bbox(latency),
    "instance_socket_unit:uncore_imt_latency_seconds:rate2m":
        each_bbox(lambda r, u: latency(r, u) / 2.4e9),
    "instance_socket_unit:uncore_llc_hits:rate2m": [
        want("registers", lambda r, u=u: hits(r, u), socket=str(s), unit=str(u), umask="ALL")
        for s in SOCKETS for u in SLICES],
    "instance_socket_unit:uncore_llc_lookups:rate2m": [
        want("registers", lambda r, u=u: lookups(r, u), socket=str(s), unit=str(u), umask="ALL")
        for s in SOCKETS for u in SLICES],
    "instance_socket:uncore_llc_hit_ratio:rate2m": [
        want("registers", lambda r: sum(hits(r, u) for u in SLICES) /
             sum(lookups(r, u) for u in SLICES), socket=str(s), umask="ALL") for s in SOCKETS],
    "instance_socket:uncore_llc_lookups:max_over_mean": [
        want("registers", lambda r: lookups(r, 0) * 8 / sum(lookups(r, u) for u in SLICES),
             socket=str(s), umask="ALL") for s in SOCKETS],
    "instance_socket_unit_port:uncore_link_utilization_ratio:rate2m":
        each_port(lambda r: 1 - r("rbox0/NULL_IDLE,port=0") / r("rbox0/FLITS_SENT,port=0")),
    "instance_socket_unit_port:uncore_link_received_data_bytes:rate2m":
        each_port(lambda r: 64 * r("rbox0/NEW_PACKETS_RECV:ANY_DRS,port=1"), "1", "qpi0"),
}


def rules():
    """(name, expression) of the recording rules, in order."""
    with open(os.path.join(h.SRC, "contrib/prometheus/rules.yml")) as f:
        text = f.read()
    for name, long, short in re.findall(
            r"- record: (\S+)\n +expr: (?:\|\n((?: {10}.*\n)+)|(.+)\n)", text):
        yield name, long or short


def evaluate(store):
    """The recording rules, and the time of a slot over other windows."""
    for name, expr in rules():
        store.record(name, expr)
        if name == "slot:uncored_active:rate2m":
            expr = re.sub(r"(uncored_slot_\w+)", r'\1{event=~"IMT_INSERTS_ALL|cas_count_read"}',
                          expr)
            for window in "1m", "5m":
                store.record(name.replace("2m", window), expr.replace("2m", window))
            store.record("slot:uncored_active:irate1m",
                         re.sub(r"\brate\(", "irate(", expr).replace("2m", "1m"))


class Cell:
    """The answers to a query in one gap."""

    def __init__(self):
        self.absent = 0         # seconds, of the series that was absent for longest
        self.wrong = 0.0        # the largest error
        self.where = None       # its labels, second, answer and truth
        self.asked = False
        self.absent_elsewhere = False

    def text(self):
        if not self.asked:
            return "-"
        if self.wrong > 0.01:
            return "WRONG by %.2g %%" % (100 * self.wrong)
        return "absent %d s" % self.absent if self.absent else "right"

    def judge(self, truth, gap, one, answers, back, steady):
        """truth.rates() is asked at each moment, unless it is the same at all of them."""
        self.asked = True
        absent = STEP * sum(s not in answers for s in range(SETTLED, END - 15 + 1, STEP))
        self.absent = max(self.absent, absent)
        self.absent_elsewhere |= (absent > 0 and gap in ELSEWHERE and
                                  dict(one.labels).get("socket") == "1")
        ends = bounds(truth, gap, one, 0, END) if steady else None
        for s, value in answers.items():
            low, high = ends or bounds(truth, gap, one, *truth.between(gap, one.instance,
                                                                       s - back, s))
            off = max(low - value, value - high, 0) / max(high, 1e-30)
            if off > self.wrong or off != off:
                self.wrong, self.where = off, (one.labels, s, value, low, high)


def bounds(truth, gap, one, start, end):
    """What an answer may be: while a clock stands still nothing happens, and that is either a rate
    of 0 or no time at all."""
    own = dict(one.labels).get("socket", "0")

    def value(which):
        return one.value(lambda identity, socket=own:
                         truth.rates(gap, one.instance, str(socket), identity, start, end)[which])
    ends = value(0), value(1)
    return min(ends), max(ends)


def judge_all(truth, columns, machines):
    """{(gap, heading): Cell}; columns: [(heading, seconds back, wanted series, answers)]"""
    cells = collections.defaultdict(Cell)
    steady = {m: truth.steady(*m) for m in machines}
    for heading, back, wanted, answers in columns:
        left = dict(answers)
        for gap, machine in machines:
            cell = cells[gap, heading]
            for one in wanted:
                if one.instance != machine:
                    continue
                labels = (*one.labels, ("instance", gap + "/" + machine), ("job", "uncored"))
                cell.judge(truth, gap, one, left.pop(tuple(sorted(labels)), {}), back,
                           steady[gap, machine])
        assert not left, (heading, "unexpected", list(left)[:3])
    return cells


def measure():
    """{(gap, heading): Cell}, and the gaps in order."""
    store = Store()
    series, truth = scraped()
    store.write(series)
    evaluate(store)
    machines = list(dict.fromkeys(tuple(dict(k)["instance"].split("/")) for k in series))
    columns = []
    for heading, back, asked in QUERIES:
        columns += [(heading, back, wanted, store.ask(expr)) for expr, wanted in asked]
    columns += [(RULES, 120, wanted, store.ask(name)) for name, wanted in RECORDED.items()]
    return judge_all(truth, columns, machines), list(dict.fromkeys(gap for gap, _ in machines))


def document(cells, gaps):
    """contrib/gaps.md"""
    headings = [heading for heading, _, _ in QUERIES] + [RULES]
    rows = [["what happens", *headings], ["---"] * (len(headings) + 1)]
    rows += [[gap] + [cells[gap, heading].text() for heading in headings] for gap in gaps]
    asked = []
    for heading, _, queries in QUERIES:
        asked.append("- " + heading)
        asked += [textwrap.fill(expr, 98, initial_indent="\n      ", subsequent_indent="        ",
                                break_long_words=False, break_on_hyphens=False)
                  for expr, _ in queries]
    return TEXT % ("\n".join("| %s |" % " | ".join(row) for row in rows), "\n".join(asked))


def test_every_answer():
    cells, gaps = measure()
    text = document(cells, gaps)
    wrong = [(key, cell) for key, cell in cells.items() if cell.wrong > 0.01]
    for (gap, heading), cell in wrong[:20]:
        print("%s, %s: WRONG by %.2g %%: %s at %d s is %g, not %g to %g"
              % (gap, heading, 100 * cell.wrong, *cell.where))
    print(text)
    assert not wrong
    blind = [key for key, cell in cells.items() if cell.absent_elsewhere]
    assert not blind, ("absent on a socket that nothing happened to", blind)
    if SEEDS:
        return                          # rows that the page does not have
    if "--write" in sys.argv:
        with open(TABLE, "w") as f:
            f.write(text)
    with open(TABLE) as f:
        assert f.read() == text, "run: python3 tests/e2e/gaps.py --write"


RULES = "rules"
# These happen to socket 0.
ELSEWHERE = {"foreign write", "value set", "read error", "reader CPU goes", "socket offline",
             "stopped clock"}
TEXT = """\
<!-- SPDX-License-Identifier: MIT -->
# What queries answer while something goes wrong

Each row is a machine that counts for 25 minutes. From the sixth minute on this happens to it, for
moments and for minutes. Each column is a query, asked every 5 s. Each answer was within 1 %% of
what really happened (right), or there was none: the table says for how long at most, in total, a
series was absent. `tests/e2e/gaps.py` measures it, and writes this page.

%s

The queries, with the recording rules of `prometheus/rules.yml`; those of other windows than 2m are
the same with that window. `rules` is all that these record.

%s
"""
if __name__ == "__main__":
    h.main(sys.modules[__name__], 0)
