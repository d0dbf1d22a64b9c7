# SPDX-License-Identifier: MIT
"""anomalies.py - the Nth allocation or call fails, once or from then on, while the shipped programs
start, count, end, put registers back and read their configuration again.

Whatever fails: an exit code of uncored(8) and a sentence, never a signal; every register as it was
found, or the state file stays and `uncored --restore` puts them back; a reload that fails leaves
the old configuration counting. With UNCORED_TEST_LONG=1 each N, else a choice for each call.

fail_nth.c, preloaded, lets them fail: fail_nth.py says which.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import harness as h
from fail_nth import SPARED, Shim

CODES = {0, 69, 70, 75, 77, 78}
CONF = """interval = "20ms"; rotation = "20ms";
groups = (
  { name = "a"; events = [ "bbox/IMT_INSERTS_ALL", "wbox/CLOCKTICKS" ]; },
  { name = "b"; events = [ "bbox/IMT_INSERTS_RD", "cbox0/LLC_HITS:ALL" ]; }
);
"""
INSERTS = 'uncore_bbox_imt_inserts_all_total{socket="0",unit="0"}'
# Of these units: controls, counters' controls, boxes' and global enables.
WRITTEN = [0xc00, 0xc20, 0xc30, 0xc32, 0xc60, 0xc70, 0xc72, 0xc80, 0x395, 0xd00, 0xd10]
SOCKETS = (0, 8)                                # a CPU of each
CRASH = re.compile(r"signal (4|6|7|8|11)\b|SIG(SEGV|ABRT|BUS|ILL|FPE)|Segmentation|Aborted")


def test_every_call_is_known():
    """What the programs call is tried, or it is said why not."""
    if not shutil.which("nm"):
        h.skip("nm is not installed")
    tried = {name for _, name, _ in Shim().named()}
    spared = [name for names in SPARED.values() for name in names.split()]
    called = set()
    for program in (h.UNCORED, h.HTTP):
        code, out, err = h.run("nm", "-u", program)
        assert code == 0, err
        called |= {line.split()[1].split("@")[0] for line in out.splitlines()
                   if line.split()[0] == "U"}
    assert len(called) > 200, called
    assert not called - tried - set(spared), called - tried - set(spared)
    assert len(spared) == len(set(spared)) and not tried & set(spared), tried & set(spared)


def left(m):
    return {(cpu, hex(a)): hex(v) for cpu in SOCKETS
            for a, v in m.registers(cpu, WRITTEN).items() if v}


class Registers:
    """On the register model as msr devices, in a process of its own, whose time stands still."""
    name, conf = "registers", CONF

    def __init__(self):
        self.m, self.base = h.Msrfs("--virtual"), 0
        self.options = self.m.options()

    @staticmethod
    def text(more):
        return 'interval = "20ms"; groups = ( { name = "a"; events = [ "bbox/IMT_INSERTS_ALL", ' \
            '"wbox/CLOCKTICKS" %s ]; } );\n' % (', "cbox0/LLC_HITS:ALL"' if more else "")

    def inserts(self):
        return self.m.truth().get((0, 0xc33), (0, 0))[0]

    def began(self):
        """An uncored begins to count."""
        self.base = self.inserts()

    def counting(self, _):
        return left(self.m)

    def expect_paid(self, what):
        """Registers are as found; or the state file says what is owed, and --restore pays it."""
        state = self.options[-1] + "/uncored.state"
        if left(self.m):
            assert os.path.exists(state), (what, "nobody knows", left(self.m))
        code, _, err = h.run(h.UNCORED, "--restore", *self.options)
        assert code == 0 and not left(self.m) and not os.path.exists(state), \
            (what, code, err, left(self.m))

    def expect_counts(self, u, what):
        """To the last count since it began."""
        self.m.control("advance 1000000")
        h.wait_for("%s: the truth: %s" % (what, u.text()[-2000:]), lambda: not u.running() or
                   u.metrics().get(INSERTS) == str(self.inserts() - self.base), 5)
        assert u.running(), (what, u.text()[-2000:])


class Steady:
    """Where a counter counts at a known pace, in real time."""

    def __init__(self):
        self.options = ["--engine", self.engine, "--path-run", h.path("run-" + self.name)]

    def text(self, more):
        return 'interval = "20ms"; groups = ( { name = "a"; events = [ "%s" ]; } %s );\n' % (
            self.event, ', { name = "b"; events = [ "%s" ]; }' % self.other if more else "")

    def began(self):
        """Nothing is compared with a count from outside."""

    def expect_paid(self, what):
        state = self.options[-1] + "/uncored.state"
        assert not os.path.exists(state), (what, "nothing was written to a register")

    def expect_counts(self, u, what):
        """As many as in the time for which it says that it counted. What is read between two
        samples, a restart of the kernel's event among them, is less than a hundredth."""
        def right():
            got = u.metrics()
            seconds = float(got.get('uncored_group_active_seconds_total{socket="0",group="a"}', 0))
            count = float(got.get(self.series, 0))
            return not u.running() or (seconds > 0.2 and
                                       abs(count / self.pace / seconds - 1) < 0.02)
        h.wait_for("%s: it counts at its pace: %s" % (what, u.text()[-2000:]), right, 10)
        assert u.running(), (what, u.text()[-2000:])

    @staticmethod
    def counting(u):
        tasks = "/proc/%d/task/" % u.pid
        try:
            return any(h.read(tasks + t + "/comm").startswith("sampler")
                       for t in os.listdir(tasks))
        except FileNotFoundError:               # it has ended meanwhile
            return False


