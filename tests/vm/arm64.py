# SPDX-License-Identifier: MIT
"""arm64.py - the programs built for arm64, on Debian's kernel of that architecture.

They start, serve, reload and end under their filters. The kernel's own driver of Arm's mesh,
arm-cmn, counts on register files that this process makes run (mesh.py): two sockets with a mesh
each. Memory controllers are a module of ours (dmc620/), which behaves as their driver does.
"""
import os
import re
import sys

import cross
import image
import mesh
from guest import Daemon, Guest, h, slots, total

MEMORY = 256 << 20              # of each node
CPU = "neoverse-n1"


class Arm(Guest):
    def __init__(self):
        super().__init__(CPU)

    def command(self, cpu, name, cores, append, systemd, extra, more, installed):
        qemu = image.need("qemu-system-aarch64", "qemu-system-arm")
        cross.built()
        memory, qmp, tree = (h.path(n) for n in ("memory", "qmp", "tree"))
        self.meshes = mesh.Meshes(memory, MEMORY, mesh.Monitor(qmp))
        machine = "virt,gic-version=3"
        argv = [qemu, "-accel", "tcg,thread=multi",
                "-cpu", cpu, "-smp", "4,sockets=2,cores=2,threads=1", "-m",
                "%d" % (2 * MEMORY >> 20), "-object",
                "memory-backend-file,id=m0,size=%d,share=on,mem-path=%s" % (MEMORY, memory),
                "-object", "memory-backend-ram,id=m1,size=%d" % MEMORY,
                "-numa", "node,nodeid=0,cpus=0-1,memdev=m0",
                "-numa", "node,nodeid=1,cpus=2-3,memdev=m1",
                "-nodefaults", "-no-user-config", "-display", "none", "-nic", "none",
                "-no-reboot"]
        code, _, err = h.run(*argv, "-machine", machine + ",dumpdtb=" + tree)
        assert code == 0, err
        with open(tree, "rb") as f:
            data = f.read()
        with open(tree, "wb") as f:
            f.write(mesh.add_meshes(data))
        return argv + ["-machine", machine, "-dtb", tree,
                       "-kernel", os.path.join(cross.KERNEL, "vmlinuz"),
                       "-initrd", cross.initramfs(h.path("initramfs-" + name)),
                       "-serial", "file:" + self.console, "-chardev", "stdio,id=answer",
                       "-device", "pci-serial,chardev=answer",
                       "-qmp", "unix:%s,server=on,wait=off" % qmp,
                       "-append", "console=ttyAMA0 panic=-1 quiet ANSWER=ttyS0 " + append]


def check_programs(g):
    """Software events on both sockets: served, reloaded, ended, each process under its filter."""
    d = Daemon(g, {"software": ["perf/software/cpu-clock/"]}, "--engine perf")
    m = d.metrics()
    assert m['uncored_up{socket="0"}'] == m['uncored_up{socket="1"}'] == "1", m
    name = "software_cpu_clock"
    for socket in (0, 1):
        assert total(d.settle(), name, socket=socket) > total(m, name, socket=socket), socket
    filters = g.sh("for p in /proc/[0-9]*; do case $(cat $p/comm 2>/dev/null) in uncored*) "
                   "echo $(cat $p/comm) $(grep Seccomp: $p/status);; esac; done")
    processes = dict(line.split(" Seccomp: ") for line in filters.splitlines())
    assert set(processes) >= {"uncored", "uncored-http"}, filters
    assert processes["uncored"] == processes["uncored-http"] == "2", filters
    g.sh("sed -i s/100ms/200ms/ %s.conf; kill -HUP %d" % (d.at, d.pid()))
    d.until_said("read again")
    m = d.metrics()
    assert m["uncored_config_last_reload_successful"] == "1", d.log()
    assert total(m, name, socket=1) > 0
    assert d.stop() == 0, d.log()
    d = Daemon(g, {}, "--engine model:nehalem-ex")
    assert float(d.metrics()['uncored_active_seconds_total{socket="1"}']) > 0
    assert d.stop() == 0, d.log()


def check_doctor(g):
    """Before the driver is there: the core by its numbers, a guest, nothing to count."""
    code, out, _ = g.run("uncorectl doctor --json")
    j = h.json.loads(out)
    assert code == 69 and not j["counts"], j
    assert j["processor"]["model_name"] == "Arm Neoverse-N1, implementer 0x41 part 0xd0c", j
    assert j["processor"]["hypervisor"] is True, j["processor"]
    assert [s["socket"] for s in j["sockets"]] == [0, 1], j["sockets"]


