# SPDX-License-Identifier: MIT
"""device.py - the shipped binary on msr files, which another process makes of the model (FUSE): it
begins, counts, ends, and puts back what it found.
"""
import os
import pty
import re
import signal
import subprocess
import sys
import time

import harness as h
from device_files import ALL, CONF, INSERTS, DATA, STEP, expect_truth, invalid, settle, start


def test_totals_equal_the_truth():
    m, u, _ = start()
    for _ in range(4):
        m.control("advance %d" % STEP)
        settle(u, 1)
    expect_truth(m, u)
    assert u.stop() == 0


def test_a_thousand_times_a_second():
    """At the rate that is reached: ticks taken and ticks missed are all there were, and nothing is
    lost with those missed."""
    m, u, _ = start(conf=CONF.replace('interval = "200ms"',
                                      'interval = "100ms"; resolution = "1ms"'))

    def ticks():
        got = u.metrics()
        return [[float(got['%s{socket="%d"}' % (name, s)]) for name in
                 ("uncored_samples_total", "uncored_ticks_missed_total",
                  "uncored_last_sample_timestamp_seconds")] for s in (0, 1)]
    before = ticks()
    for k in range(200):
        m.control("advance 200000")
        time.sleep(0.001)
        if k == 100:                        # 0.1 s in which it cannot tick
            u.p.send_signal(signal.SIGSTOP)
            time.sleep(0.1)
            u.p.send_signal(signal.SIGCONT)
    for s, (now, then) in enumerate(zip(ticks(), before)):
        taken, missed, seconds = (a - b for a, b in zip(now, then))
        assert taken > 20 and missed > 90, (s, taken, missed)
        assert abs(taken + missed - 1000 * seconds) < 30, (s, taken, missed, seconds)
    expect_truth(m, u)
    assert u.stop() == 0


class Quota:
    """A control group whose processes have that share of one CPU, of version 1 or 2; a skip where
    none can be made. It does not hold real-time threads, and version 1 does not even admit them: a
    test takes CAP_SYS_NICE away first."""

    def __init__(self, share):
        self.us = int(100000 * share)
        for line in h.read("/proc/mounts").splitlines():
            where, kind, options = line.split()[1:4]
            if kind == "cgroup2" or kind == "cgroup" and "cpu" in options.split(","):
                self.at = os.path.join(where, "uncored-test-%d" % os.getpid())
                if self.make(kind == "cgroup2"):
                    h._cleanup.append(lambda: os.rmdir(self.at))
                    return
        h.skip("no control group with a quota of CPU time can be made here")

    def make(self, two):
        try:
            os.mkdir(self.at)
            if two:
                self.put("cpu.max", "%d 100000" % self.us)
            else:
                self.put("cpu.cfs_period_us", "100000")
                self.put("cpu.cfs_quota_us", str(self.us))
            return True
        except OSError:
            if os.path.isdir(self.at):
                os.rmdir(self.at)
            return False

    def put(self, name, value):
        with open(os.path.join(self.at, name), "w") as f:
            f.write(value)

    def take(self, *pids):
        for pid in pids:
            self.put("cgroup.procs", str(pid))

    def throttled(self):
        """In how many periods its processes had to wait."""
        with open(os.path.join(self.at, "cpu.stat")) as f:
            return int(re.search(r"nr_throttled (\d+)", f.read())[1])

    def end(self, *pids):
        """Lets them go, to where groups of that kind begin."""
        for pid in pids:
            with open(os.path.join(os.path.dirname(self.at), "cgroup.procs"), "w") as f:
                f.write(str(pid))


