# SPDX-License-Identifier: MIT
"""verify.py - uncorectl verify against the register model, which counts what verify moves.

The whole path is real: the load, the model's counters, the daemon, its snapshot. A server in
between spoils the snapshot as a miscount would, and verify has to name it. Nothing here depends on
how fast this machine is: only on how many of the bytes that were moved were counted.
"""
import http.server
import json
import math
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

import harness as h
import schema

CONF = """interval = "%s";
groups = ( { name = "one"; metrics = [ %s ]; } );
"""
READ = "uncore_memory_read_bytes_total"
READS = '"memory_read_bytes_total"'
RELATIONS = ('"memory_command_write_bytes_total", "imt_latency_seconds", "imt_occupancy_entries", '
             '"clock_hertz", "page_hit_ratio"')
TRAFFIC = "UNCORED_VERIFY_TRAFFIC"
PATIENCE = 120
OF_BYTES = ("moved_bytes", "counted_bytes", "error", "error_low", "error_high")
ERRORS = {"right": 0, "half": -0.5, "copies": 2.0}       # what a formula that is so wrong says
BEGAN = time.time()
# What the model's workload verify reads by itself of a socket, bytes a second: 64 of each of 0.0001
# inserts a cycle into each of two B-Boxes, of which 0.60 read; at 2.4 GHz.
OWN = 64 * 0.0001 * 2 * 0.60 * 2.4e9


IMC = "bus/event_source/devices/uncore_imc_0/"
PMU = {IMC + name: text for name, text in (
    ("type", "14"), ("cpumask", "0-1"), ("format/event", "config:0-7"),
    ("format/umask", "config:8-15"), ("events/cas_count_read", "event=0x04,umask=0x03"),
    ("events/cas_count_read.scale", "6.103515625e-5"), ("events/cas_count_read.unit", "MiB"),
    ("events/cas_count_write", "event=0x04,umask=0x0c"),
    ("events/cas_count_write.scale", "6.103515625e-5"), ("events/cas_count_write.unit", "MiB"))}


def tree(sockets=2, free=4000000, ids=range(64), pmus=False):
    """A machine with a CPU and a node on each socket; caches of 1 MB keep the load small. With
    pmus, one with a memory controller that the kernel counts: Broadwell-EP."""
    root = h.path("tree-%d-%d-%d-%d" % (sockets, free, ids[0], pmus))
    last = "0-%d" % (sockets - 1) if sockets > 1 else "0"
    files = {"class/dmi/id/bios_version": "2.1 (beta)", "class/dmi/id/bios_date": "03/28/2024",
             "devices/system/cpu/online": last, "devices/system/cpu/present": last,
             "devices/system/cpu/possible": last, "cpuinfo": "vendor_id\t: GenuineIntel\n"
             "cpu family\t: 6\nmodel\t\t: %d\nmodel name\t: made up\nstepping\t: 6\n"
             "microcode\t: 0xd\n" % (79 if pmus else 46), "sys/kernel/osrelease": "6.1.0-made-up"}
    files.update(PMU if pmus else {})
    for n in range(sockets):
        cpu = "devices/system/cpu/cpu%d/" % n
        files.update({cpu + "topology/physical_package_id": str(ids[n]),
                      cpu + "topology/core_id": "0",
                      cpu + "topology/thread_siblings_list": str(n), cpu + "online": "1",
                      cpu + "cache/index3/size": "1024K",
                      cpu + "cache/index3/shared_cpu_list": str(n),
                      cpu + "node%d/meminfo" % n: "Node %d MemFree:  %d kB" % (n, free)})
    for name, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        with open(os.path.join(root, name), "w") as f:
            f.write(text + "\n")
    return ["--path-sysfs", root, "--path-procfs", root]


class Snapshot:
    """What uncored serves, to be spoiled. Values are numbers."""
    def __init__(self, document):
        self.document = document
        self.families = {f["name"]: f["series"] for f in document["metrics"]}
        self.at = {str(s["socket"]): s["timestamp_seconds"] for s in document["sockets"]}
        for one in (one for series in self.families.values() for one in series):
            if isinstance(one.get("value"), str):
                one["value"] = int(one["value"])

    def of(self, name):
        return self.families.get(name, [])

    def valid(self, name):
        return [one for one in self.of(name) if one["valid"]]

    def scale(self, name, by):
        for one in self.valid(name):
            one["value"] *= by


