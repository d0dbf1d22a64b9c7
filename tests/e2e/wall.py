# SPDX-License-Identifier: MIT
"""wall.py - what an intruder in uncored-http, or in uncored, can do: system calls made inside the
real processes, started as the unit starts them, with one user for both.

Each test is of a line of SECURITY.md that names it.
"""
import contextlib
import ctypes
import errno
import fcntl
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

import harness as h
import inside
import service_sockets as sockets

MODEL = ["--engine", "model:nehalem-ex"]
USER = 64999            # nobody has it
# Of <fcntl.h>, <sys/socket.h>, <netinet/in.h>, <netinet/tcp.h>, <sys/mman.h> of Linux.
F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_SETOWN, F_SETSIG, F_SETOWN_EX = \
    0, 1, 2, 3, 4, 8, 10, 15
F_SETPIPE_SZ, F_ADD_SEALS, F_NOTIFY = 1031, 1033, 1026
O_ASYNC, O_NONBLOCK, O_DIRECT, O_CLOEXEC = 0o20000, 0o4000, 0o40000, 0o2000000
MSG_NOSIGNAL, MSG_DONTWAIT, MSG_FASTOPEN, MSG_OOB = 0x4000, 0x40, 0x20000000, 1
IP_MINTTL, IP_TTL, SO_PEERPIDFD, TCP_DEFER_ACCEPT = 21, 2, 77, 9
PROT_READ, PROT_WRITE, PROT_EXEC, MAP_SHARED, MAP_PRIVATE, MAP_ANONYMOUS = 1, 2, 4, 1, 2, 32


def table():
    """{list: {call: (number, whether some row has conditions)}}"""
    out = {}
    for line in subprocess.check_output(
            [os.path.join(h.BUILD, "tests/e2e/calls_table")], text=True).splitlines():
        name, call, number, conditions = line.split()
        rows = out.setdefault(name, {})
        rows[call] = (int(number), int(conditions) > 0 or rows.get(call, (0, False))[1])
    return out


TABLE = table() if os.path.exists(os.path.join(h.BUILD, "tests/e2e/calls_table")) else {}
NR = {name: number for rows in TABLE.values() for name, (number, _) in rows.items()}
# Of calls that no table names; x86-64's.
NR.update(dup=32, dup3=292, kill=62, socket=41, listen=50, bind=49, ioctl=16, openat=257,
          timerfd_create=283, pidfd_open=434, sendmsg=46, sendmmsg=307, connect=42, execve=59,
          setuid=105, prctl=157, read=0, readv=19, stat=4, newfstatat=262, exit_group=231)


@contextlib.contextmanager
def place():
    """A directory of that user."""
    with tempfile.TemporaryDirectory(prefix="uncored-wall-", dir="/tmp") as where:
        os.chown(where, USER, USER)
        yield where


def as_unit(*args, name="unit", fds=()):
    """Started with the user, the capabilities and the promise of systemd/uncored.service; standard
    input is a file that should not be read."""
    if h.SANITIZED:
        h.skip("sanitizers need calls that the filters refuse, so that none is loaded")
    if os.getuid() != 0:
        h.skip("only root starts a process as the unit does, and makes calls inside it")
    line = ["setpriv", "--reuid=%d" % USER, "--regid=%d" % USER, "--clear-groups",
            "--inh-caps=-all,+sys_rawio,+perfmon", "--ambient-caps=-all,+sys_rawio,+perfmon",
            "--bounding-set=-all,+sys_rawio,+perfmon", "--no-new-privs"]
    if fds:
        return sockets.activate(fds, *MODEL, *args, argv0=line)
    return h.Process([*line, h.public(), *MODEL, *args], name)


def ready(url):
    return h.answers(url + "/-/ready")


def child_of(p):
    return h.wait_for("an http process", lambda: h.child_of(p.pid))


def serves_again(p, url, before):
    h.wait_for("another one serves: " + p.text(),
               lambda: h.child_of(p.pid) not in (0, before) and ready(url))
    assert p.running(), p.text()