def test_a_twentieth_of_a_cpu():
    """Ticks that it has no time for are counted as missed; what counters count meanwhile is not
    lost. Quotas do not hold for real-time threads, so it may have none, as in a container."""
    quota = Quota(0.05)
    m, u, _ = start(conf=CONF.replace('interval = "200ms"',
                                      'interval = "100ms"; resolution = "1ms"'),
                    argv0=["setpriv", "--bounding-set", "-sys_nice"])

    def ticks():
        got = u.metrics()
        return [[float(got["%s{socket=\"%d\"}" % (name, s)]) for s in (0, 1)] for name in
                ("uncored_samples_total", "uncored_ticks_missed_total")]
    before = ticks()
    quota.take(u.pid, u.child())
    steps = 0
    while steps < 100 or quota.throttled() < 10:        # later where others have the CPUs
        m.control("advance 200000")
        time.sleep(0.02)
        steps += 1
    after = ticks()
    quota.end(u.pid, u.child())
    for taken, missed in zip(*[[a - b for a, b in zip(*pair)] for pair in zip(after, before)]):
        assert missed > taken > 0 and taken + missed > 1500, (taken, missed)
    expect_truth(m, u)
    assert u.stop() == 0


def test_registers_are_put_back():
    m = h.Msrfs("--virtual")
    before = [m.registers(cpu, ALL) for cpu in (0, 8)]
    c = h.write("back.conf", CONF)
    u = h.Uncored("-c", c, *m.options())
    assert [m.registers(cpu, ALL) for cpu in (0, 8)] != before
    assert u.stop() == 0
    assert [m.registers(cpu, ALL) for cpu in (0, 8)] == before
    assert not os.path.exists(m.options()[-1] + "/uncored.state")
    said = re.search(r"(\d+) of (\d+) registers hold again what was found in them", u.text())
    assert said and said[1] == said[2] and int(said[1]) > 40, u.text()
    assert "no register was written" not in u.text()


def test_signals_that_mean_nothing():
    """They end a program that does not know them; with it go the counts, and registers stay
    changed."""
    m, u, c = start()
    for s in ("USR1", "USR2", "ALRM", "VTALRM", "PROF", "IO", "PWR", "STKFLT", "XCPU", "XFSZ",
              "RTMIN", "RTMAX"):
        before = u.value('uncored_samples_total{socket="0"}')
        u.p.send_signal(getattr(signal, "SIG" + s))
        h.wait_for("it goes on after SIG" + s,
                   lambda: not u.running() or u.value('uncored_samples_total{socket="0"}') > before)
        assert u.running(), s
    assert m.register(0, 0xc00) and u.stop(signal.SIGQUIT) == 0
    assert m.register(0, 0xc00) == 0 and m.register(1, 0xc00) == 0
    # A limit of file size is a sentence, not an end without a word.
    code, _, err = h.run("prlimit", "--fsize=8192", h.UNCORED, "--listen", "127.0.0.1:0",
                         "-c", c, *m.options())
    h.skip_tsan_bus(err)
    assert code == 69 and "File too large" in err, (code, err)


def test_kill_9_and_restore():
    m, u, c = start()
    u.stop(signal.SIGKILL)
    assert m.register(0, 0xc32) & 1
    code, _, err = h.run(h.UNCORED, "--restore", *m.options())
    assert code == 0 and "did not exit cleanly" in err, (code, err)
    assert all(v == 0 for v in m.registers(0, ALL).values()), m.registers(0, ALL)
    assert all(v == 0 for v in m.registers(8, ALL).values())
    # Without --restore in between the next start does the same, and counts.
    u = h.Uncored("-c", c, *m.options())
    u.stop(signal.SIGKILL)
    u = h.Uncored("-c", c, *m.options())
    assert u.stop() == 0
    assert all(v == 0 for v in m.registers(0, ALL).values())


