# SPDX-License-Identifier: MIT
"""perf_tree.py - uncorectl and uncored --check-config on the PMUs of other machines: sysfs trees of
src/topo/machines.

The numbers are put together by hand from the format lines of those texts.
"""
import json
import os
import re
import shutil
import sys

import harness as h


def ctl(name, *args):
    root = h.shared_tree(name)
    return h.run(h.CTL, *args, "--path-sysfs", root, "--path-procfs", root)


def test_list():
    code, out, err = ctl("skx", "list", "events", "--json")
    rows = {e["spec"]: e for e in json.loads(out)["perf"] if "terms" in e}
    assert code == 0 and err == "", err
    assert rows["perf/uncore_imc/cas_count_read/"] == {
        "spec": "perf/uncore_imc/cas_count_read/", "pmu": "uncore_imc", "instances": 6,
        "event": "cas_count_read",
        "terms": "event=0x04,umask=0x03", "scale": "6.103515625e-5", "unit": "MiB"}, rows
    assert "perf/uncore_imc_0/cas_count_read/" not in rows and "perf/msr/tsc/" in rows
    # libpfm4 knows the processor that it runs on, which is not the one of this tree; the rest has
    # the names of the processor's own table, which this kernel does not
    named = [e for e in json.loads(out)["perf"] if "terms" not in e]
    assert {"spec": "upi/clockticks", "event": "clockticks",
            "help": "perfmon SKX UNC_UPI_CLOCKTICKS"} in named, named
    assert not any("::" in e["spec"] or "pfm" in e["help"].replace("perfmon", "")
                   for e in named), named
    code, out, _ = ctl("skx", "list", "events")
    assert code == 0 and "perf/power/energy-pkg/" in out, out
    assert "one count is 6.103515625e-5 MiB" in out, out
    # asked for another processor, this machine's kernel is beside the point
    code, out, _ = ctl("skx", "list", "events", "--processor", "nehalem-ex")
    assert code == 0 and "bbox/IMT_FULL" in out and "perf/" not in out
    # the boxes are its PMUs
    code, out, _ = ctl("skx", "list", "boxes")
    assert code == 0 and re.search(r"(?m)^imc +6 units a socket,.* PMU uncore_imc", out), out


