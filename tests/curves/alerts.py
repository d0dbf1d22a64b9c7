# SPDX-License-Identifier: MIT
"""alerts.py - the alerts about a server, on simulated servers to which the thing happens.

A Sapphire Rapids and a Genoa: each alert fires for its cause and for that socket or unit alone; at
rest, while data streams within the limits, and with traffic that varies by 10 % all are quiet.

Series come from uncored on a clock of its own (curves.py), promtool evaluates the rules.
"""
import json
import os
import random
import re
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
# A UPI link of the model has a clock of 1.3 GHz, and 5/2 flits a cycle to fill. Nine of them have
# 64 bytes of data, and for every five of those there is one of requests and answers.
LINK = 1.3e9 * 5 / 2
LINKS = 4
LINK_GBPS = LINK * 64 / 9 / 1.2 / 1e9


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

    def cross(self, used):
        """Programs of each socket read memory of the other one, beside loads from now on."""
        return self.do("cross %.6f" % (used * LINKS * LINK_GBPS))

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


SPR, GENOA, NPS4, GNR = (h.machine(name) for name in ("spr", "zen4", "zen4_nps4", "gnr"))
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
    # The rest of what both read is of their own sockets.
    ("spr-links-full", SPR, known().cross(0.92).at(0.95 * KNEE, 20, 0.05), {
        "UncoredLinkAtLimit": tuple('socket="%d", unit="%d"' % (s, u) for s in (0, 1)
                                    for u in range(LINKS))}),
    ("spr-links-used", SPR, known().cross(0.7).at(0.9 * KNEE, 40), {}),
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
    # Nobody uses one of the four nodes of a socket, which has three channels.
    ("genoa-idle-node", NPS4, known().unused("amd_umc_9").unused("amd_umc_10").unused("amd_umc_11")
     .at(0.5 * KNEE, 40), {}),
    ("genoa-idle-after-start", NPS4, known().do("rest 600").unused("amd_umc_9").unused(
        "amd_umc_10").unused("amd_umc_11").at(0.5 * KNEE, 40), {}),
    ("spr-memory-silent", SPR, known().do("silent 1 uncore_imc").at(0.5 * KNEE, 30), {
        "UncoredPmuSilent": ('socket="1", box="memory"',)}),
    # Without a configuration it counts no channel one by one: memory is of whole sockets.
    ("gnr-memory-silent", GNR, known().do("silent 1 uncore_imc").at(0.5 * KNEE, 25), {
        "UncoredPmuSilent": ('socket="1", box="memory"',)}),
    ("gnr-quiet", GNR, within_limits(), {}),
    ("gnr-idle", GNR, idle(), {}),
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


# ---------------------------------------------------------------- other machines

AT_LIMIT = "UncoredMemoryAtLimit"
LATENCY = "instance_socket:uncore_memory_latency_seconds:avg2m"
TRAFFIC = "instance_socket:uncore_memory_bytes:rate2m"


def scraped(processor, *parts):
    """{series: {seconds: value}} of the register model, which runs by the real clock: each sample,
    0.1 s after the one before, stands for a minute. parts: (workload, samples)"""
    series, minute = {}, 0
    for workload, samples in parts:
        u = h.Uncored("--engine", "model:%s:%s" % (processor, workload), "-c",
                      h.write("fast.conf", 'interval = "100ms";\n'), "--path-run", h.path("run"))
        last = [0]
        for _ in range(samples):
            m = {}

            def is_new():
                m.clear()
                m.update(u.metrics())
                now = [float(v) for k, v in m.items() if k.startswith("uncored_samples_total{")]
                return len(now) == 2 and min(now) > max(last) and now
            last = h.wait_for("a sample", is_new)
            minute += 1
            for key, value in m.items():
                series.setdefault(key, {})[60 * minute] = value
        assert u.stop() == 0
    return series