class Taken:
    """uncored as the unit starts it, and the calls that its http process makes for us."""

    def __init__(self, *args, name="taken", fds=()):
        listen = [] if fds else ["--listen", "127.0.0.1:0"]
        self.p = as_unit(*listen, *args, name=name, fds=fds)
        self.url = self.p.serving()
        h.wait_for("ready", lambda: ready(self.url))
        self.child = child_of(self.p)
        self.fds = {}
        for fd in os.listdir("/proc/%d/fd" % self.child):
            with contextlib.suppress(FileNotFoundError):        # a connection that has ended
                self.fds[int(fd)] = os.readlink("/proc/%d/fd/%s" % (self.child, fd))
        port = int(self.url.rsplit(":", 1)[1])
        self.port = port
        self.listeners = [fd for fd in self.fds if listens(self.child, fd)]
        assert self.listeners, self.fds

    def inside(self):
        return inside.Inside(self.child)

    def lives(self):
        assert self.p.running() and ready(self.url), self.p.text()

    def end(self):
        assert self.p.stop() == 0, self.p.text()


def listens(pid, fd):
    got = sockets.taken(pid, fd)
    if not got:
        return False
    with got:
        return got.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) == 1


def refused(inner, what, number, *arguments):
    r = inner.call(number, *arguments)
    assert r == -errno.EPERM, "%s: %s" % (
        what, "done: %d" % r if r >= 0 else "errno %s" % errno.errorcode.get(-r, -r))


def address(port):
    return struct.pack("!2s H 4s 8x", struct.pack("=H", socket.AF_INET), port, b"\x7f\0\0\1")


