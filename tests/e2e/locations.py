# SPDX-License-Identifier: MIT
"""locations.py - where units are, as people see it: the root buses and devices of I/O stacks and
the nodes of units, in the scrape, the status, the page and uncorectl top.

What is right comes from the texts of machines, which are read here once more: what a line says, and
not how uncored reads the files that are made of it.
"""
import glob
import json
import os
import re
import signal
import sys

import harness as h
import schema

INFO = re.compile(r'^(uncore_io_(?:stack|device)_info|uncored_unit_node_info)\{(.*)\} 1$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
TEXTS = os.path.join(h.SRC, "src/topo/machines")
FAST = 'interval = "100ms";'


def infos(text):
    """{family: [labels]} of the three families."""
    found = {}
    for line in text.splitlines():
        m = INFO.match(line)
        if m:
            found.setdefault(m[1], []).append(dict(LABEL.findall(m[2])))
    return found


def body(u, where):
    return u.get(where)[2].decode()


def once(machine, conf=FAST):
    code, out, err = h.run(h.UNCORED, "--machine", machine, "--engine", "model", "-c",
                           h.write(os.path.basename(machine) + ".conf", conf), "--once",
                           "--path-run", h.path("run"))
    assert code == 0, (machine, err)
    return out


def by_text(name):
    """Root buses {(socket, unit): bus} and devices [labels] by the lines of a text: a socket of one
    die is the die of its number."""
    buses, devices, pmu = {}, [], ""
    for line in h.machine(name).splitlines():
        words = line.split()
        if line.startswith("PMU "):
            pmu = words[1]
        if line.startswith("  die "):
            assert pmu.startswith("uncore_iio_{0-")
            buses.update({(words[1], str(i)): bus for i, bus in enumerate(words[2:])
                          if bus != "-"})
        if line.startswith("pci ") and "root" in words:
            said = dict(zip(words[2::2], words[3::2]))
            devices.append({"pci": words[1], **said})
    return buses, devices


KINDS = {"0x020000": "net", "0x020700": "infiniband", "0x010802": "nvme",
         "0x030200": "accelerator", "0x088000": "accelerator"}
NAMES = {"net": "net", "infiniband": "infiniband", "nvme": "nvme"}


def test_stacks_and_devices_of_a_text():
    for name, stacks in (("icx", 10), ("spr", 14)):
        buses, devices = by_text(name)
        assert len(buses) == stacks
        at = {bus: key for key, bus in buses.items()}
        found = infos(once(name))
        assert {(s["socket"], s["unit"]): s["pci_bus"]
                for s in found["uncore_io_stack_info"]} == buses, name
        right = []
        for d in devices:
            kind = KINDS.get(d["class"])
            socket, unit = at[d["root"]]
            share = sum(o["root"] == d["root"] for o in devices)
            if kind:
                named = d.get(NAMES.get(kind)) or d.get("drm") or d.get("dsa")
                right.append({"socket": socket, "unit": unit, "pci": d["pci"],
                              "driver": d["driver"], "class": kind,
                              **({"name": named} if named else {}), "devices": str(share)})
        key = lambda d: sorted(d.items())
        assert sorted(found["uncore_io_device_info"], key=key) == sorted(right, key=key), name


def with_nodes(name):
    """The machine with a NUMA node for each socket: a text of its own."""
    text = h.machine(name)
    while not re.search(r"^cpu ", text, re.M):
        like = h.machine(re.search(r"^like (\w+)", text, re.M)[1])
        text += "".join(re.findall(r"^cpu .*\n|^like .*\n", like, re.M))
    sockets = sorted({int(s) for s in re.findall(r"^cpu .*socket (\d+)", text, re.M)})

    def node(line):
        said = re.sub(r" node \d+", "", line[0])
        return said + " node %d" % sockets.index(int(re.search(r"socket (\d+)", said)[1]))
    return h.write(name + ".txt", re.sub(r"^cpu .*$", node, text, flags=re.M)), sockets


def test_one_node_on_every_machine():
    """The node of a unit is its socket's; nobody has more than 100 series of a socket."""
    names = sorted(os.path.basename(t)[:-4] for t in glob.glob(TEXTS + "/*.txt"))
    assert len(names) >= 25
    for name in names:
        at, sockets = with_nodes(name)
        code, out, err = h.run(h.UNCORED, "--machine", at, "--engine", "model", "--once", "-c",
                               h.write(name + ".conf", FAST), "--path-run", h.path("run"))
        if code == 78 and re.search("nothing of (what its events count|its memory)", err):
            continue                    # no model counts there: tests/plan has these
        assert code == 0, (name, err)
        nodes = infos(out).get("uncored_unit_node_info", [])
        # a default that is of sockets alone, as Kunpeng's, has no unit to say it of; in one that is
        # full, as Cascade Lake-AP's, a note says that there is no room
        assert nodes or not re.search(r"^uncore_\S*unit=", out, re.M) or \
            re.search("The series that say where .* are left out: with them a socket", err), name
        for n in nodes:
            assert n["node"] == str(sockets.index(int(n["socket"]))), (name, n)
            assert n["box"] != "amd_iommu", (name, n)
        for s in sockets:
            series = [line for line in out.splitlines()
                      if re.match(r'(uncore_|uncored_unit_node_info)\S*socket="%d"' % s, line)]
            assert len(series) <= 100, (name, s, len(series))


def test_what_people_see():
    u = h.Uncored("--machine", "icx", "--engine", "model", "-c", h.write("seen.conf", FAST),
                  "--path-run", h.path("run"))
    status = u.status()
    schema.accept(schema.validator("status"), status, "status")
    assert status["sockets"][0]["io_stacks"] == [
        {"unit": 0, "pci_bus": "0000:16", "devices": "ens1f0, ens1f1"},
        {"unit": 1, "pci_bus": "0000:30", "devices": "nvme0"},
        {"unit": 3, "pci_bus": "0000:4a", "devices": "nvme1"},
        {"unit": 4, "pci_bus": "0000:64", "devices": ""},
        {"unit": 5, "pci_bus": "0000:00", "devices": ""}]
    for words in (r"pcie_read_bytes_total\{socket=\"0\",unit=\"0\"\}'><small>unit 0</small> "
                  r"<small>ens1f0, ens1f1</small> ",
                  r"pcie_read_bytes_total\{socket=\"1\",unit=\"1\"\}'><small>unit 1</small> "
                  r"[\d.]+ "):
        h.wait_for(words, lambda words=words: re.search(words, body(u, "/")))
    before = u.metrics()
    code, out, err = h.run(h.CTL, "top", "--url", u.url, "--batch", "--repeat", "3")
    after = u.metrics()
    assert code == 0, err
    line = [s for s in out.splitlines() if "socket=0" in s][-1]
    for who, unit in (("ens1f0, ens1f1", 0), ("nvme0", 1), ("nvme1", 3)):
        for what, metric in (("read from memory", "read"), ("wrote to memory", "write")):
            key = 'uncore_pcie_%s_bytes_total{socket="0",unit="%d"}' % (metric, unit)
            active = 'uncored_active_seconds_total{socket="0"}'
            rate = (float(after[key]) - float(before[key])) / \
                (float(after[active]) - float(before[active]))
            shown = float(re.search('"%s %s"=([0-9.e+]+)' % (re.escape(who), what), line)[1])
            assert abs(shown - rate) < 0.5 * rate, (who, what, shown, rate)
    u.stop()


def machine_dir():
    return glob.glob(h.path("run/machine-*"))[0]


def put(at, text):
    os.makedirs(os.path.dirname(at), exist_ok=True)
    with open(at, "w", encoding="utf-8") as f:
        f.write(text)


def add_device(top, root, address, files, driver):
    at = os.path.join(top, "devices/pci" + root, address)
    for name, text in files.items():
        put(os.path.join(at, name), text)
    os.symlink("../../../bus/pci/drivers/" + driver, os.path.join(at, "driver"))
    os.symlink("../../../devices/pci%s/%s" % (root, address),
               os.path.join(top, "bus/pci/devices", address))


def test_read_again_at_a_reload():
    """A device that comes, with a name that would write on a terminal, and one that goes."""
    os.makedirs(h.path("run"), exist_ok=True)
    u = h.Uncored("--machine", "icx", "--engine", "model", "-c", h.write("again.conf", FAST),
                  "--path-run", h.path("run"))
    top = machine_dir()
    add_device(top, "0000:64", "0000:65:00.0", {
        "class": "0x020000\n", "net/e\033[31m\"\nx/ifindex": "2\n"}, "ice")
    os.unlink(os.path.join(top, "bus/pci/devices/0000:4b:00.0"))
    os.kill(u.pid, signal.SIGHUP)

    def seen():
        return [d for d in infos(body(u, "/metrics"))["uncore_io_device_info"]
                if d["pci"] == "0000:65:00.0"]
    h.wait_for("the reload", seen)
    assert seen() == [{"socket": "0", "unit": "4", "pci": "0000:65:00.0", "driver": "ice",
                       "class": "net", "name": r'e\\x1b[31m\"\\x0ax', "devices": "1"}], seen()
    text = body(u, "/metrics")
    assert "0000:4b:00.0" not in text and "\033" not in text
    names = {s["unit"]: s["devices"] for s in u.status()["sockets"][0]["io_stacks"]}
    assert names[4] == 'e\\x1b[31m"\\x0ax' and names[3] == "", names
    assert "\033" not in body(u, "/")
    out = h.run(h.CTL, "top", "--url", u.url, "--batch", "--repeat", "2")[1]
    assert "\033" not in out and 'e\\x1b[31m"\\x0ax read' in out, out
    u.stop()


def test_doctor_says_what_is_not_proved():
    """Two nodes in each socket: memory is in one of them, and nobody says in which."""
    text = h.machine("spr")
    text = text.replace("cpu 0-3 socket 0 node 0\ncpu 4-7 socket 1 node 1\n",
                        "cpu 0-1 socket 0 node 0\ncpu 2-3 socket 0 node 1\n"
                        "cpu 4-5 socket 1 node 2\ncpu 6-7 socket 1 node 3\n")
    at = h.write("snc.txt", text)
    code, out, err = h.run(h.CTL, "doctor", "--machine", at, "--json",
                           "-c", h.write("doctor.conf", FAST))
    found = [f["text"] for f in json.loads(out)["findings"] if f["topic"] == "NUMA nodes"]
    assert len(found) == 2 and "socket 0 has 2:" in found[0] and " imc," in found[0], (out, err)
    # Of its twelve stacks four have a device that says its node; on socket 1 that is no node of it.
    assert " iio (8 of 12), " in found[0] and " iio, " in found[1], found
    nodes = infos(once(at, 'interval = "100ms"; groups = ["memory", "pcie"];'))
    nodes = nodes["uncored_unit_node_info"]
    assert {(n["box"], n["unit"], n["node"]) for n in nodes if n["socket"] == "0"} == {
        ("iio", unit, "0") for unit in ("0", "1", "5", "6")}, nodes
    out = h.run(h.CTL, "doctor", "--machine", "spr", "-c", h.write("doctor.conf", FAST))[1]
    assert "NUMA nodes" not in out


def test_four_nodes_of_an_epyc():
    """NPS4: the L3s are in their nodes, by groups that count them one by one; of channels, fabric
    and energy nobody says it."""
    at = h.write("nps4.txt", h.machine("zen4_nps4"))
    l3 = 'groups = ( { name = "l3"; events = [ "perf/amd_l3/event=0x04,umask=0xff,name=x/" ]; } );'
    out = once(at)
    assert 'uncored_nodes{socket="0"} 4' in out and 'uncored_nodes{socket="1"} 4' in out, out
    assert "uncored_unit_node_info" not in infos(out), infos(out)
    assert out.count("uncore_memory_channel_utilization_ratio{") == 24, out
    nodes = infos(once(at, FAST + l3))["uncored_unit_node_info"]
    assert {(n["socket"], n["box"], n["unit"], n["node"]) for n in nodes} == {
        (str(i // 4), "amd_l3", str(i % 4), str(i)) for i in range(8)}, nodes
    found = json.loads(h.run(h.CTL, "doctor", "--machine", at, "--json", "-c",
                             h.write("doctor.conf", FAST))[1])["findings"]
    said = [f["text"] for f in found if f["topic"] == "NUMA nodes"]
    assert len(said) == 2 and all("has 4:" in s and "amd_umc" in s for s in said), said
    assert "socket 1 has 4:" in said[1] and "amd_l3" not in said[1], said


if __name__ == "__main__":
    h.main(sys.modules[__name__])
