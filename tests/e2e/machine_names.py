# SPDX-License-Identifier: MIT
"""machine_names.py - what a machine is called, wherever uncored says it: each machine of
src/topo/machines, names of models of any bytes, a guest, NVIDIA's PMUs.

NAMES is typed from mapfile.csv of intel/perfmon (models), the same file of Linux' perf for AMD and
Arm, and libpfm4 (Neoverse V2): not from uncored's table. Clients have one name for each uncore.
"""
import glob
import html
import json
import os
import re
import sys

import harness as h
import schema

NAMES = {
    "nehalem": "nehalem", "westmere": "westmere", "nehalem_ex": "nehalem-ex", "snbep": "snbep",
    "ivt": "ivytown", "hsx": "hsx", "bdx": "bdx", "bdxde": "bdxde", "skx": "skx", "clx": "clx",
    "clxap": "clx", "cpx": "cpx",
    "icx": "icx", "spr": "spr", "sprhbm": "spr", "emr": "emr", "gnr": "gnr", "srf": "srf",
    "cwf": "cwf", "skl": "snb", "tgl": "tgl", "adl": "tgl", "mtl": "mtl", "lnl": "lnl",
    "zen1": "zen1", "zen2": "zen2", "zen3": "zen3", "zen4": "zen4", "zen5": "zen5",
    "zen6": "zen6", "ryzen": "zen2", "raphael": "zen4",
    "cmn600": "neoverse-n1", "altra2": "neoverse-n1", "altra2_lts": "neoverse-n1",
    "cmn700": "neoverse-v2", "grace": "grace", "vera": "vera",
    "cmns3": "neoverse-v3", "kunpeng920": "tsv110", "kunpeng930": "hip09",
    "ampereone": "ampereone", "yitian710": "neoverse-n2",
}
# Where it is the PMUs that tell it from others with the same cores.
BY_CPU = {"grace": "neoverse-v2"}
# What else stands in these lines: (cpuinfo, name)
OTHERS = [
    ("GenuineIntel 6 85 10", "cpx"), ("GenuineIntel 6 108 1", "icx-d"),
    ("GenuineIntel 6 174 1", "gnr-d"), ("GenuineIntel 6 47 2", "westmere-ex"),
    ("GenuineIntel 6 44 2", "westmere"), ("AuthenticAMD 26 160 0", "zen6"),
    ("GenuineIntel 6 134 5", "other"), ("AuthenticAMD 26 255 0", "other"),
    ("CentaurHauls 6 31 0", "other"), ("arm 0x41 0xd49", "neoverse-n2"),
    ("arm 0xc0 0xac3", "ampereone"), ("arm 0x48 0xd01", "tsv110"), ("arm 0x99 0xd0c", "other"),
]
# One socket that this machine's kernel can count: its software PMU stands for memory controllers.
SMALL = """cpuinfo %s
cpu 0-0 socket 0
like kernel_intel
PMU uncore_imc type=1 cpumask=0
  format event=config:0-7
  events clockticks=event=0x0
"""
CONF = """interval = "100ms";
groups = ( { name = "m"; events = [ "perf/uncore_imc/clockticks/" ]; } );
"""
XEON = "Intel(R) Xeon(R) CPU           X7560  @ 2.27GHz"


def small(cpuinfo, name, **more):
    """Its directory. more: lines of cpuinfo."""
    root = h.tree(h.write(name + ".txt", SMALL % cpuinfo))
    for file, text in (("sys/kernel/perf_event_paranoid", "2\n"),
                       ("self/status", h.read("/proc/self/status"))):
        os.makedirs(os.path.dirname(os.path.join(root, file)), exist_ok=True)
        with open(os.path.join(root, file), "w") as f:
            f.write(text)
    was = h.read(os.path.join(root, "cpuinfo")).rstrip("\n") + "\n"
    with open(os.path.join(root, "cpuinfo"), "wb") as f:
        f.write(was.encode())
        for key, value in more.items():
            f.write(key.replace("_", " ").encode() + b"\t: " + value + b"\n")
    return root


def options(root):
    return ["--engine", "perf", "-c", h.write("names.conf", CONF), "--path-sysfs", root,
            "--path-procfs", root]


def info(root):
    """The labels of uncored_socket_info, in their order."""
    code, out, err = h.run(h.UNCORED, "--once", *options(root))
    if code == 77:
        h.skip("no perf events are permitted here: " + err.strip())
    assert code == 0, err
    lines = [line for line in out.splitlines() if line.startswith("uncored_socket_info{")]
    assert len(lines) == 1 and lines[0].endswith("} 1"), lines
    return re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', lines[0])


