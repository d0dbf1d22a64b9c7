# SPDX-License-Identifier: MIT
"""pause.py - room for other tools: while uncorectl pause runs, the counters are not ours.

The model is in another process, through FUSE, and its time stands still but for "advance": what
another tool makes the counters count is known to the last count. Addresses are those of the Xeon
7500 guide (323535-001): B-Box 0 counter 1 is C32/C33, its enable C20, all C00.
"""
import contextlib
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import curve
import harness as h
import whole
from device_files import ALL, CONF, DATA, INSERTS, STEP, expect_truth, settle

# Another tool's: B-Box 0 counter 1 counts its event 19 (of 2.4.7); on, and off again.
TOOL_ON = ["write 0 0xc32 0x19", "write 0 0xc20 0x2", "write 0 0xc00 0x10000000"]
TOOL_OFF = ["write 0 0xc32 0", "write 0 0xc20 0", "write 0 0xc00 0"]
PAUSED = "uncored_paused"


def start(conf=CONF, args=()):
    m = h.Msrfs("--virtual")
    return m, h.Uncored("-c", h.write("pause-%d.conf" % m.pid, conf), *m.options(), *args)


def run_dir(m):
    options = m.options()
    return options[options.index("--path-run") + 1]


def pause(m, *command):
    """uncorectl pause with the run directory of that uncored; (exit code, stderr)."""
    code, _, err = h.run(h.CTL, "pause", "--path-run", run_dir(m), *command)
    return code, err


@contextlib.contextmanager
def paused(m, u):
    """A pause held by a connection of our own."""
    with hold(m) as s:
        assert s.recv(100) == b"paused\n"
        yield s
    h.wait_for("it counts again: " + u.text(), lambda: u.metrics()[PAUSED] == "0")


def hold(m=None):
    """A connection that asks for a pause."""
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(10)
    s.connect((run_dir(m) if m else h.path("run")) + "/uncored.pause")
    return s


def reasons(u):
    """How many slots are invalid, by reason."""
    found = {}
    for k in u.metrics():
        if k.startswith("uncored_slot_invalid{"):
            why = k.rsplit('reason="', 1)[1].split('"')[0]
            found[why] = found.get(why, 0) + 1
    return found


def active(metrics):
    return {k: v for k, v in metrics.items() if "active_seconds" in k}


def inserts(truth):
    return {(s, unit): truth[(s, DATA[("bbox", unit)])][0] for s in (0, 1) for unit in (0, 1)}


def totals(u):
    got = u.metrics()
    return {(s, unit): int(got[INSERTS % (s, unit)]) for s in (0, 1) for unit in (0, 1)}


def test_totals_are_the_truth_but_for_what_ran_while_paused():
    """Registers hold what was found in them; another tool counts with one; then everything goes on
    from where it stood."""
    m = h.Msrfs("--virtual")
    found = m.registers(0, ALL)
    u = h.Uncored("-c", h.write("pause.conf", CONF), *m.options())
    m.control("advance %d" % STEP)
    expect_truth(m, u)
    before = inserts(m.truth())
    with paused(m, u):
        assert m.registers(0, ALL) == found
        m.control(*TOOL_ON, "advance %d" % STEP)
        got = u.metrics()
        assert got[PAUSED] == "1" and set(reasons(u)) == {"paused"}, reasons(u)
        assert not any(k.startswith("uncore_") for k in got), got
        assert [got['uncored_up{socket="%d"}' % s] for s in (0, 1)] == ["1", "1"]
        time.sleep(0.5)
        assert active(got) == active(u.metrics()), "nothing counted"
        assert u.get("/-/ready")[0] == 200
        meanwhile = inserts(m.truth())
        m.control(*TOOL_OFF)
    assert meanwhile[0, 0] > before[0, 0], "the other tool did not count"
    m.control("advance %d" % STEP)
    settle(u)
    truth = inserts(m.truth())
    assert totals(u) == {k: truth[k] - (meanwhile[k] - before[k]) for k in truth}
    assert not any(v != "0" for k, v in u.metrics().items()
                   if k.startswith("uncored_samples_invalid_total") and 'reason="paused"' in k)
    assert u.stop() == 0
    assert m.registers(0, ALL) == found


