# SPDX-License-Identifier: MIT
"""driver.py - what uncored says beside what was counted, where the kernel's own drivers reach
registers that count.

counting_pmus.ko has the registers (module/registers.c). Skylake-SP: intel-uncore makes its PMUs of
them, and names, formats, events, constraints, addresses and the sharing of filters are the
driver's. Nehalem: uncored writes them itself, through the msr driver, and something else happens
beside it. What a register counts follows from what was written into it.
"""
import os
import re
import sys

import image
from described import Machine
from guest import Daemon, Guest, h, total
from live import CHANNELS, EXACT, MINUTE, STEP, Live, check_events, check_metrics
from truth import Truth, of_default

TREE = "skx"
FILES = "cd /sys/bus/event_source/devices; for f in uncore_*/format/* uncore_*/events/*; " \
    "do echo $f $(cat $f); done"


TWINS = os.path.join(h.BUILD, "tests/model/test_perf_kernel_real")


def skylake(more=()):
    """A guest with intel-uncore on registers that count."""
    live = Live([TREE], cores=4, driver=True, more=more)
    live.become(TREE)
    live.say("registers on 2")
    live.g.sh("insmod /intel-uncore.ko")
    live.say("registers off")
    return live


def captured(live):
    """The guest's machine as it captures it, but for the PMUs that are not its driver's, and with
    what the tree says that its events count."""
    told, family = {}, None
    for line in h.machine(TREE).splitlines():
        if line.startswith("PMU "):
            family = told.setdefault(line.split()[1].split("_{")[0], [])
        elif line.startswith(("  counts ", "  counters ", "  filters ")):
            family.append(line)
    told["uncore_cha"].append("  counts 0x2135,0x4083300000000 llc_read")
    text, ours = [], True
    for line in live.g.sh("uncorectl capture").splitlines():
        if line.startswith("PMU "):
            ours = line.startswith("PMU uncore_")
        if ours or not line.startswith(("PMU ", " ")):
            text.append(line)
        if ours and line.startswith("PMU "):
            family = line.split()[1].split("_{")[0]
            text += told[family]
            told[family] = []               # it is said once, on however many lines its PMUs are
    return "\n".join(text + [c for c in h.machine(TREE).splitlines() if c.startswith("curve ")])


def test_the_modelled_kernel():
    """It answers as this one: the same opens, groups, refusals and reads."""
    if not os.path.exists(TWINS):
        h.skip("cmocka is not installed (Debian: libcmocka-dev): there is no " + TWINS)
    libraries = {f[1:]: f for f in image.libraries_of(TWINS)}
    live = skylake(dict(libraries, **{"usr/bin/twins": TWINS}))
    live.say("clock real")
    live.g.write("/tmp/guest.txt", captured(live))
    code, out, err = live.g.run("twins /tmp/guest.txt")
    assert code == 0, out + err
    said = re.findall("^.* events were opened|^.* shares of the time differ by .*", out, re.M)
    assert len(said) == 2, out + err
    print("# the modelled kernel: " + "; ".join(said))
    live.g.kill()


def test_skylake():
    """All of the tree's PMUs are there with the tree's files, and what is ready is the truth."""
    live = skylake()
    files = dict(line.split(" ", 1) for line in live.g.sh(FILES).splitlines())
    expected = {"%s/%s/%s" % (box, kind, name): text
                for f in live.truth.m.families.values() if f.name.startswith("uncore_")
                for box in f.boxes
                for kind, texts in (("format", f.format), ("events", f.events))
                for name, text in texts.items()}
    assert files == expected, set(files.items()) ^ set(expected.items())
    said, events, _ = live.step()
    n = check_metrics(live, said, of_default(TREE)) + check_events(live, said)
    print("# Skylake-SP, the kernel's driver: %d events, %d values, %d files"
          % (len(events), n, len(files)), flush=True)
    check_use_of_memory(live)
    live.g.kill()


def check_use_of_memory(live):
    """The clock moves once within a sample, after the minute in which each channel has shown that
    it has memory. Each PMU is read at a time of its own, which a socket's ratio feels a little."""
    d = live.counting('interval = "5s"; ' + CHANNELS)
    live.say("advance %d" % STEP)
    live.g.sh("sleep %d" % MINUTE)
    live.say("advance %d" % STEP)
    found = h.wait_for("the use is known", lambda: uses(d.metrics()), 30)
    assert d.stop() == 0, d.log()
    live.truth.began(0, STEP)
    for socket, value in enumerate(found):
        true = float(live.truth.value("memory_utilization_ratio", socket, None))
        print("# socket %d: %.6f of what its memory can, in truth %.6f" % (socket, value, true),
              flush=True)
        assert abs(value / true - 1) < 1e-4, (socket, value, true)