class Counted:
    """What the driver had a mesh count since the daemon began: what is counted in turns."""

    def __init__(self, g):
        self.g, self.before = g, [dict(m.counted) for m in g.meshes.v]

    def events(self, socket, kind, event):
        key = kind, event
        return self.g.meshes.v[socket].counted.get(key, 0) - self.before[socket].get(key, 0)


# What the four counters of a crosspoint with three devices count together: all home nodes (of which
# it has two on one port), the second of these, the I/O node. Event, kind and number of the node.
DEVICES = (("hnf_slc_sf_cache_access", 2, mesh.HNF, None),
           ("hnf_cache_miss,bynodeid,nodeid=1", 1, mesh.HNF, 1),
           ("rnid_rxdat_flits", 4, mesh.RND, None))


def check_devices(g):
    """Each device of a crosspoint once, in both layouts, to the last count."""
    d = Daemon(g, {"devices": ["perf/arm_cmn/%s/" % name for name, *_ in DEVICES]})
    steps = 20, 1, 700
    for ms in steps:
        g.meshes.advance(ms)
        m = d.settle()
    for socket in (0, 1):
        for name, event, kind, node in DEVICES:
            true = sum(steps) * g.meshes.v[socket].per_ms(kind, event, node)
            shown = total(m, "arm_cmn_" + name.split(",")[0], socket=socket)
            assert shown == true, (socket, name, shown, true, d.log())
    assert d.stop() == 0, d.log()


def check_mesh(g):
    """Without a configuration: look-ups and misses of each mesh, on its own socket, to the last
    count. Then beside bytes of devices, in turns."""
    g.sh("insmod /arm-cmn.ko")
    form = "/sys/bus/event_source/devices/arm_cmn_0/format/"
    assert g.sh("cat %seventid %soccupid" % (form, form)).split() == ["config:16-26",
                                                                      "config:27-30"]
    j = g.json("uncorectl doctor --json")
    pmus = {p["box"]: p for p in j["pmus"]}
    assert j["counts"] and pmus["arm_cmn"]["instances"] == 2, j
    assert pmus["arm_cmn"]["cpumask"] == [0, 2], pmus
    d = Daemon(g, {})
    steps = 40, 7, 1000, 300
    for ms in steps:
        g.meshes.advance(ms)
        m = d.settle()
    for socket in (0, 1):
        for name, event in (("llc_lookups", 2), ("llc_misses", 1)):
            true = sum(steps) * g.meshes.v[socket].per_ms(mesh.HNF, event)
            shown = [v for k, v in m.items()
                     if k == 'uncore_%s_total{socket="%d",unit="%d"}' % (name, socket, socket)]
            assert [int(v) for v in shown] == [true], (socket, name, shown, true, d.log(),
                                                       [k for k in m if "_invalid{" in k])
    assert "io_read" not in " ".join(m), m
    assert d.stop() == 0, d.log()

    counted = Counted(g)
    g.write("/tmp/turns.conf", 'interval = "100ms"; rotation = "500ms"; groups = ("mesh", "io");')
    d = Daemon(g, {}, settings='interval = "100ms"; rotation = "500ms"; groups = ("mesh", "io");')
    for _ in range(12):
        g.meshes.advance(20)
        m = d.settle()
    assert m['uncored_rounds{socket="0"}'] == "2", m
    for socket in (0, 1):
        true = counted.events(socket, mesh.RND, 4)
        shown = total(m, "io_read_bytes", socket=socket, unit=socket)
        assert 0 < shown <= 32 * true, (socket, shown, true)
        assert shown == total(m, "arm_cmn_rnid_rxdat_flits", socket=socket) * 32, m
        assert total(m, "llc_misses", socket=socket) <= counted.events(socket, mesh.HNF, 1), m
    assert d.stop() == 0, d.log()


# Two on each socket: the name and the socket of each, in the order in which the kernel finds them.
CONTROLLERS = (("arm_dmc620_400100090000", 1), ("arm_dmc620_10008c000", 0),
               ("arm_dmc620_40010008c000", 1), ("arm_dmc620_100090000", 0))
COMMANDS, CLOCK = (0x12, 1), (0, 0)     # event and clkdiv2
ROWS = (("arm_dmc620_clkdiv2_rdwr", COMMANDS), ("arm_dmc620_clk_cycle_count", CLOCK))
# Unit 0 is the lowest address.
UNITS = {unit: CONTROLLERS.index(c)
         for unit, c in enumerate(sorted(CONTROLLERS, key=lambda c: int(c[0].split("_")[2], 16)))}


