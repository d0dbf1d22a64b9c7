# SPDX-License-Identifier: MIT
"""arm64.py - the programs built for arm64, on Debian's kernel of that architecture.

They start, serve, reload and end under their filters. The kernel's own driver of Arm's mesh,
arm-cmn, counts on register files that this process makes run (mesh.py): two sockets with a mesh
each.
"""
import os
import re
import sys

import cross
import image
import mesh
from guest import Daemon, Guest, h, total

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
    g.sh("sleep 1")
    for socket in (0, 1):
        name = "software_cpu_clock"
        assert total(d.metrics(), name, socket=socket) > total(m, name, socket=socket), socket
    filters = g.sh("for p in /proc/[0-9]*; do case $(cat $p/comm 2>/dev/null) in uncored*) "
                   "echo $(cat $p/comm) $(grep Seccomp: $p/status);; esac; done")
    processes = dict(line.split(" Seccomp: ") for line in filters.splitlines())
    assert set(processes) >= {"uncored", "uncored-http"}, filters
    assert processes["uncored"] == processes["uncored-http"] == "2", filters
    g.sh("sed -i s/100ms/200ms/ %s.conf; kill -HUP %d; sleep 2" % (d.at, d.pid()))
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
    """What a mesh has counted since the daemon began."""

    def __init__(self, g):
        self.g, self.before = g, [dict(m.counted) for m in g.meshes.v]

    def events(self, socket, kind, event):
        key = kind, event
        return self.g.meshes.v[socket].counted.get(key, 0) - self.before[socket].get(key, 0)


def check_mesh(g):
    """Without a configuration: look-ups and misses of each mesh, on its own socket, to the last
    count. Then beside bytes of devices, in turns."""
    g.sh("insmod /arm-cmn.ko")
    j = g.json("uncorectl doctor --json")
    pmus = {p["box"]: p for p in j["pmus"]}
    assert j["counts"] and pmus["arm_cmn"]["instances"] == 2, j
    assert pmus["arm_cmn"]["cpumask"] == [0, 2], pmus
    counted = Counted(g)
    d = Daemon(g, {})
    for ms in (40, 7, 1000, 300):
        g.meshes.advance(ms)
        g.sh("sleep 0.3")
    m = d.metrics()
    for socket in (0, 1):
        for name, event in (("llc_lookups", 2), ("llc_misses", 1)):
            true = counted.events(socket, mesh.HNF, event)
            shown = [v for k, v in m.items()
                     if k == 'uncore_%s_total{socket="%d",unit="%d"}' % (name, socket, socket)]
            assert [int(v) for v in shown] == [true] and true, (socket, name, shown, true, d.log(),
                                                                [k for k in m if "_invalid{" in k])
    assert counted.events(0, mesh.HNF, 2) != counted.events(1, mesh.HNF, 2)
    assert "io_read" not in " ".join(m), m
    assert d.stop() == 0, d.log()

    counted = Counted(g)
    g.write("/tmp/turns.conf", 'interval = "100ms"; rotation = "500ms"; groups = ("mesh", "io");')
    d = Daemon(g, {}, settings='interval = "100ms"; rotation = "500ms"; groups = ("mesh", "io");')
    for _ in range(12):
        g.meshes.advance(20)
        g.sh("sleep 0.3")
    m = d.metrics()
    assert m['uncored_rounds{socket="0"}'] == "2", m
    for socket in (0, 1):
        true = counted.events(socket, mesh.RNI, 4)
        shown = total(m, "io_read_bytes", socket=socket, unit=socket)
        assert 0 < shown <= 32 * true, (socket, shown, true)
        assert shown == total(m, "arm_cmn_rnid_rxdat_flits", socket=socket) * 32, m
        assert total(m, "llc_misses", socket=socket) <= counted.events(socket, mesh.HNF, 1), m
    assert d.stop() == 0, d.log()


def test_arm64():
    g = Arm()
    check_doctor(g)
    check_programs(g)
    check_mesh(g)
    assert not re.search(r"Call trace|BUG:", g.sh("dmesg")), g.sh("dmesg | tail -50")
    g.kill()


if __name__ == "__main__":
    h.main(sys.modules[__name__])