def test_each_machine():
    """Nothing knows of a model here, and no label of it is there."""
    texts = glob.glob(os.path.join(h.SRC, "src/topo/machines/*.txt"))
    assert {os.path.basename(t)[:-4] for t in texts} == set(NAMES), "a name for each, and no other"
    for text, name in NAMES.items():
        root = h.tree(text)
        paths = ["--path-sysfs", root, "--path-procfs", root, "-c", h.path("none.conf")]
        h.write("none.conf", "# defaults\n")
        j = json.loads(h.run(h.CTL, "doctor", "--json", *paths)[1])
        assert j["processor"]["name"] == name, (text, j["processor"])
        code, out, err = h.run(h.CTL, "plan", "--json", *paths)
        assert code == 0 and json.loads(out)["processor"] == name, (text, err)
        assert "model" not in json.loads(out), text
        code, out, err = h.run(h.CTL, "list", "metrics", "--json", *paths[:4])
        assert code == 0 and json.loads(out)["processor"] == name, (text, out, err)
        cpuinfo = re.search("^cpuinfo (.*)$", h.machine(text), re.M)[1]
        assert info(small(cpuinfo, text + "-small")) == [
            ("socket", "0"), ("processor", BY_CPU.get(name, name)), ("engine", "perf"),
            ("cpu", "0")], text


def test_what_is_printed_can_be_typed():
    for name in sorted(set(NAMES.values())):
        code, out, err = h.run(h.CTL, "list", "groups", "-p", name)
        assert code == 0 and out and err == "", (name, code, err)
    for name, title in ("icxd", "Ice Lake-D"), ("GNRD", "Granite Rapids-D"):
        code, out, err = h.run(h.CTL, "list", "groups", "-p", name)
        assert code == 64 and out == "" and "no machine with %s (" % title in err, (code, err)


# Code names typed from ark.intel.com and AMD's product pages, and the machine of that generation.
CODE_NAMES = {
    "skylake-sp": "skx", "cascadelake": "clx", "cooperlake": "cpx", "icelake": "icx",
    "sapphirerapids": "spr", "emeraldrapids": "emr", "graniterapids": "gnr",
    "sierraforest": "srf", "clearwaterforest": "cwf", "naples": "zen1", "rome": "zen2",
    "milan": "zen3", "genoa": "zen4", "bergamo": "zen4", "turin": "zen5", "Ice Lake": "icx",
    "Sapphire Rapids": "spr", "GRANITE RAPIDS": "gnr", "Ice Lake-SP": "icx", "haswell-ep": "hsx",
    "Sandy Bridge-EP": "snbep", "Ivy Bridge-EP": "ivt", "Broadwell-EP": "bdx",
    "Broadwell-DE": "bdxde", "Alder Lake": "adl", "Tiger Lake": "tgl", "Meteor Lake": "mtl",
    "Lunar Lake": "lnl",
}


def test_code_names():
    """Whatever is typed of it; what stands for no one machine leads to the list."""
    for name, machine in CODE_NAMES.items():
        want = h.run(h.CTL, "list", "groups", "--machine", machine)
        assert want[0] == 0 and want[1], want
        for option in "--machine", "-p":
            assert h.run(h.CTL, "list", "groups", option, name) == want, (option, name)
    for name, more in (("8380", ""), ("EPYC 9654", ""), ("siena", ""), (" ", ""),
                       ("skylake", ""), ("sapphire rapid", "; the nearest is 'sapphirerapids'")):
        code, out, err = h.run(h.CTL, "list", "groups", "--machine", name)
        assert code == 64 and out == "" and "uncorectl list machines)" + more in err, (name, err)


def test_other_processors():
    for i, (cpuinfo, name) in enumerate(OTHERS):
        assert dict(info(small(cpuinfo, "other%d" % i)))["processor"] == name, cpuinfo


def test_a_guest_is_what_its_cpuid_says():
    root = small("GenuineIntel 6 143 8", "guest", flags=b"fpu hypervisor",
                 model_name=b"Intel Xeon Processor (SapphireRapids)")
    assert dict(info(root))["processor"] == "spr"
    assert dict(info(root))["model"] == "Intel Xeon Processor (SapphireRapids)"


def test_grace_by_its_pmus():
    root = small("arm 0x41 0xd4f", "grace")
    assert dict(info(root))["processor"] == "neoverse-v2"
    pmu = os.path.join(root, "bus/event_source/devices/nvidia_scf_pmu_0")
    os.makedirs(os.path.join(pmu, "format"))
    for file, text in (("type", "77"), ("cpumask", "0"), ("format/event", "config:0-31")):
        with open(os.path.join(pmu, file), "w") as f:
            f.write(text + "\n")
    assert dict(info(root))["processor"] == "grace"