def test_what_others_left_enabled_is_foreign_until_it_is_free():
    m, u = start()
    with paused(m, u):
        m.control(*TOOL_ON)
    left = m.registers(0, [0xc32, 0xc33])
    settle(u, 3)
    assert reasons(u) == {"foreign": 1}, reasons(u)
    assert [k for k in u.metrics() if 'reason="foreign"} 1' in k or
            k.startswith("uncored_slot_invalid") and "IMT_INSERTS_ALL" in k and
            'unit="0"' in k and 'socket="0"' in k]
    time.sleep(4)                           # longer than three attempts to take it back
    assert m.registers(0, [0xc32, 0xc33]) == left, "it was written"
    with paused(m, u):                      # another pause changes nothing of it
        assert m.registers(0, [0xc32, 0xc33]) == left
    assert m.registers(0, [0xc32, 0xc33]) == left
    said = len(u.text())
    m.control("write 0 0xc32 0")
    m.wait_for("it is counted again: " + u.text(), lambda: not reasons(u))
    text = u.text()[said:]
    assert "is free, and is counted again" in text and "pause" not in text, text
    assert u.stop() == 0
    assert m.register(0, 0xc32) == 0        # what was found when it was free


def test_the_end_leaves_what_others_have_enabled():
    m, u = start()
    with paused(m, u):
        m.control(*TOOL_ON)
    settle(u)
    on = [0xc32, 0xc20, 0xc00]
    assert u.stop() == 0
    got = m.registers(0, on)
    assert got[0xc32] == 0x19 and got[0xc20] & 2 and got[0xc00] & 0x10000000, got


def test_the_kernels_driver_comes_just_before():
    """Within the second that it may take to notice it: what its start sets once stays set."""
    m = h.Msrfs("--virtual")
    sysfs = h.path("sys-driver")
    shutil.copytree(m.at + "/sys", sysfs, copy_function=lambda a, b: h.write(b, h.read(a)))
    u = h.Uncored("-c", h.write("driver.conf", CONF), *m.options(), "--path-sysfs", sysfs)
    settle(u)
    m.control("write 0 0xc00 0x10000000", "write 1 0xc00 0x10000000")
    os.makedirs(sysfs + "/bus/event_source/devices/uncore_cbox_0")
    h.write("sys-driver/bus/event_source/devices/uncore_cbox_0/type", "20\n")
    with hold(m) as s:
        assert s.recv(100) == b"paused\n"
        assert m.register(0, 0xc00) & 1 << 28 and m.register(8, 0xc00) & 1 << 28
    assert "driver was loaded" in u.text(), u.text()
    assert u.stop() == 0


def test_ten_pauses_at_a_thousand_ticks_a_second():
    m, u = start(CONF.replace('interval = "200ms"', 'interval = "100ms"; resolution = "1ms"'))
    without = {k: 0 for k in inserts(m.truth())}
    files = len(os.listdir("/proc/%d/fd" % u.pid))
    for _ in range(10):
        m.control("advance 200000")
        with paused(m, u):
            before = inserts(m.truth())
            m.control(*TOOL_ON, "advance 200000", *TOOL_OFF)
            after = inserts(m.truth())
        without = {k: v + after[k] - before[k] for k, v in without.items()}
    assert without[0, 0] > 0
    settle(u, 200)
    truth = inserts(m.truth())
    assert totals(u) == {k: truth[k] - without[k] for k in truth}, (totals(u), truth, without)
    assert len(os.listdir("/proc/%d/fd" % u.pid)) == files
    assert u.stop() == 0


def test_within_two_seconds_whatever_the_interval():
    m, u = start(CONF.replace("200ms", "60s"))
    began = time.monotonic()
    with paused(m, u):
        took = time.monotonic() - began
    assert took < 2, took
    began = time.monotonic()
    assert pause(m, "--", "true") == (0, "")
    assert time.monotonic() - began < 4
    assert u.stop() == 0