def test_once_that_is_ended_puts_registers_back():
    """Wherever the signal comes: it ends by it, prints nothing, and leaves nothing."""
    m = h.Msrfs("--virtual")
    c = h.write("once.conf", CONF.replace("200ms", "20s"))
    for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        p = h.Process([h.UNCORED, "--once", "-c", c, *m.options()], "once-%d" % sig)
        h.wait_for("it counts", lambda: m.register(8, 0xc32) & 1)
        assert p.stop(sig) == -sig, p.text()
        assert all(v == 0 for cpu in (0, 8) for v in m.registers(cpu, ALL).values()), sig
        assert not os.path.exists(m.options()[-1] + "/uncored.state") and h.read(p.out) == ""
    # A signal that is ignored, as for what a shell runs in the background, ends nothing.
    p = h.Process([h.UNCORED, "--once", "-c", c, *m.options()], "once-ignored",
                  preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    h.wait_for("it counts", lambda: m.register(8, 0xc32) & 1)
    p.p.send_signal(signal.SIGINT)
    time.sleep(0.2)
    assert p.running() and m.register(8, 0xc32) & 1, p.text()
    assert p.stop(signal.SIGTERM) == -signal.SIGTERM


# Says what it got of each signal, at its end.
COUNTS = """
import os, signal, sys
out = open(sys.argv[1], "w", buffering=1)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM])
print("ready", file=out)
while True:
    got = signal.sigwaitinfo([signal.SIGINT, signal.SIGTERM]).si_signo
    print(signal.Signals(got).name, file=out)
    if got == signal.SIGTERM:
        sys.exit()
"""


def test_a_terminals_signal_comes_once():
    """What a terminal sends to all of its foreground reaches the command of --once without us: it
    is not passed on. What is sent to uncored alone is."""
    said = h.write("signals.txt", "")
    c = h.write("terminal.conf", CONF)
    uncored, terminal = pty.fork()
    if not uncored:
        os.execv(h.UNCORED, [h.UNCORED, "--once", "-c", c, "--engine", "model:nehalem-ex", "--",
                             sys.executable, "-c", COUNTS, said])
    try:
        h.wait_for("the command runs", lambda: h.read(said) == "ready\n")
        # uncored hears of it when the command has heard already: two that wait would be one
        os.kill(uncored, signal.SIGSTOP)
        os.write(terminal, b"\x03")
        h.wait_for("the command has it", lambda: h.read(said) == "ready\nSIGINT\n")
        os.kill(uncored, signal.SIGTERM)
        os.kill(uncored, signal.SIGCONT)
        h.wait_for("the command ends", lambda: "SIGTERM" in h.read(said))
        assert h.read(said) == "ready\nSIGINT\nSIGTERM\n", h.read(said)
    finally:
        os.kill(uncored, signal.SIGKILL)
        os.waitpid(uncored, 0)
        os.close(terminal)


def test_once_into_a_pipe_that_nobody_reads():
    """As any filter it ends by SIGPIPE without a word, but first registers come back."""
    m = h.Msrfs("--virtual")
    reader, writer = os.pipe()
    os.close(reader)
    p = subprocess.run([h.UNCORED, "--once", "-c", h.write("pipe.conf", CONF), *m.options()],
                       stdin=subprocess.DEVNULL, stdout=writer,
                       stderr=subprocess.PIPE, text=True, timeout=h.PATIENCE)
    os.close(writer)
    assert p.returncode == -signal.SIGPIPE and "printed" not in p.stderr, (p.returncode, p.stderr)
    assert all(v == 0 for cpu in (0, 8) for v in m.registers(cpu, ALL).values())
    assert not os.path.exists(m.options()[-1] + "/uncored.state")


def test_hup_while_it_starts_is_a_reload():
    m = h.Msrfs("--virtual")
    os.kill(m.pid, signal.SIGSTOP)          # the start hangs in its first look at this machine
    try:
        u = h.Uncored("-c", h.write("hup.conf", CONF), *m.options(), ready=False)
        h.wait_for("it runs",
                   lambda: int(re.search(r"SigBlk:\s+(\w+)",
                                         h.read("/proc/%d/status" % u.pid)).group(1), 16) & 1)
        u.p.send_signal(signal.SIGHUP)
    finally:
        os.kill(m.pid, signal.SIGCONT)
    h.wait_for("it starts, then reads again",
               lambda: "serving" in u.text() and "read again" in u.text())
    assert u.stop() == 0


def test_not_ready_before_the_first_sample():
    """The registers hang when the first of them has been written: everything is answered, and
    nothing shown as counted."""
    m = h.Msrfs("--virtual")
    c = h.write("hang.conf", CONF)
    for _ in range(20):                     # until it is caught before a first sample
        port, before = h.free_port(), len(m.read("writes"))
        u = h.Process([h.UNCORED, "--listen", "127.0.0.1:%d" % port, "-c", c, *m.options()], "hang")
        while len(m.read("writes")) == before and u.running():
            pass
        os.kill(m.pid, signal.SIGSTOP)
        try:
            url = "http://127.0.0.1:%d" % port
            ready = h.fetch(url + "/-/ready")[0]
            alive, got = h.fetch(url + "/-/healthy")[0], \
                h.samples(h.fetch(url + "/metrics")[2].decode())
        finally:
            os.kill(m.pid, signal.SIGCONT)
        h.wait_for("it counts", lambda: h.fetch(url + "/-/ready")[0] == 200)
        assert u.stop() == 0 and alive == 200
        if ready != 200 and "1" not in (v for k, v in got.items() if k.startswith("uncored_up")):
            break
    assert ready == 503
    assert not [k for k in got if k.startswith("uncore_") or "last_sample_timestamp" in k], got
    assert {v for k, v in got.items()
            if k.startswith(("uncored_slot_valid", "uncored_up"))} == {"0"}, got
    assert {k.split('reason="')[1] for k in got
            if k.startswith("uncored_slot_invalid")} == {'no_data"}'}


WINDOW = """interval = "100ms";
groups = ( { name = "w"; window = { event = "bbox1/IMT_INSERTS_ALL"; count = 100000; };
  events = [ "wbox/CLOCKTICKS", "bbox/IMT_INSERTS_ALL", "cbox/LLC_MISSES:ALL" ]; } );
"""
# 323535-001 2.1.3: who stopped the counters; 2.1.2 e: the counter of the window is preloaded.
STATUS = [0xc01, 0xc43, 0xcc3, 0xc61, 0xc73]


def test_exact_windows_and_kill_9_in_one():
    m, u, _ = start(conf=WINDOW)
    rest = None
    for k in range(1, 6):
        m.control("advance %d" % STEP)
        settle(u)
        got, truth = u.metrics(), m.truth()
        for s in (1, 0):
            inserts = int(got['uncore_bbox_imt_inserts_all_total{socket="%d",unit="1"}'
                              % s])
            assert inserts == truth[(s, 0xc73)][0]
            assert int(got['uncore_wbox_clockticks_total{socket="%d",unit="0"}' % s]) == \
                truth[(s, 0x394)][0]
        rest = inserts - 100000 if rest is None else rest
        # one window in each step
        assert inserts == k * (100000 + rest) and 0 <= rest < 100, (k, inserts, rest)
    assert not invalid(u), invalid(u)
    # The next one is over, and nobody has seen it yet.
    os.kill(u.p.pid, signal.SIGSTOP)
    m.control("advance %d" % STEP)
    assert m.register(0, 0xc00) == 0x80000000 and m.register(0, 0xc01) & 0x40000004 == 0x40000004
    assert m.register(0, 0xc61) == 2 and m.register(0, 0xc73) == rest
    u.stop(signal.SIGKILL)
    code, _, err = h.run(h.UNCORED, "--restore", *m.options())
    assert code == 0 and "did not exit cleanly" in err, (code, err)
    for cpu in (0, 8):
        left = m.registers(cpu, ALL + STATUS)
        assert all(v == 0 for v in left.values()), left
    assert m.read("violations").split()[0] == "0", m.read("violations")


def test_what_stops_counters_is_refused_beside_others():
    m = h.Msrfs("--virtual")
    # C-Box 0 counter 0 counts for somebody
    m.control("write 0 0xd10 0x400114", "write 0 0xd00 0x1", "write 0 0xc00 0x10000000")
    c = h.write("beside.conf", WINDOW.replace("cbox/", "cbox3/"))
    code, _, err = h.run(h.UNCORED, "-c", c, "--listen", "127.0.0.1:0", *m.options())
    assert code == 69 and "ending a window would stop cbox0 counter 0," in err, (code, err)
    c = h.write("freeze.conf", "freeze = true;\n" + CONF.replace("cbox/", "cbox3/"))
    code, _, err = h.run(h.UNCORED, "-c", c, "--listen", "127.0.0.1:0", *m.options())
    assert code == 69 and "freeze = true would stop cbox0 counter 0," in err, (code, err)
    assert m.registers(0, [0xd10, 0xd00, 0xc00]) == {0xd10: 0x400114, 0xd00: 1, 0xc00: 0x10000000}


def test_the_child_ends_with_its_parent():
    m, u, _ = start()
    child = u.child()
    u.stop(signal.SIGKILL)

    def gone():
        try:
            return h.read("/proc/%d/stat" % child).rsplit(")", 1)[1].split()[0] in "ZX"
        except FileNotFoundError:
            return True
    h.wait_for("the http process ends", gone)


def test_second_instance_names_the_first():
    m, u, c = start()
    code, _, err = h.run(h.UNCORED, "-c", c, "--listen", "127.0.0.1:0", *m.options())
    assert code == 75 and str(u.pid) in err, (code, err)
    settle(u)
    assert not invalid(u)


def test_reload_keeps_totals_exact():
    m, u, c = start()
    m.control("advance %d" % STEP)
    settle(u)
    before = {k: v for k, v in u.metrics().items()
              if k.startswith("uncore_bbox_imt_inserts")}
    h.write(os.path.basename(c), CONF.replace('"rbox/NULL_IDLE,port=0", ', ""))
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("the reload is through", lambda: "read again" in u.text())
    h.wait_for("samples after it",
               lambda: u.get("/-/ready")[0] == 200 and before.items() <= u.metrics().items())
    m.control("advance %d" % STEP)
    settle(u)
    got, truth = u.metrics(), m.truth()
    for unit in (0, 1):
        assert int(got[INSERTS % (0, unit)]) == truth[(0, DATA[("bbox", unit)])][0]
    assert not any("null_idle" in k for k in got)
    assert m.register(0, 0xe12) == 0 or m.register(0, 0xe10) == 0        # its counter went back
    # A bad edit: named with its line, and nothing is lost.
    h.write(os.path.basename(c), CONF.replace("bbox/CONFLICTS", "bbox/CONFLICT"))
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("the reload is refused",
               lambda: u.metrics().get("uncored_config_last_reload_successful") == "0")
    assert "CONFLICTS" in u.text() and ":4:" in u.text(), u.text()
    m.control("advance %d" % STEP)
    settle(u)
    assert int(u.metrics()[INSERTS % (0, 0)]) == m.truth()[(0, 0xc33)][0]
    assert u.stop() == 0
    assert all(v == 0 for v in m.registers(0, ALL).values())


def test_rotation_on_the_device():
    conf = CONF.replace('"bbox/CONFLICTS", ', "").replace(
        "groups = (", 'groups = ( { name = "full"; events = [ "bbox/IMT_FULL" ]; }, { name = '
                      '"conf"; events = [ "bbox/CONFLICTS" ]; },')
    m, u, _ = start(conf='rotation = "400ms";\n' + conf)
    rounds = u.metrics()['uncored_rounds{socket="0"}']
    assert rounds == "2", rounds
    for _ in range(10):
        m.control("advance %d" % STEP)
        settle(u, 1)
    settle(u, 6)
    got, truth = u.metrics(), m.truth()
    names = {"full": "uncore_bbox_imt_full_total", "conf": "uncore_bbox_conflicts_total"}
    both = sum(int(got['%s{socket="0",unit="0"}' % n]) for n in names.values())
    # the two share counter 3: nothing is lost between them
    assert both == truth[(0, 0xc37)][0] and both > 0
    active = [float(got['uncored_group_active_seconds_total{socket="0",group="%s"}' % g])
              for g in names]
    assert all(a > 0.2 for a in active), active
    # each has the time of its turns, without that in which the model's clock stood
    for g, event in (("full", "IMT_FULL"), ("conf", "CONFLICTS")):
        own = [float(v) for k, v in got.items() if 'event="%s"' % event in k and
               k.startswith('uncored_slot_active_seconds_total{socket="0",box="bbox",unit="0"')]
        group = float(got['uncored_group_active_seconds_total{socket="0",group="%s"}' % g])
        assert len(own) == 1 and 0 < own[0] <= group, (own, group)


h.main(sys.modules[__name__])
