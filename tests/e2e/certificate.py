# SPDX-License-Identifier: MIT
"""certificate.py - what uncorectl verify left in the state directory, served by uncored; files of
contrib/certify.sh: made, replayed, and what README's column says of them.

uncored counts for real here, through perf: the tree is a Broadwell-EP's whose memory controllers
have the type of the kernel's software PMU. What verify found is written by hand: nobody can move
bytes past counters that are not there.
"""
import glob
import html
import importlib.util
import json
import os
import re
import shutil
import socket
import statistics
import sys
import tempfile
import time

import harness as h
import schema

sys.path.insert(0, os.path.join(h.SRC, "tests/curves"))
import curves                                                  # noqa: E402

CERTIFY = os.path.join(h.SRC, "contrib/certify.sh")
RENDER = os.path.join(h.SRC, "docs/verified/render.py")
# Made by tests/vm/package.py, in a guest whose counters count what verify moves.
GUEST = os.path.join(h.SRC, "tests/vm/certificate.json")
TEXT = """cpuinfo GenuineIntel 6 79 1
model {processor}
release {kernel}
cpu 0-0 socket 0
cpu 1-1 socket 1
like kernel_intel
PMU uncore_imc_{{0-{last}}} type=1 cpumask=0,1
  format event=config:0-7 umask=config:8-15
  events cas_count_read=event=0x0 cas_count_write=event=0x0 clockticks=event=0x0
  events/cas_count_read.scale: {read}
  events/cas_count_read.unit: MiB
  events/cas_count_write.scale: {written}
  events/cas_count_write.unit: MiB
"""
# A Skylake-SP's, which has a metric of memory latency; without one there is no knee.
KNEE_TEXT = TEXT.replace(" 79 1", " 85 4") + """PMU uncore_cha_0 type=1 cpumask=0,1
  format event=config:0-7 umask=config:8-15 filter_loc=config1:33 filter_nm=config1:36
  format filter_not_nm=config1:37 filter_opc0=config1:41-50 filter_rem=config1:32
"""
LINE = 6.103515625e-5       # MiB of a count, as the kernel says it
CLOCK = 1e9                 # counts a second: the software PMU's event 0 counts nanoseconds
NEAR = 0.01                 # of a knee, and of all that is left
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


def versions(root, of):
    """What a measurement rests on, into the files that say it."""
    put(root, "sys/kernel/osrelease", of["kernel"])
    put(root, "class/dmi/id/bios_version", of["bios_version"])
    put(root, "class/dmi/id/bios_date", of["bios_date"])
    cpuinfo = re.sub("(?m)^microcode.*\n", "", h.read(os.path.join(root, "cpuinfo")))
    put(root, "cpuinfo", "microcode\t: %s\n%s" % (of["microcode"], cpuinfo.rstrip("\n") + "\n"))


def machine(of=FOUND, text=TEXT, channels=2, read=LINE, written=LINE):
    """That machine, as far as a measurement rests on it, with counters of the real kernel. read,
    written: MiB of a count."""
    if (os.cpu_count() or 1) < 2:
        h.skip("this machine has one CPU")
    root = h.tree(h.write("machine.txt", text.format(last=channels - 1, read=read, written=written,
                                                     **of)))
    for pmu in glob.glob(os.path.join(root, "bus/event_source/devices/uncore_*")):
        put(pmu, "type", "1")
    put(root, "sys/kernel/perf_event_paranoid", "2")
    versions(root, of)
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


def test_a_curve_of_another_bios():
    """The knee was measured on it; verify has nothing to do with that, nor has the kernel."""
    root, state = machine(), leave(None)
    of = {k: FOUND[k] for k in ("kernel", "microcode", "bios_version", "bios_date")}
    put(state, "curve.json", json.dumps({
        "format": "uncored-curve-1", "version": "0.1.0", "date": "2023-01-02T12:00:00Z",
        "simulated": False, "processor": "bdx", "model": "made up", "sockets": [], **of}))
    os.chmod(os.path.join(state, "curve.json"), 0o644)
    u = started(root, state)

    def stale_curve():
        return [k for k in u.metrics() if k.startswith("uncored_curve_stale")]
    assert not stale_curve()
    put(root, "sys/kernel/osrelease", "6.1.0-another")
    for name, text, reason in (("class/dmi/id/bios_date", "01/01/2027", "bios"),
                               ("class/dmi/id/bios_version", "2.2", "bios")):
        before = h.read(os.path.join(root, name)).strip()
        put(root, name, text)
        u.p.send_signal(1)
        h.wait_for(reason, lambda r=reason: stale_curve() == [
            'uncored_curve_stale{reason="%s"}' % r])
        put(root, name, before)
        u.p.send_signal(1)
        h.wait_for("as before", lambda: not stale_curve())
    assert said(u) == {}
    assert u.stop() == 0


