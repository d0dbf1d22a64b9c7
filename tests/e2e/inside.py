# SPDX-License-Identifier: MIT
"""inside.py - system calls made by a process that runs, as whoever took it over would make them:
by ptrace, through its own filter, with its own descriptors and credentials.

x86-64 only, and only for who may trace the process (root).
"""
import contextlib
import ctypes
import os
import signal
import struct

import harness as h

SEIZE, INTERRUPT, STEP, DETACH, GETREGS, SETREGS = 0x4206, 0x4207, 9, 17, 12, 13
WALL = 0x40000000
FIELDS = ("r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss "
          "fs_base gs_base ds es fs gs").split()
BELOW = 1 << 16         # bytes below the stack that hold what calls point to


class Registers(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in FIELDS]


_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


def _ptrace(request, pid, data=None):
    if _libc.ptrace(request, pid, None, data) < 0:
        code = ctypes.get_errno()
        raise OSError(code, "ptrace %#x: %s" % (request, os.strerror(code)))


class Inside:
    """with Inside(pid) as child: child.call(number, ...) is the kernel's answer, below 0 an errno.
    Arguments are numbers, and bytes, which are put into its memory."""

    def __init__(self, pid):
        if os.uname().machine != "x86_64":
            h.skip("inside.py knows the registers of x86-64 only")
        self.pid, self.at = pid, []
        try:
            _ptrace(SEIZE, pid)
        except PermissionError:
            h.skip("only root may trace a process that has closed its memory")
        _ptrace(INTERRUPT, pid)
        os.waitpid(pid, WALL)
        self.mem = os.open("/proc/%d/mem" % pid, os.O_RDWR)
        self.saved = self._registers()
        self.instruction = self._find_instruction()
        self.alive = True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.alive:
            with contextlib.suppress(ProcessLookupError):
                _ptrace(SETREGS, self.pid, ctypes.byref(self.saved))
                _ptrace(DETACH, self.pid)
        os.close(self.mem)

    def _registers(self):
        r = Registers()
        _ptrace(GETREGS, self.pid, ctypes.byref(r))
        return r

    def _find_instruction(self):
        """It is stopped in a system call, behind the instruction; else one of its libraries has
        it."""
        if os.pread(self.mem, 2, self.saved.rip - 2) == b"\x0f\x05":
            return self.saved.rip - 2
        with open("/proc/%d/maps" % self.pid) as f:
            for line in f:
                if "r-xp" in line and "libc.so" in line:
                    begin, end = (int(n, 16) for n in line.split()[0].split("-"))
                    at = os.pread(self.mem, end - begin, begin).find(b"\x0f\x05")
                    if at >= 0:
                        return begin + at
        raise AssertionError("no system call instruction in %d" % self.pid)

    def memory(self, n, where):
        return os.pread(self.mem, n, where)

    def leave(self, number, *arguments):
        """Makes the call that ends the process, which we let go before."""
        _ptrace(SETREGS, self.pid, ctypes.byref(self._prepared(number, *arguments)))
        _ptrace(DETACH, self.pid)
        self.alive = False

    def _prepared(self, number, *arguments):
        at = (self.saved.rsp - BELOW) & ~63
        self.at = []
        values = []
        for a in arguments:
            if isinstance(a, (bytes, bytearray)):
                os.pwrite(self.mem, bytes(a), at)
                values.append(at)
                self.at.append(at)
                at += (len(a) + 63) & ~63
            else:
                values.append(a & (1 << 64) - 1)
        values += [0] * (6 - len(values))
        r = Registers()
        ctypes.memmove(ctypes.byref(r), ctypes.byref(self.saved), ctypes.sizeof(r))
        # which is none, so that the call that was interrupted is not begun again
        r.orig_rax = (1 << 64) - 1
        r.rax, r.rip = number, self.instruction
        r.rdi, r.rsi, r.rdx, r.r10, r.r8, r.r9 = values
        return r

    def call(self, number, *arguments):
        _ptrace(SETREGS, self.pid, ctypes.byref(self._prepared(number, *arguments)))
        _ptrace(STEP, self.pid)
        _, status = os.waitpid(self.pid, WALL)
        assert os.WIFSTOPPED(status) and os.WSTOPSIG(status) == signal.SIGTRAP, status
        return struct.unpack("q", struct.pack("Q", self._registers().rax))[0]

    def out(self, form, which=0):
        """What the last call has put into the memory of one of its arguments of bytes."""
        return struct.unpack(form, self.memory(struct.calcsize(form), self.at[which]))
