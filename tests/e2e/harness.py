# SPDX-License-Identifier: MIT
"""harness.py - start uncored, the model served as files, Prometheus; stop them by pid whatever
happens.

Only the standard library. Every server listens on loopback, on a port the kernel chooses.

A wait has a time limit for the whole of it: a limit for each message is none if messages come every
second. What is true for one tick only, such as a slot that is `foreign` until the next check, is
not seen on a busy machine: test the counter that stays. And where a client polls for a server that
does not listen yet, on a port of the ephemeral range, it can connect to itself
(tests/bench/first_scrape.c).
"""
import atexit
import contextlib
import ctypes
import functools
import gc
import http.client
import io
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request
import warnings

BUILD = os.environ.get("top_builddir", ".")
SRC = os.environ.get("top_srcdir", ".")
UNCORED = os.path.join(BUILD, "uncored")
HTTP = os.path.join(BUILD, "uncored-http")      # which uncored starts
CTL = os.path.join(BUILD, "uncorectl")
MSRFS = os.path.join(BUILD, "tests/msrfs/uncore-msrfs")


def read(at):
    with open(at, encoding="utf-8") as f:
        return f.read()


def machine(name):
    """The text of a machine of src/topo/machines, or of tests/plan/sysfs."""
    for folder in "src/topo/machines", "src/topo/machines/common", "tests/plan/sysfs":
        at = os.path.join(SRC, folder, name + ".txt")
        if os.path.exists(at):
            return read(at)
    raise FileNotFoundError(name)


def read_bytes(at):
    with open(at, "rb") as f:
        return f.read()


SANITIZED = "define UNCORED_SANITIZED 1" in read(os.path.join(BUILD, "config.h"))
# A configuration: the requests that wait in the home agents of a Xeon 7500, and the clock.
MEMORY = """
groups = ( { name = "memory"; events = [ "bbox/IMT_VALID_OCCUPANCY", "bbox/IMT_INSERTS_ALL",
    "bbox/CONFLICTS", "wbox/CLOCKTICKS" ]; } );
"""
PATIENCE = 20.0  # seconds until a thing that must happen has not happened
# Seconds of one test; those that try everything may take hours.
LONGEST = 0 if os.environ.get("UNCORED_TEST_LONG") else 3600 if SANITIZED else 900

_cleanup = []
# In memory where there is such a file system: tests wait for syncs of state files and of
# Prometheus's own otherwise.
_tmp = tempfile.mkdtemp(prefix="uncored-e2e-",
                        dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)


def _end():
    for what in reversed(_cleanup):
        try:
            what()
        except Exception as e:  # the rest must still be stopped
            print("cleanup:", e)
    shutil.rmtree(_tmp, ignore_errors=True)


atexit.register(_end)


def skip(why):
    print("SKIP:", why)
    sys.exit(77)


def path(name):
    return os.path.join(_tmp, name)


def write(name, text):
    with open(path(name), "w") as f:
        f.write(text)
    return path(name)


def wait_for(what, check, patience=PATIENCE):
    """Poll until check() is true; returns its value."""
    end = time.monotonic() + patience
    while True:
        value = check()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError("this did not happen in %g s: %s" % (patience, what))
        time.sleep(0.05)


