# SPDX-License-Identifier: MIT
"""api.py - JSON over HTTP: the catalog, status and snapshot by their schemas, against uncorectl and
/metrics."""
import base64
import copy
import gzip
import hashlib
import html.parser
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

import harness as h
import schema

CONF = """
interval = "500ms";
resolution = "50ms";
groups = (
  { name = "memory"; events = [ "bbox/IMT_VALID_OCCUPANCY", "bbox/IMT_INSERTS_ALL",
    "bbox/CONFLICTS", "wbox/CLOCKTICKS" ]; distribution = true; },
  { name = "links"; events = [ "rbox/NULL_IDLE,port=0", "rbox/FLITS_SENT,port=1",
    "wbox/CLOCKTICKS" ]; }
);
"""
_server = []


def server():
    if not _server:
        _server.append(h.Uncored("--engine", "model:nehalem-ex:stream",
                                 "-c", h.write("api.conf", CONF)))
    return _server[0]


def get(path, **kw):
    status, headers, body = server().get(path, **kw)
    assert status == 200 and headers["Content-Type"] == "application/json", (path, status, headers)
    return json.loads(body)


def refused(name, document, path):
    """Damage at this place must not pass: one member more, one less, another type."""
    v = schema.validator(name)
    for change in (lambda o: o.update(surprise=1), lambda o: o.pop(sorted(o)[0]),
                   lambda o: o.update({k: {"no": 1} for k in list(o)[:1]})):
        d = copy.deepcopy(document)
        o = d
        for p in path:
            o = o[p]
        change(o)
        assert not v.is_valid(d), (name, path, "is accepted although it was damaged")


def test_no_selection_but_of_metrics():
    for path in "/api/v1/snapshot", "/api/v1/status", "/api/v1/catalog", "/api/v1/stream", "/":
        for argument in "group[]=memory", "name%5B%5D=nope":
            status, _, body = server().get(path + "?" + argument)
            assert status == 400 and b"select series of /metrics alone" in body, (path, status)
    for path in "/api/v1/snapshot?other=1", "/-/healthy?group[]=memory":
        assert server().get(path)[0] == 200, path


def test_status():
    j = get("/api/v1/status")
    schema.accept(schema.validator("status"), j, "status")
    assert j["processor"] == "nehalem-ex" and j["simulated"] is True and len(j["sockets"]) == 2, j
    assert j["ready"], j
    s = j["sockets"][1]
    assert s["socket"] == 1 and s["up"] and s["lateness_seconds"] < 5, s
    assert [g["name"] for g in s["groups"]] == ["memory", "links"], s
    for path in ((), ("sockets", 0), ("sockets", 0, "groups", 0)):
        refused("status", j, path)
    bad = copy.deepcopy(j)
    bad["sockets"][0]["invalid_slots"] = [{"slot": "bbox0/X", "groups": ["memory"],
                                           "reason": "tired"}]
    assert not schema.validator("status").is_valid(bad)
    bad["sockets"][0]["invalid_slots"][0]["reason"] = "foreign"
    assert schema.validator("status").is_valid(bad)
    schema.check_closed("status")


def test_snapshot():
    j = get("/api/v1/snapshot")
    schema.accept(schema.validator("snapshot"), j, "snapshot")
    assert [s["socket"] for s in j["sockets"]] == [0, 1], j["sockets"]
    assert all(s["publication"] > 0 for s in j["sockets"]), j["sockets"]
    families = {m["name"]: m for m in j["metrics"]}
    assert families["uncore_imt_latency_seconds"]["unit"] == "seconds"
    assert families["uncored_socket_info"]["type"] == "info"
    assert any(m["type"] == "histogram" for m in j["metrics"]), list(families)
    for path in ((), ("sockets", 0), ("metrics", 0), ("metrics", 0, "series", 0)):
        refused("snapshot", j, path)
    schema.check_closed("snapshot")
    schema.check_open("snapshot")


def test_the_stream_in_a_shell():
    """The line of uncored(8): events of the name snapshot, read by jq."""
    if not shutil.which("jq"):
        h.skip("jq is not installed")
    text = h.read(os.path.join(h.SRC, "man/uncored.8"))
    line = re.search(r"^(curl -sN \S+/api/v1/stream \|\n.*?)\n\.Ed", text, re.M | re.S).group(1)
    u = h.Uncored("--engine", "model:nehalem-ex")
    line = line.replace("http://127.0.0.1:10062", u.url)
    r = subprocess.run(["timeout", "20", "sh", "-c", line + " | head -n 2"], text=True,
                       stdout=subprocess.PIPE, check=False)
    assert r.stdout.split() == ["1", "1"], (line, r)


