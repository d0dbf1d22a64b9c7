# SPDX-License-Identifier: MIT
"""children.py - the processes that uncored starts, uncored-http and the spawner: what they hold and
what they have given up, and what follows when one hangs, ends or is of another build.
"""
import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

import harness as h

CONF = 'interval = "200ms";\n' + h.MEMORY
MODEL = ["--engine", "model:nehalem-ex"]


def look_at_child(u, child):
    """What it has given up, however it was started."""
    status = h.read("/proc/%d/status" % child)
    for field in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        assert re.search(r"%s:\s+0+\n" % field, status), status
    # The sanitizers need calls that the filter refuses, so they are built without it.
    assert h.SANITIZED or re.search(r"Seccomp:\s+2", status), status
    assert re.search(r"NoNewPrivs:\s+1", status), status
    if os.getuid() == 0:
        names = [line.split(":") for line in h.read("/etc/passwd").splitlines()]
        ids = {n[0]: n[2:4] for n in names}.get("uncored") or \
            {n[0]: n[2:4] for n in names}["nobody"]
        for field, value in zip(("Uid", "Gid"), ids):
            assert re.search(r"%s:(\s+%s){4}\n" % (field, value), status), (ids, status)
        links = []
        for fd in os.listdir("/proc/%d/fd" % child):
            with contextlib.suppress(FileNotFoundError):    # closed meanwhile
                links.append(os.readlink("/proc/%d/fd/%s" % (child, fd)))
        assert links
        assert not any("msr" in name or "perf" in name for name in links), links
        assert h.SANITIZED or os.listdir("/proc/%d/root" % child) == [], "its root directory"
        maps = h.read("/proc/%d/maps" % child)
        assert "memfd:uncored-rings" in maps and not re.search(r" rw.s .*memfd:uncored", maps), maps
        assert re.search(r" r--s .*memfd:uncored-rings", maps), maps
        assert "libmicrohttpd" in maps and "libsystemd" not in maps, maps
    ours = h.read("/proc/%d/maps" % u.pid)
    # the process with the registers
    assert "libsystemd" in ours and not re.search("libmicrohttpd|gnutls", ours), ours
    assert h.read("/proc/%d/cmdline" % child) == "uncored-http\0"
    if os.getuid() == 0:                        # of one without capabilities nobody else sees it
        assert os.readlink("/proc/%d/exe" % child).endswith("/uncored-http")
        # its own program
        assert not os.path.exists("/proc/%d/fd/4" % child) or \
            "uncored" not in os.readlink("/proc/%d/fd/4" % child)


def look_at_parent(u):
    """It has its filter, and cannot load modules, trace or configure networks (bits 16, 19 and 12
    of include/uapi/linux/capability.h), become another user or change its root (6, 7, 8, 18), and,
    as it counts on the model, write registers (17)."""
    with open("/proc/%d/status" % u.pid) as f:
        fields = dict(line.split(":", 1) for line in f)
    assert fields["NoNewPrivs"].strip() == "1", fields
    assert h.SANITIZED or fields["Seccomp"].strip() == "2", fields
    for bit in 16, 19, 12, 6, 7, 8, 18, 17:
        assert not int(fields["CapPrm"], 16) & 1 << bit, (bit, fields)
    with open("/proc/sys/kernel/perf_event_paranoid") as f:
        level = int(f.read())
    if level <= 2 and int(fields["CapPrm"], 16) & 1 << 38:
        assert not int(fields["CapPrm"], 16) & 1 << 21, fields


def test_the_http_child():
    u = h.Uncored("-c", h.write("child.conf", CONF), *MODEL)
    look_at_parent(u)
    child = u.child()
    look_at_child(u, child)
    clock = 'uncore_wbox_clockticks_total{socket="0",unit="0"}'
    before = u.metrics()[clock]
    os.kill(child, signal.SIGKILL)
    h.wait_for("another child serves", lambda: u.get("/-/ready")[0] == 200 and u.child() != child)
    look_at_child(u, u.child())
    h.wait_for("counting goes on", lambda: int(u.metrics().get(clock, 0)) > int(before))
    assert u.stop() == 0