def quieted(s, first):
    """Without what the model reads by itself: the less a busy machine moves, the more that is
    beside it. first: when each socket was seen first."""
    for one in s.valid(READ):
        socket_id = one["labels"]["socket"]
        at = s.at[socket_id]
        units = sum(other["labels"]["socket"] == socket_id for other in s.of(READ))
        one["value"] -= round(OWN / units * (at - first.setdefault(socket_id, at)))


def between(u, spoil):
    """A server that hands on the snapshot of u after spoil(Snapshot)."""
    first = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            j = json.loads(h.fetch(u.url + self.path)[2])
            snapshot = Snapshot(j)
            quieted(snapshot, first)
            spoil(snapshot)
            body = json.dumps(j).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return "http://127.0.0.1:%d" % server.server_port


def stranger(answer):
    """A server that gives one answer to whatever is asked."""
    s = socket.create_server(("127.0.0.1", 0))

    def serve():
        c, _ = s.accept()
        c.recv(4096)
        c.sendall(answer)
        c.close()
        s.close()
    threading.Thread(target=serve, daemon=True).start()
    return "http://127.0.0.1:%d" % s.getsockname()[1]


def written():
    """Bytes that the load has written, by socket."""
    with open(h.path("traffic"), "rb") as f:
        numbers = struct.unpack("4Q", f.read(32))
    return {"0": numbers[1], "1": numbers[3]}


def scaled(by):
    return lambda s: s.scale(READ, by)


def exchanged(s):
    for one in s.of(READ):
        one["labels"]["socket"] = "10"[int(one["labels"]["socket"])]


def direction(s):
    for one in s.of(READ):
        one["value"] = written()[one["labels"]["socket"]] // 2


def both(s):
    for one in s.of(READ):
        one["value"] += written()[one["labels"]["socket"]] // 2


def background(s, sockets="01"):
    """Others move 500 GB/s."""
    for one in (one for one in s.of(READ) if one["labels"]["socket"] in sockets):
        one["value"] += 2.5e11 * (s.at[one["labels"]["socket"]] - BEGAN)


def windows(change):
    """What each series goes on by is changed by change(difference)."""
    seen = {}

    def spoil(s):
        for one in s.of(READ):
            key = one["labels"]["socket"], one["labels"]["unit"]
            value, shown = seen.get(key, (one["value"], 0))
            shown += change(one["value"] - value)
            seen[key] = one["value"], shown
            one["value"] = shown
    return spoil


def stuck():
    asked = []
    first = {}

    def spoil(s):
        asked.append(1)
        for one in s.of(READ):
            key = one["labels"]["socket"], one["labels"]["unit"]
            one["value"] = first.setdefault(key, one["value"]) if len(asked) > 5 else one["value"]
    return spoil


def now_and_then_invalid():
    asked = []

    def spoil(s):
        asked.append(1)
        for one in s.of(READ):
            if one["labels"]["unit"] == "1" and len(asked) % 11 in (0, 1, 5):
                del one["value"]
                one["valid"], one["reason"] = False, "late"
    return spoil


def started(metrics=READS, interval="100ms"):
    env = {TRAFFIC: h.path("traffic")}
    u = h.Uncored("-c", h.write("verify.conf", CONF % (interval, metrics)), "--engine",
                  "model:nehalem-ex:verify", "--path-run", h.path("run"), env=env)
    h.wait_for("counts", lambda: "uncore_" in u.get("/metrics")[2].decode())
    return u, env


def verified(url, env, *options, state="state"):
    return subprocess.run([h.CTL, "verify", "--quick", "--url", url, "--path-state", h.path(state),
                           *(options or tree())], env=dict(os.environ, **env),
                          capture_output=True, text=True, timeout=PATIENCE)


