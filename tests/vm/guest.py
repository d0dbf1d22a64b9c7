# SPDX-License-Identifier: MIT
"""guest.py - a virtual machine that runs commands: qemu without KVM, without network, killed by pid
at the end.

Console (kernel messages) to a file, commands and answers over the second serial port (see
answer.sh).
"""
import base64
import json
import os
import re
import select
import subprocess
import time

import image
from image import h

# Seconds to boot in; 5 are usual. One guest in 14 hung before its first byte with qemu's default
# machine, none in 20 with q35; one that hangs is tried again, and then a slow machine has its time.
BOOT = (60.0, 300.0)
PATIENCE = 60.0         # for what happens in the guest within a second or two
LIMIT = 1200.0          # of a guest's whole life: a hang must end


class Guest:
    p = None

    def __init__(self, cpu, cores=2, append="", systemd=False, extra=None, more=(),
                 installed=True):
        """extra: more files of the image, {name: file of this machine, or text}; more: of qemu;
        installed: whether uncored is there."""
        name = re.sub(r"\W+", "-", cpu)
        self.console = h.path("console-%s" % name)
        self.boot(cpu, self.command(cpu, name, cores, append, systemd, extra, more, installed))

    def command(self, cpu, name, cores, append, systemd, extra, more, installed):
        """qemu's, for an x86-64 machine like this one."""
        image.check_host()
        return [image.need("qemu-system-x86_64", "qemu-system-x86"), "-machine", "q35", "-accel",
                "tcg,thread=multi",
                "-cpu", cpu, "-smp", "%d,sockets=2,cores=%d,threads=1" % (2 * cores, cores), "-m",
                "512", "-nodefaults", "-no-user-config",
                "-display", "none", "-nic", "none", "-no-reboot",
                "-kernel", os.path.join(image.kernel(), "vmlinuz"),
                "-initrd", image.initramfs(h.path("initramfs-" + name), systemd, extra, installed),
                "-serial", "file:" + self.console, "-serial", "stdio",
                # a timer that a busy machine emulates late is no broken one
                "-append", "console=ttyS0 panic=-1 quiet no_timer_check " + append, *more]

    def boot(self, cpu, argv):
        h._cleanup.append(self.kill)
        for patience in BOOT:
            began = time.monotonic()
            self.end = began + LIMIT
            self.buffer = b""
            self.p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, bufsize=0)
            try:
                self._until(b"ready\n", patience)
                break
            except AssertionError as e:
                self.kill()
                if patience == BOOT[-1]:
                    raise
                print("# %s did not boot, and is tried again: %s" % (cpu, " ".join(str(e).split())),
                      flush=True)
        print("# %s, Linux %s, booted in %.1f s"
              % (cpu, self.sh("uname -r").strip(), time.monotonic() - began), flush=True)

    def kill(self):
        if self.p:
            with self.p:                        # waits, and closes its pipes
                self.p.kill()

    def log(self):
        """The console without the firmware's escape sequences and carriage returns."""
        if not os.path.exists(self.console):    # qemu ended at once
            return ""
        with open(self.console, errors="replace") as f:
            return re.sub(r"\x1b(\[[0-9;?=]*[A-Za-z]|c)|\r", "", f.read())

    def _more(self, end):
        """More bytes of the guest."""
        wait = min(end, self.end) - time.monotonic()
        ready = wait > 0 and select.select([self.p.stdout], [], [], wait)[0]
        data = os.read(self.p.stdout.fileno(), 65536) if ready else None
        if not data:
            what = "the guest ended" if ready else "the guest does not answer"
            raise AssertionError("%s:\n%s\n%s"
                                 % (what, self.buffer.decode(errors="replace"), self.log()[-3000:]))
        self.buffer += data

    def _until(self, word, patience):
        end = time.monotonic() + patience
        while word not in self.buffer:
            self._more(end)
        before, self.buffer = self.buffer.split(word, 1)
        return before

    def run(self, script, patience=180.0):
        """(exit code, stdout, stderr) of a shell script in the guest."""
        self.p.stdin.write(base64.b64encode(script.encode()) + b"\n")
        code, n_out, n_err = map(int, self._until(b"\n", patience).split())
        end = time.monotonic() + patience
        while len(self.buffer) < n_out + n_err:
            self._more(end)
        out, err, self.buffer = self.buffer[:n_out], self.buffer[n_out:n_out + n_err], \
            self.buffer[n_out + n_err:]
        return code, out.decode(), err.decode()

    def sh(self, script, patience=180.0):
        """stdout of a script that must succeed."""
        code, out, err = self.run(script, patience)
        assert code == 0, (script, code, out, err)
        return out

    def json(self, script):
        return json.loads(self.sh(script))

    def write(self, path, text):
        self.sh("cat >%s <<'END-OF-FILE'\n%s\nEND-OF-FILE\n" % (path, text))
        return path

    def tsc_hertz(self):
        """Measured against the guest's clock, in a second."""
        return float(self.sh("tsc_rate"))


