# SPDX-License-Identifier: MIT
"""lifecycle.py - reloads that fail, samplers that hang, registers and state files of others; on msr
files.

Addresses are those of the Xeon 7500 guide (323535-001): B-Box 0 counter 1 is C32/C33, its enable
C20, all C00.
"""
import contextlib
import os
import re
import resource
import shutil
import signal
import sys
import time

import harness as h
from made_machine import may_count

CONF = """interval = "200ms";
groups = (
  { name = "memory"; events = [ "bbox/IMT_VALID_OCCUPANCY", "bbox/IMT_INSERTS_ALL",
    "bbox/CONFLICTS", "wbox/CLOCKTICKS" ]; },
  { name = "llc"; events = [ "cbox/LLC_HITS:ALL", "cbox/LLC_MISSES:ALL" ]; }
);
"""
STEP = 10_000_000
INSERTS = 'uncore_bbox_imt_inserts_all_total{socket="%d",unit="0"}'
WRITTEN = [0xc00, 0xc20, 0xc30, 0xc32, 0xc36, 0xc60, 0xc70, 0xc72, 0xc76, 0xc80, 0x395, 0xd00,
           0xd10, 0xd12, 0xd14, 0xde0, 0xdf0, 0xdf2]
WRITE = r"socket \d: W 0x"         # of --log-level debug


def start(*args, conf=CONF, fs=("--virtual",), **kw):
    m = h.Msrfs(*fs)
    c = h.write("life-%d.conf" % m.pid, conf)
    return m, h.Uncored("-c", c, *m.options(), *args, **kw), c


def settle(u, ticks=2):
    def count():
        return [float(v) for k, v in u.metrics().items() if k.startswith("uncored_samples_total")]
    before = count()
    h.wait_for("%d more samples" % ticks,
               lambda: all(b >= a + ticks for a, b in zip(before, count())))


def invalid(u):
    return {k for k in u.metrics() if k.startswith("uncored_slot_invalid")}


def reload(u, ok):
    """SIGHUP; returns what was logged until the outcome."""
    before = len(u.text())
    u.p.send_signal(signal.SIGHUP)
    words = "read again" if ok else "reload failed"
    h.wait_for("the reload ends: " + words, lambda: words in u.text()[before:] or not u.running())
    assert u.running(), u.text()
    said = u.text()[before:]
    assert ("read again" in said) != ("reload failed" in said), said
    h.wait_for("it shows",
               lambda: u.metrics().get("uncored_config_last_reload_successful") == str(int(ok)))
    return said


def test_a_reload_that_cannot_be_written():
    # Socket 1 refuses writes: with more to write than before, then with less. Its counters cannot
    # be stopped, so nothing of the new configuration is written anywhere (where it has been:
    # anomalies.py, test_a_reload_that_goes_back). The old program goes on, and at the end every
    # register is as it was found.
    m, u, c = start()
    m.control("advance %d" % STEP)
    settle(u)
    more = CONF.replace('"cbox/LLC_MISSES:ALL"',
                        '"cbox/LLC_MISSES:ALL", "cbox/LLC_VICTIMS:M", "cbox/LLC_VICTIMS:E"')
    for old, new in ((CONF, more), (more, CONF)):
        h.write(os.path.basename(c), old)
        reload(u, True)
        h.write(os.path.basename(c), new)
        m.control("fault write_eperm 1 on")
        assert "socket 1: the kernel now refuses register writes (kernel lockdown, or " \
            "msr.allow_writes=off); going back to the old configuration" in reload(u, False)
        m.control("fault write_eperm 1 off")
        m.wait_for("everything counts again", lambda: not invalid(u))
        assert any("victims" in k for k in u.metrics()) == (old is more)
        # C-Box 0 counter 2, which only the larger one uses
        assert bool(m.register(0, 0xd14)) == (old is more), (old is more, m.register(0, 0xd14))
        m.control("advance %d" % STEP)
        settle(u)
        assert int(u.metrics()[INSERTS % 0]) == m.truth()[(0, 0xc33)][0]    # not a count was lost
    assert u.stop() == 0
    left = {(cpu, hex(a)): hex(v) for cpu in (0, 8)
            for a, v in m.registers(cpu, WRITTEN).items() if v}
    assert not left, left
    assert os.listdir(m.options()[-1]) == ["uncored.lock"]