# A shell that runs the tests in the background ignores them for everybody below.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Process:
    """A child whose stderr goes to a file, or to the descriptor `stderr`; stopped at the end by its
    pid. An uncored has a directory of its own for what is in /run otherwise: whoever pauses what
    counts there would pause it, too."""

    def __init__(self, argv, name, env=None, stderr=None, **kw):
        self.log = path(name + ".log")
        self.out = path(name + ".out")
        self.name = name
        if UNCORED in argv and "--path-run" not in argv:
            argv = [*argv, "--path-run", path("run-" + name)]
        with open(self.log, "w") as err, open(self.out, "w") as out:
            self.p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out,
                                      stderr=err if stderr is None else stderr,
                                      env=dict(os.environ, **(env or {})), **kw)
        self.pid = self.p.pid
        _cleanup.append(self.kill)

    def text(self):
        return read(self.log)

    def running(self):
        return self.p.poll() is None

    def serving(self, may_end=False, patience=PATIENCE):
        """The URL at which it says that it serves, without the last slash, once it has said so.
        None: it has ended, if it may."""
        def said():
            return re.search(r"serving (https?://\S+)/$", self.text(), re.M)
        wait_for("%s serves or ends" % self.name, lambda: said() or not self.running(), patience)
        assert said() or may_end, "%s ended: %s" % (self.name, self.text())
        return said() and said()[1]

    def kill(self):
        if self.running():
            self.p.terminate()
            try:
                self.p.wait(10)
            except subprocess.TimeoutExpired:
                self.p.kill()
                self.p.wait()

    def end(self):
        """SIGTERM; its main thread ends within 5 s. A thread whose request a file's server has in
        hand goes with that alone."""
        def ended():
            return not self.running() or \
                read("/proc/%d/stat" % self.pid).rsplit(")", 1)[1].split()[0] == "Z"
        self.p.send_signal(signal.SIGTERM)
        wait_for("%s ends: %s" % (self.name, self.text()), ended, 5)

    def stop(self, sig=signal.SIGTERM):
        """Send a signal; returns the exit code."""
        self.p.send_signal(sig)
        return self.p.wait(PATIENCE)


def _copy_text(source, target):
    with open(source, "rb") as a, open(target, "wb") as b:
        b.write(a.read())


@contextlib.contextmanager
def stopped(*pids):
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


@functools.cache
def public():
    """uncored where anybody may execute it, beside its http program: a checkout may lie where other
    users may not enter."""
    at = tempfile.mkdtemp(prefix="uncored-programs-")
    _cleanup.append(lambda: shutil.rmtree(at, ignore_errors=True))
    os.chmod(at, 0o755)
    for program in (UNCORED, HTTP):
        shutil.copy(program, at)
    return os.path.join(at, "uncored")


class Msrfs(Process):
    """The register model as files (uncore-msrfs)."""

    def __init__(self, *args):
        if not os.path.exists(MSRFS):
            skip("uncore-msrfs was not built: libfuse3 is not installed")
        if not os.access("/dev/fuse", os.R_OK | os.W_OK):
            skip("/dev/fuse cannot be opened")
        self.at = tempfile.mkdtemp(dir=_tmp, prefix="mnt-")
        super().__init__([MSRFS, *args, self.at], os.path.basename(self.at))
        wait_for("uncore-msrfs mounts", lambda: "ready" in read(self.out) or
                 not self.running())
        if not self.running():
            skip("uncore-msrfs cannot mount here: " + self.text().strip())

    def options(self):
        return ["--path-dev", self.at + "/dev", "--path-sysfs", self.at + "/sys",
                "--path-procfs", self.at + "/proc",
                "--path-state", path("state-" + os.path.basename(self.at)),
                "--path-run", path("run-" + os.path.basename(self.at))]

    def options_apart(self):
        """The same; what sysfs and procfs say stands in plain files: a kernel answers there
        whatever hangs, and only registers are to hang."""
        options = self.options()
        for at in (3, 5):
            copy = path("of-" + os.path.basename(self.at) + os.path.basename(options[at]))
            if not os.path.exists(copy):
                # their sizes are 0
                shutil.copytree(options[at], copy, symlinks=True, copy_function=_copy_text)
            options[at] = copy
        return options

    def control(self, *lines):
        with open(self.at + "/control", "w") as f:
            f.write("".join(line + "\n" for line in lines))

    def wait_for(self, what, check):
        """wait_for(), while the model's time goes on: a clock that stands still for 10 s has
        stopped, and then what it serves never becomes valid."""
        return wait_for(what, lambda: self.control("advance 10000") or check())

    def read(self, name):
        return read(os.path.join(self.at, name))

    def truth(self):
        """{(socket, address): (count, rate)}; an address in PCI space is a text, "16:4+0xa0"."""
        rows = [line.split() for line in self.read("truth").splitlines()]
        return {(int(s), a if ":" in a else int(a, 16)): (int(t), float(r)) for s, a, t, r in rows}

    def register(self, cpu, address):
        fd = os.open("%s/dev/cpu/%d/msr" % (self.at, cpu), os.O_RDONLY)
        try:
            return int.from_bytes(os.pread(fd, 8, address), "little")
        finally:
            os.close(fd)

    def registers(self, cpu, addresses):
        return {a: self.register(cpu, a) for a in addresses}


