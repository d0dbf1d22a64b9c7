# SPDX-License-Identifier: MIT
"""service_sockets.py - the listening sockets of a running uncored, as systemd passes them and as
whoever took a process over has them."""
import ctypes
import os
import socket
import sys
import time

import harness as h


def activate(fds, *args, said=None, argv0=()):
    """Start uncored as systemd does, with sockets from fd 3 on."""
    code = ("import os,sys\n"
            "os.environ['LISTEN_PID']=str(os.getpid())\n"
            "os.execvp(sys.argv[1], sys.argv[1:])")
    for s in fds:
        os.set_inheritable(s.fileno(), True)
        assert s.fileno() >= 0
    dup = ("import os\n"
           "fds=%r\n"
           "[os.dup2(f, 100 + i) for i, f in enumerate(fds)]\n"
           "[os.dup2(100 + i, 3 + i) for i in range(len(fds))]\n"
           "os.closerange(3 + len(fds), 200)\n") % (
        [s.fileno() for s in fds])
    return h.Process([sys.executable, "-c", dup + code, *argv0,
                      h.public() if argv0 else h.UNCORED, *args],
                     "activated-%d" % time.monotonic_ns(),
                     env={"LISTEN_FDS": said or str(len(fds))}, close_fds=False)


def taken(pid, fd):
    """That socket; None: it is no socket, it is closed by now, or this user may not."""
    getfd, pidfd = ctypes.CDLL(None, use_errno=True).syscall, os.pidfd_open(pid)
    try:
        if not os.readlink("/proc/%d/fd/%d" % (pid, fd)).startswith("socket:"):
            return None
        got = getfd(438, pidfd, int(fd), 0)
        return socket.socket(fileno=got) if got >= 0 else None
    except FileNotFoundError:
        return None
    finally:
        os.close(pidfd)


def listener_of(pid, where):
    """The descriptor with which the process listens at this port of IPv4, or socket file; None:
    there is none, or this user may not."""
    for fd in map(int, os.listdir("/proc/%d/fd" % pid)):
        s = taken(pid, fd)
        if not s:
            continue
        with s:
            name = s.getsockname()
            if s.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) and \
                    (name == where or (s.family == socket.AF_INET and name[1] == where)):
                return fd
    return None