def test_every_other_call():
    """Whatever is not in the table, by number; and what the table allows in one way only."""
    t = Taken()
    allowed = {number for number, _ in TABLE["http"].values()}
    with t.inside() as child:
        for number in range(600):
            if number not in allowed and number not in (335, 336):      # no filter sees these two
                refused(child, "call %d" % number, number, -1, -1, -1, -1, -1, -1)
        parent, text = t.p.pid, b"/etc/passwd\0"
        refused(child, "open", NR["openat"], -100, text, 0)
        refused(child, "look at a path", NR["newfstatat"], -100, text, b"\0" * 256, 0)
        refused(child, "look at a path as at a descriptor", NR["newfstatat"], -100, text,
                b"\0" * 256, 0x1000)
        refused(child, "execute", NR["execve"], b"/bin/true\0", 0, 0)
        refused(child, "signal", NR["kill"], parent, 0)
        refused(child, "signal a thread", NR["tgkill"], parent, parent, 0)
        refused(child, "trace", NR["ptrace"], 0x4206, parent, 0, 0)
        refused(child, "a handle of it", NR["pidfd_open"], parent, 0)
        refused(child, "a handle of it by the socket pair", NR["getsockopt"], 3,
                socket.SOL_SOCKET, SO_PEERPIDFD, b"\0" * 4, struct.pack("I", 4))
        refused(child, "limit it", NR["prlimit64"], parent, 7, struct.pack("QQ", 0, 0), 0)
        refused(child, "limit itself", NR["prlimit64"], 0, 7, struct.pack("QQ", 8, 8), 0)
        refused(child, "a socket", NR["socket"], socket.AF_INET, socket.SOCK_STREAM, 0)
        refused(child, "make code", NR["mmap"], 0, 4096, PROT_READ | PROT_EXEC,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        refused(child, "make code of its stack", NR["mprotect"], child.saved.rsp & ~4095, 4096,
                PROT_READ | PROT_EXEC)
        refused(child, "be root", NR["setuid"], 0)
        refused(child, "priority inheritance, where kernels had flaws", NR["futex"], b"\0" * 64, 6)
    t.lives()
    t.end()


def test_signals_by_descriptors():
    """The kernel signals for whoever has set an owner; what is set on the listening socket would
    outlive the process."""
    t = Taken()
    with t.inside() as child:
        assert child.call(NR["pipe2"], b"\0" * 8, O_CLOEXEC) == 0
        reads, writes = child.out("ii")
        for fd in [reads, writes, 3, *t.listeners]:
            refused(child, "F_SETOWN", NR["fcntl"], fd, F_SETOWN, t.p.pid)
            refused(child, "F_SETOWN_EX", NR["fcntl"], fd, F_SETOWN_EX,
                    struct.pack("ii", 1, t.p.pid))
            for sig in (signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP, signal.SIGHUP):
                refused(child, "F_SETSIG", NR["fcntl"], fd, F_SETSIG, sig)
            refused(child, "O_ASYNC", NR["fcntl"], fd, F_SETFL, O_ASYNC | O_NONBLOCK)
            refused(child, "FIOASYNC", NR["ioctl"], fd, 0x5452, struct.pack("i", 1))
            refused(child, "SIOCSPGRP", NR["ioctl"], fd, 0x8902, struct.pack("i", t.p.pid))
        refused(child, "F_NOTIFY", NR["fcntl"], reads, F_NOTIFY, 1)
        refused(child, "a pipe of notifications", NR["pipe2"], b"\0" * 8, 0o200)
        assert child.call(NR["write"], writes, b"x", 1) == 1
    time.sleep(0.3)
    t.lives()
    t.end()


def test_connections_without_connect():
    t = Taken()
    with socket.create_server(("127.0.0.1", 0)) as target:
        to = address(target.getsockname()[1])
        target.settimeout(0.5)
        with t.inside() as child:
            for fd in (3, *t.listeners):
                refused(child, "shutdown", NR["shutdown"], fd, 2)
                refused(child, "FASTOPEN", NR["sendto"], fd, b"hello", 5, MSG_FASTOPEN, to, 16)
                refused(child, "FASTOPEN without an address", NR["sendto"], fd, b"hello", 5,
                        MSG_FASTOPEN, 0, 0)
                refused(child, "an address", NR["sendto"], fd, b"hello", 5, MSG_NOSIGNAL, to, 16)
                refused(child, "an address in the upper half", NR["sendto"], fd, b"hello", 5,
                        MSG_NOSIGNAL, 1 << 32, 16)
                refused(child, "out of band", NR["sendto"], fd, b"!", 1, MSG_OOB, 0, 0)
                refused(child, "sendmsg", NR["sendmsg"], fd, b"\0" * 56, MSG_NOSIGNAL)
                refused(child, "sendmmsg", NR["sendmmsg"], fd, b"\0" * 64, 1, 0)
                refused(child, "connect", NR["connect"], fd, to, 16)
                refused(child, "listen", NR["listen"], fd, 0)
                refused(child, "bind", NR["bind"], fd, to, 16)
        try:
            target.accept()[0].close()
            raise AssertionError("somebody connected")
        except socket.timeout:
            pass
    t.lives()
    t.end()


def test_nothing_is_set_on_what_is_shared():
    """Neither what serving sets on its connections, nor anything else; on its own it can."""
    t = Taken()
    with sockets.taken(t.p.pid, sockets.listener_of(t.p.pid, t.port)) as mine, \
            socket.create_connection(("127.0.0.1", t.port)) as client:
        client.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert client.recv(4096).startswith(b"HTTP/1.1 200")

        def everything():
            return {(level, name): mine.getsockopt(level, name, 64)
                    for level, name in ((1, 13), (1, 7), (6, 1), (6, 3), (0, IP_MINTTL), (6, 9))}
        before = everything()
        own = [int(fd) for fd in os.listdir("/proc/%d/fd" % t.child) if int(fd) not in t.fds]
        assert own, "its connection has a descriptor"
        word, linger = struct.pack("i", 4096), struct.pack("ii", 1, 0)
        with t.inside() as child:
            for fd in (1, 2, 3, *t.listeners):
                for level, name, value in ((6, 1, word), (6, 3, word), (1, 7, word),
                                           (1, 13, linger), (0, IP_MINTTL, word),
                                           (0, IP_TTL, word), (6, TCP_DEFER_ACCEPT, word)):
                    refused(child, "option %d %d" % (level, name), NR["setsockopt"], fd, level,
                            name, value, len(value))
                refused(child, "O_NONBLOCK off", NR["fcntl"], fd, F_SETFL, 0)
                refused(child, "F_SETPIPE_SZ", NR["fcntl"], fd, F_SETPIPE_SZ, 1 << 20)
                refused(child, "close", NR["close"], fd)
            for level, name in ((0, IP_MINTTL), (1, 6), (1, 1), (6, 13), (0, 1), (1, 13 + 65536),
                                (6, 7), (17, 1)):       # the names of others' levels, too
                refused(child, "option %d %d of a connection" % (level, name), NR["setsockopt"],
                        own[0], level, name, word, 4)
            assert child.call(NR["setsockopt"], own[0], 6, 1, struct.pack("i", 1), 4) == 0
            assert child.call(NR["setsockopt"], own[0], 1, 13, linger, 8) == 0
            assert child.call(NR["fcntl"], own[0], F_SETFL, O_NONBLOCK) == 0
        assert everything() == before
    t.lives()
    t.end()


def test_no_descriptor_leaves():
    """A client of a socket file would get the listening socket, and no filter is around it."""
    with place() as where:
        t = Taken("--listen", "unix:%s/s" % where)
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(where + "/s")
            client.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert client.recv(4096).startswith(b"HTTP/1.1 200")
            # by what it is: its number may be one that was in use when the others were listed
            fds = "/proc/%d/fd/" % t.child
            own = [int(fd) for fd in os.listdir(fds) if os.readlink(fds + fd) not in
                   t.fds.values()]
            assert len(own) == 1, (own, t.fds)
            with t.inside() as child:
                shared = t.listeners[0]
                for call, *arguments in (("dup",), ("dup3", 100, 0), ("fcntl", F_DUPFD, 100),
                                         ("fcntl", 1030, 100)):
                    refused(child, call, NR[call], shared, *arguments)
                refused(child, "sendmsg", NR["sendmsg"], own[0], b"\0" * 56, MSG_NOSIGNAL)
                refused(child, "its descriptors", NR["recvmsg"], own[0], b"\0" * 56, MSG_DONTWAIT)
                for fd in (3, shared):
                    refused(child, "another one in its place", NR["close"], fd)
            client.settimeout(0.3)
            try:
                got = socket.recv_fds(client, 1, 4)
                raise AssertionError("it passed something on: %s" % (got,))
            except socket.timeout:
                pass
        t.lives()
        t.end()


def test_what_others_read():
    """The shared memory is read-only, whoever asks; and no descriptor is of a device."""
    t = Taken()
    memory = [fd for fd, name in t.fds.items() if "memfd:" in name]
    assert len(memory) == 2, t.fds
    with t.inside() as child:
        for fd in memory:
            r = child.call(NR["mmap"], 0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
            assert r in (-errno.EPERM, -errno.EACCES), r
            r = child.call(NR["write"], fd, b"x", 1)
            assert r == -errno.EPERM, r
            refused(child, "more seals", NR["fcntl"], fd, F_ADD_SEALS, 1)
        maps = h.read("/proc/%d/maps" % t.child)
        shared = [line for line in maps.splitlines() if "memfd:" in line]
        assert shared and all(line.split()[1] == "r--s" for line in shared), shared
        at = int(shared[0].split("-")[0], 16)
        r = child.call(NR["mprotect"], at, 4096, PROT_READ | PROT_WRITE)
        assert r == -errno.EACCES, r
        refused(child, "MADV_REMOVE", NR["madvise"], at, 4096, 9)
        refused(child, "MADV_PAGEOUT", NR["madvise"], at, 4096, 21)
    for fd, name in t.fds.items():
        assert name.startswith(("socket:", "pipe:", "anon_inode:", "/memfd:")), (fd, name)
    status = h.read("/proc/%d/status" % t.child)
    for field in ("CapPrm", "CapEff", "CapAmb"):        # it executes nothing that inherits more
        assert re.search(r"%s:\s+0+\n" % field, status), (field, status)
    assert re.search(r"NoNewPrivs:\s+1", status) and re.search(r"Seccomp:\s+2", status)
    t.lives()
    t.end()


def test_exit_codes():
    """Of the first one, and whatever it says: uncored would end with it, and the unit does not
    start again what ends with these."""
    for code in (1, 69, 77, 78, 127):
        t = Taken(name="code-%d" % code)
        with t.inside() as child:
            child.leave(NR["exit_group"], code)
        serves_again(t.p, t.url, t.child)
        assert "ended (exit code %d)" % code in t.p.text(), t.p.text()
        t.end()


def test_its_log_is_its_own():
    """Marked, printable, limited; and nothing of the terminal or the file that uncored has as
    standard input and output is left to it."""
    t = Taken(name="log")
    log = "/proc/%d/fd/2" % t.p.pid
    assert os.readlink("/proc/%d/fd/2" % t.child) != os.readlink(log)
    with t.inside() as child:
        assert child.call(NR["read"], 0, b"\0" * 16, 16) == -errno.EBADF
        for fd in (1, 2):
            forged = b"uncored: configuration read again\n\x1b[2J<0>emergency\r\x00\n\xc2\x9b1m\n"
            assert child.call(NR["write"], fd, forged, len(forged)) == len(forged)
    h.wait_for("it is logged", lambda: t.p.text().count("emergency") == 2)
    for line in h.read_bytes(t.p.log).splitlines():
        assert all(32 <= byte < 127 for byte in line), line
        if b"emergency" in line or b"read again" in line:
            assert line.startswith(b"uncored: uncored-http: "), line
    before = len(t.p.text().splitlines())
    with t.inside() as child:
        for _ in range(6):
            # as many as the pipe takes: it would wait
            junk = b"junk\n" * 1600
            assert child.call(NR["write"], 2, junk, len(junk)) == len(junk)
    began = time.monotonic()
    h.wait_for("its lines", lambda: len(t.p.text().splitlines()) - before > 50)
    time.sleep(2)
    said = len(t.p.text().splitlines()) - before
    assert said <= 100 + 2 * (time.monotonic() - began) + 2, said
    t.lives()
    os.kill(t.child, signal.SIGKILL)
    serves_again(t.p, t.url, t.child)
    assert "more was left out" in t.p.text(), t.p.text()
    t.end()


# ---- what the filter keeps from it, if it did it all the same: done from outside

def connects_by_itself(s):
    """What shutdown() and MSG_FASTOPEN make of a listener: a connection."""
    with socket.create_server(("127.0.0.1", 0)) as target:
        s.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(BlockingIOError):
            s.sendto(b"hello", MSG_FASTOPEN, target.getsockname())
        target.settimeout(5)
        target.accept()[0].close()


DROP_ALL = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0))
SPOILS = {
    "shut down": lambda s: s.shutdown(socket.SHUT_RDWR),
    "connected": connects_by_itself,
    "ttl": lambda s: s.setsockopt(0, IP_MINTTL, 255),
    "linger": lambda s: s.setsockopt(1, 13, struct.pack("ii", 1, 0)),
    "buffer": lambda s: s.setsockopt(1, 7, 4608),
    "cork": lambda s: s.setsockopt(6, 3, 1),
    "nodelay": lambda s: s.setsockopt(6, 1, 1),
    "defer": lambda s: s.setsockopt(6, TCP_DEFER_ACCEPT, 30),
    "bound to a device": lambda s: s.setsockopt(1, 25, b"lo\0"),
    "filter": lambda s: s.setsockopt(1, 26, struct.pack("HxxxxxxP", 1, ctypes.addressof(DROP_ALL))),
    "owner": lambda s: fcntl.fcntl(s, F_SETOWN, os.getpid()),
    "async": lambda s: fcntl.fcntl(s, F_SETFL, O_ASYNC | O_NONBLOCK),
}