class Perf(Steady):
    """Nanoseconds of a CPU's clock, counted by the kernel."""
    name, engine, pace = "perf", "perf", 1e9
    event, other = "perf/software/cpu-clock/", "perf/software/context-switches/"
    series = 'uncore_software_cpu_clock_total{socket="0",unit="0"}'

    def __init__(self):
        super().__init__()
        self.conf = self.text(True)
        code, _, err = h.run(h.UNCORED, "--once", "-c", h.write("can.conf", self.conf),
                             *self.options)
        if code in (69, 77):
            h.skip("perf may not count here: " + err.strip())


class Model(Steady):
    """The uncore clock of the register model in uncored itself: 2.4 GHz."""
    name, engine, pace = "model", "model:nehalem-ex", 2.4e9
    event, other = "wbox/CLOCKTICKS", "bbox/IMT_INSERTS_ALL"
    series = 'uncore_wbox_clockticks_total{socket="0",unit="0"}'

    def __init__(self):
        super().__init__()
        self.conf = self.text(True)


def ends(argv, env, what, patience=30):
    """(exit code, messages) of a program that must end by itself."""
    try:
        p = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, text=True, env=dict(os.environ, **env),
                           timeout=patience, errors="replace")
    except subprocess.TimeoutExpired as e:
        raise AssertionError("%s: it does not end: %s" % (what, e.stderr)) from e
    return p.returncode, p.stderr


def each(scene, kind, few, argv):
    """Every trial of a program that ends by itself; what went wrong is told at the end, all of
    it."""
    shim, wrong, tried = Shim(), [], 0
    shim.clear()
    code, err = ends(argv, shim.env, "undisturbed")
    assert code == 0, err
    scene.expect_paid("undisturbed")
    began = time.monotonic()
    for call, name, at, for_ever in list(shim.trials(few)):
        what = "%s: call %d of %s fails%s" % (kind, at, name, " from then on" if for_ever else "")
        shim.clear()
        shim.arm(call, at, for_ever)
        try:
            code, err = ends(argv, shim.env, what)
            tried += shim.failed() > 0
            assert code in CODES, (what, code, err)
            # where nothing can be written nothing can be said
            assert code == 0 or err.strip() or (name == "write" and for_ever), (what, code)
            scene.expect_paid(what)
        except AssertionError as e:
            wrong.append(str(e))
    told(wrong, tried, kind, began)


def stop(u, what):
    """SIGTERM; it ends within 5 s."""
    if u.running():
        u.p.send_signal(signal.SIGTERM)
    try:
        code = u.p.wait(5)
    except subprocess.TimeoutExpired:
        u.p.kill()
        u.p.wait()
        raise AssertionError("%s: SIGTERM does not end it: %s" % (what, u.text())) from None
    assert code in CODES, (what, code, u.text())


def no_crash(u, what):
    """Of its http process neither."""
    assert not CRASH.search(u.text()), (what, u.text())


def told(wrong, tried, kind, began):
    print("# %s: %d failures tried in %.1f s" % (kind, tried, time.monotonic() - began))
    assert not wrong, "%d of %d:\n%s" % (len(wrong), tried, "\n".join(wrong[:40]))


def started(u, scene, what, silent):
    """It serves or ends. Where its address cannot be said, what it opened shows that it counts."""
    serving = re.compile(r"serving (http://\S+)/")
    h.wait_for("%s: it serves or ends" % what,
               lambda: serving.search(u.text()) or not u.running() or
               ((silent or UNSAID.search(u.text())) and scene.counting(u)), 10)
    url = serving.search(u.text())
    u.url = url and url.group(1)


