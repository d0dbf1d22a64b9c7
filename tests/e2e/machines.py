# SPDX-License-Identifier: MIT
"""machines.py - a machine that is a text: installed, captured, or somebody else's."""
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

import harness as h

TREES = re.findall(r'"(\w+)"', re.search(r"#define SYSFS_TREES(?:.*\\\n)*.*", h.read(
    os.path.join(h.SRC, "tests/plan/sysfs_tree.h")))[0])
# A machine of registers, of which no more is told.
XEON_7500 = "cpuinfo GenuineIntel 6 46 6\ncpu 0-3 socket 0\n"


def setup_tmp():
    """A directory that nothing else writes to, for the private ones."""
    return tempfile.mkdtemp(dir=h.path(""))


def run(*args, run_dir=None):
    at = run_dir or setup_tmp()
    result = h.run(*args, "--path-run", at)
    assert os.listdir(at) == [], os.listdir(at)
    assert at not in result[1] + result[2], (args, result)
    return result


def conf():
    """The ready-made groups, whatever this machine's /etc says."""
    return h.write("machines.conf", 'listen = [ "127.0.0.1:0" ];\n')


def answers(*at):
    """What is said of a machine: its plan, its groups, the check of a configuration."""
    yield h.run(h.CTL, "plan", "--json", "-c", conf(), *at)
    yield h.run(h.CTL, "list", "groups", "--json", *at)
    yield h.run(h.UNCORED, "--check-config", "-c", conf(), *at)


def said(answer):
    """Without the directories of files, which a sentence may name."""
    return answer[0], re.sub(r"/[^ \"(]*(?=/bus/|/devices/)", "", answer[1])


def same(one, other, name):
    for a, b in zip(one, other):
        assert said(a) == said(b), (name, a, b)


def test_installed_machines():
    """Of each machine the same is said by its name as by its files."""
    listed = json.loads(run(h.CTL, "list", "machines", "--json")[1])["machines"]
    names = {m["name"] for m in listed}
    assert set(TREES) <= names, set(TREES) - names
    for name in TREES:
        root = h.tree(name)
        same(answers("--machine", name), answers("--path-sysfs", root, "--path-procfs", root),
             name)


def test_sets_of_simulated_servers():
    """Each event of a set counts there, and the set yields what it is for."""
    ours = "numa_local_read numa_remote_read numa_local_write numa_remote_write".split()
    xeon = "numa_local_reads_total numa_remote_read_ratio home_remote_read_bytes_total " \
        "home_local_write_bytes_total numa_local_read_latency_seconds " \
        "numa_remote_read_latency_seconds io_read_miss_ratio io_local_write_bytes_total " \
        "io_remote_read_bytes_total io_partial_writes_total dram_read_latency_seconds"
    for name, sets, names in (
            ("skx", "numa memory_latency", "numa_local_reads_total numa_remote_reads_total "
             "numa_local_read_latency_seconds numa_remote_read_latency_seconds "
             "home_remote_read_bytes_total memory_read_queue_latency_seconds"),
            ("icx", "numa io memory_latency coherence",
             xeon + " directory_write_bytes_total io_write_hit_bytes_total"),
            ("spr", "numa io memory_latency coherence core_states",
             xeon + " directory_write_bytes_total c0_cores"),
            ("gnr", "numa io memory_latency core_states",
             xeon + " c6_cores io_interrupts_total io_lost_lines_total"),
            ("zen4", "numa io", "home_remote_read_bytes_total io_remote_write_bytes_total " +
             " ".join(n + "_bytes_total" for n in ours)),
            ("zen5", "numa io memory_commands", "numa_remote_read_latency_seconds "
             "home_local_write_bytes_total io_local_read_bytes_total " +
             " ".join(n + "_bytes_total" for n in ours)),
            ("grace", "numa", "numa_remote_read_bytes_total numa_remote_write_bytes_total "
             "numa_remote_read_latency_seconds"),
            ("vera", "numa", " ".join(n + "_bytes_total" for n in ours)),
            ("kunpeng920", "numa home", "home_requests_total home_remote_request_ratio "
             "home_read_bytes_total home_write_bytes_total")):
        conf = h.write("sets.conf", 'interval = "100ms";\nrotation = "100ms";\ngroups = ( %s );\n' %
                       ", ".join('"%s"' % s for s in sets.split()))
        code, out, err = run(h.UNCORED, "--once", "--engine", "model", "-p", name, "-c", conf)
        assert code == 0 and "cannot be counted" not in err, (name, code, err)
        assert "not everything" not in err, (name, err)
        for metric in names.split():
            values = [float(v) for v in re.findall(r"^uncore_%s\{.*\} (\S+)$" % metric, out, re.M)]
            assert len(values) == 2 and min(values) > 0, (name, metric, values)


