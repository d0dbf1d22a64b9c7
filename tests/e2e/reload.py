# SPDX-License-Identifier: MIT
"""reload.py - what would end a process that reads a configuration ends one that counts nothing: the
old configuration goes on."""
import contextlib
import os
import re
import signal
import subprocess
import sys
import time

import harness as h

CONF = """interval = "200ms";
groups = ( { name = "memory"; events = [ "bbox/IMT_VALID_OCCUPANCY", "wbox/CLOCKTICKS" ]; } );
"""
# more than libconfig finds in what little memory was there before
LONG = "".join("# %d\n" % i for i in range(20000))
# abort() of a preloaded library; in the corpus, so that a real one that is found stands beside it
ABORTS = os.path.join(h.SRC, "tests/fuzz/corpus/conf/libconfig_aborts")
OK = "uncored_config_last_reload_successful"
READ = "uncored_config_last_reload_success_timestamp_seconds"
HASH = "uncored_config_hash"

def start(name, *argv0, **env):
    c = h.write(name, CONF)
    return h.Uncored("-c", c, "--engine", "model:nehalem-ex", argv0=[*argv0],
                     env=dict(env, **h.preloaded("spoil"))), c


def hup(u, c, text):
    with open(c, "w") as f:
        f.write(text)
    before = len(u.text())
    u.p.send_signal(signal.SIGHUP)
    return before


def refused(u, c, text, words):
    before = hup(u, c, text)
    h.wait_for("the reload ends", lambda: "reload failed" in u.text()[before:] or not u.running())
    assert u.running(), u.text()
    said = u.text()[before:]
    assert re.search(words, said), said
    h.wait_for("it shows", lambda: u.metrics().get(OK) == "0")
    now = u.value('uncored_samples_total{socket="0"}')
    h.wait_for("it counts", lambda: u.value('uncored_samples_total{socket="0"}') > now)


def accepted(u, c):
    before = hup(u, c, CONF)
    h.wait_for("the reload ends", lambda: "read again" in u.text()[before:] or not u.running())
    assert u.running() and "reload failed" not in u.text()[before:], u.text()
    h.wait_for("it shows", lambda: u.metrics().get(OK) == "1")


def test_accidents_of_a_parser():
    u, c = start("accidents.conf")
    ended = "accidents.conf: libconfig ended the process that reads it "
    for accident, how in (('"crash"', "(signal 11)"), ('"exit"', "(exit code 2)"),
                          ('"memory"; long = "%s"' % ("x" * 200000), "")):
        refused(u, c, CONF + "accident = %s;\n" % accident, re.escape(ended + how))
    before = len(u.text())
    refused(u, c, h.read(ABORTS), re.escape(ended + "(signal 6)"))
    said = u.text()[before:].splitlines()
    assert len(said) == 2, said                     # why, and that the old one stays
    refused(u, c, CONF + "nonsense = 1;\n", r"^uncored: \S+accidents.conf:3: .*nonsense")
    accepted(u, c)
    assert u.stop() == 0


def test_which_file_is_in_use():
    """Its bytes as a number, and since when: those of a refused one are neither."""
    u, c = start("hash.conf")
    other = h.Uncored("-c", h.write("same.conf", CONF), "--engine", "model:nehalem-ex")
    without = h.Uncored("--engine", "model:nehalem-ex")
    first = u.value(HASH)
    assert first == other.value(HASH) != without.value(HASH) and 0 < first < 2 ** 48
    read = u.value(READ)
    assert abs(read - time.time()) < 60
    refused(u, c, CONF + "nonsense = 1;\n", "nonsense")
    assert (u.value(HASH), u.value(READ)) == (first, read)
    h.write("same.conf", CONF + "# another\n")
    other.p.send_signal(signal.SIGHUP)
    h.wait_for("it is another", lambda: other.value(HASH) != first)
    assert other.value(READ) > read
    accepted(u, c)
    assert u.value(HASH) == first and u.value(READ) > read
    for one in (u, other, without):
        assert one.stop() == 0


def test_its_memory_is_not_ours():
    """Where libconfig ever ran, the preloaded malloc_trim() ends the process: at the end of a start
    and of each reload."""
    u, c = start("memory.conf")
    for _ in range(3):
        accepted(u, c)
    assert u.stop() == 0, u.text()


def test_an_empty_file():
    """As a full disk or a program that writes in place leaves it: nothing of the user's is lost."""
    u, c = start("empty.conf")
    for text in "", "\n", " \t\r\n", "\ufeff\n":
        refused(u, c, text, "empty.conf:1: the file is empty")
        for mode in ("--check-config",), ("--once",), ():
            code, out, err = h.run(h.UNCORED, "--engine", "model:nehalem-ex", *mode, "-c", c)
            assert code == 78 and not out and "empty.conf:1: the file is empty" in err, (mode, err)
    accepted(u, c)
    assert u.stop() == 0