def test_a_register_that_a_reload_cannot_put_back():
    # C-Box 0 counter 0 is not there for a while: the new configuration goes on without it, says so,
    # and counts with it after another reload.
    m, u, c = start()
    m.control("fault eio 0 0xd10 on")
    reload(u, True)
    only, = invalid(u)
    assert 'event="LLC_HITS",umask="ALL",reason="refused"' in only, only
    reload(u, True)
    m.control("fault eio 0 0xd10 off")
    assert m.register(0, 0xd10) & 1 << 22
    reload(u, True)
    assert not invalid(u) and m.register(0, 0xd10) & 1 << 22
    # A configuration that does not count with it: what stands in it is not forgotten.
    m.control("fault eio 0 0xd10 on")
    h.write(os.path.basename(c), CONF.replace("cbox/", "cbox1/"))
    assert "socket 0: not every register could be restored; uncored tries again" in reload(u, True)
    reload(u, True)
    m.control("fault eio 0 0xd10 off")
    assert m.register(0, 0xd10) & 1 << 22
    assert u.stop() == 0 and not m.register(0, 0xd10)
    assert os.listdir(m.options()[-1]) == ["uncored.lock"]
    # Not there until the end: that is no clean one, and what the state file says is not lost.
    m, u, c = start()
    m.control("fault eio 0 0xd10 on")
    assert u.stop() == 70
    assert "socket 0: not every register could be restored; run uncored --restore" in u.text()
    m.control("fault eio 0 0xd10 off")
    assert m.register(0, 0xd10) & 1 << 22
    code, _, err = h.run(h.UNCORED, "--restore", *m.options())
    assert code == 0 and "restoring its registers" in err, (code, err)
    assert not m.register(0, 0xd10) and os.listdir(m.options()[-1]) == ["uncored.lock"]


PERF = 'groups = ( { name = "g"; events = [ "perf/software/config=0,name=clock/" ]; } );\n'


def start_beside_software():
    """On one socket, with a PMU of the kernel that counts here: its own for software."""
    if not may_count():
        h.skip("perf may not count here")
    m = h.Msrfs("--virtual", "--sockets", "1")
    options = m.options_apart()
    pmu = options[3] + "/bus/event_source/devices/software"
    os.makedirs(pmu)
    with open(pmu + "/type", "w") as f:
        f.write("1\n")
    c = h.write("life-%d.conf" % m.pid, CONF)
    return m, h.Uncored("-c", c, *options), c, options


def test_a_reload_to_none_of_the_registers():
    """They went back then; that none was written is not said."""
    m, u, c, options = start_beside_software()
    assert m.register(0, 0xd10)
    h.write(os.path.basename(c), PERF)
    reload(u, True)
    assert u.stop() == 0 and not m.register(0, 0xd10)
    assert u.text().endswith("uncored: counting has ended; no register is left changed\n"), u.text()
    assert os.listdir(options[-1]) == ["uncored.lock"]


def test_a_reload_that_leaves_a_register_to_nobody():
    """No engine of the next configuration can put it back: that is said, what stood in it is kept
    for --restore, through a pause too, and no other registers are written over it."""
    m, u, c, options = start_beside_software()
    h.write(os.path.basename(c), PERF)
    m.control("fault eio 0 0xd10 on")
    assert "not every register could be restored; run uncored --restore" in reload(u, True)
    m.control("fault eio 0 0xd10 off")
    code, _, err = h.run(h.CTL, "pause", "--path-run", options[-1], "--", "true")
    assert code == 0, err
    h.write(os.path.basename(c), CONF.replace("cbox/", "cbox1/"))
    assert "could not be restored: stop uncored, run uncored --restore" in reload(u, False)
    assert u.stop() == 70 and m.register(0, 0xd10) & 1 << 22
    assert h.run(h.UNCORED, "--restore", *options)[0] == 0
    assert not m.register(0, 0xd10) and os.listdir(options[-1]) == ["uncored.lock"]