def test_files_of_eight_sockets():
    """All groups of the largest machine, and once more while a configuration is read again: the
    unit allows as many as doctor knows, from what the plan of one socket has."""
    unit = int(re.search(r"(?m)^LimitNOFILE=(\d+)$", h.read(
        os.path.join(h.BUILD, "systemd/uncored.service")))[1])
    need = {}
    for tree in TREES:
        groups = json.loads(h.run(h.CTL, "list", "groups", "--machine", tree, "--json")[1])
        c = h.write("all.conf", "groups = ( %s );" % ", ".join(
            '"%s"' % g["name"] for g in groups if "groups" not in g))
        j = json.loads(h.run(h.CTL, "doctor", "--machine", tree, "-c", c, "--json")[1])
        said = next(f["text"] for f in j["findings"] if f["topic"] == "open files")
        files, allowed = map(int, re.fullmatch(r"(\d+) while .* allows (\d+)", said).groups())
        assert allowed == unit, said
        need[tree] = 2 * 8 * files // len(j["sockets"]) + 64    # and uncored's own
    most = max(need, key=need.get)
    print("# most: %s, %d of %d; spr %d" % (most, need[most], unit, need["spr"]))
    assert need[most] <= unit, need


def test_channels_of_simulated_servers():
    """What the channels use of their capacity is what memory moves, on each server that has the
    group and a model."""
    conf = h.write("channels.conf", 'interval = "100ms"; rotation = "300ms"; '
                   'groups = ( "memory", "channels" );\n')
    for name in "skx clx cpx icx spr sprhbm emr gnr srf cwf zen4 zen5 zen6".split():
        code, out, err = run(h.UNCORED, "--once", "--engine", "model", "-p", name, "-c", conf)
        assert code == 0 and "can be counted" not in err, (name, err)
        m = {k: float(v) for k, v in h.samples(out).items()}

        def rate(metric, labels):
            active = m.get('uncored_metric_active_seconds_total{%s,metric="%s"}' % (labels, metric))
            return m["uncore_%s{%s}" % (metric, labels)] / (
                active or m['uncored_active_seconds_total{socket="1"}'])
        moved = sum(rate("memory_%s_bytes_total" % what, 'socket="1"')
                    for what in ("read", "write"))
        units = re.findall(
            r'^uncore_memory_channel_utilization_ratio\{(socket="1",unit="\d+")\}', out, re.M)
        used = sum(m["uncore_memory_channel_utilization_ratio{%s}" % u] *
                   rate("memory_channel_capacity_bytes_total", u) for u in units)
        assert len(units) >= 6 and abs(used / moved - 1) < 0.02, (name, units, used, moved)
        # 8 bytes a transfer of the model's DDR5-4800 and DDR4-2933: by another clock of the channel
        # (HCLK) use and capacity are wrong by one factor, and their product is right.
        transfers = 2933.4e6 if name in ("skx", "clx", "cpx", "icx") else 4800e6
        for u in units:
            capacity = rate("memory_channel_capacity_bytes_total", u)
            assert abs(capacity / (8 * transfers) - 1) < 0.02, (name, u, capacity)