class Daemon:
    """uncored in the guest; groups: {name: events}, {}: the defaults. A second one at the same time
    wants another port. answers: what it serves when it has begun."""
    URL = "http://127.0.0.1:10062"

    def __init__(self, g, groups, *args, settings='interval = "100ms";', port=10062,
                 answers="/-/ready"):
        self.g, self.at, self.url = g, "/tmp/u%d" % port, "http://127.0.0.1:%d" % port
        g.write(self.at + ".conf", settings + configuration(groups))
        # one that a failed check left, first
        g.sh("cd /tmp; p=$(cat {0}.pid) && [ ! -s {0}.exit ] && kill -KILL $p && sleep 1; "
             "rm -f {0}.exit".format(self.at))
        g.sh("(sh -c 'echo $$ >{0}.pid; exec uncored --listen 127.0.0.1:{1} -c {0}.conf {2}' "
             ">{0}.log 2>&1;"
             " echo $? >{0}.exit) &".format(self.at, port, " ".join(args)))
        g.sh("for i in $(seq 200); do wget -q -O /dev/null {1}{2} 2>/dev/null && exit 0; "
             "[ -e {0}.exit ] && break;"
             " usleep 100000; done; cat {0}.log; exit 1".format(self.at, self.url, answers))

    def metrics(self):
        return h.samples(self.g.sh("wget -q -O - %s/metrics" % self.url))

    def until(self, what, check):
        """What it shows once that is so: check(samples)."""
        return h.wait_for(what, lambda: next(filter(check, [self.metrics()]), None), PATIENCE)

    def settle(self):
        """What it shows once each socket has two more samples: the second one began after now."""
        def ticks(m):
            return [int(v) for k, v in m.items() if k.startswith("uncored_samples_total{")]
        now = ticks(self.metrics())
        return self.until("two more samples", lambda m: all(
            after >= before + 2 for before, after in zip(now, ticks(m))))

    def until_said(self, what):
        h.wait_for(what, lambda: what in self.log(), PATIENCE)

    def pid(self):
        return int(self.g.sh("cat %s.pid" % self.at))

    def log(self):
        return self.g.sh("cat %s.log" % self.at)

    def stop(self, signal="TERM"):
        """The exit code."""
        return int(self.g.sh("kill -{1} $(cat {0}.pid); for i in $(seq 200); do [ -s {0}.exit ] "
                             "&& break;"
                             " usleep 50000; done; cat {0}.exit".format(self.at, signal)))


def socket_info(socket, cpu):
    """The series of a socket of qemu's processor Nehalem, whatever model number it was given."""
    return ('uncored_socket_info{socket="%d",processor="nehalem-ex",'
            'model="Intel Core i7 9xx (Nehalem Class Core i7)",engine="registers",cpu="%d"}'
            % (socket, cpu))


def configuration(groups):
    blocks = ", ".join('{ name = "%s"; events = [ %s ]; }' % (
        name, ", ".join('"%s"' % e for e in events)) for name, events in groups.items())
    return "groups = ( %s );" % blocks if blocks else ""


def active(metrics, socket, group):
    return float(metrics['uncored_group_active_seconds_total{socket="%d",group="%s"}'
                         % (socket, group)])


def seconds_of(metrics, socket, box, event):
    """The time that the total of a slot stands for: its own where it ever paused, else its
    socket's."""
    own = [v for k, v in metrics.items() if k.startswith(
        'uncored_slot_active_seconds_total{socket="%d",box="%s",' % (socket, box)) and
        'event="%s"' % event in k]
    assert len(own) < 2, own
    return float(own[0] if own else metrics['uncored_active_seconds_total{socket="%d"}' % socket])


def slots(metrics, value, **labels):
    """The slots whose validity is `value` and that have these labels."""
    return [k for k, v in metrics.items()
            if k.startswith("uncored_slot_valid{") and v == str(value) and
            all('%s="%s"' % (n, w) in k for n, w in labels.items())]


def total(metrics, name, **labels):
    """The only series of the counts uncore_NAME_total that has these labels."""
    found = [v for k, v in metrics.items() if k.startswith("uncore_%s_total{" % name) and
             all('%s="%s"' % (n, w) in k for n, w in labels.items())]
    assert len(found) == 1, (labels, found)
    return int(found[0])