def two_servers():
    """Each socket's files come from their own server: the two, and the options for them."""
    a, b = Msrfs("--virtual"), Msrfs("--virtual")
    options = a.options_apart()
    options[1] = path("split-" + os.path.basename(a.at))
    os.makedirs(options[1] + "/cpu")
    for cpu in range(16):
        os.symlink((a if cpu < 8 else b).at + "/dev/cpu/%d" % cpu, options[1] + "/cpu/%d" % cpu)
    return a, b, options


def fetch(url, headers=None, method="GET"):
    """(status, headers, body) of any status."""
    request = urllib.request.Request(url, headers=headers or {}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=10) as r:
            return r.status, r.headers, r.read()
    except urllib.error.HTTPError as e:
        with e:
            return e.code, e.headers, e.read()


def answers(url):
    """Is it answered, with 200? Not while nobody listens there."""
    with contextlib.suppress(OSError, http.client.HTTPException):
        return fetch(url)[0] == 200
    return False


def scrapes_under_flood(port, n, pause, text="", patience=1, rate=8000):
    """From 127.0.0.9, while 127.0.0.2 opens `rate` connections a second and says `text`: how long
    each of n scrapes took, None: it was lost. Every other one has a connection of its own."""
    flood = Process([os.path.join(BUILD, "tests/bench/flood"), str(port), "127.0.0.2", str(rate),
                     str(n * (pause + patience) + 10), "-1", text], "flood")
    time.sleep(0.5)                     # all places are taken
    took, kept = [], None
    try:
        for i in range(n):
            began = time.monotonic()
            try:
                c = kept if kept and i % 2 else http.client.HTTPConnection(
                    "127.0.0.1", port, patience, source_address=("127.0.0.9", 0))
                c.request("GET", "/metrics")
                answer = c.getresponse()
                assert answer.status == 200 and answer.read(), answer.status
                took.append(time.monotonic() - began)
                if i % 2 == 0:
                    kept, _ = c, kept and kept.close()
            except (OSError, http.client.HTTPException):
                took.append(None)
                kept = None
            time.sleep(pause)
        assert flood.running(), flood.text()
    finally:
        flood.stop(signal.SIGKILL)
        if kept:
            kept.close()
    return took


def samples(text):
    """{name{labels}: value text} of an exposition."""
    out = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            key, value = line.rsplit(" ", 1)
            if key in out:
                raise AssertionError("the series %s appears twice" % key)
            out[key] = value
    return out


class Uncored(Process):
    count = 0

    def __init__(self, *args, env=None, ready=True, argv0=None, program=None):
        Uncored.count += 1
        super().__init__([*(argv0 or []), program or UNCORED, "--listen", "127.0.0.1:0", *args],
                         "uncored-%d" % Uncored.count, env=env)
        self.url = None
        if ready:
            self.url = self.serving()
            wait_for("uncored is ready", lambda: self.get("/-/ready")[0] == 200)

    def get(self, where, headers=None, method="GET"):
        try:
            return fetch(self.url + where, headers, method)
        except (urllib.error.URLError, OSError):
            return 0, {}, b""

    def metrics(self):
        return samples(self.get("/metrics")[2].decode())

    def value(self, series):
        return float(self.metrics()[series])

    def status(self):
        return json.loads(self.get("/api/v1/status")[2])

    def child(self):
        return child_of(self.pid)