def inode(pid, fd):
    return os.readlink("/proc/%d/fd/%d" % (pid, fd))


def test_a_spoiled_listener_is_made_anew():
    """A fresh socket at the same port, by an uncored behind its own filter."""
    for name, how in SPOILS.items():
        p = as_unit("--listen", "127.0.0.1:0", name="spoiled-" + name.replace(" ", "-"))
        url = p.serving()
        h.wait_for("ready", lambda url=url: ready(url))
        port, child = int(url.rsplit(":", 1)[1]), child_of(p)
        fd = sockets.listener_of(p.pid, port)
        before = inode(p.pid, fd)
        with sockets.taken(p.pid, fd) as s:
            how(s)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        serves_again(p, url, child)
        fd = sockets.listener_of(p.pid, port)
        assert inode(p.pid, fd) != before, "%s: the old socket serves again" % name
        with sockets.taken(p.pid, fd) as s:
            assert s.getsockopt(0, IP_MINTTL) == 0 and s.getsockopt(1, 13, 8) == b"\0" * 8, name
            assert s.getsockopt(6, 3) == 0 and s.getsockopt(6, 1) == 0, name
        assert "closed or changed its listening sockets; reopening them" in p.text(), p.text()
        assert p.stop() == 0


def test_a_good_listener_stays():
    """With what waits on it: an honest end loses no connection."""
    p = as_unit("--listen", "127.0.0.1:0", name="good")
    url = p.serving()
    h.wait_for("ready", lambda: ready(url))
    port, child = int(url.rsplit(":", 1)[1]), child_of(p)
    before = inode(p.pid, sockets.listener_of(p.pid, port))
    os.kill(child, signal.SIGSTOP)
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n")
        os.kill(child, signal.SIGKILL)
        client.settimeout(h.PATIENCE)
        assert client.recv(4096).startswith(b"HTTP/1.1 200")
    assert inode(p.pid, sockets.listener_of(p.pid, port)) == before
    assert "reopening" not in p.text(), p.text()
    assert p.stop() == 0