def compared(url, env, code, what):
    r = verified(url, env, "--json", *tree())
    if h.SANITIZED and "read_bytes_per_second" in r.stdout and \
            json.loads(r.stdout)["read_bytes_per_second"] < 1e9:
        h.skip("the load of this build is too slow beside the model's own traffic")
    assert r.returncode == code, (what, r)
    j = json.loads(r.stdout)
    schema.accept(schema.validator("verify"), j, what)
    assert j["simulated"] and (j["processor"], j["microcode"]) == ("made up", "0xd"), j
    assert j["kernel"] == "6.1.0-made-up", j
    assert (j["bios_version"], j["bios_date"]) == ("2.1 (beta)", "03/28/2024"), j
    for c in j["compared"]:
        print(what, c)
    return j


def name_miscounts(cases):
    u, env = started()
    for cause, spoil, code in cases:
        j = compared(between(u, spoil), env, code, cause)
        assert [c["socket"] for c in j["compared"]] == [0, 1]
        for c in j["compared"]:
            assert cause in c["causes"], (cause, c)
            assert c["metric"] == "memory_read_bytes_total"
            if cause == "right":
                assert abs(c["slope"] - 1) < 0.01 and c["causes"] == ["right"], c
            if cause in ERRORS:
                assert c["error_low"] <= c["error"] <= c["error_high"], c
                assert abs(c["error"] - ERRORS[cause]) < 0.02, (cause, c)
                assert abs(c["counted_bytes"] / c["moved_bytes"] - 1 - c["error"]) < 0.05, c
    assert u.stop() == 0


def test_miscounts_are_named():
    """Also: windows in which a unit begins or ends to be valid are left out."""
    name_miscounts([("right", now_and_then_invalid(), 0), ("half", scaled(0.5), 1),
                    ("copies", scaled(3), 1), ("sockets", exchanged, 1),
                    ("background", background, 75)])


def test_one_socket_is_not_quiet():
    """The first one: the run says what to stop, and does not end well though the other is right."""
    u, env = started()
    r = verified(between(u, lambda s: background(s, "0")), env)
    assert r.returncode == 75 and "stop what uses memory" in r.stdout, r
    assert "socket 1: 1.000 [1.000..1.000] of what was read: right" in r.stdout, r
    assert u.stop() == 0


def test_each_miscount():
    """Minutes: of check-long."""
    if "UNCORED_TEST_LONG" not in os.environ:
        return
    u, env = started()
    fastest = compared(u.url, env, 0, "right")["read_bytes_per_second"]
    assert u.stop() == 0
    holds = 1 << int(math.log2(fastest * 0.4 / 2 / 2))      # a unit's in the fastest window / 2
    name_miscounts([
        ("twice", scaled(2), 1), ("half", scaled(0.5), 1), ("copies", scaled(3), 1),
        ("direction", direction, 1), ("both", both, 1), ("sockets", exchanged, 1),
        ("dead_channel", scaled(0.75), 1), ("lost", scaled(0.9), 1), ("stuck", stuck(), 1),
        ("wrap", windows(lambda n: n % holds), 1), ("background", background, 75),
        ("noisy", windows(lambda n: int(n * random.uniform(0.1, 2))), 75)])


