# SPDX-License-Identifier: MIT
"""alerts.py - the alerts about a server, on simulated servers to which the thing happens.

A Sapphire Rapids and a Genoa: each alert fires for its cause and for that socket or unit alone; at
rest, while data streams within the limits, and with traffic that varies by 10 % all are quiet.

Series come from uncored on a clock of its own (curves.py), promtool evaluates the rules.
"""
import random
import shutil
import sys

import curves
import harness as h

ALERTS = ("UncoredMemoryAtLimit", "UncoredLinkAtLimit", "UncoredMemoryChannelSilent",
          "UncoredMemoryChannelsFewer", "UncoredPmuSilent")
MINUTES = 240
# Of spr.txt, whose memory both have, at 67 % reads: the most, and where it waits 1.5 times the
# least, both from its points there: 165.45 ns at 131.779 GB/s, 201.89 at 160.382, 114.38 at rest.
MOST = 194.268
KNEE = 131.779 + (160.382 - 131.779) * (1.5 * 114.38 - 165.45) / (201.89 - 165.45)
# A UPI link of the model has a clock of 1.3 GHz, and 5/2 flits a cycle to fill.
LINK = 1.3e9 * 5 / 2
LINKS = 4


class Script:
    """What happens, a minute after the other."""

    def __init__(self):
        self.lines, self.chance = [], random.Random(11)

    def at(self, gbps, minutes, noise=0.1):
        for _ in range(minutes):
            for socket in (0, 1):
                now = min(MOST, gbps * (1 + noise * self.chance.uniform(-1, 1)))
                self.lines.append("load %d 67 %.6f" % (socket, now))
            self.lines.append("run 60 60")
        return self

    def do(self, line):
        self.lines.append(line)
        return self

    def unused(self, umc):
        """No command reaches the channel, and its clock goes on."""
        for event in "0x10a", "0x20a", "0x14":
            self.do("count 0 %s %s 0 1" % (umc, event))
        return self

    def link(self, used):
        return self.do("count 0 uncore_upi 0x9f02 %.0f 1" % (used * LINK * LINKS))


def known():
    """A machine that has been busy and has rested, so that its limits are known."""
    return Script().at(MOST, 15, 0).at(0.02 * MOST, 65)


def within_limits():
    return known().at(0.8 * KNEE, 60).at(0.02 * MOST, 20)


def idle():
    """Nothing at all; then what a machine does that nobody uses."""
    return Script().at(0, 90).at(0.005 * MOST, 90).link(0.001).at(0.005 * MOST, 30)


def without(machine, line, instead):
    text = h.machine(machine)
    assert line in text, line
    return text.replace(line, instead)


SPR, GENOA = (h.machine(name) for name in ("spr", "zen4"))
CHA = "PMU uncore_cha_{0-55} type=12 cpumask=0"
# (name, machine, what happens, {alert: its labels})
CASES = (
    ("spr-quiet", SPR, within_limits().link(0.75).at(0.8 * KNEE, 30), {}),
    ("genoa-quiet", GENOA, within_limits(), {}),
    ("spr-idle", SPR, idle(), {}),
    ("genoa-idle", GENOA, idle(), {}),
    ("spr-full", SPR, known().at(MOST, 15, 0), {
        "UncoredMemoryAtLimit": ('socket="0"', 'socket="1"')}),
    # Nobody has a latency of its memory.
    ("genoa-full", GENOA, known().at(MOST, 15, 0), {}),
    ("spr-link", SPR, known().link(0.85).at(0.8 * KNEE, 20), {
        "UncoredLinkAtLimit": tuple('socket="0", unit="%d"' % u for u in range(LINKS))}),
    ("spr-link-soon-over", SPR, known().link(0.9).at(0.5 * KNEE, 8).link(0.1).at(0.5 * KNEE, 20),
     {}),
    ("spr-channel", SPR, known().do("silent 1 uncore_imc_3").at(0.5 * KNEE, 20), {
        "UncoredMemoryChannelSilent": ('socket="1", unit="3"',)}),
    ("spr-dimm-lost", SPR, known().do("rest 600").do("silent 1 uncore_imc_3").at(0.5 * KNEE, 40), {
        "UncoredMemoryChannelsFewer": ('socket="1"',)}),
    ("genoa-channel", GENOA, known().unused("amd_umc_7").at(0.5 * KNEE, 20), {
        "UncoredMemoryChannelSilent": ('socket="0", unit="7"',)}),
    ("genoa-dimm-lost", GENOA, known().do("rest 600").unused("amd_umc_7").at(0.5 * KNEE, 40), {
        "UncoredMemoryChannelsFewer": ('socket="0"',)}),
    ("spr-memory-silent", SPR, known().do("silent 1 uncore_imc").at(0.5 * KNEE, 30), {
        "UncoredPmuSilent": ('socket="1", box="memory"',)}),
    ("spr-no-cha", without("spr", CHA + ",4", CHA), within_limits(), {
        "UncoredPmuSilent": ('socket="1", box="llc"',)}),
    ("genoa-no-l3", without("zen4", "PMU amd_l3 type=11 cpumask=0,2,4,6,8,10,12,14,16,18,20,22",
                            "PMU amd_l3 type=11 cpumask=0,2,4,6,8,10"), within_limits(), {
        "UncoredPmuSilent": ('socket="1", box="llc"',)}),
)


def sample(alert, instance, labels):
    return '{ labels: \'{alertname="%s", instance="%s", %s}\', value: 1 }' % (
        alert, instance, labels)


def test_alerts():
    if not shutil.which("promtool"):
        h.skip("promtool (Debian: prometheus) is not installed")
    rules = curves.Rules(h.read(curves.RULES))
    tool = curves.Promtool(rules.yaml(*ALERTS), MINUTES)
    names = rules.metrics(*ALERTS)
    for instance, machine, script, _ in CASES:
        series = curves.play(machine, "\n".join(script.lines) + "\n", names)
        assert series, instance
        for one, samples in series.items():
            tool.add(one, samples, job="uncored", instance=instance)
    tool.answers('max by (alertname, instance, socket, unit, box) '
                 '(max_over_time(ALERTS{alertstate="firing"}[%dm]))' % MINUTES,
                 [sample(alert, instance, labels) for instance, _, _, fire in CASES
                  for alert, of in fire.items() for labels in of])
    complaint = tool.run()
    assert not complaint, complaint


if __name__ == "__main__":
    h.main(sys.modules[__name__])