def test_no_register_can_be_put_back():
    """The log says so in numbers: 0 of as many as a good end puts back."""
    m, u, _ = start()
    assert u.stop() == 0
    said = re.search(r"(\d+) of (\d+) registers hold again what was found in them", u.text())
    assert said and said[1] == said[2], u.text()
    u = h.Uncored("-c", h.write("life-%d.conf" % m.pid, CONF), *m.options())
    every = ["fault eio %d 0x%x" % (socket, a) for socket in (0, 1)
             for a in [0x394, 0x395, *range(0xc00, 0xf00)]]
    for fault in every:
        m.control(fault + " on")
    assert u.stop() == 70
    assert "0 of %s registers hold again what was found in them" % said[2] in u.text(), u.text()
    for fault in every:
        m.control(fault + " off")
    assert h.run(h.UNCORED, "--restore", *m.options())[0] == 0


def test_once_that_cannot_put_a_register_back():
    """It is not a success, and --restore finds what is left."""
    m = h.Msrfs("--virtual")
    c = h.write("once-%d.conf" % m.pid, CONF.replace('"200ms"', '"2s"'))
    p = h.Process([h.UNCORED, "--once", "-c", c, *m.options()], "once-not-back")
    h.wait_for("it counts", lambda: m.register(0, 0xd10) & 1 << 22)
    m.control("fault eio 0 0xd10 on")
    assert p.p.wait(h.PATIENCE) == 70, p.text()
    assert "socket 0: not every register could be restored; run uncored --restore" in p.text()
    m.control("fault eio 0 0xd10 off")
    assert m.register(0, 0xd10) & 1 << 22
    code, _, err = h.run(h.UNCORED, "--restore", *m.options())
    assert code == 0 and "restoring its registers" in err, (code, err)
    assert not m.register(0, 0xd10) and os.listdir(m.options()[-1]) == ["uncored.lock"]


def test_the_kernels_driver_comes():
    # Its init sets en_all of C00, once (uncore_nhmex.c: nhmex_uncore_msr_init_box). At our end, and
    # after a crash, it is still set.
    for kill in (False, True):
        m = h.Msrfs("--virtual")
        sysfs = h.path("sys-%d" % m.pid)
        shutil.copytree(m.at + "/sys", sysfs, copy_function=lambda a, b: h.write(b, h.read(a)))
        c = h.write("driver-%d.conf" % m.pid, CONF)
        options = [*m.options(), "--path-sysfs", sysfs]
        u = h.Uncored("-c", c, *options)
        settle(u)
        assert u.metrics()["uncored_kernel_driver_bound"] == "0"
        assert "driver was loaded" not in u.text()
        os.makedirs(sysfs + "/bus/event_source/devices/uncore_cbox_0")
        with open(sysfs + "/bus/event_source/devices/uncore_cbox_0/type", "w") as f:
            f.write("20\n")
        m.control("write 0 0xc00 0x10000000", "write 1 0xc00 0x10000000")
        h.wait_for("the driver is noticed",
                   lambda: u.metrics()["uncored_kernel_driver_bound"] == "1", 5)
        settle(u, 10)
        assert u.text().count("the kernel's uncore driver was loaded") == 1, u.text()
        if kill:
            u.stop(signal.SIGKILL)
            code, _, err = h.run(h.UNCORED, "--restore", *options)
            assert code == 0 and "restoring its registers" in err, (code, err)
        else:
            assert u.stop() == 0
        for cpu in (0, 8):
            left = {a: v for a, v in m.registers(cpu, WRITTEN).items() if v}
            assert left.pop(0xc00, 0) & 1 << 28, left
            # box enables
            assert not set(left) - {0xc20, 0xc60, 0xc80, 0xd00,
                                    0xde0}, {hex(a): hex(v) for a, v in left.items()}
        # a socket that nobody listens on any more stays after a kill
        assert set(os.listdir(m.options()[-1])) - {"uncored.pause"} == {"uncored.lock"}
        # With the driver there from the start, everything goes back.
        u = h.Uncored("-c", c, *options, "--engine", "registers")
        assert u.metrics()["uncored_kernel_driver_bound"] == "1" and u.stop() == 0
        assert "driver was loaded" not in u.text()