def start(scene):
    c = h.write("start.conf", scene.conf)
    shim, wrong, tried, began = Shim(), [], 0, time.monotonic()
    shim.clear()
    scene.began()
    u = h.Uncored("-c", c, *scene.options, env=shim.env)
    trials = list(shim.trials(1))
    stop(u, "undisturbed")
    for call, name, at, for_ever in trials:
        what = "start: call %d of %s fails%s" % (at, name, " from then on" if for_ever else "")
        shim.clear()
        shim.arm(call, at, for_ever)
        u = h.Uncored("-c", c, *scene.options, env=shim.env, ready=False)
        try:
            started(u, scene, what, name == "write")
            if u.running() and u.url and not for_ever:
                h.wait_for("%s: it is ready: %s" % (what, u.text()),
                           lambda: not u.running() or u.get("/-/ready")[0] == 200)
            stop(u, what)
            no_crash(u, what)
            scene.expect_paid(what)
        except AssertionError as e:
            wrong.append(str(e))
            u.kill()
            h.run(h.UNCORED, "--restore", *scene.options)
        tried += shim.failed() > 0
    told(wrong, tried, "start, " + scene.name, began)


def test_start():
    """Of the daemon with its http process."""
    start(Registers())


def test_start_perf():
    start(Perf())


def test_start_model():
    start(Model())


# After these the address is not told.
UNSAID = re.compile("messages lost|the http process ended")
END = re.compile("cannot be started again either|the event loop failed")


def reload(scene, chosen=None):
    """chosen: of each number of allocations, which of them are tried and nothing else."""
    c = h.write("reload.conf", scene.text(False))
    shim, wrong, tried, began = Shim(), [], 0, time.monotonic()

    def fresh():
        scene.began()
        return h.Uncored("-c", c, *scene.options, env=shim.env)

    u, turn = fresh(), 0

    def again():
        """What was told of how it went."""
        nonlocal turn
        turn += 1
        h.write("reload.conf", scene.text(turn % 2 == 1))
        before = len(u.text())
        u.p.send_signal(signal.SIGHUP)
        end = time.monotonic() + 8
        while time.monotonic() < end and u.running():
            said = u.text()[before:]
            if "read again" in said or "reload failed" in said:
                return said
            time.sleep(0.01)
        return ""

    def ended(what):
        """Only because neither configuration can be started or nothing can be waited for: a code
        that the service manager tries again, and nothing is owed."""
        code = u.p.wait(h.PATIENCE)
        silent = "of write fails" in what
        codes = (75,) if "of allocation fails" in what else (70, 75)
        assert code in codes and (silent or END.search(u.text())), (what, code, u.text()[-2000:])
        scene.expect_paid(what)
        return fresh()

    shim.clear()
    assert "read again" in again()
    trials = list(shim.trials(1))
    if chosen:
        trials = [(*shim.seen()[0][:2], *one) for one in chosen(shim.seen()[0][2])]
    for call, name, at, for_ever in trials:
        what = "reload: call %d of %s fails%s" % (at, name, " from then on" if for_ever else "")
        shim.clear()
        shim.arm(call, at, for_ever)
        try:
            said = again()
            tried += shim.failed() > 0
            shim.arm()
            if not u.running() or END.search(said):
                u = ended(what)
                continue
            assert said or name == "write", (what, "nothing was told", u.text()[-2000:])
            h.wait_for("%s: it is ready: %s" % (what, u.text()[-2000:]),
                       lambda: not u.running() or u.get("/-/ready")[0] == 200)
            scene.expect_counts(u, what)
            no_crash(u, what)
        except AssertionError as e:
            wrong.append(str(e))
            shim.arm()
            u.kill()
            h.run(h.UNCORED, "--restore", *scene.options)
            u = fresh()
    stop(u, "the end")
    scene.expect_paid("the end")
    told(wrong, tried, "reload, " + scene.name, began)


def test_reload():
    reload(Registers())


def test_reload_perf():
    reload(Perf())