def uses(metrics):
    """Of each socket, once both are known."""
    found = [metrics.get('uncore_memory_utilization_ratio{socket="%d"}' % s) for s in (0, 1)]
    return None not in found and [float(v) for v in found]


# ---------------------------------------------------------------- Nehalem

# series: what stands in the control register, but for its enable bit
ALL = {"uncore_qmc_normal_reads": 0x72c, "uncore_llc_hits": 0x308, "uncore_qmc_writes": 0x72f}
SPECS = ["uncore0/QMC_NORMAL_READS:ANY", "uncore0/LLC_HITS:ANY", "uncore0/QMC_WRITES:FULL_ANY"]
# six more do not fit on the eight counters
MORE = ["uncore0/LLC_MISS:%s" % m for m in ("READ", "WRITE", "PROBE", "ANY")] + \
    ["uncore0/LLC_HITS:%s" % m for m in ("READ", "WRITE")]
INVALID = re.compile(r'uncored_slot_invalid\{socket="(\d)".*event="(\w+)".*reason="(\w+)"')
HIT_RATIO = 'groups = ( { name = "llc"; metrics = [ "llc_socket_hit_ratio" ]; } );'


class Nehalem:
    """A guest with counting registers where the msr driver reads. ms: what the clock moved while
    all counted."""

    def __init__(self, groups, more=()):
        self.g = Guest("Nehalem,-hypervisor", extra=dict(more, **{
            image.OURS: image.module(),
            "usr/bin/perf_reader": os.path.join(h.BUILD, "tests/vm/perf_reader")}))
        m = Machine("nehalem")
        m.families = {"uncore": m.families["uncore"]}
        self.truth = Truth(m)
        self.g.write("/tmp/commands", m.commands(driver=True))
        self.g.sh("insmod /%s; cat /tmp/commands >/proc/counting_pmus; insmod /msr.ko" % image.OURS)
        self.say("registers on 0")
        self.begin(groups)

    def begin(self, groups):
        self.began = self.now()
        self.d = groups and Daemon(self.g, groups, "--engine registers")

    def once(self, text, program="uncored"):
        """Samples of a second in which the clock moves once."""
        self.say("arm 500000000 %d" % STEP)
        self.g.write("/tmp/once.conf", text)
        m = h.samples(self.g.sh(program + " --once --engine registers -c /tmp/once.conf"))
        self.began = self.now() - STEP
        return m

    def say(self, *commands):
        self.g.sh("(%s) >/proc/counting_pmus" % "; ".join("echo " + c for c in commands))

    def now(self):
        return int(self.g.sh("cat /proc/counting_pmus").split()[1])

    def advance(self, ms=100):
        """The clock moves, and the daemon reads what stands then."""
        self.say("advance %d" % (ms * 1000000))
        return self.d.settle()

    def hertz(self, socket, config):
        return self.truth.m.families["uncore"].hertz(0, socket, (config, 0, 0))

    def exact(self, metrics, names=tuple(ALL), sockets=(0, 1)):
        """Totals are hertz x time since the daemon began, to the last count."""
        self.truth.began(self.began, self.now())
        for name in names:
            for socket in sockets:
                true = self.truth.count(self.truth.m.families["uncore"], 0, socket,
                                        (ALL[name], 0, 0))
                shown = total(metrics, name, socket=socket, umask=ANY[name])
                assert shown == true > 0, (name, socket, shown, true)

    def ledger(self):
        """{(socket, control): what was counted while that stood there}"""
        lines = map(str.split, self.g.sh("cat /proc/counting_pmus").splitlines()[1:])
        return {(int(line[1]), int(line[2], 0)): int(line[6]) for line in lines}

    def ours(self, metrics):
        """{(socket, control): total}; these are what was counted while the registers were ours."""
        counted = self.ledger()
        shown = {(s, ALL[name]): total(metrics, name, socket=s, umask=ANY[name])
                 for name in ALL for s in (0, 1)}
        assert shown == {k: counted[k] for k in shown}, (shown, counted)
        return shown

    def end(self, code=0):
        assert self.d.stop() == code, self.d.log()


ANY = dict(zip(ALL, ("ANY", "ANY", "FULL_ANY")))


def invalid(metrics):
    """{(socket, event, reason)}"""
    return {(int(m[1]), m[2], m[3]) for m in map(INVALID.match, metrics) if m}


def test_nehalem():
    """Registers through the msr driver: totals to the last count, a quotient to 20 binary
    digits."""
    n = Nehalem({"all": SPECS})
    for ms in (40, 7, 1000):
        m = n.advance(ms)
    n.exact(m)
    assert not invalid(m), invalid(m)
    n.end()
    m = n.once(HIT_RATIO)
    n.truth.began(n.began, n.now())
    for socket in (0, 1):
        hit, miss = (n.truth.count(n.truth.m.families["uncore"], 0, socket, (c, 0, 0))
                     for c in (0x308, 0x309))
        ratio = float(m['uncore_llc_socket_hit_ratio{socket="%d"}' % socket])
        assert abs(ratio * (hit + miss) / hit - 1) < EXACT, (ratio, hit, miss)
    n.g.kill()