# How a run directory takes nothing: (exit code of uncored(8), what is said).
NO_ROOM = {"full": (75, "No space left on device"), "read-only": (69, "Read-only file system")}


class RunDirectory:
    """One on a file system of its own, in memory: `size` as tmpfs takes it."""

    def __init__(self, m, size):
        self.at = m.options()[-1]
        os.mkdir(self.at)
        h.mount("-t", "tmpfs", "-o", "mode=755,size=" + size, "none", self.at)

    def close(self, how):
        if how == "full":
            with open(self.at + "/filler", "wb", buffering=0) as f, \
                    contextlib.suppress(OSError):
                while f.write(b"." * 512):
                    pass
            used = os.statvfs(self.at)
            assert used.f_bavail == 0 and used.f_favail > 8, used
        else:               # of another mount: this one has files that are open for writing
            h.mount("--bind", self.at, self.at)
            h.mount("-o", "remount,bind,ro", self.at)

    def open(self, how):
        if how == "full":
            os.remove(self.at + "/filler")
        else:
            assert h.run("umount", self.at)[0] == 0

    def files(self):
        """Those that take room, which a socket does not."""
        return sorted(set(os.listdir(self.at)) - {"filler", "uncored.pause"})


def left(m):
    return {(cpu, hex(a)): hex(v) for cpu in (0, 8)
            for a, v in m.registers(cpu, WRITTEN).items() if v}


def test_a_start_without_room():
    """One page is room for the lock or for the state file of two sockets, and here for neither: no
    register is written that nobody could put back."""
    h.own_mounts()
    for how, (code, words) in NO_ROOM.items():
        m = h.Msrfs("--virtual")
        run = RunDirectory(m, "4k")
        run.close(how)
        c = h.write("room.conf", CONF)
        for mode in (["--listen", "127.0.0.1:0"], ["--once"]):
            got, _, err = h.run(h.UNCORED, *mode, "-c", c, "--log-level", "debug", *m.options())
            assert got == code and words in err and run.at in err, (how, mode, got, err)
            assert not re.search(WRITE, err) and not left(m), (how, mode, err, left(m))
            assert run.files() in ([], ["uncored.lock"]), run.files()
        run.open(how)
        h.mount("-o", "remount,size=1m", run.at)
        got, _, err = h.run(h.UNCORED, "--once", "-c", c, "--log-level", "debug", *m.options())
        assert got == 0 and re.search(WRITE, err) and not left(m), (how, got, err, left(m))
        assert run.files() == ["uncored.lock"], run.files()


