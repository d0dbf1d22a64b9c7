# SPDX-License-Identifier: MIT
"""odd_trees.py - files that no kernel has, in the PMUs and CPUs of a machine: they are named, cost
themselves, and nobody waits for them.
"""
import os
import sys

import harness as h

DEVICES = "bus/event_source/devices"


def test_odd_file_is_named_and_costs_itself():
    root = h.tree("skx")
    with open(root + "/bus/event_source/devices/uncore_imc_3/type", "w") as f:
        f.write("A" * 10000)
    paths = ["--path-sysfs", root, "--path-procfs", root, "--engine", "perf"]
    conf = h.write("imc.conf",
                   'groups = ( { name = "g"; events = [ "perf/uncore_imc/clockticks/" ]; } );\n')
    code, _, err = h.run(h.UNCORED, "--check-config", "-c", conf, *paths)
    assert code == 0 and "uncore_imc_3/type: larger than" in err, err
    conf = h.write("imc3.conf",
                   'groups = ( { name = "g"; events = [ "perf/uncore_imc_3/clockticks/" ]; } );\n')
    code, _, err = h.run(h.UNCORED, "--check-config", "-c", conf, *paths)
    assert code == 78 and "'uncore_imc_3' cannot be used" in err, err


def odd(root, file, kind):
    """Put something in place of a file or directory that no kernel puts there; returns what must be
    undone."""
    path = os.path.join(root, file)
    if os.path.lexists(path):
        os.rename(path, path + ".was")
    held = None
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "held fifo":  # somebody has it open for writing and says nothing
        os.mkfifo(path)
        held = os.open(path, os.O_RDWR)
    elif kind == "endless":
        os.symlink("/dev/zero", path)
    elif kind == "directory":
        os.mkdir(path)
    elif kind == "huge":
        with open(path, "w") as f:
            f.write("config:0-7," * 100000)
    elif kind == "loop":
        os.symlink(path, path)

    def undo():
        if held is not None:
            os.close(held)
        if os.path.isdir(path) and not os.path.islink(path):
            os.rmdir(path)
        else:
            os.unlink(path)
        if os.path.lexists(path + ".was"):
            os.rename(path + ".was", path)
    return undo


def test_nothing_hangs():
    """What is odd in sysfs is named, costs itself, and nobody waits for it."""
    root = h.tree("nehalem")
    paths = ["--path-sysfs", root, "--path-procfs", root]
    conf = h.write("uncore.conf",
                   'groups = ( { name = "g"; events = [ "perf/uncore/clockticks/" ]; } );\n')
    uncore = DEVICES + "/uncore/"
    for file, costs in (("type", True), ("cpumask", True), ("format/event", True),
                        ("format/edge", False), ("events/clockticks", True),
                        ("events/clockticks.scale", True), ("events/clockticks.unit", True),
                        ("events/clockticks.snapshot", True),
                        ("events/qmc_normal_reads_any", False), ("format", True), ("events", True),
                        ("alias", False)):
        for kind in ("fifo", "held fifo", "endless", "directory", "huge", "loop"):
            if kind == "directory" and file in ("format", "events"):
                continue
            undo = odd(root, uncore + file, kind)
            code, out, err = h.run(h.CTL, "plan", "-c", conf, *paths, timeout=10)
            assert code == (78 if costs else 0), (file, kind, code, err)
            assert not costs or uncore + file in err or "no event or term" in err, (file, kind, err)
            code, out, err = h.run(h.CTL, "doctor", *paths, timeout=10)
            assert file == "alias" or uncore + file in out, (file, kind, out, err)
            undo()
    assert h.run(h.CTL, "plan", "-c", conf, *paths)[0] == 0


def test_machine_that_hangs():
    """The same for the files that say which machine it is: an error that names the file, at
    once."""
    root = h.tree("nehalem")
    paths = ["--path-sysfs", root, "--path-procfs", root]
    for file in (DEVICES, "devices/system/cpu/online",
                 "devices/system/cpu/cpu0/topology/physical_package_id",
                 "devices/system/cpu/cpu1/topology/core_id", "cpuinfo"):
        for kind in ("fifo", "held fifo", "loop"):
            undo = odd(root, file, kind)
            code, _, err = h.run(h.CTL, "plan", *paths, timeout=10)
            # an empty cpuinfo is a processor that is not known
            if file != "cpuinfo" or kind == "loop":
                assert (code or file == DEVICES) and file in err, (file, kind, code, err)
            code, out, err = h.run(h.CTL, "doctor", *paths, timeout=10)
            assert code in (0, 69, 70, 78), (file, kind, code, out, err)
            assert (file in out + err or file == "cpuinfo"), (file, kind, code, out, err)
            undo()


def test_machine_that_makes_no_sense():
    """It is the machine's fault, not the configuration's nor ours: 69, and the file is named."""
    root = h.tree("nehalem")
    for file in ("devices/system/cpu/online",
                 "devices/system/cpu/cpu0/topology/physical_package_id",
                 "devices/system/cpu/cpu1/topology/core_id"):
        at = os.path.join(root, file)
        before = h.read(at) if os.path.exists(at) else None
        for text in ("0-", "", "x", "\x80\n", "1" * 4097, "1" * 100000):
            with open(at, "w") as f:
                f.write(text)
            for mode in ("--once", "--check-config"):
                code, out, err = h.run(h.UNCORED, mode, "-c", h.write("nothing.conf", "# all\n"),
                                       "--path-sysfs", root, "--path-procfs", root)
                assert code == 69 and out == "" and file in err, (file, text[:10], code, err)
        os.remove(at)
        if before is not None:
            with open(at, "w") as f:
                f.write(before)


def test_too_few_descriptors_are_no_machine_that_lacks_something():
    """All of the plan, or 75: of a tree, and of a machine's text."""
    root = h.tree("spr")
    for at in (["--path-sysfs", root, "--path-procfs", root],
               ["--machine", "spr", "--path-run", h.path("run")]):
        plan = [h.CTL, "plan", *at]
        whole, codes = h.run(*plan)[1], set()
        for n in range(4, 12):
            code, out, err = h.run("prlimit", "--nofile=%d:%d" % (n, n), *plan)
            if "shared libraries" not in err:
                assert out == whole if code == 0 else "Too many open files" in err, (n, code, err)
                codes.add(code)
        assert codes == {0, 75}, (at, codes)


h.main(sys.modules[__name__])