def test_a_reload_that_goes_back():
    """Socket 0 counts by the new configuration when the thread for socket 1 cannot be made. Once
    the old one counts again, no register shows that there was another."""
    m, shim = h.Msrfs("--virtual"), Shim()
    create, = [n for n, name, _ in shim.named() if name == "pthread_create"]
    m.control("poke 0 0xd10 0x3")               # somebody's, not enabled
    c = h.write("back.conf", Registers.text(False))
    u = h.Uncored("-c", c, *m.options(), "--log-level", "debug", env=shim.env)
    found, before = [m.registers(cpu, WRITTEN) for cpu in SOCKETS], len(u.text())
    h.write("back.conf", Registers.text(True))
    shim.arm(create, 2)
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("it goes back", lambda: "reload failed" in u.text()[before:])
    said = u.text()[before:]
    began, _, _ = said.partition("socket 1: cannot start the sampler thread")
    assert began != said and "socket 0: W 0xd10 0x4" in began, said
    assert [m.registers(cpu, WRITTEN) for cpu in SOCKETS] == found, said
    assert u.stop() == 0 and left(m) == {(0, "0xd10"): "0x3"}, left(m)


def test_reload_model():
    reload(Model())


def test_reload_without_memory():
    """What may pass by itself: 75. The first allocation is the event loop's own; once there is
    none from then on, registers go back all the same."""
    def chosen(n):
        return [(1, False)] + [(n * i // 40, True) for i in range(1, 41)]
    reload(Registers(), chosen)


TURNS = """interval = "20ms"; rotation = "20ms";
groups = (
  { name = "a"; events = [ "bbox0/IMT_INSERTS_ALL", "wbox/CLOCKTICKS" ]; },
  { name = "b"; events = [ "bbox0/IMT_INSERTS_RD" ]; }
);
"""
TAKEN_IN_TURNS = [INSERTS, 'uncore_bbox_imt_inserts_rd_total{socket="0",unit="0"}']


def expect_exact(m, u, series, what):
    """All is valid again; from then on these totals rise together by what their one counter
    counts, and they never exceeded it."""
    def counted():                  # before its first event it has no row while it stands still
        return m.truth().get((0, 0xc33), (0, 0))[0]

    def total():
        got = u.metrics()
        return sum(int(got.get(s, 0)) for s in series)

    def ticks():
        return u.value('uncored_samples_total{socket="0"}')

    m.wait_for("%s: all count again: %s" % (what, u.text()[-2000:]),
               lambda: not u.running() or (INSERTS in u.metrics() and not any(
                   k.startswith("uncored_slot_invalid") for k in u.metrics())))
    assert u.running(), (what, u.text()[-2000:])
    end = ticks() + 12                          # of 20 ms: two checks, which are 100 ms apart
    h.wait_for("%s: all is in the totals" % what, lambda: ticks() >= end)
    before, truth = total(), counted()
    assert before <= truth, (what, "more than was counted", before, truth)
    for _ in range(20):                         # some of them between two turns
        m.control("advance 50000")
    rise = counted() - truth
    assert rise > 0, (what, "it stands still", before, truth)
    h.wait_for("%s: as many as were counted: %s" % (what, u.text()[-2000:]),
               lambda: total() - before == rise, 5)


def running(kind, text, series, disturb):
    """Calls fail while it counts, and while disturb() does something to the machine."""
    m = h.Msrfs("--virtual")
    shim, wrong, tried, began = Shim(), [], 0, time.monotonic()
    c = h.write(kind + ".conf", text)
    u = h.Uncored("-c", c, *m.options(), env=shim.env)
    expect_exact(m, u, series, "undisturbed")
    shim.clear()
    disturb(m)
    for call, name, at, for_ever in list(shim.trials(6)):
        what = "%s: call %d of %s fails%s" % (kind, at, name, " from then on" if for_ever else "")
        shim.clear()
        shim.arm(call, at, for_ever)
        try:
            disturb(m)
            tried += shim.failed() > 0
            shim.arm()
            expect_exact(m, u, series, what)
            no_crash(u, what)
        except AssertionError as e:
            wrong.append(str(e))
            shim.arm()
            u.kill()
            h.run(h.UNCORED, "--restore", *m.options())
            u = h.Uncored("-c", c, *m.options(), env=shim.env)
    stop(u, "the end")
    assert not left(m), left(m)
    told(wrong, tried, kind, began)


def test_rotation():
    """Each group has its turn, twice."""
    def turns(m):
        for _ in range(4):
            m.control("advance 20000")
            time.sleep(0.03)
    running("rotation", TURNS, TAKEN_IN_TURNS, turns)


def test_hotplug():
    """The CPU that reads goes and comes back."""
    def plug(m):
        for on in (0, 1):
            m.control("online 0 %d" % on, "online 1 %d" % (1 - on), "advance 20000")
            time.sleep(0.06)
        m.control("online 1 1")
    running("hotplug", Registers.text(False), [INSERTS], plug)


def end(scene):
    c = h.write("end.conf", scene.conf)
    shim, wrong, tried, began = Shim(), [], 0, time.monotonic()
    shim.clear()
    u = h.Uncored("-c", c, *scene.options, env=shim.env)
    shim.clear()
    stop(u, "undisturbed")
    for call, name, at, for_ever in list(shim.trials(1)):
        what = "end: call %d of %s fails%s" % (at, name, " from then on" if for_ever else "")
        shim.clear()
        u = h.Uncored("-c", c, *scene.options, env=shim.env)
        shim.arm(call, at, for_ever)
        try:
            stop(u, what)
            tried += shim.failed() > 0
            no_crash(u, what)
            shim.arm()
            scene.expect_paid(what)
        except AssertionError as e:
            wrong.append(str(e))
            shim.arm()
            u.kill()
            h.run(h.UNCORED, "--restore", *scene.options)
    told(wrong, tried, "end, " + scene.name, began)


def test_end():
    end(Registers())


def test_end_perf():
    end(Perf())


def test_scrape():
    m = h.Msrfs("--virtual")
    shim, wrong, tried, began = Shim(), [], 0, time.monotonic()
    u = h.Uncored("-c", h.write("scrape.conf", Registers.text(False)), *m.options(),
                  env=shim.env)
    ask = [("/metrics", {"Accept-Encoding": "gzip"}), ("/api/v1/status", {}), ("/", {})]

    def scrape():
        return [u.get(*a)[0] for a in ask]

    shim.clear()
    assert scrape() == [200] * 3
    for call, name, at, for_ever in list(shim.trials(2)):
        what = "scrape: call %d of %s fails%s" % (at, name, " from then on" if for_ever else "")
        shim.clear()
        shim.arm(call, at, for_ever)
        try:
            scrape()
            tried += shim.failed() > 0
            shim.arm()
            h.wait_for("%s: it serves again: %s" % (what, u.text()),
                       lambda: scrape() == [200] * 3 or not u.running())
            assert u.running(), (what, u.p.poll(), u.text())
            no_crash(u, what)
        except AssertionError as e:
            wrong.append(str(e))
            break
    stop(u, "the end")
    told(wrong, tried, "scrape", began)


def test_a_document_is_whole():
    """JSON of which a part finds no memory is none."""
    shim, conf = Shim(), h.write("document.conf", CONF)
    for args in (["plan", "-c", conf, "-p", "nehalem-ex", "--json"],
                 ["describe", "cbox/LLC_HITS", "-p", "nehalem-ex", "--json"]):
        shim.clear()
        code, whole, err = h.run(h.CTL, *args, env=shim.env)
        assert code == 0, err
        call, _, n = shim.seen()[0]             # all allocations
        codes = set()
        for at in range(1, n + 1, n // 60):
            shim.clear()
            shim.arm(call, at)
            code, out, err = h.run(h.CTL, *args, env=shim.env)
            codes.add(code)
            assert out == whole if code == 0 else err, (args, at, code, err)
        assert codes >= {0, 75}, (args, codes)


def test_restore():
    """What is owed stays owed until it is paid."""
    scene = Registers()
    c = h.write("restore.conf", scene.text(True))
    shim, wrong, tried, began = Shim(), [], 0, time.monotonic()

    def owing():
        u = h.Uncored("-c", c, *scene.options)
        u.stop(signal.SIGKILL)
        assert left(scene.m) and os.path.exists(scene.options[-1] + "/uncored.state")

    owing()
    shim.clear()
    assert ends([h.UNCORED, "--restore", *scene.options], shim.env, "undisturbed")[0] == 0
    for call, name, at, for_ever in list(shim.trials(1)):
        what = "--restore: call %d of %s fails%s" % (at, name, " from then on" if for_ever else "")
        if not left(scene.m):
            owing()
        shim.clear()
        shim.arm(call, at, for_ever)
        try:
            code, err = ends([h.UNCORED, "--restore", *scene.options], shim.env, what)
            tried += shim.failed() > 0
            assert code in CODES, (what, code, err)
            assert code or not left(scene.m), (what, "it says that all is well", err,
                                               left(scene.m))
            scene.expect_paid(what)
        except AssertionError as e:
            wrong.append(str(e))
            scene.m.kill()
            scene = Registers()
    told(wrong, tried, "--restore", began)


def once(scene):
    each(scene, "--once, " + scene.name, 3,
         [h.UNCORED, "--once", "-c", h.write("once.conf", scene.conf), *scene.options])


def test_once():
    once(Registers())


def test_once_perf():
    once(Perf())


def test_once_model():
    once(Model())


h.main(sys.modules[__name__])