def spawner(u):
    return h.child_of(u.pid, "uncored-spawner")


def test_the_spawner():
    """It holds its socket and both programs, no listener and nothing that counts; what it becomes
    is a child of uncored that is elder than the next spawner; and each start leaves one."""
    u = h.Uncored("-c", h.write("spawner.conf", CONF), *MODEL)
    for turn in ("start", "reload", "http", "reload"):
        pid = h.wait_for("a spawner", lambda: spawner(u))
        h.wait_for("these two after " + turn, lambda pid=pid: children_of(u) == [u.child(), pid])
        with open("/proc/%d/comm" % pid) as f:
            assert f.read() == "uncored-spawner\n"
        def held(pid=pid):
            with contextlib.suppress(FileNotFoundError):    # it closes what it was begun with
                return {int(fd): os.readlink("/proc/%d/fd/%s" % (pid, fd))
                        for fd in os.listdir("/proc/%d/fd" % pid) if int(fd) > 2}
            return {}
        h.wait_for("four of its own", lambda held=held: len(held()) == 4)
        programs = sorted(os.path.basename(name) for name in held().values()
                          if not name.startswith("socket:"))
        # uncored-http without TLS and with it: one file, under the number of each
        assert programs == ["uncored", "uncored-http", "uncored-http"], held()
        if not h.SANITIZED:             # of the wall, and of what counts: two
            with open("/proc/%d/status" % pid) as f:
                assert re.search(r"Seccomp_filters:\s+1\n", f.read())
            with open("/proc/%d/status" % u.pid) as f:
                assert re.search(r"Seccomp_filters:\s+2\n", f.read())
        if turn == "http":
            first = u.child()
            os.kill(first, signal.SIGKILL)
            replaced(u, first, 0)
        else:
            before = u.text().count("configuration read again")
            u.p.send_signal(signal.SIGHUP)
            h.wait_for("a reload",
                       lambda: u.text().count("configuration read again") > before)
        h.wait_for("another spawner", lambda: spawner(u) not in (0, pid))
    pid = spawner(u)
    os.kill(pid, signal.SIGSTOP)        # it would see that its socket has ended
    os.kill(u.pid, signal.SIGKILL)
    h.wait_for("it ends with its parent", lambda: not os.path.exists("/proc/%d" % pid) or
               h.read("/proc/%d/stat" % pid).split()[2] == "Z")


def test_descriptors_of_the_starter():
    """What a shell left open is handed to nobody: not to the first http process, which uncored
    executes itself, not to the spawner, and not to the next one."""
    with open(h.path("left-open"), "w") as left:
        u = h.Process([h.UNCORED, "--listen", "127.0.0.1:0",
                       "-c", h.write("left.conf", CONF), *MODEL], "left", pass_fds=[left.fileno()])
        u.serving()

        def held(pid):
            names = set()
            for fd in os.listdir("/proc/%d/fd" % pid):
                with contextlib.suppress(FileNotFoundError):    # closed meanwhile
                    names.add(os.readlink("/proc/%d/fd/%s" % (pid, fd)))
            return names
        assert left.name in held(u.pid), held(u.pid)
        first = h.child_of(u.pid)
        assert left.name not in held(first), held(first)
        assert left.name not in held(spawner(u)), held(spawner(u))
        os.kill(first, signal.SIGKILL)
        h.wait_for("another one", lambda: h.child_of(u.pid) not in (0, first))
        assert left.name not in held(h.child_of(u.pid)), held(h.child_of(u.pid))
        assert u.stop() == 0