def child_of(pid, program="uncored-http"):
    """The pid of its child by that name that has not ended, 0: there is none; uncored-spawner
    starts them."""
    with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
        for child in f.read().split():
            with contextlib.suppress(OSError), open("/proc/%s/stat" % child) as stat:
                name, state = re.fullmatch(r"\d+ \((.*)\) (\S).*", stat.read().strip()).groups()
                if name == program and state != "Z":
                    return int(child)
    return 0


def prometheus(config, *options):
    """The base URL of Debian's Prometheus with this configuration file, once it is ready. Without
    the option --storage.tsdb.path it keeps its samples in this test's directory."""
    if not shutil.which("prometheus"):
        skip("prometheus is not installed")
    port = free_port()
    if not any(o.startswith(("--storage.tsdb.path", "--storage.agent.path")) for o in options):
        options += ("--storage.tsdb.path", path("tsdb"))
    p = Process(["prometheus", "--config.file", config, "--web.listen-address",
                 "127.0.0.1:%d" % port, "--log.level=warn", *options], "prometheus")
    base = "http://127.0.0.1:%d" % port

    def ready():
        try:
            return fetch(base + "/-/ready")[0] == 200
        except OSError:
            return not p.running()
    wait_for("Prometheus is ready", ready, 40)
    assert p.running(), p.text()
    return base


class Notify:
    """The other end of NOTIFY_SOCKET."""

    def __init__(self, name):
        self.path = path(name)
        self.s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        _cleanup.append(self.s.close)
        self.s.bind(self.path)
        self.s.settimeout(PATIENCE)
        self.seen = []

    def until(self, line):
        """Other messages come all the time: they must not keep it waiting."""
        end = time.monotonic() + PATIENCE
        while True:
            assert time.monotonic() < end, "%s did not come: %s" % (line, self.seen[-20:])
            message = self.s.recv(4096).decode().splitlines()
            self.seen.append(message)
            if any(part.startswith(line) for part in message):
                return message


def run(*argv, timeout=60, env=None, before=None):
    """(exit code, stdout, stderr); before: called between fork and exec."""
    p = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                       timeout=timeout, preexec_fn=before,
                       env=dict(os.environ, **(env or {})))
    return p.returncode, p.stdout, p.stderr


def tree(machine, at=None):
    """The directory (sysfs, and procfs beside it) of a machine: a name of those that machine()
    reads, or a file with such a text. at: made there."""
    root = at or tempfile.mkdtemp(prefix=os.path.basename(machine) + "-", dir=_tmp)
    code, _, err = run(os.path.join(BUILD, "tests/plan/make_tree"),
                       machine if "/" in machine else machine + ".txt", root)
    assert code == 0, (machine, err)
    return root


@functools.lru_cache()
def shared_tree(name):
    """Made once in a test, which leaves it as it is."""
    return tree(name)


def mount(*args):
    code, _, err = run("mount", *args)
    assert code == 0, (args, err)


def own_mounts():
    """Nobody but this test, which is a process of its own, sees its mounts."""
    if os.getuid() != 0:
        skip("only root has a mount namespace of its own")
    clone_newns = 0x20000
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(clone_newns) != 0:
        skip("no mount namespace can be made here: " + os.strerror(ctypes.get_errno()))
    code, _, err = run("mount", "--make-rprivate", "/")
    if code:
        skip("no mount namespace can be made here: " + err.strip())   # as in a plain chroot


def deny(call, code, first=None):
    """Between fork and exec (preexec_fn): this system call of x86-64 fails with `code`, if `first`
    is given with that first argument only."""
    if os.uname().machine != "x86_64":
        skip("the numbers of system calls in this test are those of x86-64")

    def install():
        libc = ctypes.CDLL(None)
        load, equal, end = 0x20, 0x15, 0x06
        look = [] if first is None else [(load, 0, 0, 16), (equal, 0, 1, first)]
        rows = [(load, 0, 0, 0), (equal, 0, len(look) + 1, call), *look,
                (end, 0, 0, 0x00050000 | code), (end, 0, 0, 0x7fff0000)]
        body = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *c) for c in rows))
        program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(rows),
                                                          ctypes.addressof(body)))
        libc.prctl(38, 1, 0, 0, 0)              # no new privileges
        if libc.prctl(22, 2, program) != 0:     # seccomp by a filter
            os._exit(99)
    return install