def exact(value):
    """Numbers as they are written: a double would hide a digit."""
    return json.loads(value, parse_int=str, parse_float=str)


def key_of(name, labels):
    text = ",".join('%s="%s"' % kv for kv in labels.items())
    return "%s{%s}" % (name, text) if text else name


def values(snapshot):
    """{series: value text} of what is valid, histograms by their parts, as /metrics has them."""
    out = {}
    for m in snapshot["metrics"]:
        for s in m["series"]:
            v = s.get("value")
            if isinstance(v, dict):
                out.update({key_of(m["name"] + "_bucket", dict(s["labels"], le=b["le"])): b["count"]
                            for b in v["buckets"]})
                out[key_of(m["name"] + "_count", s["labels"])] = v["count"]
                out[key_of(m["name"] + "_sum", s["labels"])] = v["sum"]
            elif s["valid"]:
                out[key_of(m["name"], s["labels"])] = v
    return out


def test_snapshot_has_the_values_of_metrics():
    """To the last digit, in a moment in which nothing is published."""
    u = server()

    def one_moment():
        before, text, after = (u.get(p)[2]
                               for p in ("/api/v1/snapshot", "/metrics", "/api/v1/snapshot"))
        return before == after and (exact(before), h.samples(text.decode()))
    snapshot, metrics = h.wait_for("a quiet moment", one_moment)
    got = values(snapshot)
    assert got == metrics, sorted(set(got.items()) ^ set(metrics.items()))[:6]
    assert len(got) > 100


def test_once_writes_a_snapshot():
    code, out, err = h.run(h.UNCORED, "--once", "--format", "json",
                           "--engine", "model:ivytown:stream",
                           "-c", h.write("none.conf", 'interval = "100ms";'))
    assert code == 0, err
    schema.accept(schema.validator("snapshot"), json.loads(out), "--once")
    assert json.loads(out)["processor"] == "ivytown" and out.count("\n") == 1


def test_catalog():
    j = get("/api/v1/catalog")
    kernel = j.pop("perf")
    wanted = json.loads(h.run(h.CTL, "list", "events", "--json", "-p", "nehalem-ex")[1])
    assert wanted.pop("perf") == [] and j == wanted
    # Beside the model perf events count on this machine: what its kernel names, as far as it has a
    # name.
    here = json.loads(h.run(h.CTL, "list", "events", "--json")[1] or '{ "perf": [] }')["perf"]
    assert kernel == [e for e in here if "terms" in e]
    wanted["perf"] = kernel
    status, headers, body = server().get("/api/v1/catalog", headers={"Accept-Encoding": "gzip"})
    assert status == 200 and headers["Content-Encoding"] == "gzip", headers
    assert json.loads(gzip.decompress(body)) == wanted, headers
    for method, known, unknown in ("GET", 200, 404), ("POST", 405, 404):
        assert server().get("/api/v1/catalog", method=method)[0] == known, method
        assert server().get("/api/v1/catalogue", method=method)[0] == unknown, method