def test_a_reload_without_room():
    """Refused; what was counted goes on without a gap, and so do later reloads once there is
    room."""
    h.own_mounts()
    for how, (_, words) in NO_ROOM.items():
        m = h.Msrfs("--virtual")
        run = RunDirectory(m, "64k")
        c = h.write("reload-%s.conf" % how, CONF)
        u = h.Uncored("-c", c, *m.options())
        before = left(m)
        with open(run.at + "/uncored.state", "rb") as f:
            kept = f.read()
        run.close(how)
        h.write(os.path.basename(c), CONF.replace("LLC_MISSES:ALL", "LLC_VICTIMS:M"))
        for _ in range(3):
            said = reload(u, False)
            assert words in said and "uncored.state" in said, (how, said)
            assert "the old configuration stays in use" in said, (how, said)
            m.control("advance %d" % STEP)
            settle(u)
            got = u.metrics()
            assert not invalid(u) and not any("victims" in k for k in got)
            for s in (0, 1):
                assert int(got[INSERTS % s]) == m.truth()[(s, 0xc33)][0], (how, s)
            assert left(m) == before
            with open(run.at + "/uncored.state", "rb") as f:
                assert f.read() == kept
            assert run.files() == ["uncored.lock", "uncored.state"], run.files()
        run.open(how)
        reload(u, True)
        m.control("advance %d" % STEP)
        settle(u)
        got = u.metrics()
        assert any("victims" in k for k in got)
        assert int(got[INSERTS % 0]) == m.truth()[(0, 0xc33)][0]
        assert u.stop() == 0 and not left(m) and run.files() == ["uncored.lock"], run.files()


def test_the_end_and_restore_without_room():
    """Registers are put back on a full disk. Where no lock can be taken, nobody can know that no
    other uncored runs: --restore refuses. An end puts back what it has changed all the same."""
    h.own_mounts()
    for how, (code, words) in NO_ROOM.items():
        m = h.Msrfs("--virtual")
        run = RunDirectory(m, "64k")
        c = h.write("end-%s.conf" % how, CONF)
        for kill in (False, True):
            u = h.Uncored("-c", c, *m.options())
            found = left(m)
            assert found
            if kill:
                u.stop(signal.SIGKILL)
                os.truncate(run.at + "/uncored.lock", 0)    # no room for a pid there, either
            run.close(how)
            if kill:
                got, _, err = h.run(h.UNCORED, "--restore", *m.options())
                if how == "full":
                    assert got == 0 and "restoring its registers" in err, (got, err)
                    assert not left(m) and run.files() == ["uncored.lock"], (left(m), run.files())
                else:
                    assert got == code and words in err and left(m) == found, (got, err, left(m))
                    assert run.files() == ["uncored.lock", "uncored.state"], run.files()
            else:
                assert u.stop() == 0 and not left(m), (u.text(), left(m))
                assert ("the next start will use it again" in u.text()) == (how == "read-only")
            run.open(how)
            got, _, err = h.run(h.UNCORED, "--restore", *m.options())
            assert got == 0 and not left(m) and run.files() == ["uncored.lock"], (got, err, left(m))


def test_files_that_are_no_configuration():
    m, u, c = start()
    os.remove(c)
    assert "No such file" in reload(u, False)
    os.mkfifo(c)
    assert "not a regular file" in reload(u, False)
    os.remove(c)
    os.mkdir(c)
    assert "not a regular file" in reload(u, False)
    os.rmdir(c)
    h.write(os.path.basename(c), CONF)
    os.chmod(c, 0o666)
    if os.getuid() == 0:
        os.chown(c, 65534, 65534)       # whoever owns it
    assert "everybody can write" in reload(u, False)
    os.chmod(c, 0o644)
    reload(u, True)
    settle(u)
    assert not invalid(u)


NO_GROUPS = ['[ 2 ]', "[ 1 ]", '( 3, { name = "m"; events = [ "cbox/NIX" ]; } )',
             "( 1.5 )", "( ( ) )", "( [ ] )", "( [ 1 ], true )"]