def test_no_name_of_a_model():
    """Arm has none, also in what a program of 32 bits sees; the kernel writes "unknown" where CPUID
    has none. An empty label would be a model of this name."""
    for i, (cpuinfo, more) in enumerate((
            ("arm 0x41 0xd0c", b"ARMv8 Processor rev 1 (v8l)"), ("GenuineIntel 6 143 8", b""),
            ("GenuineIntel 6 143 8", b"unknown"), ("GenuineIntel 6 143 8", b"   "))):
        root = small(cpuinfo, "unnamed%d" % i, model_name=more)
        labels = [k for k, _ in info(root)]
        assert labels == ["socket", "processor", "engine", "cpu"], (cpuinfo, more, labels)


def test_any_bytes():
    """A hypervisor can name its model anything: every format says the same, and what is not seen
    is a '?'."""
    raw = b'a "b" \\ \\n <i>\'c\'</i> & \xc2\xb5 %s {x="y"} \xff \x1b[31m \xe2\x80\xae'
    seen = 'a "b" \\ \\n <i>\'c\'</i> & \u00b5 %s {x="y"} ? ?[31m ???'
    root = small("GenuineIntel 6 143 8", "bytes", model_name=raw)
    escaped = seen.replace("\\", "\\\\").replace('"', '\\"')
    assert dict(info(root))["model"] == escaped
    u = h.Uncored(*options(root))
    for accept in ("text/plain", "application/openmetrics-text;version=1.0.0"):
        body = u.get("/metrics", {"Accept": accept})[2]
        body = body.decode() if isinstance(body, bytes) else body
        assert 'processor="spr",model="%s",engine="perf"' % escaped in body, body
        if "openmetrics" in accept:
            try:
                from prometheus_client.openmetrics.parser import text_string_to_metric_families
            except ImportError:
                continue
            models = {s.labels["model"] for f in text_string_to_metric_families(body)
                      for s in f.samples if s.name == "uncored_socket_info"}
            assert models == {seen}, models
    for path in ("status", "snapshot"):
        j = json.loads(u.get("/api/v1/" + path)[2])
        assert (j["processor"], j["model"]) == ("spr", seen), j
        assert j["machine"] == seen + " (spr), 1 socket" and j["host"] == os.uname().nodename, j
    assert json.loads(u.get("/api/v1/status")[2])["sockets"][0]["model"] == seen
    # a plan, too, also where --sockets says how many
    for more, n in ((), 1), (("--sockets", "3"), 3):
        paths = [*options(root)[2:], *more]
        j = json.loads(h.run(h.CTL, "plan", "--json", *paths)[1])
        schema.accept(schema.validator("plan"), j, "plan")
        assert (j["processor"], j["model"], len(j["sockets"])) == ("spr", seen, n), j
        said = h.run(h.CTL, "plan", *paths)[1].splitlines()[0]
        assert said == "processor spr (%s), %d socket%s, %d series" \
            % (seen, n, "s" if n > 1 else "", j["series"]), said
    code, out, err = h.run(h.CTL, "stat", "-o", "json", "--url", u.url, "--", "true")
    assert code == 0, err
    j = json.loads(out)
    schema.accept(schema.validator("stat"), j, "stat")
    assert (j["processor"], j["model"]) == ("spr", seen), j
    j = json.loads(h.run(h.CTL, "doctor", "--json", *options(root)[2:])[1])["processor"]
    assert (j["name"], j["model_name"]) == ("spr", seen), j
    page = u.get("/")[2]
    page = page.decode() if isinstance(page, bytes) else page
    title = re.search("<title>(.*?)</title>", page)[1]
    assert title == "%s - spr - uncored" % os.uname().nodename, title
    shown = html.escape(seen, quote=False).replace("'", "&#39;")
    assert "<p>%s (spr), 1 socket</p>" % shown in page and seen not in page, page[:4000]
    said = "uncored: engine perf, as configured; processor: %s (spr), 1 socket\n" % seen
    assert u.text().startswith(said), u.text()
    u.stop()


def test_doctor_begins_with_it():
    root = small("GenuineIntel 6 46 6", "doctor", model_name=XEON.encode())
    out = h.run(h.CTL, "doctor", *options(root)[2:])[1]
    assert re.sub(r"\s+", " ", XEON) + " (nehalem-ex), 1 socket: Nehalem-EX, GenuineIntel family " \
        "6 model 46 stepping 6, " in re.sub(r"\s+", " ", out), out
    root = small("GenuineIntel 6 134 5", "doctor-other")
    out = h.run(h.CTL, "doctor", *options(root)[2:])[1]
    assert "processor without a name, 1 socket: GenuineIntel family 6 model 134 stepping 5, " in \
        re.sub(r"\s+", " ", out), out


h.main(sys.modules[__name__])