def test_what_is_no_measurement():
    """Never believed: a model's, a file of no form, one that others may have written, a link."""
    root = machine()
    for found, reason in ((dict(FOUND, simulated=True), "simulated"),
                          ({k: v for k, v in FOUND.items() if k != "simulated"}, "simulated"),
                          (dict(FOUND, processor="another"), "processor"),
                          (dict(FOUND, format="uncored-verify-2"), "unreadable"),
                          (dict(FOUND, timestamp_seconds=int(time.time()) + 2 * 86400),
                           "unreadable"),
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


def certificates():
    """Those of real machines, and the guest's."""
    found = [GUEST, *glob.glob(os.path.join(h.SRC, "docs/verified/*.json"))]
    return [(path, json.loads(h.read(path))) for path in found]


def errors_of(verify):
    return {error(c["socket"], c["metric"]): c["error"] for c in verify["compared"]
            if "error" in c and c["causes"][0] not in ("background", "noisy")}


def test_replayed():
    """Each certificate: of its schema, read again, and served with the same machine alone."""
    for path, j in certificates():
        schema.accept(schema.validator("certificate"), j, path)
        schema.accept(schema.validator("verify"), j["verify"], path)
        assert os.path.getsize(path) < 200000, path
        assert path != GUEST or j["verify"].get("revision"), "the package knows its commit"
        want = errors_of(j["verify"])
        assert want, path
        u = started(machine(j["verify"]), leave(j["verify"]))
        got = {k: v for k, v in said(u).items() if "error_ratio" in k}
        assert set(got) <= set(want) and len(got) >= 2, (path, got, want)
        assert all(abs(v - want[k]) <= 1e-6 * abs(want[k]) for k, v in got.items()), (got, want)
        assert u.stop() == 0
        u = started(machine(dict(j["verify"], kernel="6.66")), leave(j["verify"]))
        assert said(u) == stale("kernel"), (path, said(u))
        assert u.stop() == 0


def of_curve(curve):
    """A state directory with that curve, if any."""
    state = leave(None)
    if curve:
        put(state, "curve.json", json.dumps(curve))
        os.chmod(os.path.join(state, "curve.json"), 0o644)
    return state


def knee_of(mix):
    """Worked out from the points again, of which the latencies nearest to them never fall."""
    points = sorted((p["bytes_per_second"], p["latency_seconds"]) for p in mix["points"])
    waits = [wait for _, wait in points]
    n = len(waits)
    return curves.knee([
        (points[i][0], max(min(statistics.mean(waits[a:b + 1]) for b in range(i, n))
                           for a in range(i + 1)))
        for i in range(n)])


def served_at(share, traffic, socket, j):
    """(the knee, what is left) of a socket's memory, while so many bytes a second are moved there,
    and that share of them read. nan: not served."""
    channels = socket["channels_with_memory"]
    count = traffic / channels / CLOCK / (1 << 20)
    # A kernel's scale is not 0.
    root = machine(j["verify"], KNEE_TEXT, channels, count * share, max(count * (1 - share), 1e-15))
    state = of_curve(dict(j["curve"], processor="skx"))
    code, out, err = h.run(h.UNCORED, "--once", *options(root, state))
    if code == 77:
        h.skip("perf may not count here: " + err.strip())
    assert code == 0, err
    m = h.samples(out)
    return [float(m.get('uncore_memory_%s{socket="%d"}' % (metric, socket["socket"]), "nan"))
            for metric in ("knee_bytes_per_second", "headroom_ratio")]


def test_the_curve_replayed():
    """What --curve left: the knee of each mix is what its points say, and at half of it half is
    left; it is of that machine's memory, and of no other's."""
    found = [(path, j) for path, j in certificates() if "curve" in j]
    assert GUEST in [path for path, _ in found]
    for path, j in found:
        curve = j["curve"]
        schema.accept(schema.validator("curve"), curve, path)
        # machine() has two sockets.
        for s, mix in [(s, mix) for s in curve["sockets"][:2] for mix in s["mixes"]]:
            knee = knee_of(mix)
            assert knee or path != GUEST, mix
            if not knee:
                continue
            said, left = served_at(mix["read_ratio"], knee / 2, s, j)
            print("# socket %d, %.3f read: knee %.6g, served %.6g, %.4f left"
                  % (s["socket"], mix["read_ratio"], knee, said, left))
            assert abs(said / knee - 1) < NEAR and abs(left - 0.5) < NEAR, (path, mix, said, left)
        root = certified(j["verify"])
        for state, says in ((of_curve(curve), None), (of_curve(None), "was not measured"),
                            (of_curve(dict(curve, processor="another")), "is of another machine")):
            code, out, err = h.run(h.CTL, "describe", "memory_headroom_ratio", "--path-sysfs",
                                   root, "--path-procfs", root, "--path-state", state)
            assert code == 0 and ("absent on this machine: " in out) == bool(says), (path, out, err)
            assert not says or says in out, (path, says, out)


def certified(verify):
    """The machine of a certificate."""
    root = h.tree(h.write("certified.txt", verify["machine"]))
    versions(root, verify)
    return root


def test_described():
    """What a metric rests on, on the machine of each certificate and on the like of it."""
    for path, j in certificates():
        root = certified(j["verify"])
        for state, measured in (leave(j["verify"]), True), (leave(None), False):
            metric = next(iter(errors_of(j["verify"]))).split('metric="')[1].split('"')[0]
            code, out, err = h.run(h.CTL, "describe", metric, "--path-sysfs", root,
                                   "--path-procfs", root, "--path-state", state)
            assert code == 0 and "rests on: the published formula" in out, (path, out, err)
            assert ("measured on this machine on 20" in out) == measured, (path, out)
            assert ("not measured on this machine" in out) != measured, (path, out)
        code, out, _ = h.run(h.CTL, "describe", metric, "--machine", h.path("certified.txt"))
        assert code == 0 and "measured" not in out, (path, out)
    out = h.run(h.CTL, "describe", "memory_read_bytes_total", "--machine", "skx", "--json")[1]
    assert json.loads(out)["rests_on"] == [
        "the published formula of its source",
        "Linux's driver intel-uncore, executed in a guest on registers of known rates"], out


def test_the_page_says_what_it_rests_on():
    """The same as describe; on a model nothing was measured."""
    root, state = machine(), leave(FOUND)
    u = started(root, state)
    rests = {name: html.unescape(text) for text, name in re.findall(
        r"<td class=\"name\" title='[^']*\nRests on: ([^']*)'>([a-z_]+)<",
        u.get("/")[2].decode())}
    for metric, found in (
            # the file has a third socket, whatever is here
            ("memory_read_bytes_total", ((0, "0.0010"), (1, "2.0000"), (2, "0.0000"))),
            ("memory_write_bytes_total", ((1, "-0.5000"),))):
        said = "".join("; measured on this machine on 2026-11-27, socket %d: error %s of what was "
                       "moved" % one for one in found)
        out = h.run(h.CTL, "describe", metric, "--json", "--path-sysfs", root, "--path-procfs",
                    root, "--path-state", state)[1]
        assert rests[metric] == "; ".join(json.loads(out)["rests_on"]), (metric, rests, out)
        assert rests[metric] == "the published formula of its source; perf of a guest's kernel, " \
            "on PMUs of known rates" + said, rests
    assert u.stop() == 0
    u = h.Uncored("--engine", "model:skx", "--path-run", tempfile.mkdtemp(dir=h.path("")),
                  "--path-state", leave(dict(FOUND, simulated=True)))
    body = u.get("/")[2].decode()
    assert "\nRests on: the published formula of its source; Linux&#39;s driver intel-uncore, " \
        "executed in a guest on registers of known rates'>memory_read_bytes_total<" in body, body
    assert "measured on this machine" not in body
    assert u.stop() == 0


def render():
    spec = importlib.util.spec_from_file_location("render", RENDER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measured(change=None):
    """The guest's as if it were a machine's."""
    j = json.loads(h.read(GUEST))
    j["doctor"]["kernel"]["tainted"] = 0
    j["verify"]["processor"] = "Xeon | 8180"
    for c in j["verify"]["compared"]:
        if "error" in c:        # a latency or a clock has none
            c.update(error=0.001, error_low=-0.004, error_high=0.002)
    assert [c["agrees"] for c in j["verify"]["perf"]["compared"]] == [True] * 4, j["verify"]["perf"]
    if change:
        change(j)
    return j


def test_column():
    """It says what the files do, and no more; what is no measurement is refused."""
    r = render()
    readme = h.read(os.path.join(h.SRC, "README.md"))
    bare = r.rendered(readme, [])
    assert bare.count("| nobody yet |") == len(r.ROWS), bare
    good = ("a/skx-2026-12.json", measured())
    lines = [line for line in r.rendered(bare, [good, good]).splitlines() if "| 2: " in line]
    assert len(lines) == 1 and lines[0].startswith("| Xeon Scalable, Xeon 6 | perf |"), lines
    assert lines[0].endswith("| 2: 0.4 % |"), lines
    for name, machine, row in (
            ("grace", "", "NVIDIA Grace"), ("vera", "", "NVIDIA Grace"), ("tsv110", "", "Kunpeng"),
            ("neoverse-n2", "PMU ali_drw_21000 type=9\nPMU arm_cmn_0 type=8\n", "Yitian 710"),
            ("neoverse-n2", "cpu 0\nPMU arm_cmn_0 type=8\n", "Arm servers"),
            ("neoverse-n2", "", "any other")):
        of = {"doctor": {"processor": {"name": name}}, "verify": {"machine": machine}}
        assert r.ROWS[r.row_of(of)][0].startswith(row), (name, machine)
    assert r.line_of(*good).startswith("| [skx-2026-12.json](skx-2026-12.json) | Xeon   8180 | 20")
    assert r.line_of(*good).endswith("| memory read within 0.4 %, memory write within 0.4 % |")

    def wrong(j):
        for c in j["verify"]["compared"]:
            if c["metric"] == "memory_read_bytes_total":
                c.update(error=2.0, error_low=1.99, error_high=2.01, causes=["copies"])

    def perf_disagrees(j):
        j["verify"]["perf"]["compared"][0]["agrees"] = False
    assert r.said_of(measured(wrong)) == \
        "memory read WRONG by 201.0 %, memory write within 0.4 %"

    def others(j):
        causes = {"llc_data_read_miss_latency_seconds": "falls", "clocks": "range"}
        for c in j["verify"]["compared"]:
            if c["socket"] == 1 and c["metric"] in causes:
                c["causes"] = [causes[c["metric"]]]
        j["verify"]["compared"].append({"metric": "memory_bytes_total", "causes": ["noisy"]})
    assert r.said_of(measured(perf_disagrees)).endswith(", perf disagrees")
    assert r.said_of(measured(others)) == "memory read within 0.4 %, memory write within 0.4 %, " \
        "clocks WRONG, llc data read miss latency WRONG"
    for change in wrong, perf_disagrees, others:
        assert r.cell_of([good[1], measured(change)]) == "2: WRONG"

    def simulated(j):
        j["verify"]["simulated"] = True

    def virtual(j):
        j["doctor"]["processor"]["hypervisor"] = True

    def disturbed(j):
        for c in j["verify"]["compared"]:
            c["causes"] = ["background"]
    for change in simulated, virtual, disturbed:
        assert r.why_not(measured(change), 1000), change
    assert r.why_not(measured(), 1000) is None and r.why_not(measured(), 200000)
    assert "modules" in r.why_not(json.loads(h.read(GUEST)), 1000)


def tells_host(text):
    """A short name may be a part of any word."""
    return re.search(r"\b%s\b" % re.escape(socket.gethostname()), text) and \
        len(socket.gethostname()) > 3


def wrong_programs():
    """A directory of programs of which verify finds what is wrong."""
    at = tempfile.mkdtemp(dir=h.path(""))
    found = {"compared": [{"metric": m, "causes": [c]} for m, c in (
        ("memory_read_bytes_total", "copies"), ("memory_write_bytes_total", "right"),
        ("memory_read_bytes_total", "copies"), ("clocks", "low"))],
        "perf": {"compared": [{"agrees": True}, {"agrees": False}]}}
    put(at, "found", json.dumps(found, indent=1))
    for name, text in (("uncored", "sleep 60 & trap 'kill $!' TERM; wait"), ("uncored-http", ""),
                       ("uncorectl", "[ $1 != verify ] || { cat '%s/found'; exit 1; }" % at)):
        put(at, name, "#!/bin/sh\n" + text)
        os.chmod(os.path.join(at, name), 0o755)
    return at


def test_certify():
    """One command on what has nothing but the programs, here with a simulated server: one file, no
    trace, and never taken for a measurement."""
    if os.geteuid() != 0:
        h.skip("certify.sh wants root")
    at, programs = tempfile.mkdtemp(dir=h.path("")), tempfile.mkdtemp(dir=h.path(""))
    tmp = tempfile.mkdtemp(dir=h.path(""))
    os.makedirs(programs + "/usr/sbin")
    for name in "uncored", "uncored-http", "uncorectl":
        shutil.copy(os.path.join(h.BUILD, name), programs + "/usr/sbin")
    tarball = h.path("uncored.tar.gz")
    assert h.run("tar", "-czf", tarball, "-C", programs, "usr")[0] == 0
    code, out, err = h.run(
        "sh", CERTIFY, "--quick", "-o", at + "/file.json", tarball, timeout=200,
        env={"TMPDIR": tmp, "UNCORED_VERIFY_TRAFFIC": h.path("traffic"),
             "UNCORED_OPTIONS": "--engine model:nehalem-ex:verify"})
    assert code in (0, 75) and not out, (code, out, err)        # 75: this machine is busy
    assert "moving memory for less than a minute;" in err, err
    assert os.listdir(at) == ["file.json"] and os.listdir(tmp) == [], (at, tmp)
    text = h.read(at + "/file.json")
    j = json.loads(text)
    schema.accept(schema.validator("certificate"), j, "certify")
    schema.accept(schema.validator("verify"), j["verify"], "certify")
    assert j["exit"]["verify"] == code and j["verify"]["simulated"] and len(text) < 200000, j
    assert tmp not in text and not tells_host(text), text
    assert render().why_not(j, len(text)) == "it is simulated"
    code, out, err = h.run("sh", CERTIFY, "-o", at + "/none.json", at)
    assert code == 69 and "there is no uncored in" in err and len(os.listdir(at)) == 1, err
    code, out, err = h.run("sh", CERTIFY, "-o", at + "/wrong.json", wrong_programs(), timeout=60)
    assert code == 1 and "knee" not in err, (code, err)
    assert "verify found: clocks low, memory_read_bytes_total copies, perf disagrees\n" in err, err
    code, out, err = h.run("sh", CERTIFY, "--what")
    assert code == 64 and "sudo ./certify.sh" in err, err


def test_certify_leaves_no_identity():
    """A host whose name is a word of the file, here of its format: what was measured is kept apart,
    and it is said what to do with it. Where doctor or the machine's text has the word, nothing is
    measured."""
    if os.geteuid() != 0:
        h.skip("certify.sh wants root")
    at = tempfile.mkdtemp(dir=h.path(""))
    for name, measured in (("uncored-certificate-1", True), ("cpuinfo", False)):
        put(at, "hostname", "#!/bin/sh\necho " + name)
        os.chmod(at + "/hostname", 0o755)
        code, out, err = h.run(
            "sh", CERTIFY, "-o", at + "/file.json", os.path.abspath(h.BUILD),
            env={"PATH": at + ":" + os.environ["PATH"], "UNCORED_OPTIONS": "--nothing"})
        assert code == 70 and not out and "would tell whose machine this is" in err, (code, err)
        assert ("moving memory" in err) == measured, (name, err)
        left = sorted(set(os.listdir(at)) - {"hostname"})
        assert left == ["file.json.private"] * measured, left
        if measured:
            kept = at + "/file.json.private"
            assert err.endswith("mv %s %s/file.json\n" % (kept, at)), err
            assert json.loads(h.read(kept))["exit"] and os.stat(kept).st_mode & 0o777 == 0o600, kept
            os.remove(kept)


h.main(sys.modules[__name__])