def test_groups_that_are_no_blocks():
    """A message and the old configuration, never an end: at a reload, and wherever else a plan is
    made."""
    m, u, c = start()
    for groups in NO_GROUPS:
        h.write(os.path.basename(c), "groups = %s;\n" % groups)
        said = reload(u, False)
        assert ":1: a group must be a block" in said, said
        assert ("no event 'NIX'" in said) == ("NIX" in groups), said
        m.control("advance %d" % STEP)
        settle(u)
        assert int(u.metrics()[INSERTS % 1]) == m.truth()[(1, 0xc33)][0]
        for program, *args in ((h.UNCORED, "--check-config"), (h.UNCORED, "--once", *m.options()),
                               (h.CTL, "plan"),
                               (h.CTL, "doctor", "--path-sysfs", m.at + "/sys",
                                "--path-procfs", m.at + "/proc")):
            code, out, err = h.run(program, *args, "-c", c,
                                   *([] if "doctor" in args else ["--processor", "nehalem-ex"]))
            assert code == (69 if "doctor" in args else 78) and \
                "a group must be a block" in " ".join((out + err).split()), \
                (groups, args, code, out, err)
    h.write(os.path.basename(c), CONF)
    reload(u, True)
    assert u.stop() == 0


def test_a_reload_without_memory():
    """Refused with a sentence, wherever in the reload the memory ends; and done once there is
    enough."""
    if h.SANITIZED:
        h.skip("sanitizers end the process themselves where memory is short")
    groups = ",".join('{ name = "g%d"; resolution = "10ms"; distribution = true; events = [ '
                      '"cbox/LLC_HITS:M,threshold=%d", '
                      '"bbox/IMT_INSERTS_ALL", "wbox/CLOCKTICKS" ]; }' % (i, i + 1)
                      for i in range(25))
    c = h.write("short.conf", CONF)
    u = h.Uncored("-c", c, "--engine", "model:nehalem-ex")
    with open("/proc/%d/statm" % u.pid) as f:
        size = int(f.read().split()[0]) * os.sysconf("SC_PAGESIZE")
    h.write("short.conf", 'interval = "100ms";\ngroups = ( %s );\n' % groups)
    no_limit = resource.RLIM_INFINITY
    planning = 0
    for more in range(0, 4 << 20, 1 << 17):
        resource.prlimit(u.pid, resource.RLIMIT_AS, (size + more, no_limit))
        said = reload(u, False)
        assert "memory" in said, (more, said)
        planning += "while planning this configuration" in said
    assert planning
    resource.prlimit(u.pid, resource.RLIMIT_AS, (no_limit, no_limit))
    reload(u, True)
    assert u.stop() == 0


def test_a_start_without_memory():
    if h.SANITIZED:
        h.skip("sanitizers end the process themselves where memory is short")
    codes = []
    for kb in range(3000, 60000, 50):
        code, _, err = h.run("sh", "-c", 'ulimit -v %d; exec "$@"' % kb, "sh", h.UNCORED,
                             "--check-config", "--engine", "model:nehalem-ex")
        assert code == 127 or (code == 75 and re.search("(out of|no) memory", err)) or code == 0, \
            (kb, code, err)
        codes.append(code)
        if not code:
            break
    assert codes.count(75) > 2 and codes == sorted(codes, key=[127, 75, 0].index), codes


def test_what_takes_a_restart():
    m = h.Msrfs("--virtual")
    port = h.free_port()
    listen = 'listen = [ "127.0.0.1:%d" ];\n'
    c = h.write("restart.conf", 'engine = "registers";\n' + listen % port + CONF)
    p = h.Process([h.UNCORED, "-c", c, *m.options()], "restart")
    h.wait_for("it serves", lambda: ":%d/" % port in p.text() or not p.running())

    def hup(text, words):
        h.write("restart.conf", text)
        before = len(p.text())
        p.p.send_signal(signal.SIGHUP)
        h.wait_for("it says: " + words, lambda: words in p.text()[before:] or not p.running())
        assert p.running(), p.text()
        return p.text()[before:]

    assert "restart" not in hup('engine = "registers";\n' + listen % port + CONF, "read again")
    said = hup('engine = "registers";\n' + listen % (port + 1) + CONF, "read again")
    assert "restart.conf:2: a change of `listen` needs a restart" in said, said
    said = hup('engine = "registers";\n' + listen % port + CONF +
               'listen_socket = { mode = "0600"; };\n', "read again")
    assert "a change of `listen_socket` needs a restart" in said and "`listen`" not in said, said
    said = hup('\nengine = "perf";\n' + listen % port + CONF, "reload failed")
    assert "restart.conf:2: a change of `engine` needs a restart" in said, said
    # What is refused asks for no restart, which would end with 78: the listen itself is wrong, or
    # something else is, for the process that checks the file or for a group of the machine.
    for wrong in ('listen = [ "localhost:1" ];\n' + CONF, listen % (port + 1) + "interval = 7;\n",
                  listen % (port + 1) + CONF + 'listen_socket = { owner = "nouser"; };\n',
                  listen % (port + 1) + CONF.replace("wbox/", "nobox/")):
        said = hup('engine = "registers";\n' + wrong, "reload failed")
        assert "needs a restart" not in said, said
    assert p.stop() == 0