def test_relations():
    """What needs no truth: the model keeps it, and a metric that is off is named."""
    u, env = started(RELATIONS, "400ms")
    latencies = "llc_data_read_miss_latency_seconds", "llc_miss_latency_seconds"
    names = {"imt_latency_seconds": "above_chase", **dict.fromkeys(latencies, "above_chase"),
             "clocks": "range", "imt_occupancy_entries": "twice", "ratios": "range",
             "memory_command_write_bytes_total": "half"}

    def today(s):
        """As servers of today call it, one this, one that."""
        for name in latencies:
            s.document["metrics"].append({"name": "uncore_" + name, "type": "gauge",
                                          "unit": "seconds",
                                          "series": s.of("uncore_imt_latency_seconds")})

    def small(s):
        """The chase runs in caches here."""
        s.scale("uncore_imt_latency_seconds", 1e-3)
        s.scale("uncore_imt_occupancy_entries", 1e-3)
        today(s)

    def spoil(s):
        s.scale("uncore_clock_hertz", 10)
        s.scale("uncore_imt_occupancy_entries", 2e6)
        s.scale("uncore_imt_latency_seconds", 1e6)
        s.scale("uncore_memory_command_write_bytes_total", 1 / 2)
        for one in s.valid("uncore_page_hit_ratio"):
            one["value"] += 1
        today(s)
    j = compared(between(u, small), env, 0, "as it is")
    assert {c["metric"] for c in j["compared"]} == set(names), j
    assert all(c["causes"] == ["right"] for c in j["compared"]), j
    for c in j["compared"]:     # beside another counter or a range there is no error of the bytes
        known = c["metric"] == "memory_command_write_bytes_total"
        assert all((name in c) == known for name in OF_BYTES), c
    for c in compared(between(u, spoil), env, 1, "spoiled")["compared"]:
        assert names[c["metric"]] in c["causes"], c
    assert u.stop() == 0


def test_a_sum_wants_all_its_parts():
    """Reads and writes are compared with the total if both are counted. The model's processor
    counts one of them at a time, and no total."""
    for both_parts in False, True:
        u, env = started()

        def more(s):
            read = {k: sum(one["value"] for one in s.valid(READ) if one["labels"]["socket"] == k)
                    for k in "01"}
            added = [("uncore_memory_bytes_total", {k: read[k] + v for k, v in written().items()})]
            if both_parts:
                added.append(("uncore_memory_write_bytes_total", written()))
            s.document["metrics"] += [{"name": name, "type": "counter", "unit": "bytes", "series": [
                {"labels": {"socket": k}, "valid": True, "value": v} for k, v in values.items()]}
                for name, values in added]
        j = compared(between(u, more), env, 0, "total")
        seen = {c["of"] for c in j["compared"] if c["metric"] == "memory_bytes_total"}
        assert ("what is read and written" in seen) == both_parts, seen
        assert "what was moved" in seen, seen
        assert u.stop() == 0


def test_a_sentence_and_what_was_read():
    u, env = started()
    r = verified(u.url, env)
    assert r.returncode == 0, r
    assert "memory_read_bytes_total on socket 0: 1.0" in r.stdout or "0.99" in r.stdout, r
    assert r.stdout.count("of what was read: right") == 2, r
    assert "the load itself: " in r.stdout and "SIMULATED" in r.stdout
    assert u.stop() == 0


PERF = """#!/usr/bin/env python3
import re, struct, subprocess, sys
def moved():
    with open("{traffic}", "rb") as f:
        return struct.unpack("4Q", f.read(32))
args = sys.argv[1:]
assert args[:6] == ["stat", "-a", "--per-socket", "-x", ";", "-e"] and args[7:] == ["--", "cat"]
begin = moved()
subprocess.run(["cat"])
for socket in 0, 1:
    for event in re.findall(r"[^,/]+/[^/]*/", args[6]):
        pmu, of, name = re.fullmatch("(.*)/(.*),name=(.*)/", event).groups()
        assert pmu == "uncore_imc_0" and of in ("cas_count_read", "cas_count_write"), event
        at = 2 * socket + (of == "cas_count_write")
        print("S%d;1;%s;MiB;%s;1000000;{percent};;" % (socket, {count}, name), file=sys.stderr)
sys.exit({code})
"""


def fake_perf(count="(moved()[at] - begin[at]) / 2.0 ** 20", percent="100.00", code=0):
    """PATH with a perf that counts what the load moves, or that much wrongly."""
    where = h.path("perf-%d" % len(os.listdir(h.path(""))))
    os.makedirs(where)
    with open(os.path.join(where, "perf"), "w") as f:
        f.write(PERF.format(traffic=h.path("traffic"), count=count, percent=percent, code=code))
    os.chmod(os.path.join(where, "perf"), 0o755)
    return {"PATH": where + ":" + os.environ["PATH"]}


def measured(s):
    """As if it were no model."""
    s.document["simulated"] = False