def test_at_the_limit_by_registers():
    """A Xeon 7500 counts bytes by the commands that are read, a Xeon 5500 has the latency of what
    its own socket asks for; in the model that does not rise."""
    if not shutil.which("promtool"):
        h.skip("promtool (Debian: prometheus) is not installed")
    parts = ("stream", 14), ("idle", 70), ("stream", 26)
    minutes = sum(n for _, n in parts)
    rules = curves.Rules(h.read(curves.RULES))
    tool = curves.Promtool(rules.yaml(AT_LIMIT), minutes)
    names = set(rules.metrics(AT_LIMIT))
    for processor in "nehalem-ex", "nehalem":
        for one, samples in scraped(processor, *parts).items():
            if one.partition("{")[0] in names:
                tool.add(one, samples, job="uncored", instance=processor)
    tool.answers("max by (instance, socket) (max_over_time(ALERTS{alertname=\"%s\","
                 "alertstate=\"firing\"}[%dm]))" % (AT_LIMIT, minutes),
                 ['{ labels: \'{instance="nehalem-ex", socket="%d"}\', value: 1 }' % s
                  for s in (0, 1)])
    tool.answers("round(instance_socket:uncore_memory_latency:over_idle{instance=\"nehalem\"}, "
                 "0.1)", ['{ labels: \'{job="uncored", instance="nehalem", socket="%d"}\', '
                          'value: 1 }' % s for s in (0, 1)])
    complaint = tool.run()
    assert not complaint, complaint


def default(*args):
    """The metrics that are counted without a configuration."""
    code, out, err = h.run(h.CTL, "plan", "--json", "-c", h.write("no.conf", "# nothing\n"), *args)
    assert code == 0, (args, err)
    return {"uncore_" + m for s in json.loads(out)["sockets"]
            for r in s["rounds"] for m in r["metrics"]}


# What the guide calls them. Where the alert can fire, without a configuration:
FIRES = {
    "Xeon Scalable": "skx clx clxap cpx icx spr sprhbm emr", "Xeon 6": "gnr srf cwf",
    "Xeon E5": "snbep ivt ivytown hsx bdx bdxde",
    "Xeon 7500 and the first E7": "nehalem_ex nehalem-ex westmere-ex",
    "Xeon 5500 and 5600 by their registers": "nehalem westmere",
    "Grace": "grace", "Vera": "vera", "EPYC 9005": "zen5", "Zen 6": "zen6",
}
# Where traffic is known and no latency:
NO_LATENCY = {
    "EPYC 9004, 8004": "zen4", "Xeon 5500 and 5600 by perf": "nehalem westmere",
    "Intel Core": "skl tgl adl mtl lnl", "Kunpeng": "kunpeng920 kunpeng930",
    "Yitian 710": "yitian710", "Ampere Altra": "altra2 cmn600",
}
BY_PERF = {"nehalem", "westmere"}       # as machines; as processors they are the registers'


def test_the_guide_names_the_machines():
    """Those whose default the rules can use, and what the others have."""
    rules = curves.Rules(h.read(curves.RULES))
    latency, traffic = set(rules.metrics(LATENCY)), set(rules.metrics(TRAFFIC))
    guide = h.read(os.path.join(h.SRC, "docs/operating.md"))
    guide = guide.partition("### %s\n" % AT_LIMIT)[2].partition("\n### ")[0]
    fires, _, others = " ".join(guide.split()).partition("This alert needs ")[2].partition(" | ")
    asked = [("--machine", m["name"]) for m in json.loads(
        h.run(h.CTL, "list", "machines", "--json")[1])["machines"]]
    asked += [("-p", p["name"]) for p in json.loads(
        h.run(h.CTL, "list", "processors", "--json")[1])["processors"]]
    for option, name in asked:
        has, by_perf = default(option, name), option == "--machine" and name in BY_PERF
        assert bool(has & traffic) >= bool(has & latency), (name, has)
        told = [words for words, names in FIRES.items() if name in names.split() and not by_perf]
        assert bool(told) == bool(has & latency), (option, name, told, has & latency)
        if not has & latency:
            told = [words for words, names in NO_LATENCY.items() if name in names.split()]
            assert bool(told) == bool(has & traffic), (option, name, told, has & traffic)
        for words in told:
            assert words in (fires if has & latency else others), (name, words)


def test_what_people_look_at_first():
    """The rules know each latency that the front page shows, and of its traffic all that is of the
    whole socket."""
    rows = r'"(Memory read and written|Memory latency)".*?"([a-z][a-z_0-9+ "\\\n\t]*)"\)'
    shown = re.findall(rows, h.read(os.path.join(h.SRC, "src/expo/overview.h")), re.S)
    words = {what: {"uncore_" + w for w in re.findall(r"[a-z_0-9]+", of)} for what, of in shown}
    rules = curves.Rules(h.read(curves.RULES))
    assert words["Memory latency"] == set(rules.metrics(LATENCY)), (words, rules.metrics(LATENCY))
    parts = {w for w in words["Memory read and written"] if re.search("die|channels", w)}
    assert words["Memory read and written"] - parts <= set(rules.metrics(TRAFFIC)), words


if __name__ == "__main__":
    h.main(sys.modules[__name__])