def test_other_names():
    """Names that people use, names of tables that search prints, and what is nearly one."""
    for name, machine in ("genoa", "zen4"), ("Milan", "zen3"), ("turin", "zen5"), \
            ("Venice", "zen6"), ("umc", "zen4"), ("hbm", "sprhbm"), ("GNR", "gnr"):
        a = run(h.CTL, "list", "groups", "-p", name)
        assert a[0] == 0 and a[1] == run(h.CTL, "list", "groups", "--machine", machine)[1], a
    for option in "--machine", "-p":
        code, out, err = run(h.CTL, "list", "groups", option, "gnrr")
        assert code == 64 and out == "" and "the nearest is 'gnr'" in err, err
    code, _, err = run(h.CTL, "list", "groups", "--machine", "gnr", "-p", "spr")
    assert code == 64 and "exclude each other" in err, err
    code, _, err = run(h.UNCORED, "--check-config", "--machine", "gnr", "-p", "nehalem-ex")
    assert code == 64 and "exclude each other" in err, err
    code, _, err = run(h.UNCORED, "--machine", "gnr")
    assert code == 64 and "--check-config" in err, err
    # uncored takes them all, too: for what can be done with a text
    listed = json.loads(run(h.CTL, "list", "machines", "--json")[1])["machines"]
    for name in [m["name"] for m in listed] + ["Genoa", "umc"]:
        check = h.UNCORED, "--check-config", "-c", conf()
        a = run(*check, "-p", name)
        processors = run(h.CTL, "list", "processors")[1]
        if not re.search("^%s " % name.replace("_", "-"), processors, re.M):
            assert a == run(*check, "--machine", name), (name, a)
        assert a[0] == 0 and a[1], (name, a)
    for args, words in ((), "--processor genoa needs --check-config, or --engine model"), \
            (("--once",), "--processor genoa needs --check-config, or --engine model"), \
            (("--check-config", "--path-sysfs", "/"), "leave out --path-sysfs"), \
            (("--engine", "model:spr"), "--engine model:spr name two machines"), \
            (("--engine", "model:nehalem-ex"), "model:nehalem-ex name two machines"):
        code, out, err = run(h.UNCORED, "-p", "genoa", *args)
        assert code == 64 and out == "" and words in err, (args, err)
    # one machine twice says nothing new, by whichever of its names; another is refused
    for name, other in ("spr", "spr"), ("spr", "Sapphire Rapids"), ("nehalem-ex", "nehalem-ex"), \
            ("ivt", "ivytown"):
        same = "--check-config", "-c", conf(), "--engine", "model:" + name
        assert run(h.UNCORED, *same, "-p", other) == run(h.UNCORED, *same), name
    code, _, err = run(h.UNCORED, "--check-config", "-p", "nehalem-ex", "--engine", "model:spr")
    assert code == 64 and "model:spr name two machines" in err, err
    code, _, err = run(h.UNCORED, "--check-config", "-p", "gnrr")
    assert code == 64 and "'gnrr'" in err and "the nearest is 'gnr'" in err, err
    code, out, err = run(h.UNCORED, "--once", "--engine", "model", "-p", "zen4", "-c", conf())
    assert code == 0 and 'processor="zen4"' in out and "SIMULATED" in err, err
    code, _, err = run(h.CTL, "top", "--machine", "gnr")
    assert code == 64 and "--machine is an option of" in err, err


def test_tags_of_search():
    """What search prints behind a result is taken by -p."""
    out = json.loads(run(h.CTL, "list", "metrics", "-v", "--json", "-p", "nehalem-ex")[1])
    tags = {t["name"] for t in out["tables"] if not t["sets"]}
    assert len(tags) > 20, tags
    for tag in sorted(tags):
        code, _, err = run(h.CTL, "search", "bytes", "-p", tag)
        assert "there is no processor" not in err and code in (0, 78), (tag, err)


def test_what_search_prints_can_be_typed():
    """Each result with each of the names behind it, which are those of processors that have it."""
    os.makedirs(h.path("unknown"), exist_ok=True)
    h.write("unknown/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 1\n")
    unknown = "--path-procfs", h.path("unknown"), "--path-sysfs", h.path("unknown")
    typed = set()
    for words, at in ("dram latency", unknown), ("hits devices", unknown), \
            ("latency", ("--machine", "spr")), ("remote", ("--machine", "genoa")):
        found = json.loads(h.run(h.CTL, "search", *words.split(), "--json", *at)[1])["results"]
        shown = h.run(h.CTL, "search", *words.split(), *at)[1].splitlines()
        assert len(found) == len(shown) > 2, (words, found)
        for result, line in zip(found, shown):
            assert result["name"] in line, (result, line)
            if at == unknown:
                assert line.endswith(" (%s)" % ", ".join(result["processors"])), (result, line)
            typed |= {(result["name"], tag) for tag in result["processors"]}
    assert len(typed) > 100 and len({tag for _, tag in typed}) > 12, typed
    for name, tag in sorted(typed):
        code, out, err = run(h.CTL, "describe", name, "-p", tag)
        assert code == 0 and err == "" and "available only on" not in out, (name, tag, out, err)