def test_second_witness():
    """perf stat counts the same seconds; one that disagrees is said, in words, in the file and by
    the exit code; so is why there is none."""
    u, env = started()
    url, options = between(u, measured), ("--json", *tree(pmus=True))
    for perf, code, agrees in (fake_perf(), 0, True), \
            (fake_perf("2 * (moved()[at] - begin[at]) / 2.0 ** 20"), 1, False), \
            (fake_perf("0"), 1, False):
        r = verified(url, dict(env, **perf), *options)
        j = json.loads(r.stdout)
        schema.accept(schema.validator("verify"), j, "witness")
        assert r.returncode == code and j["perf"]["seconds"] > 1, r
        said = {(c["metric"], c["socket"]): c["agrees"] for c in j["perf"]["compared"]}
        assert said == {("memory_read_bytes_total", n): agrees for n in (0, 1)}, (r, agrees)
        with open(h.path("state/verified.json")) as f:
            assert json.load(f) == j
        assert [c["causes"] for c in j["compared"]] == [["right"]] * 2, j
    r = verified(url, dict(env, **perf), *tree(pmus=True))
    assert r.returncode == 1 and r.stdout.count("perf disagrees") == 2, r
    for perf, why in (fake_perf(percent="49.87"), "had no counter for perf/uncore_imc_0/"), \
            (fake_perf('"<not counted>"'), "had no counter for perf/uncore_imc_0/"), \
            (fake_perf(code=129), "it failed"), ({"PATH": h.path("")}, "it is not installed"):
        r = verified(url, dict(env, **perf), *options)
        j = json.loads(r.stdout)
        assert r.returncode == 0 and why in j["perf"]["why_not"], (why, r)
        assert not j["perf"]["compared"], j
    assert u.stop() == 0


def without_commit(s):
    """As a build says it that knows none."""
    s.document["revision"] = ""


def test_what_is_kept():
    """A measurement, right or wrong; none that others disturbed; what is simulated where nothing
    measured is, and never in the place where uncored looks by itself."""
    u, env = started()
    kept = h.path("kept/verified.json")
    r = verified(between(u, lambda s: measured(s) or background(s)), env, *tree(), state="kept")
    assert r.returncode == 75 and "not kept: others moved memory" in r.stderr, r
    assert not os.path.exists(kept)
    r = verified(u.url, env, "--json", *tree(), state="kept")
    assert r.returncode == 0 and "kept in " + kept in r.stderr, r
    built = json.loads(h.fetch(u.url + "/api/v1/snapshot")[2])["revision"]
    j = json.loads(h.read(kept))
    assert j["simulated"] is True and j.get("revision", "") == built, (j, built)
    r = verified(between(u, lambda s: measured(s) or without_commit(s) or s.scale(READ, 3)), env,
                 *tree(), state="kept")
    assert r.returncode == 1 and "3 copies of one counter" in r.stdout, r
    text = h.read(kept)
    j = json.loads(text)
    assert not j["simulated"] and [round(c["error"], 1) for c in j["compared"]] == [2.0] * 2, j
    assert abs(j["timestamp_seconds"] - time.time()) < 100 and "revision" not in j
    schema.accept(schema.validator("verify"), j, "kept")
    assert "cpuinfo GenuineIntel 6 46 6\n" in j["machine"] and os.path.getsize(kept) < 200000
    for secret in "serial", "uuid", os.path.dirname(kept):
        assert secret not in text, secret
    r = verified(u.url, env, *tree(), state="kept")
    assert "is measured" in r.stderr and h.read(kept) == text, r
    r = subprocess.run([h.CTL, "verify", "--quick", "--url", u.url, *tree()],
                       env=dict(os.environ, **env), capture_output=True, text=True,
                       timeout=PATIENCE)
    assert "not kept: it is simulated" in r.stderr and "SIMULATED" in r.stdout, r
    assert u.stop() == 0