def test_the_command_runs_while_it_is_paused():
    m, u = start()
    free = ("import os, sys\nfd = os.open(sys.argv[1], os.O_RDONLY)\n"
            "sys.exit(7 + any(os.pread(fd, 8, 0xc32)))")
    code, err = pause(m, "--", sys.executable, "-c", free, m.at + "/dev/cpu/0/msr")
    assert (code, err) == (7, ""), (code, err)
    code, err = pause(m, "--", "no-such-program")
    assert code == 127 and "no-such-program" in err
    h.wait_for("it counts again", lambda: u.metrics()[PAUSED] == "0")
    assert u.stop() == 0


def test_a_time_and_an_early_end():
    m, u = start()
    began = time.monotonic()
    code, err = pause(m, "1s")
    assert code == 0 and "paused for 1s" in err and time.monotonic() - began >= 1, (code, err)
    p = subprocess.Popen([h.CTL, "pause", "--path-run", run_dir(m), "10m"],
                         stderr=subprocess.PIPE, text=True)
    assert "paused for 600s" in p.stderr.readline()
    assert u.metrics()[PAUSED] == "1"
    p.send_signal(signal.SIGINT)
    p.communicate(timeout=10)
    assert p.returncode == -signal.SIGINT, p.returncode
    h.wait_for("it counts again", lambda: u.metrics()[PAUSED] == "0")
    assert u.stop() == 0


def test_the_last_of_several_ends_it():
    m, u = start()
    first, second = hold(m), hold(m)
    assert first.recv(100) == second.recv(100) == b"paused\n"
    first.send(b"nobody reads this")
    first.close()
    time.sleep(0.5)
    assert u.metrics()[PAUSED] == "1"
    many = [hold(m) for _ in range(16)]
    said = [s.recv(200) for s in many]
    assert said[:15] == [b"paused\n"] * 15 and said[15].startswith(b"refused: 16 pauses"), said
    for s in many:
        s.close()
    second.close()
    h.wait_for("it counts again", lambda: u.metrics()[PAUSED] == "0")
    assert u.stop() == 0


def test_the_end_of_the_holder_however_it_comes():
    """Killed at any moment: on the way to the answer, with it, with the command running."""
    m, u = start()
    for wait in (0, 0.002, 0.01, 0.03, 0.1, 0.4):
        p = subprocess.Popen([h.CTL, "pause", "--path-run", run_dir(m), "--",
                              "sleep", "0.6"], stderr=subprocess.DEVNULL)
        time.sleep(wait)
        p.kill()
        p.wait()
        with paused(m, u):              # who comes later: the other one was seen
            pass
    m.control("advance %d" % STEP)
    expect_truth(m, u)
    assert u.stop() == 0


class Writer(threading.Thread):
    """Somebody else: writes C-Box 0 counter 5's control, D1A, and looks whether that stays."""

    def __init__(self, m):
        super().__init__()
        self.fd = os.open(m.at + "/dev/cpu/0/msr", os.O_RDWR)
        self.ends, self.written, self.lost = threading.Event(), 0, []

    def run(self):
        while not self.ends.is_set():
            self.written += 1
            value = self.written % 256
            os.pwrite(self.fd, value.to_bytes(8, "little"), 0xd1a)
            time.sleep(0.002)
            found = int.from_bytes(os.pread(self.fd, 8, 0xd1a), "little")
            self.lost += [(value, found)] if found != value else []

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.join()
        os.close(self.fd)


def tool(m, *lines):
    """A command that does this to the hardware."""
    return "printf '%%s\\n' %s >%s/control" % (" ".join("'%s'" % x for x in lines), m.at)