def test_paths_of_the_machine():
    """A sentence names a file as the machine would call it, and not that of a directory that is
    gone when somebody reads it."""
    written = h.write("written.txt", XEON_7500 + "msr\n")
    for args, words in (
            ((h.UNCORED, "--check-config", "-c", conf(), "--machine", "altra2_lts"),
             "(/sys/bus/event_source/devices/arm_dmc620_10008c000/../numa_node)"),
            ((h.CTL, "doctor", "--machine", written), "/dev/cpu/N/msr can be opened")):
        _, out, err = run(*args)
        assert words in re.sub(r"\s+", " ", out + err), (args, out, err)
    for name in TREES:
        for command in "plan", "capture":
            run(h.CTL, command, "--machine", name)
        code, out, err = run(h.CTL, "doctor", "--machine", name)
        # of who asks it says nothing: no text has that, and root would see no more
        assert code in (0, 77, 69) and "uncore PMU" in out and "\nunseen " not in out, (name, out)
        run(h.CTL, "list", "events", "--json", "--machine", name)


def test_mistakes():
    """A faulty text: where, what, and 78, whoever reads it."""
    bad = h.write("bad.txt", "cpuinfo GenuineIntel 6 143 8\ncpu 0-3 socket\n  events a=b\n")
    for args in (h.CTL, "plan"), (h.UNCORED, "--check-config"):
        code, out, err = run(*args, "--machine", bad)
        assert code == 78 and out == "", (code, err)
        assert "bad.txt:2:15: the line ends where socket is expected" in err, err
        assert "bad.txt:3:3: 'events' is below no PMU" in err, err
    odd = h.path("a\nb\033[31m.txt")
    with open(odd, "w") as f:
        f.write("nothing\n")
    err = run(h.CTL, "plan", "--machine", odd)[2]
    assert "\033" not in err and "\\x0ab\\x1b[31m.txt:1:1: 'nothing' begins no line" in err, err
    many = h.write("many.txt", "cpu 0 socket 0\n" + "".join(
        "PMU p%d type=%d cpumask=-\n" % (i, i) for i in range(10000)))
    code, _, err = run(h.CTL, "plan", "--machine", many)
    assert code == 78 and "there are more than 1024 PMUs" in err, err


def test_no_such_file():
    """A name that a file has: what became of reading it, and not that no machine is called so."""
    for name, why in (os.path.join(h.path("none"), "host17.txt"), "No such file or directory"), \
            ("host17.txt", "No such file or directory"), (h.path("."), "Is a directory"):
        for args in (h.CTL, "plan"), (h.CTL, "doctor"), (h.UNCORED, "--check-config"), \
                (h.UNCORED, "--once", "--engine", "model"):
            code, out, err = run(*args, "--machine", name)
            assert code not in (0, 78) and out == "", (args, code, err)
            assert "the file '%s' cannot be read: %s; name one that uncorectl capture has " \
                "written" % (name, why) in err, (args, err)
    for args in (h.CTL, "plan"), (h.UNCORED, "--once", "--engine", "model"):
        err = run(*args, "--machine", "gnx")[2]
        assert "no installed machine of this name" in err and "nearest is 'gnr'" in err, err


def test_doctor_of_a_text():
    """What a text does not tell is not said: lockdown, modules, who may open what, who listens. Of
    registers without a PMU it has to tell whether they can be written: that is said."""
    bare = h.write("bare.txt", XEON_7500)
    for name in "nehalem_ex", "ivt", "nehalem", "spr", "genoa", "cmn700", "grace", bare:
        code, out, err = run(h.CTL, "doctor", "--json", "--machine", name)
        found = json.loads(out)["findings"]
        topics = {f["topic"] for f in found}
        assert code == (69 if name == bare else 0) and err == "", (name, code, err)
        assert "processor" in topics and "msr module is not loaded" not in out, (name, out)
        assert not topics & {"lockdown", "allow_writes", "perf", "listen"}, (name, topics)
        device = [f["text"] for f in found if f["topic"] == "msr device"]
        processor = [f["text"] for f in found if f["topic"] == "processor"][0]
        known = "whose registers uncored knows" in processor
        assert known == (name in ("nehalem_ex", "ivt", "nehalem", bare)), (name, processor)
        assert len(device) == (not known or name == bare), (name, device)
    assert "no line 'msr' of its text says that registers can be written" in device[0], device
    for args in (h.CTL, "plan"), (h.CTL, "capture"), (h.UNCORED, "--check-config", "-c", conf()):
        _, out, err = run(*args, "--machine", bare)
        assert "not loaded" not in out + err, (args, out, err)