class PageReader(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.keys, self.scripts, self.loaded, self.tag = set(), [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tag = tag
        self.keys |= {attrs["data-k"]} if "data-k" in attrs else set()
        self.loaded += [attrs[k] for k in ("src", "srcset", "data", "action")
                        if k in attrs] + ([attrs["href"]] if tag == "link" else [])

    def handle_data(self, data):
        if self.tag == "script" and data.strip():
            self.scripts.append(data)


def test_the_time_of_a_total_goes_on_over_a_reload():
    """As the total does: a rate across the reload is right."""
    c = h.write("time.conf", 'interval = "100ms"; groups = [ "memory" ];')
    u = h.Uncored("-c", c, "--engine", "model:nehalem-ex:stream", "--path-run", h.path("run-time"))

    def totals(since=0):
        """Once half a second more was counted of each."""
        found = [(s["labels"], float(s["value"]), s["active_seconds"])
                 for m in json.loads(u.get("/api/v1/snapshot")[2])["metrics"] for s in m["series"]
                 if m["type"] == "counter" and "active_seconds" in s]
        return found if len(found) > 9 and all(f[2] > since + 0.5 for f in found) else None

    before = h.wait_for("half a second", totals)
    h.write("time.conf", 'interval = "50ms"; groups = [ "memory" ];')
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("the reload", lambda: "read again" in u.text())
    after = h.wait_for("more", lambda: totals(max(then for _, _, then in before)))
    for (labels, was, then), (same, now, time_now) in zip(before, after):
        assert labels == same and now > was, (labels, then, time_now)
        # a steady load: the same rate before, and across the reload
        assert abs((now - was) / (time_now - then) / (was / then) - 1) < 0.05, (labels, was, now)
    assert u.stop() == 0


def test_page_follows_the_stream():
    """Its one script is the one that the policy names, and its values are series of the snapshot;
    nothing is loaded from elsewhere."""
    status, headers, body = server().get("/")
    page = PageReader(body.decode())
    digest = base64.b64encode(hashlib.sha256(page.scripts[0].encode()).digest()).decode()
    policy = dict(p.strip().split(" ", 1) for p in headers["Content-Security-Policy"].split(";"))
    assert status == 200 and len(page.scripts) == 1, (digest, policy)
    assert policy["script-src"] == "'sha256-%s'" % digest, (digest, policy)
    assert policy["default-src"] == "'none'", (policy, page.loaded)
    assert policy["connect-src"] == "'self'", policy
    assert policy["img-src"] == "data:" and page.loaded == ["data:,"], "an empty icon is no request"
    gauges = {key_of(m["name"], s["labels"]) for m in get("/api/v1/snapshot")["metrics"]
              for s in m["series"]
              if m["name"].startswith("uncore_") and m["type"] == "gauge"}
    wanted = {k for k in gauges if k.startswith("uncore_imt_latency_seconds{")}
    assert len(wanted) == 4 and wanted <= page.keys, page.keys - gauges
    assert page.keys <= gauges | {k for k in page.keys if "_total{" in k}, page.keys - gauges


def test_page_asks_for_metrics_that_exist():
    """A chart of a misspelt metric would be missing without a word. Both tables of expected metrics
    are typed from the manuals."""
    def text(file):
        return h.read(os.path.join(h.SRC, file))
    asked = set(re.findall(r'[" -]([a-z][a-z0-9_]+_(?:total|seconds|ratio))\b',
                           text("src/expo/overview.h")))
    known = set(re.findall(r"[a-z][a-z0-9_]+", text("tests/catalog/metrics.tsv") +
                           text("tests/plan/ready.tsv")))
    assert len(asked) == 23 and asked <= known, (len(asked), asked - known)


class Stream:
    """A client of /api/v1/stream."""

    def __init__(self, u, arguments=""):
        host, port = u.url[len("http://"):].split(":")
        self.c = http.client.HTTPConnection(host, int(port), timeout=10)
        self.c.request("GET", "/api/v1/stream" + arguments)
        self.r = self.c.getresponse()

    def message(self, event="snapshot"):
        """The data of the next event."""
        fields = {}
        while True:
            line = self.r.readline().decode().rstrip("\n")
            if not line and fields:
                assert fields.pop("event") == event, fields
                return json.loads(fields["data"])
            assert line, "the stream ended"
            name, value = line.split(": ", 1)
            assert name not in fields, "one line of data is what browsers and simple readers take"
            fields[name] = value

    def close(self):
        self.c.close()


def numbers(message):
    return [s["publication"] for s in message["sockets"]]


def deaf(u):
    """A client that asks for the stream and takes nothing of it."""
    host, port = u.url[len("http://"):].split(":")
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    s.connect((host, int(port)))
    s.sendall(b"GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return s


CACHE = ("LLC_HITS:M", "LLC_HITS:E", "LLC_HITS:S", "LLC_HITS:ALL", "LLC_MISSES:ALL", "TRANS_IRQ",
         "OCCUPANCY_IRQ", "TRANS_IPQ")


def test_stream():
    """The newest snapshot at once, then one message for each window, also over a reload; who takes
    nothing is dropped."""
    # of one unit: a message is small, and who reads on a busy machine is not taken for a slow one
    groups = ",".join('{ name = "g%d"; events = [ "cbox0/%s,counter=0" ]; }' % ie
                      for ie in enumerate(CACHE))
    c = h.write("stream.conf", 'interval = "100ms";\ngroups = ( %s );\n' % groups)
    u = h.Uncored("--engine", "model:nehalem-ex:stream", "-c", c)
    slow = deaf(u)
    s = Stream(u)
    assert s.r.status == 200 and s.r.headers["Content-Type"] == "text/event-stream", s.r.headers
    first = s.message()
    schema.accept(schema.validator("snapshot"), first, "message")
    last = numbers(first)

    def in_a_row(n):
        """On a machine that has no time for it, two windows can come as one message; not again and
        again."""
        seen = [numbers(s.message()) for _ in range(n)]
        return all(b == [x + 1 for x in a] for a, b in zip(seen, seen[1:])) and seen[-1]
    assert h.wait_for("a message for each window", lambda: in_a_row(6)) > last
    other = Stream(u)
    other.message()
    heard = other.message()
    h.wait_for("both hear the same", lambda: s.message() == heard)
    # who stops to listen here would be dropped too
    h.wait_for("the slow one is dropped", lambda: s.message() and other.message() and
               u.value("uncored_stream_dropped_total") == 1)
    assert u.value("uncored_stream_listeners") == 2
    other.close()
    h.wait_for("it is missed", lambda: s.message() and u.value("uncored_stream_listeners") == 1)
    with open(c, "w") as f:
        f.write('interval = "100ms";\ngroups = ( { name = "only"; events = [ "wbox/CLOCKTICKS" '
                ']; } );\n')
    u.p.send_signal(signal.SIGHUP)

    def groups_of(message):
        return {one["labels"].get("group") for m in message["metrics"]
                for one in m["series"]} - {None}
    h.wait_for("the new configuration", lambda: groups_of(s.message()) == {"only"})
    h.wait_for("a message for each window again", lambda: in_a_row(3))
    assert u.value("uncored_stream_dropped_total") == 1
    s.close()
    slow.close()
    assert u.stop() == 0


HISTORY = """interval = "%s"; groups = ( { name = "a"; metrics = [ "imt_latency_seconds",
    "memory_command_read_bytes_total" ]; }%s );
"""


def past(u):
    """What a client hears first: {(name, socket, unit): {time: value}}; then it hears the rest."""
    s = Stream(u, "?history")
    got = s.message("history")
    s.message()
    s.close()
    schema.accept(schema.validator("history"), got, "history")
    times = got["times"]
    assert times == sorted(set(times)) and all(b - a > 0.4 for a, b in zip(times, times[2:])), times
    assert not times or times[-1] < time.time() + 0.01, times
    assert all(len(x["values"]) == len(times) for x in got["series"])
    return {(x["name"], x["labels"]["socket"], x["labels"].get("unit")):
            dict(zip(times, x["values"])) for x in got["series"]}


def rates(of):
    return [v for v in of.values() if isinstance(v, float | int)]


def test_history():
    """Who comes second hears what the first one heard, also after a reload; totals are rates."""
    c = h.write("history.conf", HISTORY % ("200ms", ""))
    u = h.Uncored("--engine", "model:nehalem-ex:stream", "-c", c)
    read = "uncore_memory_command_read_bytes_total", "1", "0"
    late = "uncore_imt_latency_seconds", "1", "0"
    h.wait_for("some seconds", lambda: len(rates(past(u)[read])) >= 4)
    first = past(u)
    assert time.time() - max(first[read]) < 3, first[read]
    value = 'uncore_memory_command_read_bytes_total{socket="1",unit="0"}'
    seconds = 'uncored_active_seconds_total{socket="1"}'
    before = u.metrics()
    h.wait_for("more", lambda: float(u.metrics()[seconds]) > float(before[seconds]) + 2)
    after = u.metrics()
    rate = (int(after[value]) - int(before[value])) / (float(after[seconds]) -
                                                       float(before[seconds]))
    assert all(abs(v / rate - 1) < 0.02 for v in rates(first[read])), (first[read], rate)
    latency = float(after['uncore_imt_latency_seconds{socket="1",unit="0"}'])
    assert rates(first[late]) and all(abs(v / latency - 1) < 0.01 for v in rates(first[late]))

    def follows(new, old):
        """By the wall clock, to a millisecond; the oldest of all have no room some day."""
        near = {round(t, 2) for t in new}
        return all(round(t, 2) in near or round(t - 0.005, 2) in near or
                   round(t + 0.005, 2) in near for t in old)
    assert follows(past(u)[read], first[read])
    with open(c, "w") as f:
        f.write(HISTORY % ("200ms", ', { name = "b"; metrics = [ "llc_hit_ratio" ]; }'))
    u.p.send_signal(signal.SIGHUP)
    ratio = "uncore_llc_hit_ratio", "1", "0"
    h.wait_for("the new series", lambda: rates(past(u).get(ratio, {})))
    second = past(u)
    assert follows(second[read], first[read]), (second[read], first[read])
    assert len(rates(second[ratio])) < len(rates(second[read]))
    # what came has no past
    assert all(second[ratio][t] is None for t in list(second[ratio])[:3]), second[ratio]
    with open(c, "w") as f:
        f.write(HISTORY % ("200ms", ""))
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("it is gone", lambda: ratio not in past(u))
    assert follows(past(u)[read], first[read])
    # other listeners hear nothing of it
    s = Stream(u)
    s.message()
    s.close()
    assert u.stop() == 0


def test_history_of_what_no_float_holds():
    """An own metric may be as large as it likes; "inf" is no JSON."""
    u = h.Uncored("--engine", "model:nehalem-ex:stream", "-c", h.write("huge.conf", """
        interval = "200ms"; groups = ( { name = "g"; metrics = [ "huge_bytes" ]; } );
        metrics = ( { name = "huge_bytes"; unit = "bytes"; per = "socket"; scale = 1e200;
                      numerator = ( "bbox/IMT_INSERTS_ALL" );
                      denominator = ( "wbox/CLOCKTICKS" ); } );"""))
    huge = "uncore_huge_bytes"
    h.wait_for("some points", lambda: len(past(u)[huge, "0", None]) >= 3)
    assert float(u.metrics()[huge + '{socket="0"}']) > 1e190
    assert set(past(u)[huge, "0", None].values()) <= {None, "no_data"}
    assert u.stop() == 0


def test_history_of_one_that_is_stopped():
    """Its values are left out, with the reason, and it goes on."""
    u = h.Uncored("--engine", "model:nehalem-ex:stream",
                  "-c", h.write("stopped.conf", HISTORY % ("200ms", "")))
    late = "uncore_imt_latency_seconds", "0", "0"
    h.wait_for("a value", lambda: rates(past(u)[late]))
    os.kill(u.pid, signal.SIGSTOP)
    try:
        h.wait_for("it has stalled", lambda: b"stalled" in u.get("/api/v1/status")[2])

        def stalled():
            s = Stream(u, "?history")
            got = s.message("history")
            s.close()
            return all(x["values"][-1] == "stalled" for x in got["series"]) and got
        got = h.wait_for("a gap", stalled)
        n = len(got["times"])
        time.sleep(2.2)
        assert len(stalled()["times"]) == n, "one is enough"
    finally:
        os.kill(u.pid, signal.SIGCONT)
    h.wait_for("it goes on", lambda: isinstance(list(past(u)[late].values())[-1], float))
    assert "stalled" in past(u)[late].values()
    assert u.stop() == 0


def test_stream_has_places():
    """16 may listen; one more is told so, and nobody else notices."""
    u = server()
    all_of_them = [Stream(u) for _ in range(16)]
    assert [s.r.status for s in all_of_them] == [200] * 16
    late = Stream(u)
    assert late.r.status == 503 and int(late.r.headers["Retry-After"]) > 0, late.r.status
    assert u.value("uncored_stream_listeners") == 16 and u.get("/-/ready")[0] == 200
    target = max(numbers(s.message()) for s in all_of_them)

    def at_target(s):
        m = s.message()
        while numbers(m) <= target:
            m = s.message()
        return m
    assert len({json.dumps(at_target(s)) for s in all_of_them}) == \
        1, "the same message for everybody"
    status, headers, body = u.get("/api/v1/stream", method="HEAD")
    assert status in (200, 503) and body == b""
    for s in [*all_of_them, late]:
        s.close()
    h.wait_for("they are gone", lambda: u.value("uncored_stream_listeners") == 0)
    again = Stream(u)
    assert again.r.status == 200
    again.close()


h.main(sys.modules[__name__], at_once=0)     # one daemon serves them all