def test_uncorectl_is_killed_at_each_step():
    """On the way into its calls or back (died.c), or by its own command, a thousand ticks a second:
    nothing is lost but what ran while paused, and no register of others is changed."""
    m, u = start(CONF.replace('interval = "200ms"', 'interval = "100ms"; resolution = "1ms"'))
    runs = tool(m, *TOOL_ON, "advance 200000")
    steps = (("connect", "true"), ("connect+", "true"), ("poll+", "true"), ("posix_spawn+", "true"),
             ("", runs + "; kill -9 $PPID"), ("waitpid+", runs + "; " + tool(m, *TOOL_OFF)))
    without = {k: 0 for k in inserts(m.truth())}

    def all_have_ended():
        with paused(m, u):              # it hears who came before
            pass
        h.wait_for("each pause has ended", lambda: u.text().count("paused: the counters are") ==
                   u.text().count("the pause has ended"))

    def left_on():
        """The command has left its counter on: that one alone is not counted until it is off."""
        assert reasons(u) == {"foreign": 1}, reasons(u)
        left, before = m.registers(0, [0xc32, 0xc33]), inserts(m.truth())
        assert left[0xc32] == 0x19, left
        settle(u, 200)
        assert m.registers(0, [0xc32, 0xc33]) == left
        m.control("advance 200000")
        without[0, 0] += inserts(m.truth())[0, 0] - before[0, 0]
        settle(u, 200)
        assert m.register(0, 0xc32) == 0x19
        m.control("write 0 0xc32 0")
        h.wait_for("it is counted again", lambda: not reasons(u))

    with Writer(m) as writer:
        for step, command in 2 * steps:
            m.control("advance 200000")
            before = inserts(m.truth())
            code, _, err = h.run(h.CTL, "pause", "--path-run", run_dir(m), "--", "sh", "-c",
                                 command, env=dict(h.preloaded("died"), DIES=step))
            assert code == -signal.SIGKILL, (step, code, err)
            all_have_ended()
            for k, v in inserts(m.truth()).items():
                without[k] += v - before[k]
            if not step:
                left_on()
            assert not reasons(u), (step, reasons(u))
    assert without[0, 0] > 0 and writer.written > 100 and not writer.lost, writer.lost
    m.control("advance 200000")
    settle(u, 200)                      # what is published next may have been read before
    truth = inserts(m.truth())
    assert totals(u) == {k: truth[k] - without[k] for k in truth}, (totals(u), truth, without)
    assert u.stop() == 0


def test_the_lock_is_kept():
    m, u = start()
    with paused(m, u):
        c = h.write("second.conf", CONF)
        code, _, err = h.run(h.UNCORED, "--listen", "127.0.0.1:0", "-c", c, *m.options())
        assert code == 75 and "process %d" % u.pid in err, (code, err)
        assert u.metrics()[PAUSED] == "1"
    m.control("advance %d" % STEP)
    expect_truth(m, u)
    assert u.stop() == 0


def test_who_has_gone_pauses_nothing():
    """uncored was busy while they came and were killed: who is still there does not wait for the
    pauses of the others, and there are none."""
    m, u = start()
    with h.stopped(u.pid):
        for _ in range(20):
            hold(m).close()
        last = hold(m)
    began = time.monotonic()
    assert last.recv(100) == b"paused\n"
    assert time.monotonic() - began < 2, time.monotonic() - began
    last.close()
    h.wait_for("it counts again", lambda: u.metrics()[PAUSED] == "0" and not reasons(u))
    assert u.text().count("paused: the counters are left") == 1, u.text()
    m.control("advance %d" % STEP)
    expect_truth(m, u)
    assert u.stop() == 0


def test_uncored_is_killed_or_ends_while_paused():
    """Then nothing is put back into registers that are another tool's."""
    for sig, code in ((signal.SIGKILL, -9), (signal.SIGTERM, 0)):
        m, u = start()
        s = hold(m)
        assert s.recv(100) == b"paused\n"
        m.control(*TOOL_ON)
        before = m.registers(0, ALL)
        assert u.stop(sig) == code
        assert s.recv(100) == b"", "the holder is told"
        assert h.run(h.UNCORED, "--restore", *m.options())[0] == 0
        assert m.registers(0, ALL) == before
        s.close()


def test_a_command_is_told_that_uncored_ended():
    m, u = start()
    p = subprocess.Popen([h.CTL, "pause", "--path-run", run_dir(m), "--", "sleep", "5"],
                         stderr=subprocess.PIPE, text=True)
    h.wait_for("it is paused", lambda: u.metrics()[PAUSED] == "1")
    assert u.stop() == 0
    assert "has ended meanwhile" in p.communicate(timeout=h.PATIENCE)[1] and \
        p.returncode == 0