def test_a_spoiled_socket_file():
    with place() as where:
        p = as_unit("--listen", "127.0.0.1:0", "--listen", "unix:%s/s" % where, name="file")
        url = p.serving()
        h.wait_for("ready", lambda: ready(url))

        def answers():
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as c:
                c.settimeout(5)
                c.connect(where + "/s")
                c.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return c.recv(4096).startswith(b"HTTP/1.1 200")
        for how in (lambda s: s.shutdown(socket.SHUT_RDWR),
                    lambda s: s.setsockopt(1, 7, 4608)):
            child, fd = child_of(p), sockets.listener_of(p.pid, where + "/s")
            before = inode(p.pid, fd)
            with sockets.taken(p.pid, fd) as s:
                how(s)
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            serves_again(p, url, child)
            assert answers(), p.text()
            assert inode(p.pid, sockets.listener_of(p.pid, where + "/s")) != before
        assert p.stop() == 0


def test_a_spoiled_socket_of_systemd():
    """It listens again; what stays set is said, once."""
    with socket.create_server(("127.0.0.1", 0)) as s:
        port = s.getsockname()[1]
        p = as_unit(name="passed", fds=[s])
        url = "http://127.0.0.1:%d" % port
        h.wait_for("ready", lambda: ready(url) or not p.running())
        word = "the http process changed options of %s/, which systemd passed; uncored cannot " \
            "set them back: systemctl restart uncored.socket" % url
        child = child_of(p)
        s.setsockopt(1, 7, 4608)
        os.kill(child, signal.SIGKILL)
        serves_again(p, url, child)
        assert p.text().count(word) == 1, p.text()
        child = child_of(p)
        os.kill(child, signal.SIGKILL)
        serves_again(p, url, child)
        assert p.text().count(word) == 1, p.text()
        assert p.stop() == 0