def test_the_spawner_is_stopped():
    """A request that it does not take within a second has failed. What it makes of it when it goes
    on is thrown away, and the next one is taken."""
    u = h.Uncored("-c", h.write("stopped.conf", CONF), *MODEL)
    pid = spawner(u)
    os.kill(pid, signal.SIGSTOP)
    h.write("stopped.conf", "nonsense = 1;")
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("it says so", lambda: "cannot start the process that checks the configuration: "
               "the spawner does not answer" in u.text())
    h.wait_for("what that means", lambda: "the old configuration stays in use" in u.text())
    assert u.get("/-/ready")[0] == 200
    h.write("stopped.conf", CONF)
    os.kill(pid, signal.SIGCONT)        # the answer to the first may come after the second
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("a reload", lambda: "configuration read again" in u.text())
    assert "nonsense" not in u.text(), u.text()
    h.wait_for("it is waited for", lambda: not os.path.exists("/proc/%d" % pid))
    first = u.child()
    pid = h.wait_for("another spawner", lambda: spawner(u))
    os.kill(pid, signal.SIGSTOP)
    os.kill(first, signal.SIGKILL)
    h.wait_for("it says so", lambda: "cannot start the http process: the spawner does not answer"
               in u.text())
    os.kill(pid, signal.SIGCONT)
    replaced(u, first, 0)
    assert u.stop() == 0, u.text()


def children_of(u):
    return [int(p) for p in h.read("/proc/%d/task/%d/children" % (u.pid, u.pid)).split()]


def spawners(u):
    return [p for p in children_of(u) if h.read("/proc/%d/comm" % p) == "uncored-spawner\n"]


def test_answers_in_their_order():
    """Two requests wait for the spawner, whose answer to the first is late. The next spawner's does
    not overtake it: else uncored would take a program for its spawner and kill what is."""
    u = h.Uncored("-c", h.write("order.conf", CONF), *MODEL, env=h.preloaded("late"))

    def given_up(n):
        u.p.send_signal(signal.SIGHUP)
        h.wait_for("request %d is given up" % n,
                   lambda: u.text().count("the spawner does not answer") == n)
    with h.stopped(spawner(u)):
        given_up(1)
        given_up(2)
    h.wait_for("the first is answered", lambda: "late: answered" in u.text())
    # beside who serves: what took the first, what took the second, and the next
    h.wait_for("the second is taken", lambda: len(children_of(u)) == 4)
    h.wait_for("one is the spawner", lambda: len(spawners(u)) == 1)
    with h.stopped(*spawners(u)):
        given_up(3)
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("a reload", lambda: "configuration read again" in u.text())
    assert len(spawners(u)) == 1 and u.stop() == 0, u.text()


def test_the_spawner_is_killed():
    """It counts and serves on. What needs a program says why it cannot have it: a reload is
    refused; without an http process uncored ends, so that it is started again."""
    u = h.Uncored("-c", h.write("killed.conf", CONF), *MODEL)
    assert u.metrics()["uncored_spawner_up"] == "1"
    pid = spawner(u)
    os.kill(pid, signal.SIGKILL)
    h.wait_for("it says so", lambda: "the spawner has ended (signal 9); counting continues, but "
               "reloads are refused" in u.text())
    h.wait_for("it shows", lambda: u.metrics()["uncored_spawner_up"] == "0")
    assert not os.path.exists("/proc/%d" % pid), "a zombie"
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("the reload is refused", lambda: "cannot start the process that checks the "
               "configuration: the spawner has ended; restart uncored" in u.text())
    samples = u.value('uncored_samples_total{socket="0"}')
    h.wait_for("it counts on", lambda: u.value('uncored_samples_total{socket="0"}') > samples)
    os.kill(u.child(), signal.SIGKILL)
    assert u.p.wait(h.PATIENCE) == 75, u.text()
    assert "cannot start the http process: the spawner has ended; restart uncored" in u.text()
    assert u.text().count("the spawner has ended (") == 1, u.text()


def replaced(u, child, since):
    """Seconds until another child than this one serves."""
    h.wait_for("another child serves",
               lambda: u.child() not in (0, child) and u.get("/-/ready")[0] == 200)
    return time.monotonic() - since