def test_a_reload_while_paused_comes_afterwards():
    m, u = start()
    at = h.path("pause-%d.conf" % m.pid)
    with paused(m, u):
        with open(at, "w") as f:
            f.write(CONF.replace('"bbox/CONFLICTS"', '"bbox/CONFLICT"'))
        u.p.send_signal(signal.SIGHUP)
        h.wait_for("it is refused: " + u.text(), lambda: "reload failed" in u.text())
        assert "CONFLICT" in u.text()
        with open(at, "w") as f:
            f.write(CONF.replace('"bbox/CONFLICTS",', ""))
        u.p.send_signal(signal.SIGHUP)
        h.wait_for("it is checked: " + u.text(), lambda: "used when the pause ends" in u.text())
        assert any("CONFLICTS" in k for k in u.metrics())
    h.wait_for("it is used: " + u.text(),
               lambda: not any("CONFLICTS" in k for k in u.metrics()) and not reasons(u))
    m.control("advance %d" % STEP)
    expect_truth(m, u)
    assert u.stop() == 0


def test_an_end_that_fails_is_tried_again():
    """freeze would stop what another tool has left enabled: it stays paused until that is gone."""
    m, u = start("freeze = true;\n" + CONF)
    with hold(m) as s:
        assert s.recv(100) == b"paused\n"
        m.control(*TOOL_ON)
    h.wait_for("it says why: " + u.text(), lambda: "counting cannot go on" in u.text())
    assert "bbox0 counter 1" in u.text() and u.metrics()[PAUSED] == "1"
    time.sleep(2.5)
    assert u.text().count("counting cannot go on") == 1
    assert m.register(0, 0xc32) == 0x19
    m.control(*TOOL_OFF)
    h.wait_for("it counts", lambda: u.metrics()[PAUSED] == "0" and not reasons(u))
    assert u.stop() == 0


def test_tries_that_fail_are_told_once():
    """Each programs socket 0, and puts its registers back."""
    m = h.Msrfs("--virtual")
    u = h.Uncored("-c", h.write("tries.conf", CONF), *m.options())
    back = "registers hold again what was found"
    with hold(m) as s:
        assert s.recv(100) == b"paused\n"
        m.control("fault write_eperm 1 on")
    h.wait_for("it says why", lambda: "counting cannot go on" in u.text())
    time.sleep(2.5)
    assert u.text().count(back) == 1, u.text()
    m.control("fault write_eperm 1 off")
    h.wait_for("it counts", lambda: u.metrics()[PAUSED] == "0")
    assert u.stop() == 0 and u.text().count(back) == 2, u.text()


def test_an_end_that_fails_half_way():
    """One socket cannot be written again, and when that is seen the other one neither, which counts
    already: what was found in its registers is not forgotten, and who asks for a pause is refused
    until it is back."""
    m = h.Msrfs("--virtual")
    found = m.registers(0, ALL)
    u = h.Uncored("-c", h.write("half.conf", CONF.replace("200ms", "4s")), *m.options())
    with hold(m) as s:
        assert s.recv(100) == b"paused\n"
        m.control("fault write_eperm 1 on")
        time.sleep(-time.monotonic() % 4)   # the first sample, of socket 0 first, is a while away
    h.wait_for("socket 0 is programmed", lambda: m.registers(0, ALL) != found)
    m.control("fault write_eperm 0 on")
    h.wait_for("it says so", lambda: "not every register could be restored" in u.text())
    time.sleep(2)                           # it is tried again each second
    assert u.metrics()[PAUSED] == "1" and m.registers(0, ALL) != found
    with hold(m) as s:
        assert s.recv(200).startswith(b"refused: not every register could be put back")
    m.control("fault write_eperm 0 off")
    h.wait_for("registers are put back", lambda: m.registers(0, ALL) == found)
    m.control("fault write_eperm 1 off")
    h.wait_for("it counts", lambda: u.metrics()[PAUSED] == "0")
    assert not reasons(u), reasons(u)
    assert u.stop() == 0
    assert m.registers(0, ALL) == found