def test_a_sampler_that_hangs():
    # Each socket's files come from their own server, so that one can be stopped: its reads then
    # never return.
    a, b = h.Msrfs(), h.Msrfs()
    dev = h.path("split")
    os.makedirs(dev + "/cpu")
    for cpu in range(16):
        os.symlink((a if cpu < 8 else b).at + "/dev/cpu/%d" % cpu, dev + "/cpu/%d" % cpu)
    options = a.options()
    options[1] = dev
    u = h.Uncored("-c", h.write("hang.conf", CONF), *options)
    settle(u)
    os.kill(b.pid, signal.SIGSTOP)
    try:
        h.wait_for("socket 1 is down", lambda: u.metrics().get('uncored_up{socket="1"}') == "0")
        h.wait_for("it is told", lambda: "socket 1: not sampled for" in u.text())
        got = u.metrics()
        assert got['uncored_up{socket="0"}'] == "1"
        h.wait_for("socket 0 goes on", lambda: u.value('uncored_samples_total{socket="0"}') >
                   float(got['uncored_samples_total{socket="0"}']) + 2)
        began = time.monotonic()
        # and main does not wait for it
        assert "socket 1 is stalled and cannot switch" in reload(u, False)
        assert u.get("/")[0] == u.get("/api/v1/status")[0] == 200 and time.monotonic() - began < 3
    finally:
        os.kill(b.pid, signal.SIGCONT)
    h.wait_for("socket 1 is up", lambda: u.metrics().get('uncored_up{socket="1"}') == "1")
    settle(u)
    assert not invalid(u) and u.value('uncored_ticks_missed_total{socket="1"}') > 5
    reload(u, True)
    assert u.stop() == 0


def test_slots_that_never_count_are_told_and_counted():
    m = h.Msrfs("--virtual")
    m.control("fault stuck 0 0xc32 on", "fault eio 0 0xc36 on")
    u = h.Uncored("-c", h.write("stuck.conf", CONF), *m.options())
    settle(u, 3)
    got = u.metrics()
    label = 'socket="0",box="bbox",unit="0",event="%s",reason="%s"'
    assert {"uncored_slot_invalid{%s}" % (label % x)
            for x in (("IMT_INSERTS_ALL", "refused"), ("CONFLICTS", "hidden"))} == invalid(u)
    for reason in ("refused", "hidden"):        # slots x ticks, from the first sample on
        assert got['uncored_samples_invalid_total{socket="0",reason="%s"}' % reason] == \
            got['uncored_samples_total{socket="0"}']
    h.wait_for("the log names one", lambda: "socket 0: bbox0/IMT_INSERTS_ALL (and 1 more) is not "
                                            "being counted: refused" in u.text())
    assert u.stop() == 0


