# SPDX-License-Identifier: MIT
"""anomalies.py - the Nth allocation or call fails, once or from then on, while the shipped programs
start, count, end, put registers back and read their configuration again.

Whatever fails: an exit code of uncored(8) and a sentence, never a signal; every register as it was
found, or the state file stays and `uncored --restore` puts them back; a reload that fails leaves
the old configuration counting. With UNCORED_TEST_LONG=1 each N, else a choice for each call.

fail_nth.c, preloaded, lets them fail.
"""
import mmap
import os
import re
import signal
import struct
import subprocess
import sys
import time

import harness as h

LIBRARY = os.path.abspath(os.path.join(h.BUILD, "tests/e2e/fail_nth.so"))
LONG = bool(os.environ.get("UNCORED_TEST_LONG"))
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
# Calls of these that nothing can let fail where they stand, and what does not count as a failure.
NEVER = {
    "getsockname": "of a socket that listens",
    "getsockopt": "SO_TYPE of a socket, TCP_INFO of a connection",
}
HEAD, NAME = struct.calcsize("5Q"), 32


class Shim:
    """Which call is to fail, and how often each was called."""

    def __init__(self):
        if h.SANITIZED:
            h.skip("this build's allocator belongs to the sanitizers")
        if not os.path.exists(LIBRARY):
            h.skip("tests/e2e/fail_nth.so was not built")
        self.file = h.write("nth-%d" % os.getpid(), "\0" * 8192)
        self.env = {"LD_PRELOAD": LIBRARY, "FAIL_NTH": self.file}
        with open(self.file, "r+b") as f:
            self.map = mmap.mmap(f.fileno(), 8192)

    def arm(self, call=0, at=0, for_ever=False):
        """The at-th call from now on."""
        seen = struct.unpack_from("Q", self.map, HEAD + 8 * call)[0] if at else 0
        struct.pack_into("4Q", self.map, 0, call, seen + at if at else 0, for_ever, 0)

    def clear(self):
        struct.pack_into("4Q", self.map, 0, 0, 0, 0, 0)
        self.map[HEAD:HEAD + 8 * 64] = bytes(8 * 64)

    def failed(self):
        return struct.unpack_from("Q", self.map, 24)[0]

    def seen(self):
        """[(number, name, calls)]"""
        n = struct.unpack_from("Q", self.map, 32)[0]
        counts = struct.unpack_from("%dQ" % n, self.map, HEAD)
        at = HEAD + 8 * 64
        names = [self.map[at + NAME * i:at + NAME * (i + 1)].rstrip(b"\0").decode()
                 for i in range(n)]
        return list(zip(range(n), names, counts))

    def trials(self, few):
        """(number, name, N, for ever) of what was called since clear(): all, or a few of each."""
        for call, name, n in self.seen():
            if name in NEVER:
                continue
            choice = range(1, n + 1)
            if not LONG and n:
                choice = sorted({1 + (2 * i + 1) * (n - 1) // (2 * few) for i in range(few)})
            for at in choice:
                for for_ever in (False, True):
                    if LONG or for_ever == ((call + at) % 2 == 0):
                        yield call, name, at, for_ever


def left(m):
    return {(cpu, hex(a)): hex(v) for cpu in SOCKETS
            for a, v in m.registers(cpu, WRITTEN).items() if v}


def expect_paid(m, options, what):
    """Registers are as found; or the state file says what is owed, and --restore pays it."""
    state = options[-1] + "/uncored.state"
    if left(m):
        assert os.path.exists(state), (what, "nobody knows", left(m))
    code, _, err = h.run(h.UNCORED, "--restore", *options)
    assert code == 0 and not left(m) and not os.path.exists(state), (what, code, err, left(m))


def ends(argv, env, what, patience=30):
    """(exit code, messages) of a program that must end by itself."""
    try:
        p = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, text=True, env=dict(os.environ, **env),
                           timeout=patience, errors="replace")
    except subprocess.TimeoutExpired as e:
        raise AssertionError("%s: it does not end: %s" % (what, e.stderr)) from e
    return p.returncode, p.stderr


def each(kind, few, argv, m, options):
    """Every trial of a program that ends by itself; what went wrong is told at the end, all of
    it."""
    shim, wrong, tried = Shim(), [], 0
    shim.clear()
    code, err = ends(argv, shim.env, "undisturbed")
    assert code == 0, err
    expect_paid(m, options, "undisturbed")
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
            expect_paid(m, options, what)
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


def test_start():
    """Of the daemon with its http process."""
    m = h.Msrfs("--virtual")
    options, c = m.options(), h.write("start.conf", CONF)
    shim, wrong, tried, began = Shim(), [], 0, time.monotonic()

    def started(u, what, silent):
        """Where its address cannot be said, its registers show that it counts."""
        serving = re.compile(r"serving (http://\S+)/")
        h.wait_for("%s: it serves or ends" % what,
                   lambda: serving.search(u.text()) or not u.running() or
                   ((silent or UNSAID.search(u.text())) and left(m)), 10)
        url = serving.search(u.text())
        u.url = url and url.group(1)

    shim.clear()
    u = h.Uncored("-c", c, *options, env=shim.env)
    trials = list(shim.trials(1))
    stop(u, "undisturbed")
    for call, name, at, for_ever in trials:
        what = "start: call %d of %s fails%s" % (at, name, " from then on" if for_ever else "")
        shim.clear()
        shim.arm(call, at, for_ever)
        u = h.Uncored("-c", c, *options, env=shim.env, ready=False)
        try:
            started(u, what, name == "write")
            if u.running() and u.url and not for_ever:
                h.wait_for("%s: it is ready: %s" % (what, u.text()),
                           lambda: not u.running() or u.get("/-/ready")[0] == 200)
            stop(u, what)
            no_crash(u, what)
            expect_paid(m, options, what)
        except AssertionError as e:
            wrong.append(str(e))
            u.kill()
            h.run(h.UNCORED, "--restore", *options)
        tried += shim.failed() > 0
    told(wrong, tried, "start", began)


STAYS = 'interval = "20ms"; groups = ( { name = "a"; events = [ "bbox/IMT_INSERTS_ALL", ' \
        '"wbox/CLOCKTICKS" %s ]; } );\n'
TEXTS = (STAYS % "", STAYS % ', "cbox0/LLC_HITS:ALL"')


# After these the address is not told.
UNSAID = re.compile("messages lost|the http process ended")
END = re.compile("cannot be started again either|the event loop failed")


def inserts(m):
    return m.truth()[(0, 0xc33)][0]


def expect_counts(m, u, before, what):
    """To the last count since then, whatever was tried."""
    m.control("advance 1000000")
    h.wait_for("%s: the truth: %s" % (what, u.text()[-2000:]), lambda: not u.running() or
               u.metrics().get(INSERTS) == str(inserts(m) - before), 5)
    assert u.running(), (what, u.text()[-2000:])


def test_reload():
    m = h.Msrfs("--virtual")
    options, c = m.options(), h.write("reload.conf", TEXTS[0])
    shim, wrong, tried, began = Shim(), [], 0, time.monotonic()
    u = h.Uncored("-c", c, *options, env=shim.env)
    turn = base = 0

    def reload(what):
        """Whether it was told how that went."""
        nonlocal turn
        turn += 1
        h.write("reload.conf", TEXTS[turn % 2])
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
        nonlocal base
        code = u.p.wait(h.PATIENCE)
        silent = "of write fails" in what
        assert code in (70, 75) and (silent or END.search(u.text())), (what, code, u.text()[-2000:])
        expect_paid(m, options, what)
        base = inserts(m)
        return h.Uncored("-c", c, *options, env=shim.env)

    shim.clear()
    assert "read again" in reload("undisturbed")
    for call, name, at, for_ever in list(shim.trials(1)):
        what = "reload: call %d of %s fails%s" % (at, name, " from then on" if for_ever else "")
        shim.clear()
        shim.arm(call, at, for_ever)
        try:
            said = reload(what)
            tried += shim.failed() > 0
            shim.arm()
            if not u.running() or END.search(said):
                u = ended(what)
                continue
            assert said or name == "write", (what, "nothing was told", u.text()[-2000:])
            h.wait_for("%s: it is ready: %s" % (what, u.text()[-2000:]),
                       lambda: not u.running() or u.get("/-/ready")[0] == 200)
            expect_counts(m, u, base, what)
            no_crash(u, what)
        except AssertionError as e:
            wrong.append(str(e))
            shim.arm()
            u.kill()
            h.run(h.UNCORED, "--restore", *options)
            base = inserts(m)
            u = h.Uncored("-c", c, *options, env=shim.env)
    stop(u, "the end")
    expect_paid(m, options, "the end")
    told(wrong, tried, "reload", began)


def test_scrape():
    m = h.Msrfs("--virtual")
    shim, wrong, tried, began = Shim(), [], 0, time.monotonic()
    u = h.Uncored("-c", h.write("scrape.conf", TEXTS[0]), *m.options(), env=shim.env)
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


def test_restore():
    """What is owed stays owed until it is paid."""
    m = h.Msrfs("--virtual")
    options, c = m.options(), h.write("restore.conf", TEXTS[1])
    state, shim, wrong, tried = options[-1] + "/uncored.state", Shim(), [], 0
    began = time.monotonic()

    def owing():
        u = h.Uncored("-c", c, *options)
        u.stop(signal.SIGKILL)
        assert left(m) and os.path.exists(state)

    owing()
    shim.clear()
    assert ends([h.UNCORED, "--restore", *options], shim.env, "undisturbed")[0] == 0
    for call, name, at, for_ever in list(shim.trials(1)):
        what = "--restore: call %d of %s fails%s" % (at, name, " from then on" if for_ever else "")
        if not left(m):
            owing()
        shim.clear()
        shim.arm(call, at, for_ever)
        try:
            code, err = ends([h.UNCORED, "--restore", *options], shim.env, what)
            tried += shim.failed() > 0
            assert code in CODES, (what, code, err)
            assert code or not left(m), (what, "it says that all is well", err, left(m))
            expect_paid(m, options, what)
        except AssertionError as e:
            wrong.append(str(e))
            m.kill()
            m = h.Msrfs("--virtual")
            options = m.options()
            state = options[-1] + "/uncored.state"
    told(wrong, tried, "--restore", began)


def test_once():
    m = h.Msrfs("--virtual")
    options = m.options()
    each("--once", 3, [h.UNCORED, "--once", "-c", h.write("once.conf", CONF), *options], m, options)


h.main(sys.modules[__name__])