# ---- uncored itself

def test_uncored():
    """What its tables refuse, made by its own main thread; as the unit starts it, some of it is
    refused for want of a capability, too: unit/test_confine tries it with all of them."""
    t = Taken(name="parent")
    with inside.Inside(t.p.pid) as parent:
        for name in ("refused", "spawner"):
            for call, (number, _) in TABLE[name].items():
                refused(parent, call, number, -1, -1, -1, -1, -1, -1)
        for number, *arguments in (
                (NR["socket"], socket.AF_INET, socket.SOCK_DGRAM, 0),
                (NR["socket"], socket.AF_INET, socket.SOCK_RAW, 1),
                (NR["socket"], socket.AF_NETLINK, socket.SOCK_RAW, 0),
                (NR["socket"], socket.AF_INET, socket.SOCK_STREAM, 132),
                (NR["sendto"], 3, b"x", 1, MSG_FASTOPEN, address(9), 16),
                (NR["sendmsg"], 3, b"\0" * 56, MSG_FASTOPEN),
                (NR["clone"], 0x10000000 | signal.SIGCHLD),
                (NR["prlimit64"], 1, 7, 0, 0)):
            refused(parent, "call %d %s" % (number, arguments), number, *arguments)
        fd = parent.call(NR["socket"], socket.AF_INET, socket.SOCK_STREAM | O_CLOEXEC, 0)
        assert fd >= 0, fd
        refused(parent, "connect", NR["connect"], fd, address(9), 16)
        assert parent.call(NR["close"], fd) == 0
    t.lives()
    # nor through the memory of its spawner, which has not given up executing
    pid = h.wait_for("a spawner", lambda: h.child_of(t.p.pid, "uncored-spawner"))
    assert os.stat("/proc/%d/mem" % pid).st_uid == 0, "its memory can be written by its user"
    t.end()


# ---- the document

def test_security_md_names_every_call():
    """Each list of calls is in SECURITY.md, no call more and none less: one that leaves a table
    is missed here."""
    if not TABLE:
        h.skip("tests/e2e/calls_table was not built")
    text = h.read(os.path.join(h.SRC, "SECURITY.md"))
    lists = {"http": "uncored-http may make", "refused": "uncored may not make",
             "limited": "uncored may make in one way only",
             "spawner": "Nor, once it has its spawner,"}
    for name, begin in lists.items():
        paragraph = re.search(r"^%s.*?(?=\n\n)" % re.escape(begin), text, re.M | re.S)
        assert paragraph, "no paragraph begins with %r" % begin
        said = set(re.findall(r"`(\w+)`", paragraph[0]))
        if os.uname().machine != "x86_64":
            said -= {"epoll_wait", "poll", "time", "iopl", "ioperm", "modify_ldt"}
        assert said == set(TABLE[name]), (name, said ^ set(TABLE[name]))


h.main(sys.modules[__name__])
