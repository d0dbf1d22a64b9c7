# SPDX-License-Identifier: MIT
"""permissions.py - who may count through perf on Debian's kernel: what uncorectl doctor says before
is what uncored does, for each kernel.perf_event_paranoid, capability and seccomp filter.

What is expected is the kernel's rule (perf_event_open(2), Documentation/admin-guide/perf-security)
and Debian's addition, level 3.
"""
import os
import sys

from checks import load
from guest import Guest, configuration, h

g = Guest("Skylake-Server,-hypervisor", extra={
    "usr/bin/refuse_perf": os.path.join(h.BUILD, "tests/vm/refuse_perf")})
load(g, "intel-uncore")

LEVELS = (-1, 0, 1, 2, 3)
CAPS = ("-all", "+perfmon", "+sys_admin", "+perfmon,+sys_admin")
FILTERS = ("", "refuse_perf ")
# an uncore PMU on the CPU of its mask, and software
EVENTS = {"uncore": "perf/uncore_pcu/event=0x1,name=x/", "software": "perf/software/cpu-clock/"}
for what, event in EVENTS.items():
    g.write("/tmp/%s.conf" % what, 'interval = "100ms";' + configuration({"t": [event]}))


def allowed(level, caps, refused):
    if refused:
        return False
    return level <= 0 or "sys_admin" in caps or level <= 2 and "perfmon" in caps


def as_nobody(caps, refused, command):
    """An ambient capability survives exec without file capabilities, under a filter, too."""
    return ("/usr/bin/setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=%s "
            "--ambient-caps=%s %s%s" % (caps, caps, refused, command))


def both(what, caps, refused):
    """(exit code and messages of uncored, doctor's exit code and answer)"""
    end = " -c /tmp/%s.conf" % what
    code, _, err = g.run(as_nobody(caps, refused, "uncored --once --engine perf" + end))
    said, out, _ = g.run(as_nobody(caps, refused, "uncorectl doctor --json" + end))
    return code, err, said, h.json.loads(out)


def check(level, caps, refused, what):
    code, err, said, j = both(what, caps, refused)
    case = (level, caps, refused, what, code, err, said, j["why_not"])
    may = allowed(level, caps, refused)
    assert code == (0 if may else 77), case
    assert said == (0 if may else 69) and j["privileges"]["perf_allowed"] == may, case
    found = [f for f in j["findings"] if f["topic"] == "perf"]
    text = " ".join(f["text"] + " " + (f["todo"] or "") for f in found)
    if may:
        assert found[0]["level"] == "ok" and EVENTS[what] in found[0]["text"], (case, found)
        # what root's unit would not get; nothing else is said of a setting that refuses nothing
        unit = level > 2 and "perfmon" in caps
        assert ("paranoid" in text) == unit and len(found) == 1 + unit, (case, found)
        return
    # the same cause, and it is the one
    assert j["why_not"] in err, case
    assert [f["level"] for f in found] == ["problem"], (case, found)
    if refused:
        assert "a seccomp filter" in text and "paranoid" not in text, (case, text)
        return
    assert "here it is %d" % level in text and "seccomp" not in text, (case, text)
    assert ("CAP_PERFMON is not enough" in text) == ("perfmon" in caps), (case, text)


def test_doctor_says_what_uncored_does():
    for level in LEVELS:
        g.sh("echo %d >/proc/sys/kernel/perf_event_paranoid" % level)
        for caps in CAPS:
            for refused in FILTERS:
                for what in EVENTS:
                    check(level, caps, refused, what)
        print("  perf_event_paranoid %d: %s" % (level, ", ".join(
            "%s %s" % (caps, "counts" if allowed(level, caps, "") else "refused")
            for caps in CAPS)))


def test_a_file_that_lies_changes_nothing():
    """What stands in /proc is not what the kernel goes by, which is level 2 here."""
    g.sh("echo 2 >/proc/sys/kernel/perf_event_paranoid")
    for lie in (-1, 4):
        g.sh("echo %d >/tmp/lie; mount --bind /tmp/lie /proc/sys/kernel/perf_event_paranoid" % lie)
        for caps in CAPS:
            code, err, said, j = both("uncore", caps, "")
            assert (code, said) == ((0, 0) if allowed(2, caps, "") else (77, 69)), (
                lie, caps, code, err, j["why_not"])
        g.sh("umount /proc/sys/kernel/perf_event_paranoid")


def test_root_keeps_what_it_takes():
    """Started as root, uncored keeps CAP_SYS_ADMIN (bit 21) only where CAP_PERFMON (38) is not
    enough."""
    for level in LEVELS:
        g.sh("echo %d >/proc/sys/kernel/perf_event_paranoid" % level)
        g.sh("(uncored --engine perf -c /tmp/uncore.conf >/tmp/log 2>&1; echo $? >/tmp/exit) & "
             "for i in $(seq 100); do wget -q -O /dev/null http://127.0.0.1:10062/-/ready && "
             "exit 0; usleep 100000; done; cat /tmp/log; exit 1")
        status = g.sh("cat /proc/$(pidof uncored | tr ' ' '\\n' | sort -n | head -1)/status")
        caps = int(status.split("CapEff:")[1].split()[0], 16)
        g.sh("kill $(pidof uncored | tr ' ' '\\n' | sort -n | head -1); "
             "while pidof uncored >/dev/null; do usleep 100000; done")
        assert caps >> 38 & 1 and bool(caps >> 21 & 1) == (level > 2), (level, hex(caps))


h.main(sys.modules[__name__], at_once=0)