def test_no_descriptor_for_who_asks():
    """He waits until there is one, and the main thread does not spin meanwhile."""
    m, u = start()
    limits = resource.prlimit(u.pid, resource.RLIMIT_NOFILE)
    used = {int(fd) for fd in os.listdir("/proc/%d/fd" % u.pid)}

    def cpu():
        """Seconds of the main thread."""
        of = h.read("/proc/%d/task/%d/stat" % (u.pid, u.pid)).rsplit(")", 1)[1].split()
        return (int(of[11]) + int(of[12])) / os.sysconf("SC_CLK_TCK")
    free = next(fd for fd in range(len(used) + 1) if fd not in used)
    resource.prlimit(u.pid, resource.RLIMIT_NOFILE, (free, limits[1]))
    with hold(m) as s:
        before = cpu()
        time.sleep(3)
        assert cpu() - before < 0.3, cpu() - before
        resource.prlimit(u.pid, resource.RLIMIT_NOFILE, limits)
        assert s.recv(100) == b"paused\n"
    h.wait_for("it counts again", lambda: u.metrics()[PAUSED] == "0")
    assert u.stop() == 0


def test_who_may():
    for key, mode in (("true", 0o600), ("false", None)):
        m, u = start("pause = %s;\n" % key + CONF)
        at = run_dir(m) + "/uncored.pause"
        if mode is None:
            assert not os.path.exists(at)
            code, err = pause(m, "1s")
            assert code == 69 and "pause = false" in err, (code, err)
        else:
            assert os.stat(at).st_mode & 0o777 == mode
        assert u.stop() == 0 and not os.path.exists(at)
    code, _, err = h.run(h.UNCORED, "--check-config", "--processor", "nehalem-ex", "-c",
                         h.write("group.conf", 'pause = "no-such-group";\n' + CONF))
    assert code == 78 and "group.conf:1" in err and '"no-such-group" is not in /etc/group' in err
    code, _, err = h.run(h.UNCORED, "--check-config", "--processor", "nehalem-ex", "-c",
                         h.write("group.conf", "pause = 7;\n" + CONF))
    assert code == 78 and "true, false or the name of a group" in err, err


def test_a_group_may():
    if os.geteuid() != 0:
        h.skip("only root gives a file to a group")
    nobody = 65534
    m, u = start('pause = "%d";\n' % nobody + CONF)
    at = run_dir(m)
    st = os.stat(at + "/uncored.pause")
    assert (st.st_mode & 0o777, st.st_gid) == (0o660, nobody), st

    def asked_by(group):
        """What a user of that group alone is answered."""
        r, w = os.pipe()
        child = os.fork()
        if not child:
            try:
                os.setgroups([])
                os.setgid(group)
                os.setuid(nobody)
                os.write(w, hold(m).recv(100))
            except OSError as e:
                os.write(w, str(e).encode())
            os._exit(0)
        os.waitpid(child, 0)
        os.close(w)
        with os.fdopen(r) as f:
            return f.read()
    top = os.path.dirname(at)
    modes = {}
    while top != "/" and not os.stat(top).st_mode & 1:
        modes[top] = os.stat(top).st_mode & 0o777
        os.chmod(top, modes[top] | 0o11)
        top = os.path.dirname(top)
    try:
        assert asked_by(nobody) == "paused\n"
        assert "Permission denied" in asked_by(1)
    finally:
        for where, mode in modes.items():
            os.chmod(where, mode)
    assert u.stop() == 0


def test_a_group_to_which_the_file_cannot_be_given():
    """As the user of the unit, who has no CAP_CHOWN and is not in the group: root still may. A
    member of a group needs no capability for it."""
    nobody = 65534
    who = ["setpriv", "--bounding-set=-chown"] if os.geteuid() == 0 else []
    m = h.Msrfs("--virtual")
    conf = h.write("not-given.conf", 'pause = "%d";\n' % nobody + CONF)
    at = run_dir(m) + "/uncored.pause"

    def started(groups, mode, gid):
        u = h.Uncored("-c", conf, *m.options(), argv0=who and who + groups)
        st = os.stat(at)
        assert (st.st_mode & 0o777, st.st_gid) == (mode, gid), (st, u.text())
        return u
    u = started(["--clear-groups"], 0o600, os.getegid())
    assert "only root can pause" in u.text() and "socket-owner.conf" in u.text(), u.text()
    assert pause(m, "true") == (0, "")
    assert u.stop() == 0
    if who:
        u = started(["--groups=%d" % nobody], 0o660, nobody)
        assert "only root" not in u.text(), u.text()
        assert u.stop() == 0