def turns(pid):
    """How often a process has slept."""
    with open("/proc/%d/status" % pid) as f:
        return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", f.read(), re.M).group(1))


def test_a_child_that_hangs_is_replaced():
    """And one that nobody asks anything wakes up once a second for a point of its history, and for
    its beat every two seconds."""
    u = h.Uncored("-c", h.write("hung.conf", CONF), *MODEL)
    idle = h.Uncored("-c", h.write("idle.conf", CONF), *MODEL)
    child, samples = u.child(), u.value('uncored_samples_total{socket="0"}')
    began, slept = time.monotonic(), turns(idle.child())
    os.kill(child, signal.SIGSTOP)
    took = replaced(u, child, began)
    assert 3.5 < took < 10, took            # it answered up to a second and a half before
    assert 0 < turns(idle.child()) - slept <= 1.5 * took + 2, "it wakes up too often"
    assert idle.stop() == 0
    assert "the http process has not responded" in u.text(), u.text()
    assert "ended (signal 9); counting continues, and it restarts at once" in u.text(), u.text()
    # five each second
    assert u.value('uncored_samples_total{socket="0"}') >= samples + 5 * (took - 2), \
        "counting stopped with the child"
    look_at_child(u, u.child())
    assert u.stop() == 0


def test_a_child_that_is_stopped_with_its_parent_is_left_alone():
    """A suspended machine, a frozen cgroup: the time of that is no silence. And a parent alone,
    whose queue of beats fills."""
    u = h.Uncored("-c", h.write("frozen.conf", CONF), *MODEL)
    child = u.child()
    for pids in ((child, u.pid), (u.pid,)):
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
            time.sleep(1.5)                 # the parent has read every beat that came
        time.sleep(6)
        for pid in reversed(pids):
            os.kill(pid, signal.SIGCONT)
            time.sleep(0.5)                 # it looks before there can be another
        settled = u.value('uncored_samples_total{socket="0"}') + 10
        h.wait_for("two more seconds",
                   lambda: u.value('uncored_samples_total{socket="0"}') > settled)
    assert u.child() == child and "http process" not in u.text(), u.text()
    assert u.stop() == 0


def test_the_first_replacement_starts_at_once():
    best = 99
    for _ in range(3):                      # one of three, as the machine may be busy
        u = h.Uncored("-c", h.write("at_once.conf", CONF), *MODEL)
        child, began = u.child(), time.monotonic()
        os.kill(child, signal.SIGKILL)
        best = min(best, replaced(u, child, began))
        assert "it restarts at once" in u.text(), u.text()
        if best < 0.9:
            break
    assert best < 0.9, best
    child, began = u.child(), time.monotonic()
    os.kill(child, signal.SIGKILL)
    assert replaced(u, child, began) >= 1 and \
        "(signal 9, 2 in a row); counting continues, and it restarts in 1 s" in u.text(), u.text()
    assert u.stop() == 0


def test_a_child_that_is_killed_before_it_serves():
    """The start ends as ever, with the next one. The child is waited for by a poll that is too
    short for it to serve in."""
    for n in range(3):
        notify = h.Notify("early%d" % n)
        u = h.Uncored("-c", h.write("early.conf", CONF), *MODEL, ready=False,
                      env={"NOTIFY_SOCKET": notify.path})
        child = 0
        while u.running() and not child:
            child = u.child()
        assert child, u.text()
        os.kill(child, signal.SIGKILL)
        notify.until("READY=1")
        assert u.text().count("serving http") == 1, u.text()
        u.url = u.serving()
        h.wait_for("it serves", lambda: u.get("/-/ready")[0] == 200)
        assert u.stop() == 0, u.text()


def test_a_child_that_hangs_is_not_waited_for():
    u = h.Uncored("-c", h.write("hangs.conf", CONF), *MODEL)
    child = u.child()
    os.kill(child, signal.SIGSTOP)
    try:
        assert u.stop() == 0
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGCONT)