class Controllers:
    """The module in the guest, as a kernel shows it; cpu serves them all."""

    def __init__(self, g, cpu, cpumask, parent, nodes=True):
        self.g, self.ms = g, 0
        g.sh("insmod /dmc620_counts.ko name=%s node=%s cpu=%d cpumask=%d parent=%d" % (
            ",".join(name for name, _ in CONTROLLERS),
            ",".join(str(socket if nodes else -1) for _, socket in CONTROLLERS),
            cpu, cpumask, parent))

    def value(self, name):
        return int(self.g.sh("cat /sys/module/dmc620_counts/parameters/" + name))

    def advance(self, ms):
        self.ms += ms
        self.g.sh("echo %d >/sys/module/dmc620_counts/parameters/ms" % self.ms)

    def counts(self, unit, what):
        """Since the module was loaded; shown() of the module has the same rates."""
        event, half = what
        return self.ms * ((10000 << UNITS[unit]) + 10 * event + half)

    def totals(self):
        """What is to be shown of all."""
        want = {}
        for socket in (0, 1):
            units = (2 * socket, 2 * socket + 1)
            for name, what in ROWS:
                for u in units:
                    want['uncore_%s_total{socket="%d",unit="%d"}' % (name, socket, u)] = \
                        self.counts(u, what)
            for name, scale in ("commands", 1), ("bytes", 64):
                want['uncore_memory_%s_total{socket="%d"}' % (name, socket)] = \
                    scale * sum(self.counts(u, COMMANDS) for u in units)
        return want

    def gone(self):
        self.g.sh("rmmod dmc620_counts")


def memory_of(m):
    return {k: v for k, v in m.items() if k.startswith(("uncore_memory", "uncore_arm_dmc620"))}


def totals(m):
    return {k: int(v) for k, v in memory_of(m).items() if "_total{" in k}


def check_unplaced(g, *kernel, **firmware):
    """Nothing says where they are. Alone: nothing to count; beside the meshes: no word of memory
    but why."""
    why = "on which of the 2 sockets"
    c = Controllers(g, 3, *kernel, **firmware)
    code, out, _ = g.run("uncorectl doctor")
    assert code == 69 and "/../numa_node" in out, out
    code, _, err = g.run("echo '# defaults' >/tmp/none.conf; uncored --once -c /tmp/none.conf")
    assert code == 69 and why in err, (code, err)
    code, _, err = g.run("echo 'groups = (\"memory\");' >/tmp/memory.conf; "
                         "uncored --check-config -c /tmp/memory.conf")
    assert code == 78 and why in err, (code, err)
    g.sh("insmod /arm-cmn.ko")
    d = Daemon(g, {})
    c.advance(500)
    m = d.settle()
    assert slots(m, 1, box="arm_cmn", socket=1) and not memory_of(m), m
    assert why in d.log(), d.log()
    assert d.stop() == 0, d.log()
    g.sh("rmmod arm-cmn")
    c.gone()


def check_placed(g, cpu, cpumask):
    """Each controller once, on the socket of its device, whichever CPU serves it."""
    c = Controllers(g, cpu, cpumask, True)
    at = "/sys/bus/event_source/devices/%s/" % CONTROLLERS[0][0]
    assert g.sh("cat %s../numa_node" % at).strip() == "1"
    assert (g.run("cat %scpumask" % at)[1].strip() == str(cpu)) == bool(cpumask)
    g.sh("uncorectl doctor")
    d = Daemon(g, {})
    for ms in (40, 7, 1000):
        c.advance(ms)
        d.settle()
    # the CPU that serves them goes, and one of the other socket does, perhaps
    g.sh("echo 0 >/sys/devices/system/cpu/cpu%d/online" % cpu)
    c.advance(300)
    shown, want = totals(d.settle()), c.totals()
    for _ in range(10):
        # A sum waits for each clock: where a step came between the reads of two controllers, it
        # is in the sum with the next one.
        if shown == want:
            break
        c.advance(1)
        shown, want = totals(d.settle()), c.totals()
    assert shown == want, (shown, want, d.log())
    assert c.value("refused") == 0, "a perf group of two was tried"
    assert d.stop() == 0, d.log()
    g.sh("echo 1 >/sys/devices/system/cpu/cpu%d/online" % cpu)
    c.gone()


def check_memory(g):
    """As Linux 6.1 shows the controllers, as the kernels do that have a cpumask, as mainline does
    where the firmware says no node; then as mainline does where it says them."""
    g.sh("rmmod arm-cmn")
    check_unplaced(g, False, False)
    check_unplaced(g, True, False)
    check_unplaced(g, True, True, nodes=False)
    check_placed(g, 3, True)
    check_placed(g, 0, True)
    check_placed(g, 1, False)


def test_arm64():
    g = Arm()
    check_doctor(g)
    check_programs(g)
    check_mesh(g)
    check_devices(g)
    check_memory(g)
    assert not re.search(r"Call trace|BUG:", g.sh("dmesg")), g.sh("dmesg | tail -50")
    g.kill()


if __name__ == "__main__":
    h.main(sys.modules[__name__])
