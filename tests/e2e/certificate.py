# SPDX-License-Identifier: MIT
"""certificate.py - what uncorectl verify left in the state directory, served by uncored.

uncored counts for real here, through perf: the tree is a Broadwell-EP's whose memory controllers
have the type of the kernel's software PMU. What verify found is written by hand: nobody can move
bytes past counters that are not there.
"""
import json
import os
import sys
import tempfile

import harness as h

TEXT = """cpuinfo GenuineIntel 6 79 1
model made up
release 6.1.0-made-up
cpu 0-0 socket 0
cpu 1-1 socket 1
like kernel_intel
PMU uncore_imc_{0-1} type=1 cpumask=0,1
  format event=config:0-7 umask=config:8-15
  events cas_count_read=event=0x0 cas_count_write=event=0x0 clockticks=event=0x0
  events/cas_count_read.scale: 6.103515625e-5
  events/cas_count_read.unit: MiB
  events/cas_count_write.scale: 6.103515625e-5
  events/cas_count_write.unit: MiB
"""
FILES = {"sys/kernel/perf_event_paranoid": "2", "class/dmi/id/bios_version": "2.1",
         "class/dmi/id/bios_date": "03/28/2024"}
WHEN = 1795738099
FOUND = {"format": "uncored-verify-1", "timestamp_seconds": WHEN, "processor": "made up",
         "kernel": "6.1.0-made-up", "microcode": "0xd", "bios_version": "2.1",
         "bios_date": "03/28/2024", "simulated": False, "compared": [
             {"metric": metric, "socket": socket, "error": error, "causes": [cause]}
             for metric, socket, error, cause in (
                 ("memory_read_bytes_total", 0, 0.0009765625, "right"),
                 ("memory_read_bytes_total", 1, 2.0, "copies"),
                 ("memory_write_bytes_total", 0, 0.5, "background"),
                 ("memory_write_bytes_total", 1, -0.5, "half"),
                 ("memory_bytes_total", 0, 0.0, "right"),      # is not counted here
                 ("memory_read_bytes_total", 2, 0.0, "right"))]}        # nor is there this socket


def put(root, name, text):
    os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
    with open(os.path.join(root, name), "w") as f:
        f.write(text + "\n")


def machine():
    if (os.cpu_count() or 1) < 2:
        h.skip("this machine has one CPU")
    root = tempfile.mkdtemp(dir=h.path(""))
    code, _, err = h.run(os.path.join(h.BUILD, "tests/plan/make_tree"),
                         h.write("machine.txt", TEXT), root)
    assert code == 0, err
    for i in range(2):
        put(root, "bus/event_source/devices/uncore_imc_%d/type" % i, "1")
    for name, text in FILES.items():
        put(root, name, text)
    with open(os.path.join(root, "cpuinfo")) as f:
        put(root, "cpuinfo", "microcode\t: 0xd\n" + f.read().rstrip("\n") + "\n")
    put(root, "self/status", h.read("/proc/self/status"))
    return root


def leave(found):
    state = tempfile.mkdtemp(dir=h.path(""))
    os.chmod(state, 0o755)
    if found is not None:
        put(state, "verified.json", found if isinstance(found, str) else json.dumps(found))
        os.chmod(os.path.join(state, "verified.json"), 0o644)
    return state


def options(root, state):
    return ["--engine", "perf", "--path-sysfs", root, "--path-procfs", root, "--path-run",
            tempfile.mkdtemp(dir=h.path("")), "--path-state", state]


def started(root, state):
    code, _, err = h.run(h.UNCORED, "--once", *options(root, state))
    if code == 77:
        h.skip("perf may not count here: " + err.strip())
    return h.Uncored(*options(root, state))


def said(u):
    return {k: float(v) for k, v in u.metrics().items() if k.startswith("uncored_verified")}


def error(socket, metric, what="error_ratio"):
    return 'uncored_verified_%s{socket="%d",metric="%s"}' % (what, socket, metric)