def with_bounds(names, name):
    """An uncored with these capabilities alone, and what tells the pid of its child, or 0."""
    if os.getuid() != 0:
        h.skip("only root has a child of another user")
    bounding = ",".join(["-all"] + [c.lower().replace("cap_", "+", 1) for c in names])
    p = h.Process(["setpriv", "--bounding-set=" + bounding, "--no-new-privs", h.UNCORED,
                   "--listen", "127.0.0.1:0", "-c", h.write(name + ".conf", CONF), *MODEL], name)
    p.serving()
    return p, lambda: h.child_of(p.pid)


def unit_bounds():
    """Of the unit with the drop-in by which the parent is root, and the child another user's."""
    names = []
    for path in (os.path.join(h.BUILD, "systemd/uncored.service"),
                 os.path.join(h.SRC, "contrib/systemd/ivytown.conf")):
        with open(path) as f:
            names += re.search("^CapabilityBoundingSet=(.*)", f.read(), re.M)[1].split()
    return names


def test_the_unit_can_kill_a_child_that_hangs():
    """With the capabilities that the unit leaves, the child is still killed, replaced, and not
    waited for at the end."""
    p, child = with_bounds(unit_bounds(), "unit")
    first = child()
    os.kill(first, signal.SIGSTOP)
    try:
        h.wait_for("another child", lambda: child() not in (0, first))
        assert "ended (signal 9); counting continues" in p.text(), p.text()
        os.kill(child(), signal.SIGSTOP)
        p.p.terminate()
        assert p.p.wait(5) == 0, p.text()
    finally:
        for pid in (first, child() if p.p.poll() is None else 0):
            if pid:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def test_a_child_that_cannot_be_killed_is_said():
    p, child = with_bounds([c for c in unit_bounds() if c != "CAP_KILL"], "mild")
    first = child()
    os.kill(first, signal.SIGSTOP)
    try:
        h.wait_for("the word", lambda: "cannot kill the http process: Operation not permitted; "
                   "give uncored CAP_KILL" in p.text())
        assert p.running() and child() == first, p.text()
    finally:
        os.kill(first, signal.SIGKILL)
    p.p.terminate()
    assert p.p.wait(5) == 0, p.text()


def test_a_child_that_may_not_run_ends_the_daemon():
    """Another one could not either: nobody would ever be served, and the log would fill."""
    if os.getuid() != 0:
        h.skip("only root has something to give up")
    p = h.Process(["setpriv", "--bounding-set=-setuid", h.UNCORED, "--listen", "127.0.0.1:0",
                   "-c", h.write("may.conf", CONF), *MODEL], "may")
    assert p.p.wait(h.PATIENCE) == 77, p.text()
    assert "cannot give up root: that needs CAP_SETUID" in p.text(), p.text()
    assert "started again" not in p.text(), p.text()
    assert "serving" not in p.text(), p.text()


def test_sigchld_that_is_ignored():
    """A shell's `trap "" CHLD` is inherited, and children that end then leave nothing to wait
    for."""
    u = h.Uncored("-c", h.write("ignored.conf", CONF), *MODEL,
                  argv0=["env", "--ignore-signal=CHLD"])
    os.kill(u.child(), signal.SIGKILL)
    h.wait_for("it is told", lambda: "the http process ended (signal 9)" in u.text() or
               not u.running())
    assert u.running() and u.stop() == 0