def test_a_text_that_multiplies():
    """A text of 120 KB whose PMUs would have nine million files: where, at once, in 64 MiB."""
    text = h.write("events.txt", "cpu 0-3 socket 0\nPMU p_{0-1023} type=12 cpumask=0\n" + "".join(
        "  events " + " ".join("e%d=event=1" % i for i in range(k, k + 1000)) + "\n"
        for k in range(0, 9000, 1000)))
    for args in (h.CTL, "plan"), (h.UNCORED, "--check-config"):
        code, _, err = run("/usr/bin/env", "bash", "-c", 'ulimit -v 262144; "$@"', "bash", *args,
                           "--machine", text)
        assert code == 78 and "events.txt:3:" in err and "more than 16 MiB of files" in err, err


LIES = """groups = ( { name = "m"; events = [ "perf/uncore_imc/event=0x4,umask=0x3,name=reads/" ]; }
    );"""


def test_lying_machines():
    """A mask of CPUs that are not there, bits that overlap: what the reader of files says, too."""
    for name, lines in ("mask", "0,77\n  format event=config:0-7 umask=config:8-15\n"), \
            ("bits", "0\n  format event=config:0-7 umask=config:4-9\n"
                     "  events cas_count_read=event=0x4,umask=0x3 clockticks=event=0\n"):
        text = h.write(name + ".txt", "cpuinfo GenuineIntel 6 85 4\ncpu 0-3 socket 0\n"
                       "PMU uncore_imc_0 type=9 cpumask=" + lines)
        root = h.tree(text)
        same(answers("--machine", text), answers("--path-sysfs", root, "--path-procfs", root),
             name)
        for command in "plan", "doctor":
            run(h.CTL, command, "--machine", text)
        # and where the model counts on it
        with open(text, "a") as f:
            f.write("  counts 0x304 memory_read*64\n  counts 0x0 clock\n"
                    "curve 50 0 100\ncurve 50 100 300\n")
        code, out, err = run(h.UNCORED, "--once", "--engine", "model", "--machine", text,
                             "-c", h.write("lies.conf", LIES))
        assert code == (0 if name == "mask" else 78), (name, code, err)
        if name == "mask":
            assert re.search(r'^uncore_imc_reads_total{socket="0",.*} \d+$', out, re.M), out
            assert not re.search(r'^uncore_imc_reads_total{socket="[^0]', out, re.M), out
        else:
            assert "it names a bit twice" in err or "umask" in err, err


def capture(*at):
    """The text of a machine, in a file of its own; and it says nothing else."""
    path = os.path.join(setup_tmp(), "host17.txt")
    code, out, err = h.run(h.CTL, "capture", path, *at)
    assert code == 0 and out == err == "", (code, out, err)
    assert os.listdir(os.path.dirname(path)) == ["host17.txt"]
    return path


def lines_of(text):
    """Without the comments at its head, whose lines are as long as the names of directories are."""
    return [line for line in text.splitlines() if not line.startswith("#")]


def events(*at):
    return said(h.run(h.CTL, "list", "events", "--json", *at))


def test_round_trip():
    """What is captured of a machine is that machine, and so is what is captured of the text."""
    for name in TREES + ["digits", "unnamed"]:
        root = h.tree(name)
        at = "--path-sysfs", root, "--path-procfs", root
        text = capture(*at)
        same(answers("--machine", text), answers(*at), name)
        assert events("--machine", text) == events(*at), name
        assert lines_of(h.read(text)) == lines_of(
            h.run(h.CTL, "capture", "--machine", text)[1]), name
        assert len(h.read(text).splitlines()) < 400, name


def test_capture_of_this_machine():
    """It is this machine, and nothing tells whose it is."""
    text = capture()
    assert events("--machine", text) == events()
    groups = "list", "groups", "--json"
    assert h.run(h.CTL, *groups, "--machine", text)[:2] == h.run(h.CTL, *groups)[:2]
    named = [g["name"] for g in json.loads(h.run(h.CTL, *groups)[1] or "[]")]
    if named:
        plan = "plan", "--json", "-c", h.write("named.conf", "groups = ( %s );\n" % ", ".join(
            '"%s"' % g for g in named))
        assert said(h.run(h.CTL, *plan, "--machine", text)) == said(h.run(h.CTL, *plan))
    content = h.read(text)
    assert content.startswith("# ") and "\n# Engine " in content, content
    names = "names of network interfaces and drives"       # that one may not want to show
    assert "# It has the %s, but no address and no name of a host.\n" % names in content, content
    assert names in re.sub(r"\s+", " ", h.run(h.CTL, "capture", "--help")[1])
    telling = [socket.gethostname()] + [h.read(p).strip() for p in (
        ["/etc/machine-id", "/proc/sys/kernel/random/boot_id"] +
        glob.glob("/sys/class/net/*/address")) if os.path.exists(p)]
    for word in telling:
        assert len(word) < 4 or word not in content, word
    assert not re.search(r"\b(microcode|uuid|serial)\b", content), content


