# SPDX-License-Identifier: MIT
"""walks.py - the two walks of HACKING.md are what a debugger shows: each function that they name
stands in the file that they name, and is reached in that order, on the register model."""
import contextlib
import os
import re
import shutil
import subprocess
import sys
import threading
import urllib.request

import harness as h

SCRAPE, REGISTER = "One value, from the register to the scrape", \
    "One line of configuration, from the file to the register"
CONFIGURATION = """
interval = "200ms";
listen = [ "127.0.0.1:0" ];
groups = ( { name = "links"; events = [ "rbox/FLITS_SENT,port=0", "rbox/NULL_IDLE,port=0",
                                        "wbox/CLOCKTICKS" ]; } );
"""
# For gdb's own Python: stay with both programs, and print each step that a thread reaches.
GDB = """
import gdb
for setting in ("pagination off", "confirm off", "breakpoint pending on", "detach-on-fork off",
                "schedule-multiple on", "print thread-events off", "print inferior-events off",
                "debuginfod enabled off"):
    try:
        gdb.execute("set " + setting)
    except gdb.error:           # an older gdb does not have it, nor needs it
        pass
gdb.execute("handle SIGTERM nostop noprint pass", to_string=True)
class Step(gdb.Breakpoint):
    def stop(self):
        thread = gdb.selected_thread()
        print("\\nSTEP", thread.ptid[0], thread.ptid[1], self.location, flush=True)
        return False
for place in %r:
    Step(place)
gdb.execute("run")
while True:                     # the process that reads the file ends, the others go on
    left = [i for i in gdb.inferiors() if i.pid]
    if not left:
        break
    left[0].threads()[0].switch()
    gdb.execute("continue")
"""


def walk(title):
    """[(file, function), ...] in the order in which the section names `room/file.c: name()`."""
    text = h.read(os.path.join(h.SRC, "HACKING.md"))
    section = re.search(r"^## %s\n(.*?)^## " % title, text, re.M | re.S)[1]
    return re.findall(r"`([a-z_]+/[a-z_]+\.c): ([a-z_]+)\(\)`", section)


def test_functions_stand_where_they_are_said_to():
    steps = walk(SCRAPE) + walk(REGISTER)
    assert len(walk(SCRAPE)) >= 8 and len(walk(REGISTER)) >= 10, steps
    for file, name in steps:
        source = h.read(os.path.join(h.SRC, "src", file))
        assert re.search(r"^\w[^;{}()]*\b%s\([^;]*?\)\n\{" % name, source, re.M), (file, name)


class Debugged:
    """uncored in gdb, and what gdb says: [(process, thread, "file.c:function"), ...]"""

    def __init__(self, title, *options):
        gdb = shutil.which("gdb")
        if not gdb or subprocess.run([gdb, "-nx", "-batch", "-ex", "python print(1)"],
                                     capture_output=True).stdout != b"1\n":
            h.skip("gdb with Python is not installed")
        if h.SANITIZED:
            h.skip("gdb and the sanitizers' runtime are in each other's way")
        with open(h.UNCORED, "rb") as f:
            if b".debug_info" not in f.read():
                h.skip("uncored was built without -g")
        self.expected = ["%s:%s" % (os.path.basename(file), name) for file, name in walk(title)]
        self.p = subprocess.Popen(
            [gdb, "-nx", "-batch", "-x", h.write("steps.py", GDB % self.expected), "--args",
             h.UNCORED, "--engine", "model:nehalem-ex", "-c", h.write("walk.conf", CONFIGURATION),
             *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.steps, self.said, self.url = [], [], None
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        with self.p.stdout:
            for line in self.p.stdout:
                if line.startswith("STEP "):
                    process, thread, place = line.split()[1:]
                    self.steps.append((int(process), int(thread), place))
                else:
                    self.said.append(line)
                    serving = re.search(r"serving (http://\S+)", line)
                    self.url = serving[1] if serving else self.url

    def wait(self, what, check):
        """Until check() is true."""
        def done():
            if not check() and not self.reader.is_alive():
                said = "".join(self.said)
                if re.search("ptrace|[Cc]ouldn't (get|create)|not permitted", said):
                    h.skip("no process may be debugged here")
                raise AssertionError("%s: %s %s" % (what, self.steps[-20:], said))
            return check()
        return h.wait_for(what, done, 60)

    def end(self):
        """gdb ends when the daemon has ended, and takes the http process along."""
        if self.steps and self.p.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.steps[0][0], h.signal.SIGTERM)
        try:
            self.p.wait(h.PATIENCE)
        except subprocess.TimeoutExpired:
            self.p.kill()       # the kernel ends what it debugs
            self.p.wait()


def first(places):
    return list(dict.fromkeys(places))


def in_order(title, steps, reached):
    """Are these the steps that were reached? A compiler that optimises may have put a function into
    another one of its file that calls it: then no breakpoint shows it."""
    inlined = set()
    for file, name in walk(title):
        source = h.read(os.path.join(h.SRC, "src", file))
        if len(re.findall(r"\b%s\(" % name, source)) > 1:
            inlined.add("%s:%s" % (os.path.basename(file), name))
    with open(os.path.join(h.BUILD, "Makefile"), encoding="utf-8") as f:
        if re.search(r"^CFLAGS = .*-O0", f.read(), re.M):
            inlined = set()
    return len(reached) > len(steps) / 2 and \
        reached == [s for s in steps if s in reached or s not in inlined]


def test_line_to_register():
    d = Debugged(REGISTER, "--once")
    try:
        d.wait("the program has run", lambda: not d.reader.is_alive())
        main = [place for process, thread, place in d.steps if process == thread]
        assert in_order(REGISTER, d.expected, first(main)), (first(main), d.expected)
    finally:
        d.end()


def ticks(d, begin):
    """The steps of each tick that a sampler thread has ended, each step once."""
    found = []
    for at in sorted({thread for process, thread, _ in d.steps if process != thread}):
        mine = [place for _, thread, place in d.steps if thread == at]
        starts = [i for i, place in enumerate(mine) if place == begin]
        found += [first(mine[i:j]) for i, j in zip(starts, starts[1:])]
    return found


def test_register_to_scrape():
    d = Debugged(SCRAPE)
    try:
        sampled = [place for place in d.expected if place.split(":")[0] not in serving()]
        answered = d.expected[len(sampled):]
        d.wait("it serves", lambda: d.url)
        d.wait("two ticks of each socket", lambda: len(ticks(d, sampled[0])) >= 4)
        assert any(in_order(SCRAPE, sampled, t) for t in ticks(d, sampled[0])), \
            (ticks(d, sampled[0]), sampled)
        with urllib.request.urlopen(d.url + "metrics", timeout=h.PATIENCE) as reply:
            reply.read()
        d.end()
        d.reader.join(h.PATIENCE)       # what gdb has said is read
        parent = d.steps[0][0]
        child = [place for process, _, place in d.steps if process != parent]
        assert in_order(SCRAPE, answered, first(child)), (first(child), answered)
    finally:
        d.end()


def serving():
    """The files whose functions run in the http process."""
    return {f for room in ("serve", "expo") for f in os.listdir(os.path.join(h.SRC, "src", room))}


h.main(sys.modules[__name__])