def test_a_library_that_is_missing():
    """The loader names it, nobody is told that anything is served, and the unit does not try for
    ever."""
    where = h.path("without")
    os.mkdir(where)
    # the loader stops at a file that is none
    open(os.path.join(where, "libmicrohttpd.so.12"), "w").close()
    code, _, err = h.run(h.UNCORED, "-c", h.write("without.conf", CONF), "--listen", "127.0.0.1:0",
                         *MODEL, env={"LD_LIBRARY_PATH": where})
    assert code == 69 and "error while loading shared libraries: " in err, (code, err)
    assert "libmicrohttpd.so.12" in err, (code, err)
    assert "the http process could not start (exit code 127); uncored exits" in err, err
    assert "serving" not in err, err
    # of uncored itself
    os.rename(os.path.join(where, "libmicrohttpd.so.12"), os.path.join(where, "libsystemd.so.0"))
    code, _, err = h.run(h.UNCORED, "--version", env={"LD_LIBRARY_PATH": where})
    assert "error while loading shared libraries: " in err and "libsystemd.so.0" in err, err
    with open(os.path.join(h.BUILD, "systemd/uncored.service")) as f:
        never = re.search("^RestartPreventExitStatus=(.*)", f.read(), re.M)[1].split()
    assert str(code) in never, (code, never)


def programs(name, *which):
    """A directory of its own with these programs."""
    where = h.path(name)
    os.mkdir(where)
    for program in which:
        shutil.copy(program, where)
    return where


def test_an_upgrade_changes_nothing_until_the_restart():
    """Every http process of a life is executed from the file that was opened first."""
    if os.getuid() != 0:
        h.skip("only root sees which program a process without capabilities executes")
    where = programs("upgraded", h.UNCORED, h.HTTP)
    http = where + "/uncored-http"
    p = h.Process([where + "/uncored", "--listen", "127.0.0.1:0",
                   "-c", h.write("upgraded.conf", CONF), *MODEL], "upgraded")
    url = p.serving()
    for program in os.listdir(where):           # as a package manager does
        shutil.copy("/bin/false", where + "/new")
        os.rename(where + "/new", os.path.join(where, program))

    def child():
        return h.child_of(p.pid)
    first = child()
    assert os.readlink("/proc/%d/exe" % first) == http + " (deleted)"
    os.kill(first, signal.SIGKILL)
    h.wait_for("another one", lambda: child() not in (0, first))
    h.wait_for("it serves", lambda: h.answers(url + "/-/healthy"))
    assert os.readlink("/proc/%d/exe" % child()) == http + " (deleted)"
    p.p.send_signal(signal.SIGHUP)              # and so is the process that tries a configuration
    h.wait_for("a reload", lambda: "configuration read again" in p.text())
    assert p.stop() == 0


def test_a_program_that_is_not_there():
    where = programs("alone", h.UNCORED)
    code, _, err = h.run(where + "/uncored", "-c", h.write("alone.conf", CONF),
                         "--listen", "127.0.0.1:0", *MODEL)
    if code is None or "uncored-http, which serves" not in err:
        h.skip("uncored-http is installed on this machine")
    assert code == 69 and \
        re.search(r"cannot open /\S*/uncored-http, which serves HTTP: No such file",
                  err), (code, err)
    code, out, err = h.run(where + "/uncored", "--once", "-c", h.write("alone.conf", CONF), *MODEL)
    assert code == 0 and "uncore_" in out, (code, err)          # which needs nobody to serve it


def test_a_program_of_another_build():
    """It would misread the description: the first message says what it has to agree on."""
    for said in (b"\1" * 8, b"\0", b""):
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with socket.create_server(("127.0.0.1", 0)) as listener, ours, its:
            p = subprocess.Popen([h.HTTP], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 text=True, close_fds=False,
                                 preexec_fn=lambda its=its: os.dup2(its.fileno(), 3))
            its.close()
            if said:
                socket.send_fds(ours, [said], [listener.fileno()])
            else:
                ours.shutdown(socket.SHUT_WR)
            _, err = p.communicate(timeout=h.PATIENCE)
            if said:
                assert p.returncode == 69 and \
                    "uncored-http and uncored are from different builds" in err, \
                    (p.returncode, err)
            else:                               # its parent has ended: nothing to say
                assert (p.returncode, err) == (0, ""), (p.returncode, err)


h.main(sys.modules[__name__])