def put(root, name, text):
    os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
    with open(os.path.join(root, name), "w") as f:
        f.write(text)


def test_capture_of_odd_files():
    """Threads that are numbered in several ways, offline CPUs, odd names and texts."""
    root = h.tree("unnamed")
    at = "--path-sysfs", root, "--path-procfs", root
    cpus, devices = "devices/system/cpu/", "bus/event_source/devices/"
    for of_another_machine in glob.glob(os.path.join(root, cpus, "*/topology/*_cpus_list")):
        os.remove(of_another_machine)
    for cpu, (package, core) in enumerate([(0, 0), (0, 0), (0, 4), (0, 4), (1, 9), (1, 3), (1, 3),
                                           (1, 9)]):
        put(root, "%scpu%d/topology/physical_package_id" % (cpus, cpu), "%d\n" % package)
        put(root, "%scpu%d/topology/core_id" % (cpus, cpu), "%d\n" % core)
    put(root, cpus + "present", "0-9\n")
    put(root, cpus + "cpu0/cache/index3/shared_cpu_list", "0-1\n")
    put(root, cpus + "cpu0/cache/index3/size", "512K\n")
    imc = devices + "uncore_imc_0/"
    put(root, imc + "alias", "a\tb {} \\x41 \n c\n")
    put(root, imc + "identifier", " {3}\n")
    put(root, imc + "events/odd\nname", "event=1\n")
    put(root, imc + "events/good", "event=1\n")
    put(root, imc + "events/binary", "\001\n")
    put(root, devices + "bad/type", "x\n")
    put(root, devices + "top/type", "4294967295\n")
    text = capture(*at)
    content = h.read(text)
    assert content.isascii() and "\t" not in content, content
    assert re.search(r"Left out:\n# \S*/bad/type: \"x\"\n# is not a number", content), content
    assert "Left out are 9 more files" in content, content
    assert "offline 8-9\n" in content and "PMU top type=4294967295 cpumask=-\n" in content, content
    os.remove(os.path.join(root, imc + "events/binary"))    # plan has a note about it
    same(answers("--machine", text), answers(*at), "odd")
    again = h.tree(text)
    for name in imc + "alias", imc + "identifier", cpus + "cpu0/cache/index3/size", \
            *("%scpu%d/topology/core_id" % (cpus, cpu) for cpu in range(8)):
        assert h.read(os.path.join(again, name)) == h.read(os.path.join(root, name)), name


def test_capture_of_a_name_that_is_an_address():
    """systemd calls an interface after its address where it knows nothing better."""
    said = h.machine("icx")
    for name, kept in ("enx0c42a1b2c3d4", False), ("enx0c42a1b2c3dg", True), ("enp12s0", True):
        assert said.count(" net ens1f0 ") == 1
        root = h.tree(h.write("named.txt", said.replace(" net ens1f0 ", " net %s " % name)))
        content = h.read(capture("--path-sysfs", root, "--path-procfs", root))
        assert (name in content) == kept, content
        assert " net ens1f1 " in content and "driver ice" in content, content