def test_describe():
    code, out, _ = ctl("skx", "describe", "perf/uncore_imc/cas_count_read/")
    assert code == 0, out
    for words in ("event=0x04,umask=0x03", "thresh               config:24-31",
                  "uncore_imc_cas_count_read_bytes_total",
                  "times 64", "PMU uncore_imc_5 type 65 on CPU 4, config 0x304"):
        assert words in out, (words, out)
    code, out, _ = ctl("zen4", "describe", "perf/amd_l3/event=4,umask=0xff,name=look/", "--json")
    j = json.loads(out)
    assert code == 0 and j["format"]["sliceid"] == "config:48-50" and len(j["perf"]) == 12, j
    assert [(p["socket"], p["unit"], p["cpu"]) for p in j["perf"]] == \
        [(i // 6, i % 6, 2 * i) for i in range(12)], j
    code, _, err = ctl("skx", "describe", "perf/uncore_imc/cas_count_raed/")
    assert code == 78 and "nearest is 'cas_count_read'" in err, err


def test_bytes_only_of_the_event_itself():
    """Six channels of a Skylake-SP have a count and bytes each, and the socket its bytes read; with
    another term it is cycles or a part of the events, and how many bytes one is nobody says. A term
    that the event asks for is its own."""
    asks = h.write("asks.txt", """cpuinfo GenuineIntel 6 85 4
cpu 0-0 socket 0
like kernel_intel
PMU uncore_foo type=12 cpumask=0
  format event=config:0-7 edge=config:18 chip=config1:0-3 part=config1:4-7
  events reads=event=0x4,chip=?
  events/reads.scale: 64
  events/reads.unit: bytes
""")
    for machine, spec, n in (
            ("skx", "uncore_imc/cas_count_read/", 13),
            ("skx", "uncore_imc/cas_count_read,edge=0/", 13),
            ("skx", "uncore_imc/cas_count_read,edge/", 6),
            ("skx", "uncore_imc/thresh=2,cas_count_read,inv,name=x/", 6),
            (asks, "uncore_foo/reads,chip=3/", 2), (asks, "uncore_foo/chip=3,reads,edge/", 1),
            (asks, "uncore_foo/reads,chip=3,part=1/", 1)):
        conf = h.write("bytes.conf", 'groups = ( { name = "g"; events = [ "perf/%s" ]; } );' % spec)
        code, out, err = h.run(h.UNCORED, "--check-config", "-c", conf, "--machine", machine)
        assert (code, err) == (0, "") and ", %d series on " % n in out, (spec, n, code, out, err)


def test_encode_and_plan_agree():
    code, out, _ = ctl("skx", "encode",
                       "perf/uncore_cha_12/event=0x35,umask=0x21,filter_isoc,name=tor/", "--json")
    j = json.loads(out)
    assert code == 0 and j["box"] == "cha" and j["event"] == "tor", j
    assert j["family"] == "uncore_cha_tor_total", j
    assert j["perf"] == [
        {"pmu": "uncore_cha_12", "type": 25, "config": "0x2135", "config1": "0x8000000000000000",
         "config2": "0x0", "cpu": cpu,
         "socket": socket, "unit": 12} for socket, cpu in ((0, 0), (1, 4))], j
    conf = h.write("cha.conf", 'groups = ( { name = "g"; events = [ '
                               '"perf/uncore_cha_12/event=0x35,umask=0x21,filter_isoc,'
                               'name=tor/" ]; } );\n')
    code, out, err = ctl("skx", "plan", "-c", conf, "--json")
    assert code == 0, err
    for socket, was in zip(json.loads(out)["sockets"], j["perf"]):
        slot = socket["rounds"][0]["slots"][0]
        assert slot["perf"].items() <= was.items() and slot["unit"] == 12, slot
    for spec, says in (("imc/", "an event name is missing after the slash"),
                       ("imc/cas_count_read,socket=0", 'there is no key "socket"'),
                       ("nix/x", "does not know this processor's registers")):
        code, out, err = ctl("skx", "encode", spec)
        assert (code, out) == (64 if "nix" in spec else 78, "") and says in err, (spec, code, err)
    code, out, _ = ctl("skx", "encode", "perf/power/energy-pkg/")
    assert code == 0 and "config 0x2 config1 0x0 config2 0x0" in out, out


def test_check_config():
    root = h.tree("skx")
    paths = ["--path-sysfs", root, "--path-procfs", root, "--engine", "perf"]
    conf = h.write("good.conf", 'groups = ( { name = "g"; events = [ '
                                '"perf/uncore_upi/event=2,umask=0xf,name=flits/" ]; } );\n')
    code, _, err = h.run(h.UNCORED, "--check-config", "-c", conf, *paths)
    assert code == 0, err
    conf = h.write("bad.conf", 'groups = ( { name = "g"; events = [\n'
                               '"perf/uncore_upi/event=2,umask=0x80000000,name=f/",\n'
                               '"perf/uncore_imx_0/clockticks/", '
                               '"perf/uncore_imc_0/cas_count_read,umask=4/" ]; } );\n')
    code, _, err = h.run(h.UNCORED, "--check-config", "-c", conf, *paths)
    assert code == 78 and err.count("bad.conf:") == 3, err
    for words in ("bad.conf:2", "does not fit into config:8-15,32-43,45-55", "bad.conf:3",
                  "conflicts with"):
        assert words in err, err


def test_ready_metrics():
    """What the tables have for a processor, and what its kernel lacks for it."""
    root = h.tree("skx")
    paths = ["--path-sysfs", root, "--path-procfs", root]
    for channel in range(6):    # they may share their files
        file = "%s/bus/event_source/devices/uncore_imc_%d/events/cas_count_write" % (root, channel)
        if channel == 0 or os.path.exists(file):
            os.remove(file)
    why = "PMU 'uncore_imc_0' has no event or term 'cas_count_write'"

    code, out, err = h.run(h.CTL, "list", "metrics", "--json", *paths)
    rows = {m["name"]: m for m in json.loads(out)["ready"]}
    assert code == 0 and rows["memory_write_bytes_total"]["absent"] == why, rows
    assert rows["memory_read_bytes_total"]["absent"] is None, rows
    assert rows["memory_read_bytes_total"]["source"], rows
    code, out, err = h.run(h.CTL, "list", "metrics", *paths)
    assert code == 0 and "memory_read_bytes_total" in out, out
    assert "memory_write_bytes_total" not in out, out

    code, out, err = h.run(h.CTL, "describe", "uncore_memory_write_bytes_total", *paths)
    assert code == 0 and "absent on this machine: " + why in out, out
    assert "perf/uncore_imc/cas_count_write/" in out, out
    code, out, err = h.run(h.CTL, "describe", "memory_read_bytes_total", *paths)
    assert code == 0 and "absent" not in out, out

    code, out, err = h.run(h.CTL, "doctor", "--json", *paths)
    said = [f["text"] for f in json.loads(out)["findings"] if f["topic"] == "ready metrics"]
    assert any(t.startswith("memory_write_bytes_total, ") and t.endswith(": not available: " + why)
               for t in said), said
    assert any("memory_read_bytes_total" in s and "not available" not in s for s in said), said

    code, out, err = h.run(h.CTL, "plan", "--json", *paths)
    rounds = json.loads(out)["sockets"][0]["rounds"]
    assert code == 0 and len(rounds) == 1, rounds
    assert "memory_read_bytes_total" in rounds[0]["metrics"], rounds
    assert "memory_write_bytes_total" not in rounds[0]["metrics"], rounds


MACHINES = (        # a machine of each row, by the beginning of its name
    ("Nehalem, ", "nehalem"), ("Xeon 7500", "nehalem_ex"), ("Xeon E5 (", "snbep"),
    ("Xeon E5 v2, ", "ivt"), ("Xeon E5 v3", "hsx"),
    ("Xeon E5 v3", "bdx"), ("Xeon Scalable", "skx"), ("Xeon Scalable", "icx"),
    ("Xeon Scalable", "sprhbm"), ("Xeon Scalable", "srf"),
    ("Intel Core", "skl"), ("Intel Core", "mtl"), ("EPYC 7001", "zen1"), ("EPYC 7002", "zen2"),
    ("EPYC 7002", "zen3"),
    ("EPYC 9004", "zen4"), ("EPYC 9005", "zen5"), ("EPYC of Zen 6", "zen6"),
    ("Ryzen 3000", "ryzen"), ("Ryzen 7000", "raphael"),
    ("Arm servers with CMN-600", "cmn600"), ("Arm servers with CMN-700", "cmn700"),
    ("Arm servers with CMN S3", "cmns3"), ("Kunpeng 920", "kunpeng920"),
    ("Kunpeng with", "kunpeng930"), ("AmpereOne", "ampereone"), ("Yitian 710", "yitian710"),
    ("NVIDIA Grace", "grace"), ("NVIDIA Vera", "vera"))
IN_PART = "raphael",    # its tree leaves out what no public listing has
# The machines whose PMUs a guest's perf has counted.
COUNTED = re.search(r'^TREES = (.*?)\.split', h.read(os.path.join(h.SRC, "tests/vm/live.py")),
                    re.M | re.S)[1].replace('"', " ").split()
COLUMNS = (r"(die_|remote_|persistent_|high_bandwidth_)?memory_(?!controller)|remote_|imt_", "llc_",
           "(nv|cnv)?link_(?!clock)", "pcie_|io_",
           "(memory_controller_)?clock_")


def rests_on(name, metric):
    """The word of docs/machines.md for what describe says."""
    text = json.loads(ctl(name, "describe", metric, "--json")[1])["rests_on"][1]
    if "executed" in text:
        return "driver"
    return "listing" if "listing" in text else "perf"


def test_machines():
    """A cell of the table in docs/machines.md has words where a default group counts something, and
    parentheses where only groups of one's own do. What is in sets has a table of its own. The last
    cell says what these metrics rest on, as describe says it, which says of no machine that a
    guest's perf counted it but of those that did."""
    text = h.read(os.path.join(h.SRC, "docs/machines.md"))
    table = [line.strip("|").split("|") for line in text.split("\n")
             if line.startswith("| ") and line.count("|") == 8]
    table = {cells[0].strip(): cells[1:] for cells in table}
    rests = {label: set() for label in table}
    for start, name in MACHINES:
        row = [label for label in table if label.startswith(start)]
        assert len(row) == 1, (start, row)
        rows = [m for m in json.loads(ctl(name, "list", "metrics", "--json")[1])["ready"]
                if m["absent"] is None]
        plan = json.loads(ctl(name, "plan", "--json")[1])
        planned = {m for s in plan["sockets"] for r in s["rounds"] for m in r["metrics"]}
        of_sets = {m for g in json.loads(ctl(name, "list", "groups", "--json")[1])
                   for m in g["metrics"] if g.get("set")} - planned
        rows = [m for m in rows if m["name"] not in of_sets]
        for pattern, cell in zip(COLUMNS, table[row[0]]):
            here = [m["name"] for m in rows if re.match(pattern, m["name"])]
            asked, plain = "(" in cell, re.sub(r"\(.*?\)", "", cell).strip(" ;,")
            if plain == "idle flits":       # counts, no metric
                continue
            if name not in IN_PART:
                assert bool(plain) == any(m in planned for m in here), (name, pattern, cell, here)
                assert asked == any(m not in planned for m in here), (name, pattern, cell, here)
            for m in here:
                on = rests_on(name, m)
                assert name in COUNTED or on != "perf", (name, m)
                rests[row[0]].add(on)
    for label, cells in table.items():
        said = set(re.sub(r"\(.*?\)", "", cells[-1]).replace(",", " ").split())
        assert label in ("machine", "CXL memory devices") or said == rests[label], \
            (label, said, rests)


def test_verified():
    """README says of each machine whether somebody has verified its counts."""
    text = h.read(os.path.join(h.SRC, "README.md"))
    table = re.search(r"^\| machine \|.*\| verified \|\n.*\n((?:\|.*\n)+)", text, re.M)[1]
    said = [line.strip("|").split("|")[-1].strip() for line in table.splitlines()]
    assert len(said) >= 8, said
    for cell in said:           # docs/verified/render.py makes them
        assert re.fullmatch(r"nobody yet|[1-9]\d*: (?:\d+\.\d %|WRONG)", cell), cell


def test_processor_without_a_name():
    """The trees' cpuinfo gives no model name: Intel's lists call family 6 model 173 Granite
    Rapids."""
    code, out, _ = ctl("gnr", "doctor")
    assert "Granite Rapids" in out.split("processor", 1)[1].split("\n", 1)[0], out
    assert "unknown name" not in out, out


def unnamed(events, cpumask="0,4"):
    """A machine that no table knows, whose 16 memory controllers have these events, and a small PMU
    beside them that serves these CPUs."""
    root = h.tree("unnamed")
    pmus = os.path.join(root, "bus/event_source/devices")
    os.makedirs(os.path.join(pmus, "uncore_imc_0/events"))
    os.makedirs(os.path.join(pmus, "uncore_small/events"))
    os.makedirs(os.path.join(pmus, "uncore_small/format"))
    files = {"uncore_imc_0/events/" + e: "event=0x%02x" % i for i, e in enumerate(events)}
    files.update({"uncore_small/type": "300", "uncore_small/cpumask": cpumask,
                  "uncore_small/format/event": "config:0-7",
                  "uncore_small/events/data_read": "event=0x1"})
    for file, text in files.items():
        with open(os.path.join(pmus, file), "w", encoding="ascii") as f:
            f.write(text + "\n")
    return root


def test_a_machine_without_a_table_has_one_truth():
    """`list groups`, `plan`, doctor, --check-config and groups = ( "imc" ) name the same groups."""
    root = unnamed(["clockticks", "page_miss", "read_cas", "write_cas", "act"])
    where = ("--path-sysfs", root, "--path-procfs", root)

    def ctl_of(*args):
        code, out, err = h.run(h.CTL, *args, *where)
        assert code == 0 and err == "", err
        return out

    groups = json.loads(ctl_of("list", "groups", "--json"))
    # 16 of each of four events; one
    assert [(g["name"], g["default"], g["series"]) for g in groups] == \
        [("imc", True, 64), ("small", True, 1)], groups
    assert groups[0]["events"] == ["perf/uncore_imc/%s/" % e for e in
                                   ("read_cas", "write_cas", "page_miss", "act")], groups
    plan = json.loads(ctl_of("plan", "--json"))
    assert [r["groups"] for s in plan["sockets"] for r in s["rounds"]] == [["imc", "small"]] * 2
    assert len(plan["notes"]) == 1 and "perf/uncore_imc/clockticks/" in plan["notes"][0], plan
    _, out, _ = h.run(h.CTL, "doctor", "--json", *where)
    said = [f["text"] for f in json.loads(out)["findings"] if f["topic"] == "groups"]
    assert any(t.startswith("imc, small: 130 events") for t in said), said
    assert plan["notes"][0] in said, said
    code, out, _ = h.run(h.UNCORED, "--check-config", *where)
    assert code == 0 and out == "2 groups, 1 round, 65 series on each of 2 sockets\n", out
    code, out, _ = h.run(h.UNCORED, "--check-config", "-c",
                         h.write("imc.conf", 'groups = ( "imc" );\n'), *where)
    assert code == 0 and out == "1 group, 1 round, 64 series on each of 2 sockets\n", out
    assert "group imc, ready-made, counted by default" in ctl_of("describe", "imc")
    code, out, err = h.run(h.CTL, "list", "metrics", *where)
    assert (code, out) == (69, "") and "no ready-made metrics for this machine" in err, (out, err)


def test_series_are_counted_by_socket():
    root = unnamed(["clockticks"], cpumask="0")
    conf = h.write("own.conf", 'groups = ( { name = "g"; '
                               'events = [ "perf/uncore_small/data_read/" ]; } );\n')
    code, out, _ = h.run(h.UNCORED, "--check-config", "-c", conf, "--path-sysfs", root,
                         "--path-procfs", root)
    assert code == 0 and out == "1 group, 1 round, 1 series: 1 on socket 0, none on socket 1\n", out
    # sixteen of the clock beside it
    code, out, _ = h.run(h.UNCORED, "--check-config", "--path-sysfs", root, "--path-procfs", root)
    assert code == 0 and out.startswith("2 groups, 1 round, 33 series: 17 on socket 0, 16 on "
                                        "socket 1"), out


def test_what_nobody_can_count():
    """A metric that no source tells and one for a group of a configuration: describe, and a
    configuration that asks."""
    root = h.tree("zen2")
    paths = ["--path-sysfs", root, "--path-procfs", root]
    code, out, err = h.run(h.CTL, "describe", "memory_read_bytes_total", *paths)
    why = "absent on this machine: the events of this data fabric count reads and writes together"
    assert code == 0 and why in out, (out, err)
    assert "sum of" not in out and "source: Linux tools/perf" in out, out

    halves = "memory_channels_0_to_3_bytes_total", "memory_channels_4_to_7_bytes_total"
    groups = []
    for name in halves:
        code, out, err = h.run(h.CTL, "describe", name, *paths)
        assert code == 0 and "absent" not in out, (out, err)
        assert "if a group of the configuration has these events" in out, (out, err)
        events = [word for word in out.split() if word.startswith("perf/amd_df/")]
        assert len(events) == 4, out
        groups.append('{ name = "%s"; events = [ %s ]; }'
                      % (name[7:19], ", ".join('"%s"' % e for e in events)))
    conf = h.write("halves.conf", "groups = ( %s );\n" % ", ".join(groups))
    code, out, err = h.run(h.CTL, "plan", "--json", "-c", conf, *paths)
    rounds = json.loads(out)["sockets"][0]["rounds"]
    assert code == 0, (rounds, err)
    assert [r["metrics"] for r in rounds] == [[name] for name in halves], (rounds, err)


def test_devices_on_arm():
    """doctor, list, describe and --check-config agree on what counts, and where: memory controllers
    whose NUMA node is known, and those of a kernel that does not say it."""
    for name, ready in ("altra2", True), ("altra2_lts", False):
        _, out, _ = ctl(name, "doctor", "--json")
        j = json.loads(out)
        pmus = {p["box"]: p for p in j["pmus"]}
        assert pmus["arm_cmn"]["cpumask"] == [0, 4] and pmus["arm_cmn"]["uncore"], pmus
        assert pmus["arm_dmc620"]["uncore"] and pmus["arm_dmc620"]["instances"] == 4, pmus
        assert not pmus["armv8_pmuv3"]["uncore"], pmus
        said = {f["text"].split(":")[0]: f for f in j["findings"] if f["topic"] == "uncore PMU"}
        assert "CPU 0,4, " in said["arm_cmn"]["text"], said
        assert said["arm_dmc620"]["level"] == ("ok" if ready else "note"), said
        others = [f["text"] for f in j["findings"] if f["topic"] == "other PMUs"]
        assert others and "dmc620" not in others[0], others
        _, out, _ = ctl(name, "list", "metrics", "--json")
        listed = [m["name"] for m in json.loads(out)["ready"] if not m.get("absent")]
        assert ("memory_bytes_total" in listed) == ready, listed
        _, out, _ = ctl(name, "describe", "memory_bytes_total")
        assert ("on which of the 2 sockets" in out) != ready, out
        conf = h.write("memory.conf", 'groups = ( "memory" );')
        code, out, err = h.run(h.UNCORED, "--check-config", "-c", conf, "--path-sysfs",
                               h.shared_tree(name), "--path-procfs", h.shared_tree(name))
        assert code == (0 if ready else 78), (code, out, err)
        assert ("on which of the 2 sockets" in err) != ready, err


def test_a_line_of_the_plan_is_of_one_die():
    """What stands in it, typed back, is what the line counts: both of an I/O die's units."""
    text = h.write("sicl.txt", """cpuinfo arm 0x48 0xd02
cpu 0-3 socket 0 node 0
like kernel
PMU hisi_sicl0_pa{0-1} type=10 cpumask=0
  format event=config:0-7
  events rx_req=config=0x40
PMU hisi_sicl2_pa{0-1} type=12 cpumask=0
  format event=config:0-7
  events rx_req=config=0x40
""")
    conf = h.write("sicl.conf", 'groups = ( "hisi_sicl_pa" );\n')
    code, out, err = h.run(h.CTL, "plan", "-c", conf, "--machine", text)
    lines = [line.split()[0] for line in out.splitlines() if "rx_req" in line]
    assert code == 0 and lines == ["hisi_sicl_pa0-1/rx_req,config=0x40,die=0",
                                   "hisi_sicl_pa2-3/rx_req,config=0x40,die=2"], (out, err)
    for line, units in zip(lines, ([0, 1], [2, 3])):
        code, out, err = h.run(h.CTL, "encode", line, "--machine", text, "--json")
        assert code == 0 and [p["unit"] for p in json.loads(out)["perf"]] == units, (out, err)


def test_a_later_kunpeng_is_not_taken_for_one_that_is_known():
    """32 bytes a count are published of hip08 (part 0xd01) and hip09 (0xd02); Linux cputype.h has
    0xd06 as hip12. Its kernel's events are counted as those of any PMU without a table."""
    for part, known in ("0xd02", True), ("0xd06", False):
        text = h.write("kunpeng.txt", "cpuinfo arm 0x48 %s\nlike kunpeng930\n" % part)
        _, out, _ = h.run(h.CTL, "list", "groups", "--machine", text, "--json")
        groups = {g["name"] for g in json.loads(out)}
        assert ("memory" in groups) == known and ("hisi_sccl_ddrc" in groups) != known, groups


def test_metrics_of_a_box():
    """With the name of a box, list metrics has what uses an event of it: `cha` is in "channel"."""
    for where, box, pmu in ((["--machine", "spr"], "cha", r'"perf/uncore_cha(_\d+)?/'),
                            (["--machine", "spr"], "CHA", r'"perf/uncore_cha(_\d+)?/'),
                            (["--machine", "zen4"], "amd_umc", r'"perf/amd_umc(_\d+)?/'),
                            (["-p", "nehalem-ex"], "sbox", '"sbox/'),
                            # of most the clock alone is of it
                            (["-p", "nehalem-ex"], "wbox", '"wbox/')):
        every, of_box = (json.loads(h.run(h.CTL, "list", "metrics", *word, "--json", *where)[1])
                         for word in ([], [box]))
        uses = [m["name"] for k in ("metrics", "ready") for m in every[k]
                if re.search(pmu, json.dumps(m))]
        found = [m["name"] for k in ("metrics", "ready") for m in of_box[k]]
        assert uses and found == uses, (where, box, found, uses)


def test_doctor_of_that_machine():
    """What is absent from another machine, only a doctor of that machine explains."""
    for at in ["--machine", "spr"], ["-p", "spr"]:
        err = h.run(h.CTL, "list", "metrics", *at)[2]
        assert "absent" in err and "; uncorectl doctor --machine spr says what to do" in err, err


def test_what_is_ready_and_what_is_not():
    """Every row of the tables for a machine is in the plan, or doctor says why not."""
    for name in ("skl", "adl", "lnl", "snbep", "hsx", "clxap", "spr", "sprhbm", "gnr", "zen1",
                 "zen2", "zen4", "zen5", "cmn600"):
        code, out, err = ctl(name, "list", "metrics", "--json")
        assert code == 0, (name, err)
        ready = json.loads(out)["ready"]
        code, out, err = ctl(name, "plan", "--json")
        assert code == 0, (name, err)
        planned = {m for s in json.loads(out)["sockets"] for r in s["rounds"] for m in r["metrics"]}
        _, out, _ = ctl(name, "doctor", "--json")
        said = [f["text"] for f in json.loads(out)["findings"]
                if f["topic"] in ("ready metrics", "groups")]
        assert len(ready) >= 5 and len(planned) >= 1, (name, ready, planned)
        tables = json.loads(ctl(name, "list", "metrics", "-v", "--json")[1])["tables"]
        sets = {t["name"] for t in tables if t["sets"]}
        groups = json.loads(ctl(name, "list", "groups", "--json")[1])
        for m in ready:
            if m["absent"]:
                assert m["name"] not in planned, (name, m)
                told = [s for s in said if m["name"] in s.split(":")[0].split(", ")]
                # these are for every processor, and few Sapphire Rapids have high-bandwidth
                # memory: rows that few have share a line
                whole = m["table"] in ("rapl", "cstate") or (name, m["table"]) == ("spr", "hbm")
                assert len(told) == 1, (m, told)
                assert ": not on this machine, which is no fault;" in told[0] if whole else \
                    told[0].endswith(": not available: " + m["absent"]), (m, told)
            elif m["name"] in planned:
                assert any(m["name"] in s and "not available" not in s and "of your own" not in s
                           for s in said), (name, m, said)
            elif m["table"] in sets:
                of = [g["name"] for g in groups if m["name"] in g["metrics"]]
                asked = [s for s in said if "on request, by the groups " in s]
                assert of and any(of[-1] in s for s in asked), (name, m, of, said)
            else:
                own = [s for s in said if "a group of your own" in s and m["name"] in s]
                assert own or any("is left out" in s for s in said), (name, m, said)
                if m["name"].startswith("memory_channel_"):
                    assert m["name"] + " (group channels)" in own[0], own
        for m in planned:
            assert any(m == r["name"] for r in ready), (name, m)


DEVICES = "bus/event_source/devices"


def specs_of(root, pmus):
    """(PMU, terms) of every event of these PMUs, and of every field of their formats with its
    lowest, highest and all bits."""
    found = []
    for pmu in pmus:
        at = os.path.join(root, DEVICES, pmu)
        events = os.path.join(at, "events")
        for e in sorted(os.listdir(events) if os.path.isdir(events) else []):
            with open(os.path.join(events, e)) as f:
                if "." not in e and "?" not in f.read() and \
                        not os.path.exists(os.path.join(events, e + ".snapshot")):
                    found.append((pmu, e))
        fields = []
        for name in sorted(os.listdir(os.path.join(at, "format"))):
            with open(os.path.join(at, "format", name)) as f:
                ranges = re.findall(r"(\d+)(?:-(\d+))?(?=,|$)", f.read().strip().split(":")[1])
            fields.append((name, sum(int(hi or lo) - int(lo) + 1 for lo, hi in ranges)))
            found += [(pmu, "%s=0x%x" % (name, v))
                      for v in sorted({1, 1 << (fields[-1][1] - 1), (1 << fields[-1][1]) - 1})]
        if pmu != "uncore_pcu":         # whose fields share bits
            found.append((pmu, ",".join("%s=%d" % (n, 5 % (1 << w)) for n, w in fields)))
        found += [(pmu, t) for t in ("config=0xfedcba9876543210",
                                     "config1=0x89abcdef01234567,config2=7", "r304", "r0xabc")]
    return found


def numbers_of_perf(root, specs):
    """What perf stat would open, {place in specs: (type, config, config1, config2)}. The types are
    unknown to the kernel."""
    event = ",".join("%s/%s,name=e%d/" % (pmu, terms, i) for i, (pmu, terms) in enumerate(specs))
    _, _, err = h.run("perf", "stat", "-vv", "-a", "-e", event, "--", "true",
                      env=dict(os.environ, SYSFS_PATH=root, LC_ALL="C"))
    found = {}
    for block in err.split("perf_event_attr:")[1:]:
        name = re.search(r"^e(\d+) event is not supported", block, re.M)
        attr = block.split("-----")[0]
        values = [re.search(r"(?:^|\s)%s\s+(\w+)" % re.escape(k), attr)
                  for k in ("type", "config", "config1 }", "config2 }")]
        if name:
            found[int(name.group(1))] = tuple(int(v.group(1), 0) if v else 0 for v in values)
    return found, err


def test_terms_mean_the_same_to_perf():
    """Whatever is accepted here, perf stat makes the same numbers of: on trees of other machines,
    and on odd formats."""
    if not shutil.which("perf"):
        h.skip("perf is not installed (Debian: linux-perf)")
    for name, pmus in (("skx", ("uncore_imc_0", "uncore_cha_12", "uncore_iio_free_running_0",
                                "uncore_upi_0", "power")),
                       ("cmn600", ("arm_dmc620_10008c000",)),
                       ("hsx", ("uncore_pcu", "uncore_cbox_0"))):
        root = h.tree(name)
        if name == "skx":
            for file, text in (("swapped", "config:8-15,0-7"), ("apart", "config1:63,0,5-6"),
                               ("all", "config2:0-63")):
                with open(os.path.join(root, DEVICES, "uncore_imc_0/format", file), "w") as f:
                    f.write(text + "\n")
        for i, pmu in enumerate(pmus):
            for file, text in (("type", "%d\n" % (1000000 + i)), ("cpumask", "0\n")):
                with open(os.path.join(root, DEVICES, pmu, file), "w") as f:
                    f.write(text)
        specs = specs_of(root, pmus)
        conf = h.write(name + "-same.conf", "groups = (%s);\n" % ",".join(
            '{ name = "g%d"; events = [ "perf/%s/%s,name=e%d/" ]; }\n'
            % (i, pmu, terms, i) for i, (pmu, terms) in enumerate(specs)))
        code, out, err = h.run(h.CTL, "plan", "--json", "-c", conf, "--path-sysfs", root,
                               "--path-procfs", root)
        assert code == 0, err
        ours = {int(s["event"][1:]): tuple(int(str(s["perf"][k]), 0)
                                           for k in ("type", "config", "config1", "config2"))
                for s in (s for r in json.loads(out)["sockets"][0]["rounds"] for s in r["slots"])}
        perfs, err = numbers_of_perf(root, specs)
        if not perfs and name == "skx":
            h.skip("this perf does not look into another sysfs: " + err[-200:])
        wrong = ["%s/%s/: uncored %s, perf %s" % (*specs[i], ours[i], perfs.get(i)) for i in ours
                 if ours[i] != perfs.get(i)]
        print("  %s: %d specifications" % (name, len(specs)))
        assert not wrong and len(ours) == len(specs), "\n".join(wrong)


def test_catalog_of_a_processor_without_registers():
    """/api/v1/catalog has what the kernel names, as uncorectl lists it: else it would be empty
    there."""
    root = h.tree("skl")
    conf = h.write("skl.conf",
                   'groups = ( { name = "g"; events = [ "perf/software/cpu-clock/" ]; } );\n')
    paths = ["--engine", "perf", "-c", conf, "--path-sysfs", root, "--path-procfs", root]
    code, _, err = h.run(h.UNCORED, "--once", *paths)
    if code == 77:
        h.skip("no perf events are permitted here: " + err.strip())
    u = h.Uncored(*paths)
    j = json.loads(u.get("/api/v1/catalog")[2])
    assert j == json.loads(h.run(h.CTL, "list", "events", "--json", *paths[4:])[1])
    assert j["processor"] == "snb" and j["events"] == []
    assert {"spec": "perf/power/energy-pkg/", "pmu": "power", "instances": 1, "event": "energy-pkg",
            "terms": "event=0x02",
            "scale": "2.3283064365386962890625e-10", "unit": "Joules"} in j["perf"], j["perf"]


def test_the_choice_of_auto():
    """Without a word in the configuration the daemon takes what doctor says, and logs the same
    sentence."""
    nothing = h.write("nothing.conf", "# defaults\n")
    for name, words in (("nehalem_ex", "(uncore_bbox_0)"), ("skx", "Skylake-SP: "),
                        ("spr", "Sapphire Rapids: counting through the kernel (perf)"),
                        ("zen4", "AMD Zen 4: "), ("cmn600", "Arm Neoverse-N1: ")):
        root = h.shared_tree(name)
        paths = ["-c", nothing, "--path-sysfs", root, "--path-procfs", root,
                 "--path-dev", h.path("nodev"), "--path-run", h.path("norun")]
        engine = json.loads(h.run(h.CTL, "doctor", "--json", *paths)[1])["engine"]
        assert engine["engine"] == "perf" and words in engine["why"], engine
        _, _, err = h.run(h.UNCORED, "--once", *paths)      # this machine's kernel has no such PMUs
        assert err.startswith("uncored: ") and engine["why"] in err.splitlines()[0], (engine, err)


def test_plan_reads_what_a_link_can_carry():
    """Where registers can be read, plan knows as the daemon does that a link says no speed; where
    they cannot, it shows the metric."""
    root, dev = h.tree("ivt"), h.path("ivt-dev")
    conf = h.write("links.conf", """engine = "registers"; groups = ( { name = "links"; events = [
        "qpi/TXL_FLITS_G0:DATA", "qpi/TXL_FLITS_G0:NON_DATA", "qpi/CLOCKTICKS" ]; } );""")
    paths = ["-c", conf, "--path-sysfs", root, "--path-procfs", root, "--path-dev", dev]
    for there in False, True:
        for cpu in range(64) if there else ():
            os.makedirs(os.path.join(dev, "cpu", str(cpu)))
            with open(os.path.join(dev, "cpu", str(cpu), "msr"), "wb") as f:
                f.truncate(4096)
        code, out, err = h.run(h.CTL, "plan", *paths)
        assert code == 0 and "uncore_link_sent_bytes_total" in out, (out, err)
        assert ("uncore_link_sent_utilization_ratio" in out) == (not there), (there, out)


def test_names_of_ready_metrics():
    """Prometheus finds nothing to complain about in any name, type and help of the tables."""
    text, seen = "", set()
    if not shutil.which("promtool"):
        h.skip("promtool is not installed")
    for name in "sprhbm", "snbep", "hsx", "tgl", "zen1", "zen3", "zen5", \
            "cmn600", "grace", "nehalem", "nehalem_ex":
        for m in json.loads(ctl(name, "list", "metrics", "--json")[1])["ready"]:
            family, kind = "uncore_" + m["name"], m["type"]
            if family not in seen:
                text += "# HELP %s %s.\n# TYPE %s %s\n%s 1\n" % (family, m["help"],
                                                                 family, kind, family)
            seen.add(family)
    code, out, err = h.run("sh", "-c", 'promtool check metrics <"$1"', "sh",
                           h.write("ready.prom", text))
    assert code == 0 and out == "" and len(seen) > 30, (len(seen), out, err)


h.main(sys.modules[__name__])