def test_accidents_at_a_start():
    """A sentence and 78, as for any file that cannot be read; nothing hangs on in the
    background."""
    c = h.write("start.conf", "# defaults\n")
    texts = [CONF + 'accident = "%s";\n' % accident for accident in ("crash", "exit")]
    for text in [*texts, h.read(ABORTS)]:
        h.write("start.conf", text)
        for mode in (), ("--once",), ("--check-config",):
            code, out, err = h.run(h.UNCORED, "--engine", "model:nehalem-ex", "--listen",
                                   "127.0.0.1:0", *mode, "-c", c, env=h.preloaded("spoil"))
            assert code == 78 and not out, (mode, code, out, err)
            assert "start.conf: libconfig ended the process that reads it" in err, err
        code, out, err = h.run(h.CTL, "plan", "-p", "nehalem-ex", "-c", c, env=h.preloaded("spoil"))
        assert code == 78 and not out and "libconfig ended the process" in err, (code, out, err)


def checker(u):
    """The pid of the process that checks, or None."""
    for pid in h.read("/proc/%d/task/%d/children" % (u.pid, u.pid)).split():
        if h.read("/proc/%s/cmdline" % pid).startswith("uncored-check"):
            return int(pid)
    return None


def test_no_answer():
    n = h.Notify("hang")
    alone = h.write("alone.conf", CONF + 'accident = "hang";\n')
    alone = subprocess.Popen([h.UNCORED, "--check-config", "--engine", "model:nehalem-ex", "-c",
                              alone], env=dict(os.environ, **h.preloaded("spoil")),
                             stderr=subprocess.PIPE, text=True)
    u, c = start("hang.conf", NOTIFY_SOCKET=n.path, WATCHDOG_USEC="400000")
    n.until("READY=1")
    before = hup(u, c, CONF + 'accident = "hang";\n')
    began = time.monotonic()
    n.until("RELOADING=1")
    pid = h.wait_for("it is checked", lambda: checker(u))
    # It has given up everything before it reads a byte.
    def status():
        return h.read("/proc/%d/status" % pid)
    for field in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        h.wait_for("it has no " + field, lambda: re.search(r"%s:\s+0+\n" % field, status()))
    h.wait_for("it cannot have more", lambda: re.search(r"NoNewPrivs:\s+1", status()))
    if os.getuid() == 0:
        h.wait_for("it is nobody", lambda: not re.search(r"[UG]id:.*\s0\b", status()))

        def files():
            with contextlib.suppress(FileNotFoundError):    # closed meanwhile
                return {int(fd): os.readlink("/proc/%d/fd/%s" % (pid, fd))
                        for fd in os.listdir("/proc/%d/fd" % pid)}
            return {}
        h.wait_for("its files are these: %s" % files(), lambda: {0, 1, 2} <= files().keys() and all(
            re.match(r"/memfd:uncored-conf|pipe:", name) for name in files().values()))
        h.wait_for("it is the first to go", lambda: h.read(
            "/proc/%d/oom_score_adj" % pid) == "1000\n")
    # Nothing waits for it.
    fed = time.monotonic()
    for _ in range(10):                             # two seconds of the ten that it has
        n.until("WATCHDOG=1")
    assert time.monotonic() - fed < 6
    u.p.send_signal(signal.SIGHUP)                  # one more, which is answered after the first
    n.until("READY=1")
    assert 9.5 < time.monotonic() - began < h.PATIENCE, u.text()
    assert "did not finish within 10 s" in u.text()[before:], u.text()
    assert u.metrics().get(OK) == "0" and "signal 9" not in u.text()
    n.until("RELOADING=1")
    pid = h.wait_for("it is checked again", lambda: checker(u))
    began = time.monotonic()
    assert u.stop() == 0 and time.monotonic() - began < 8, "the end waits for a check"
    h.wait_for("it is gone", lambda: not os.path.exists("/proc/%d" % pid))
    err = alone.communicate(timeout=20)[1]
    assert alone.returncode == 75, err
    assert "libconfig did not come to an end of it within 12 s" in err, err


def test_the_same_bytes():
    """A file that changes while it is checked is read as it was: what was checked is what
    counts."""
    u, c = start("same.conf")
    for i in range(5):
        before = hup(u, c, CONF + LONG)
        h.wait_for("it is checked", lambda: checker(u) or "read again" in u.text()[before:])
        with open(c, "w") as f:
            f.write('accident = "crash";\n')
        h.wait_for("the reload ends", lambda: "read again" in u.text()[before:] or
                   "failed" in u.text()[before:] or not u.running())
        assert u.running(), (i, u.text())
    assert u.stop() == 0


h.main(sys.modules[__name__])