def test_state_files_of_others():
    m, u, c = start()
    u.stop(signal.SIGKILL)
    state = m.options()[-1] + "/uncored.state"
    whole = h.read_bytes(state)
    for text in (b"", whole[:40], whole[:-1], whole + b"x",
                 whole[:99] + bytes([whole[99] ^ 8]) + whole[100:]):
        with open(state, "wb") as f:
            f.write(text)
        code, _, err = h.run(h.UNCORED, "--restore", *m.options())
        assert code == 0 and err.count("\n") == 1 and "ignored" in err, (len(text), code, err)
        assert m.register(0, 0xc32) & 1
    # Ours again; but counter 1 holds another tool's event by now, and M-Box 0 counter 5 became
    # enabled since.
    with open(state, "wb") as f:
        f.write(whole)
    m.control("write 0 0xc32 0x19", "write 0 0xcba 0x3601", "write 0 0xca0 0x20")
    code, _, err = h.run(h.UNCORED, "--restore", *m.options())
    assert code == 0 and "0xc32 (bbox0 counter 1) holds 0x19" in err, (code, err)
    left = {a: m.register(0, a) for a in WRITTEN if m.register(0, a)}
    assert left == {0xc00: 0x10000000, 0xc20: 2,
                    0xc32: 0x19}, {hex(a): hex(v) for a, v in left.items()}
    assert all(v == 0 for v in m.registers(8, WRITTEN).values()) and not os.path.exists(state)



# Every counter of every box: 1 + 8x6 + 2x4 + 2x4 + 16 + 2x6 + 5 = 98 a socket.
ALL = '''interval = "1s";
groups = ( { name = "all"; events = [ "ubox/IPIS_SENT",
  "cbox/LLC_HITS:ALL", "cbox/LLC_HITS:M", "cbox/LLC_HITS:E", "cbox/LLC_MISSES:ALL",
  "cbox/LLC_VICTIMS:M", "cbox/LLC_VICTIMS:E",
  "bbox/IMT_VALID_OCCUPANCY", "bbox/IMT_INSERTS_ALL", "bbox/IMT_NE_CYCLES", "bbox/CONFLICTS",
  "sbox/TO_R_NDR_MSGQ_CYCLES_NE", "sbox/TO_R_B_HOM_MSGQ_CYCLES_NE:RBOX",
  "sbox/TO_R_NDR_MSGQ_CYCLES_FULL", "sbox/EGRESS_STARVED:AD",
  %s,
  "mbox/CYCLES", "mbox/PAGE_HIT", "mbox/PAGE_MISS", "mbox/DRAM_CMD:ALL", "mbox/REFRESH",
  "mbox/CYCLES_DSP_FILL:RDQ_FULL",
  "wbox/CLOCKTICKS", "wbox/C_THROTTLE_TMP", "wbox/C_CYCLES_TURBO", "wbox/PROCHOT", "wbox/TM1_ON" ];
  } );
''' % ", ".join('"rbox/FLITS_SENT,port=%d", "rbox/NULL_IDLE,port=%d"' % (p, p) for p in range(8))


def test_memory_with_784_counters():
    if os.getuid() != 0:
        h.skip("the http child is not dumpable: only root may see its memory")
    m, u, _ = start(conf=ALL, fs=("--sockets", "8"))
    for accept in ("text/plain", "application/openmetrics-text;version=1.0.0") * 2:
        assert u.get("/metrics", {"Accept": accept})[0] == 200
    u.get("/"), u.get("/api/v1/status")
    assert sum(k.startswith("uncored_slot_valid") for k in u.metrics()) == 784 and not invalid(u)

    def pss(pid):
        rows = (line.split() for line in h.read("/proc/%d/smaps_rollup" % pid).splitlines())
        return next(int(row[1]) for row in rows if row[0] == "Pss:")
    for _ in range(3):                      # two generations stand side by side for a moment
        kilobytes = pss(u.pid) + pss(u.child())
        assert h.SANITIZED or kilobytes < 12 * 1024, kilobytes
        reload(u, True)
    print("both processes: %d kB PSS" % kilobytes)
    assert u.stop() == 0


h.main(sys.modules[__name__])