HOLDS = {error(socket, metric, what): WHEN if what == "timestamp_seconds" else wrong
         for socket, metric, wrong in ((0, "memory_read_bytes_total", 0.0009765625),
                                       (1, "memory_read_bytes_total", 2.0),
                                       (1, "memory_write_bytes_total", -0.5))
         for what in ("timestamp_seconds", "error_ratio")}


def stale(*reasons):
    return {'uncored_verified_stale{reason="%s"}' % r: 1 for r in reasons}


def reloaded(u, what, want):
    u.p.send_signal(1)
    h.wait_for(what, lambda: said(u) == want)


def test_served_until_something_changes():
    """Each of what it rests on: the series go at the next reload, and one says why."""
    root, state = machine(), leave(FOUND)
    u = started(root, state)
    assert said(u) == HOLDS, said(u)
    for name, text, reason in (("sys/kernel/osrelease", "6.1.0-another", "kernel"),
                               ("class/dmi/id/bios_version", "2.2", "bios"),
                               ("class/dmi/id/bios_date", "03/29/2024", "bios")):
        before = h.read(os.path.join(root, name)).strip()
        put(root, name, text)
        reloaded(u, reason, stale(reason))
        put(root, name, before)
        reloaded(u, "as before", HOLDS)
    cpuinfo = h.read(os.path.join(root, "cpuinfo"))
    put(root, "cpuinfo", cpuinfo.replace("0xd\n", "0xe\n", 1))
    reloaded(u, "microcode", stale("microcode"))
    put(root, "sys/kernel/osrelease", "6.1.0-another")
    reloaded(u, "both", stale("microcode", "kernel"))
    os.unlink(os.path.join(state, "verified.json"))
    reloaded(u, "no file", {})
    assert u.stop() == 0
    assert "is not served, because this is another one: kernel, microcode" in u.text(), u.text()


def test_what_is_no_measurement():
    """Never believed: a model's, a file of no form, one that others may have written, a link."""
    root = machine()
    for found, reason in ((dict(FOUND, simulated=True), "simulated"),
                          ({k: v for k, v in FOUND.items() if k != "simulated"}, "simulated"),
                          (dict(FOUND, processor="another"), "processor"),
                          (dict(FOUND, format="uncored-verify-2"), "unreadable"),
                          ("{", "unreadable"), ("", "unreadable")):
        u = started(root, leave(found))
        assert said(u) == stale(reason), (found, said(u))
        assert u.stop() == 0
    state = leave(FOUND)
    os.chmod(os.path.join(state, "verified.json"), 0o666)
    u = started(root, state)
    assert said(u) == stale("unreadable") and "verified.json" in u.text(), (said(u), u.text())
    assert u.stop() == 0
    state = leave(None)
    os.symlink(os.path.join(leave(FOUND), "verified.json"), os.path.join(state, "verified.json"))
    u = started(root, state)
    assert said(u) == stale("unreadable"), said(u)
    assert u.stop() == 0
    u = started(root, leave(None))
    assert said(u) == {}, said(u)
    assert u.stop() == 0


def test_a_model_serves_no_measurement():
    """What was measured here is none of the server that a model shows."""
    for found, want in (FOUND, stale("simulated")), (dict(FOUND, simulated=True), HOLDS):
        u = h.Uncored("--engine", "model:spr", "--path-run", tempfile.mkdtemp(dir=h.path("")),
                      "--path-state", leave(found))
        assert said(u) == want, said(u)
        assert u.stop() == 0


def test_every_format():
    """JSON and OpenMetrics have the same numbers."""
    u = started(machine(), leave(FOUND))
    j = json.loads(u.get("/api/v1/snapshot")[2])
    family = next(f for f in j["metrics"] if f["name"] == "uncored_verified_error_ratio")
    assert sorted(s["value"] for s in family["series"]) == [-0.5, 0.0009765625, 2.0], family
    text = u.get("/metrics", {"Accept": "application/openmetrics-text"})[2].decode()
    assert "# UNIT uncored_verified_error_ratio ratio" in text
    for line, value in HOLDS.items():
        assert "%s %s" % (line, ("%.17g" % value)) in text, line
    assert u.stop() == 0


h.main(sys.modules[__name__])
