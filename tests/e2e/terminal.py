# SPDX-License-Identifier: MIT
"""terminal.py - uncorectl top in a terminal of its own (pty), beside an uncored on the register
model.
"""
import codecs
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios

import harness as h

CONF = 'interval = "1s"; groups = [ "memory", "llc", "links" ];'
ENTER, LEAVE = "\033[?1049h\033[?25l", "\033[?25h\033[?1049l"


def daemon(conf=CONF):
    return h.Uncored("-c", h.write("top.conf", conf), "--engine", "model:nehalem-ex:stream",
                     "--path-run", h.path("run"))


class Terminal:
    """uncorectl top, and what it has written."""

    def __init__(self, url, columns=100, rows=40, **env):
        self.main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.before = termios.tcgetattr(side)
        self.side, self.text = side, ""
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.p = subprocess.Popen([h.CTL, "top", "--url", url], stdin=side, stdout=side,
                                  stderr=subprocess.PIPE, start_new_session=True,
                                  env={**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", **env},
                                  preexec_fn=lambda: fcntl.ioctl(side, termios.TIOCSCTTY, 0))
        h._cleanup.append(self.p.stderr.close)
        h._cleanup.append(lambda: self.p.poll() is None and self.p.kill())

    def read(self):
        while select.select([self.main], [], [], 0.05)[0]:
            self.text += self.decoder.decode(os.read(self.main, 65536))
        return self.text

    def screen(self):
        """The last whole one, as plain lines."""
        screens = [s for s in self.read().split("\033[H")[1:] if "\033[J" in s]
        return re.sub(r"\033\[[0-9;?]*[A-Za-z]", "", screens[-1]).split("\r\n") if screens else []

    def shows(self, what):
        h.wait_for("the screen shows " + what, lambda: what in "\n".join(self.screen()))

    def both_sockets_show(self, what):
        """In the line of what memory reads: one socket has its first window before the other."""
        h.wait_for("both sockets show " + what, lambda: sum(
            line.startswith("  Memory read ") and what in line for line in self.screen()) == 2)

    def is_back(self):
        """The terminal is as it was found."""
        h.wait_for("the other screen is left", lambda: self.read().rstrip().endswith(LEAVE))
        return termios.tcgetattr(self.side) == self.before and self.text.count(ENTER) == \
            self.text.count(LEAVE)


def press(t, key, what, shown):
    os.write(t.main, key.encode())
    h.wait_for(what, shown)