def test_a_simulated_server():
    """Its events are opened in the process, and nobody else counts with them: it is paused as any
    other, and no longer silent than a socket may be until it is stalled."""
    u = h.Uncored("--engine", "model:spr", "--path-run", h.path("run"))
    with hold() as s:
        assert s.recv(100) == b"paused\n"
        first = u.metrics()
        assert first[PAUSED] == "1" and not any(k.startswith("uncore_memory") for k in first)
        time.sleep(4)                       # longer than a socket that stalls
        assert set(reasons(u)) == {"paused"} and u.get("/-/ready")[0] == 200
    h.wait_for("it counts again", lambda: u.metrics()[PAUSED] == "0" and not reasons(u))
    assert u.stop() == 0


def test_another_uncored_is_the_one_that_pauses():
    """Two that write no register may share the run directory."""
    at = "--engine", "model:spr", "--path-run", h.path("run")
    first, second = h.Uncored(*at), h.Uncored(*at)
    said = "counting cannot be paused for other tools: cannot listen on unix:%s: " % h.path(
        "run/uncored.pause")
    assert said in second.text() and said not in first.text(), second.text()
    with hold() as s:
        assert s.recv(100) == b"paused\n"
        assert (first.metrics()[PAUSED], second.metrics()[PAUSED]) == ("1", "0")
    assert second.stop() == 0 and first.stop() == 0


def test_what_measures_says_so():
    """And moves no memory for that."""
    u = h.Uncored("--engine", "model:spr:verify", "--path-run", h.path("run"))
    with hold() as s:
        assert s.recv(100) == b"paused\n"
        for args in ("verify", "--quick"), ("verify", "--curve", "--quick"):
            got, _, err = h.run(h.CTL, *args, "--url", u.url, "--path-state", h.path("state"),
                                *curve.tree())
            assert got == 75 and err == \
                "uncorectl: %s is paused, its counters are left to another tool (uncorectl " \
                "pause): try again when that has ended\n" % u.url, (args, got, err)
    assert u.stop() == 0


def perf_events(pid):
    """How many events of the kernel it has open."""
    at = "/proc/%d/fd/" % pid
    return [os.readlink(at + fd) for fd in os.listdir(at)].count("anon_inode:[perf_event]")


def test_perf_events_are_closed():
    """The real kernel's clocks in the place of memory channels (whole.py): each counts 1e9 a second
    while it is open, so a total is the time that has passed without that of the pause."""
    whole.may_count()
    u = h.Uncored(*whole.options(whole.tree(), whole.ALL, "closed.conf"), "--path-run",
                  h.path("run"))
    last = 'uncored_last_sample_timestamp_seconds{socket="0"}'
    before, opened = u.metrics(), perf_events(u.pid)
    assert opened >= 8, opened              # four channels on each of two sockets
    with hold() as s:
        assert s.recv(100) == b"paused\n"
        began = time.time()
        assert perf_events(u.pid) == 0
        time.sleep(2)
        assert perf_events(u.pid) == 0
        took = time.time() - began
    h.wait_for("it counts again", lambda: u.metrics()[PAUSED] == "0" and not reasons(u))
    settle(u)
    after = u.metrics()
    assert perf_events(u.pid) == opened
    passed = float(after[last]) - float(before[last]) - took
    clocks = [k for k in after if k.startswith('uncore_imc_cas_count_read_total{socket="0"')]
    assert len(clocks) == 4, after
    for k in clocks:
        counted = (int(after[k]) - int(before[k])) / 1e9
        # a busy machine takes a while to go on, and between a count and its time
        assert passed - 1 < counted < passed + 0.1, (k, counted, passed, took)
    assert u.stop() == 0


if __name__ == "__main__":
    h.main(sys.modules[__name__])