def test_cores_that_do_not_ascend():
    """A line for each socket, or for each thread of its cores: not one for every two CPUs."""
    ids = [0, 8, 2, 10, 4, 12, 6, 14, 1, 9, 3, 11, 5, 13, 7, 15]
    root = h.tree("digits")
    at, cpus = ("--path-sysfs", root, "--path-procfs", root), "devices/system/cpu/"
    # numbers of CPUs by socket, then siblings after all cores, or side by side; ascending once
    for order, lines in (([(s, ids[i % 16]) for s in (0, 1) for i in range(32)], 2),
                         ([(s, ids[i // 2]) for s in (0, 1) for i in range(32)], 4),
                         ([(i % 2, i // 2 % 16) for i in range(64)], 2)):
        shutil.rmtree(os.path.join(root, cpus))
        put(root, cpus + "online", "0-63\n")
        put(root, cpus + "present", "0-63\n")
        for cpu, (socket_id, core) in enumerate(order):
            put(root, "%scpu%d/topology/physical_package_id" % (cpus, cpu), "%d\n" % socket_id)
            put(root, "%scpu%d/topology/core_id" % (cpus, cpu), "%d\n" % core)
        text = capture(*at)
        said_cpus = [line for line in lines_of(h.read(text)) if line.startswith("cpu ")]
        assert len(said_cpus) == lines, said_cpus
        again = h.tree(text)
        for cpu, (socket_id, core) in enumerate(order):
            files = "%scpu%d/topology/" % (cpus, cpu)
            assert h.read(os.path.join(again, files + "core_id")) == "%d\n" % core, said_cpus
            assert h.read(os.path.join(again, files + "physical_package_id")) == \
                "%d\n" % socket_id, said_cpus


def test_capture_without_rights():
    """What may not be read is left out, and that is said; without CPUs there is no machine."""
    public = os.path.dirname(h.public())
    root, ctl = os.path.join(public, "tree"), shutil.copy(h.CTL, public)
    os.mkdir(root)
    h.tree("spr", root)
    at = "--path-sysfs", root, "--path-procfs", root
    who = ["setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    assert h.run(*who, ctl, "capture", *at) == h.run(h.CTL, "capture", *at)
    for name, complete in ("bus/event_source/devices/uncore_imc_3/type", False), \
            ("bus/event_source/devices", None), ("cpuinfo", None), \
            ("devices/system/cpu/cpu2", None):
        path = os.path.join(root, name)
        mode = os.stat(path).st_mode
        os.chmod(path, 0)
        code, out, err = h.run(*who, ctl, "capture", *at)
        text = re.sub(r"\n# ", " ", out)
        os.chmod(path, mode)
        if complete is None:
            assert code == 77 and out == "" and "Permission denied" in err, (name, code, out, err)
            continue
        assert code == 0 and err == "", (name, code, err)
        assert "Left out: %s: Permission denied" % path in text, (name, text)
        assert re.findall(r"^PMU uncore_imc_([^f]\S*) ", out, re.M) == ["{0-2}", "{4-7}"], out


def test_where_capture_writes():
    """All of the file or none, through a link, to a device; what cannot be written says why."""
    root = h.tree("zen4")
    at = "--path-sysfs", root, "--path-procfs", root
    directory = setup_tmp()
    old, link = os.path.join(directory, "old"), os.path.join(directory, "link")
    put(directory, "old", "old\n")
    os.symlink("old", link)
    assert h.run(h.CTL, "capture", link, *at)[0] == 0
    assert os.path.islink(link) and h.read(old).startswith("# "), h.read(old)
    code, out, _ = h.run(h.CTL, "capture", "/dev/stdout", *at)
    assert code == 0 and out == h.read(old)
    code, _, err = h.run(h.CTL, "capture", "/dev/full", *at)
    assert code == 75 and "/dev/full cannot be written: No space left on device" in err, err
    code, _, err = h.run(h.CTL, "capture", os.path.join(directory, "none/x"), *at)
    assert code == 69 and "cannot be written: No such file or directory" in err, err
    code, _, err = h.run("sh", "-c", 'exec "$@" >/dev/full', "sh", h.CTL, "capture", *at)
    assert code == 70 and err, (code, err)
    if os.geteuid() == 0:
        ctl = shutil.copy(h.CTL, os.path.dirname(h.public()))
        code, _, err = h.run("setpriv", "--reuid=65534", "--clear-groups", ctl, "capture", "/etc/x")
        assert code == 77 and "/etc/x cannot be written: Permission denied" in err, (code, err)
    assert sorted(os.listdir(directory)) == ["link", "old"]


def test_a_full_disk():
    """What there is no room for, and what to do; what was there stays, and nothing is left."""
    h.own_mounts()
    root = h.tree("spr")
    for options in "size=8k", "size=1m,nr_inodes=40":
        at = setup_tmp()
        h.mount("-t", "tmpfs", "-o", "mode=755," + options, "none", at)
        machine = "--machine", "gnr", "--path-run", at
        for args in ([h.CTL, "plan", "-c", conf(), *machine],
                     [h.CTL, "doctor", *machine],
                     [h.UNCORED, "--check-config", "-c", conf(), *machine],
                     [h.UNCORED, "--once", "-c", conf(), "--engine", "model", *machine]):
            code, out, err = h.run(*args, env={"TMPDIR": at})
            assert code == 75 and out == "" and "No space left on device" in err, (args, code, err)
            assert "name another directory with --path-run" in err, (args, err)
            assert os.listdir(at) == [], (args, os.listdir(at))
        if "inodes" in options:
            continue
        put(at, "kept.txt", "before\n")
        for name in "kept.txt", "new.txt":
            code, out, err = h.run(h.CTL, "capture", os.path.join(at, name), "--path-sysfs", root,
                                   "--path-procfs", root)
            assert code == 75 and out == "" and name + " cannot be written: No space left on " \
                "device; free some, or name a file elsewhere" in err, (code, err)
            assert os.listdir(at) == ["kept.txt"] and \
                h.read(os.path.join(at, "kept.txt")) == "before\n", os.listdir(at)


def test_memory_before_a_disk():
    """Thousands of files are made in no time in memory; TMPDIR says otherwise, and --path-run. The
    usual directory of that may be on a container's disk."""
    h.own_mounts()
    h.mount("-t", "tmpfs", "-o", "size=8k", "none", "/run")
    os.mkdir("/run/uncored")
    h.mount("-t", "tmpfs", "-o", "ro", "none", "/tmp")
    plan = h.CTL, "plan", "-c", conf(), "--machine", "spr", "--path-run", "/nonexistent"
    before = {k: v for k, v in os.environ.items() if k != "TMPDIR"}
    r = subprocess.run(plan, env=before, capture_output=True, text=True, check=False)
    assert r.returncode == 0, r.stderr
    r = subprocess.run(plan[:-2], env=before, capture_output=True, text=True, check=False)
    assert r.returncode == 0, r.stderr
    r = subprocess.run(plan, env=dict(before, TMPDIR="/tmp"), capture_output=True, text=True,
                       check=False)
    assert r.returncode == 75 and "can be made in /nonexistent or /tmp" in r.stderr, r


def test_directories_with_too_long_a_name():
    """Of which a part is the name of another one: nothing is made in that."""
    at = setup_tmp()
    long = at + "/." * 2048
    r = subprocess.run([h.CTL, "plan", "-c", conf(), "--machine", "nehalem-ex", "--path-run", long],
                       env=dict(os.environ, TMPDIR=long), capture_output=True, text=True,
                       check=False)
    assert r.returncode == 75 and "File name too long" in r.stderr, r
    assert os.listdir(at) == [], os.listdir(at)


def test_a_machine_that_changes():
    """Either a machine that there was, or a sentence."""
    root = h.tree("nehalem")
    at = "--path-sysfs", root, "--path-procfs", root
    mask = os.path.join(root, "bus/event_source/devices/uncore/cpumask")
    texts, end = ("0\n", "0,2\n"), threading.Event()

    def change():
        while not end.is_set():
            for text in texts:
                with open(mask + ".new", "w") as f:
                    f.write(text)
                os.rename(mask + ".new", mask)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        answered = [h.run(h.CTL, "capture", *at) for _ in range(20)]
    finally:
        end.set()
        thread.join()
    for code, out, err in answered:
        assert (code == 0 and re.search(r"^PMU uncore type=\d+ cpumask=(0|0,2)$", out, re.M)) or \
            (code == 75 and "changes while it is read" in err and not out), (code, out, err)


def test_nothing_is_left():
    """The private directory goes however its process ends; a pipe that is closed is one way."""
    at = setup_tmp()
    with subprocess.Popen([h.CTL, "list", "events", "--machine", "cmn700", "--path-run", at],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as p:
        p.stdout.read(10)
        p.stdout.close()
        p.wait()
    h.wait_for("an empty directory", lambda: os.listdir(at) == [])
    for sig in signal.SIGKILL, signal.SIGINT, signal.SIGTERM:
        for delay in 0.0, 0.005, 0.02:
            with subprocess.Popen([h.CTL, "doctor", "--machine", "zen4", "--path-run", at],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as p:
                try:
                    p.wait(delay)
                except subprocess.TimeoutExpired:
                    p.send_signal(sig)
                p.wait()
            h.wait_for("an empty directory", lambda: os.listdir(at) == [])


h.main(sys.modules[__name__])
