"""api.py - JSON over HTTP: the catalog, status and snapshot by their schemas, against uncorectl and /metrics."""
import copy
import gzip
import json
import sys

import harness as h
import schema

CONF = """
interval = "500ms";
resolution = "50ms";
groups = (
  { name = "memory"; events = [ "bbox/IMT_VALID_OCCUPANCY", "bbox/IMT_INSERTS_ALL", "bbox/CONFLICTS", "wbox/CLOCKTICKS" ]; distribution = true; },
  { name = "links"; events = [ "rbox/NULL_IDLE,port=0", "rbox/FLITS_SENT,port=1", "wbox/CLOCKTICKS" ]; }
);
"""
_server = []


def server():
    if not _server:
        _server.append(h.Uncored("--engine", "model:nehalem-ex:stream", "-c", h.write("api.conf", CONF)))
    return _server[0]


def get(path, **kw):
    status, headers, body = server().get(path, **kw)
    assert status == 200 and headers["Content-Type"] == "application/json", (path, status, headers)
    return json.loads(body)


def refused(name, document, path):
    """Damage at this place must not pass: one member more, one less, another type."""
    v = schema.validator(name)
    for change in (lambda o: o.update(surprise=1), lambda o: o.pop(sorted(o)[0]), lambda o: o.update({k: {"no": 1} for k in list(o)[:1]})):
        d = copy.deepcopy(document)
        o = d
        for p in path:
            o = o[p]
        change(o)
        assert not v.is_valid(d), (name, path, "is accepted although it was damaged")


def test_status():
    j = get("/api/v1/status")
    schema.accept(schema.validator("status"), j, "status")
    assert j["processor"] == "nehalem-ex" and j["simulated"] is True and len(j["sockets"]) == 2 and j["ready"], j
    s = j["sockets"][1]
    assert s["socket"] == 1 and s["up"] and s["lateness_seconds"] < 5 and [g["name"] for g in s["groups"]] == ["memory", "links"], s
    for path in ((), ("sockets", 0), ("sockets", 0, "groups", 0)):
        refused("status", j, path)
    bad = copy.deepcopy(j)
    bad["sockets"][0]["invalid_slots"] = [{"slot": "bbox0/X", "groups": ["memory"], "reason": "tired"}]
    assert not schema.validator("status").is_valid(bad)
    bad["sockets"][0]["invalid_slots"][0]["reason"] = "foreign"
    assert schema.validator("status").is_valid(bad)
    schema.check_closed("status")


def test_snapshot():
    j = get("/api/v1/snapshot")
    schema.accept(schema.validator("snapshot"), j, "snapshot")
    assert [s["socket"] for s in j["sockets"]] == [0, 1] and all(s["publication"] > 0 for s in j["sockets"]), j["sockets"]
    families = {m["name"]: m for m in j["metrics"]}
    assert families["uncore_imt_latency_seconds"]["unit"] == "seconds" and families["uncored_socket_info"]["type"] == "info"
    assert any(m["type"] == "histogram" for m in j["metrics"]), list(families)
    for path in ((), ("sockets", 0), ("metrics", 0), ("metrics", 0, "series", 0)):
        refused("snapshot", j, path)
    schema.check_closed("snapshot")


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
                out.update({key_of(m["name"] + "_bucket", dict(s["labels"], le=b["le"])): b["count"] for b in v["buckets"]})
                out[key_of(m["name"] + "_count", s["labels"])] = v["count"]
                out[key_of(m["name"] + "_sum", s["labels"])] = v["sum"]
            elif s["valid"]:
                out[key_of(m["name"], s["labels"])] = v
    return out


def test_snapshot_has_the_values_of_metrics():
    """To the last digit, in a moment in which nothing is published."""
    u = server()

    def one_moment():
        before, text, after = (u.get(p)[2] for p in ("/api/v1/snapshot", "/metrics", "/api/v1/snapshot"))
        return before == after and (exact(before), h.samples(text.decode()))
    snapshot, metrics = h.wait_for("a quiet moment", one_moment)
    got = values(snapshot)
    assert got == metrics, sorted(set(got.items()) ^ set(metrics.items()))[:6]
    assert len(got) > 100


def test_once_writes_a_snapshot():
    code, out, err = h.run(h.UNCORED, "--once", "--format", "json", "--engine", "model:ivytown:stream", "-c", h.write("none.conf", 'interval = "100ms";'))
    assert code == 0, err
    schema.accept(schema.validator("snapshot"), json.loads(out), "--once")
    assert json.loads(out)["processor"] == "ivytown" and out.count("\n") == 1


def test_catalog():
    j = get("/api/v1/catalog")
    wanted = json.loads(h.run(h.CTL, "list", "events", "--json", "-p", "nehalem-ex")[1])
    assert wanted.pop("perf") == [] and j == wanted
    schema.accept(schema.validator("catalog"), j, "catalog")
    status, headers, body = server().get("/api/v1/catalog", headers={"Accept-Encoding": "gzip"})
    assert status == 200 and headers["Content-Encoding"] == "gzip" and json.loads(gzip.decompress(body)) == wanted, headers
    assert server().get("/api/v1/catalog", method="POST")[0] == 405 and server().get("/api/v1/catalogue")[0] == 404


h.main(sys.modules[__name__], at_once=0)     # one daemon serves them all