def preloaded(name):
    """The environment that preloads tests/e2e/NAME.c."""
    if SANITIZED:
        skip("the sanitizers' library has to be the first that is preloaded")
    library = path(name + ".so")
    made = run(os.environ.get("CC", "cc").split()[0], "-shared", "-fPIC", "-o", library,
                 os.path.join(SRC, "tests/e2e", name + ".c"), "-ldl")
    if made[0]:
        skip("no compiler for tests/e2e/%s.c: %s" % (name, made[2]))
    return {"LD_PRELOAD": library}


# Under ThreadSanitizer vfork() is fork().
TSAN = SANITIZED and "-fsanitize=thread" in read(os.path.join(BUILD, "Makefile"))


def skip_tsan_bus(err):
    """ThreadSanitizer ends where files may not grow: in its own start, or in a child's."""
    if TSAN and ("ThreadSanitizer: BUS" in err or "ended the process that reads it" in err):
        skip("ThreadSanitizer needs files that may grow")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def _outcome(f):
    """Runs one test: 0, 1, or 77 that it skipped itself. One that hangs fails, and says where, and
    one that does not close what it opened."""
    def too_long(*_):
        raise TimeoutError("no test takes %d s" % LONGEST)
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(LONGEST)
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", ResourceWarning)
            f()
            gc.collect()
        for w in said:
            print(warnings.formatwarning(w.message, w.category, w.filename, w.lineno), end="")
        return int(any(w.category is ResourceWarning for w in said))
    except SystemExit as e:
        return e.code or 0
    except BaseException:
        traceback.print_exc(file=sys.stdout)
        return 1
    finally:
        signal.alarm(0)


def _apart(f, log):
    """One test in a process of its own, with its own directory and its own things to stop."""
    global _tmp
    os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT, 0o600), 1)
    _cleanup.clear()
    _tmp = tempfile.mkdtemp(dir=_tmp)
    code = _outcome(f)
    _end()
    sys.stdout.flush()
    os._exit(code)


def _tap(number, name, code, said):
    """The lines of one test; true if it is no failure."""
    for line in said:
        print("# " + line)
    skip = next((" # SKIP " + line[6:] for line in said if line.startswith("SKIP: ")),
                " # SKIP") if code == 77 else ""
    print("%s %d - %s%s" % ("ok" if code in (0, 77) else "not ok", number, name, skip), flush=True)
    return code in (0, 77)


def _in_order(tests):
    good = True
    for number, (name, f) in enumerate(tests, 1):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            code = _outcome(f)
        good &= _tap(number, name, code, said.getvalue().splitlines())
    return good


def _side_by_side(tests, at_once):
    running, number, good = {}, 0, True
    while tests or running:
        while tests and len(running) < at_once:
            name, f = tests.pop(0)
            log = path(name + ".test")
            pid = os.fork()
            if pid == 0:
                _apart(f, log)
            running[pid] = name, log
        pid, status = os.wait()
        if pid in running:
            number += 1
            name, log = running.pop(pid)
            with open(log, errors="replace") as f:
                good &= _tap(number, name, os.waitstatus_to_exitcode(status), f.read().splitlines())
    return good


def main(module, at_once=4):
    """Run every test_* function of the module and print TAP. They wait most of their time: at_once
    of them run side by side, each in a process of its own; 0: in order, in this process.
    UNCORED_TEST_ONLY=TEXT: those with TEXT in their names."""
    only = os.environ.get("UNCORED_TEST_ONLY", "")
    tests = [(n, f) for n, f in vars(module).items()
             if n.startswith("test_") and callable(f) and only in n]
    print("1..%d" % len(tests), flush=True)
    sys.exit(0 if (_side_by_side(tests, at_once) if at_once else _in_order(tests)) else 1)