def test_lockdown_while_counting():
    """What is programmed counts on, and exactly. Nothing can be put back: that is said, and the
    next start says why it does not begin."""
    n = Nehalem({"all": SPECS})
    n.advance()
    n.g.sh("echo integrity >/sys/kernel/security/lockdown")
    m = n.advance()
    n.exact(m)
    assert not invalid(m), invalid(m)
    n.end(70)
    assert "not every register could be restored" in n.d.log(), n.d.log()
    code, _, err = n.g.run("uncored --restore")
    assert code == 77 and "Operation not permitted" in err, (code, err)
    code, _, err = n.g.run("uncored --once")
    assert code == 77 and "kernel lockdown (integrity) forbids register writes" in err, (code, err)
    n.g.kill()


def test_lockdown_while_taking_turns():
    """The round that is programmed counts on, exactly; the other is refused, and says so."""
    n = Nehalem({"all": SPECS, "more": MORE})
    n.g.sh("echo integrity >/sys/kernel/security/lockdown")
    refused = {(0, "refused"), (1, "refused")}
    before = n.d.until("one round is refused", lambda m: {r[::2] for r in invalid(m)} == refused)
    counted = n.ledger()
    after = n.advance()
    assert {r[::2] for r in invalid(after)} == refused, invalid(after)
    assert "is not being counted: refused" in n.d.log(), n.d.log()
    for socket in (0, 1):
        key = 'uncore_uncore_\\w+{socket="%d"' % socket
        shown = sorted(int(v) - int(before[k]) for k, v in after.items() if re.match(key, k))
        more = {k: v - counted[k] for k, v in n.ledger().items() if k[0] == socket}
        assert shown == sorted(filter(None, more.values())), (socket, shown, more)
        assert len(shown) in (len(SPECS), len(MORE)), shown
    n.end(70)
    n.g.kill()


def another_tool(n, cpu, socket):
    """It counts through the driver, on counters of ours, while the clock moves; then it ends."""
    n.g.sh("(perf_reader uncore %d 3 0x109 0x209 >/tmp/reader; echo >/tmp/read) &" % cpu)
    foreign = 'uncored_foreign_writes_total{socket="%d"}'
    n.d.until("it is seen", lambda m: int(m[foreign % socket]) > 0)
    n.advance()
    m = n.d.until("all counts", lambda m: not invalid(m))
    assert m[foreign % (1 - socket)] == "0", m
    assert "socket %d: %s (and 1 more) is not being counted: foreign" % (socket, SPECS[0]) \
        in n.d.log(), n.d.log()
    n.ours(m)
    n.exact(m, sockets=[1 - socket])
    n.exact(m, ["uncore_qmc_writes"])
    n.g.sh("for i in $(seq 100); do [ -e /tmp/read ] && exit 0; usleep 100000; done; exit 1")
    n.d.settle()
    n.d.until("all counts", lambda m: not invalid(m))
    before, after = n.ours(n.advance()), n.ours(n.advance())
    for (socket, config), count in after.items():
        more = count - before[socket, config]
        assert abs(more - n.hertz(socket, config) // 10) < 2, (socket, config, more)


def test_the_driver_is_loaded_later():
    """While registers are counted: nothing is lost by that, and it is said. Then a tool counts
    through the driver: what it takes is left out and said, its counts are in no total, all else is
    exact, and all counts again when it has gone."""
    n = Nehalem({"all": SPECS})
    n.advance()
    n.g.sh("insmod /intel-uncore.ko")
    n.d.until_said("the kernel's uncore driver was loaded while uncored counts")
    m = n.advance()
    n.exact(m)
    assert not invalid(m), invalid(m)
    another_tool(n, 0, 0)
    n.end()
    n.g.kill()


def test_a_driver_beside_registers():
    """The driver is bound and registers are asked for: they count as well, beside another tool,
    too. By itself uncored takes the driver, and says why."""
    n = Nehalem(None)
    n.g.sh("insmod /intel-uncore.ko")
    j = n.g.json("uncorectl doctor --json")
    assert j["engine"]["engine"] == "perf" and "owns the counters" in j["engine"]["why"], j
    n.begin({"all": SPECS})
    m = n.advance()
    n.exact(m)
    assert not invalid(m), invalid(m)
    another_tool(n, 2, 1)
    n.end()
    n.g.kill()


if __name__ == "__main__":
    h.main(sys.modules[__name__], at_once=0)