def test_any_package_id():
    """Arm's are offsets in a table of the firmware."""
    u, env = started()
    for ids in (36, 3180), (0, 64):
        def renumbered(s, ids=ids):
            for one in (one for series in s.families.values() for one in series):
                if "socket" in one["labels"]:
                    one["labels"]["socket"] = str(ids[int(one["labels"]["socket"])])
        r = verified(between(u, renumbered), env, "--json", *tree(ids=ids))
        assert r.returncode == 0 and "compared" not in r.stderr, r
        seen = [(c["socket"], c["causes"]) for c in json.loads(r.stdout)["compared"]]
        assert seen == [(n, ["right"]) for n in ids], seen
    assert u.stop() == 0


def test_a_socket_without_memory():
    """What its CPUs move is another one's: nothing is compared of it."""
    u, env = started()
    where = tree(ids=(0, 1))
    for n, kib in (0, 8000000), (1, 0):
        at = "%s/devices/system/cpu/cpu%d/node%d/meminfo" % (where[1], n, n)
        h.write(at, "Node %d MemTotal:  %d kB\nNode %d MemFree:  %d kB\n" % (n, kib, n, kib // 2))
    r = verified(u.url, env, "--json", *where)
    assert r.returncode == 0, r
    assert {c["socket"] for c in json.loads(r.stdout)["compared"]} == {0}, r.stdout
    assert u.stop() == 0


def test_what_cannot_be_done():
    """No memory, no second socket: each in a sentence with what to do."""
    u, env = started()
    r = verified(u.url, env, *tree(free=1000))
    assert r.returncode == 75 and "has not enough free memory; stop what uses it" in r.stderr, r
    r = verified(u.url, env, *tree(sockets=1))
    assert r.returncode == 0 and "uncored counts 2 sockets but this machine has 1;" in r.stderr, r
    assert "on socket 0" in r.stdout and "on socket 1" not in r.stdout, r
    assert u.stop() == 0
    conf = ('groups = ( { name = "a"; metrics = [ "memory_read_bytes_total" ]; }, '
            '{ name = "b"; metrics = [ "memory_write_bytes_total" ]; } );')
    u = h.Uncored("-c", h.write("turns.conf", conf), "--engine", "model:nehalem-ex", "--path-run",
                  h.path("run"))
    r = verified(u.url, env)
    assert r.returncode == 69 and "takes turns between groups" in r.stderr, r
    assert u.stop() == 0


def test_interrupted():
    """It ends by the signal at once, and no thread of it goes on moving bytes."""
    u, env = started()
    p = h.Process([h.CTL, "verify", "--url", u.url, *tree()], "interrupted", env=env)
    h.wait_for("it moves bytes", lambda: sum(written().values()) > 0)
    began = time.monotonic()
    assert p.stop(signal.SIGINT) == -signal.SIGINT
    assert time.monotonic() - began < h.PATIENCE / 2
    moved = written()
    time.sleep(0.3)
    assert written() == moved
    assert u.stop() == 0


def test_nothing_to_compare():
    """Without the metric: its own figures, quickly, and 69."""
    conf = 'groups = ( { name = "one"; events = [ "ubox/BUF_VALID_LOCK" ]; } );'
    u = h.Uncored("-c", h.write("none.conf", conf), "--engine", "model:nehalem-ex", "--path-run",
                  h.path("run"))
    code, out, err = h.run(h.CTL, "verify", "--quick", "--url", u.url, *tree())
    assert code == 69 and "nothing was compared" in err and "latency" in out, (code, out, err)
    assert u.stop() == 0


def test_no_uncored():
    code, out, err = h.run(h.CTL, "verify", "--url", "http://127.0.0.1:1")
    assert code == 69 and "cannot be reached" in err and "start uncored" in err
    code, out, err = h.run(h.CTL, "verify", "--url", "ftp://x")
    assert code == 69 and "is not a valid address" in err
    for answer in b"", b"SSH-2.0\r\n", b"HTTP/1.0 404 No\r\n\r\n", b"HTTP/1.0 200 OK\r\n\r\n[]":
        code, out, err = h.run(h.CTL, "verify", "--url", stranger(answer))
        assert code == 69 and "give uncored's address with --url" in err, (answer, err)
    code, out, err = h.run(h.CTL, "plan", "--quick")
    assert code == 64 and "--quick is an option of verify" in err


h.main(sys.modules[__name__])
