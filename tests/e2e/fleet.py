# SPDX-License-Identifier: MIT
"""fleet.py - the examples for many machines, loaded by a real Prometheus: hosts in files that
change while it runs, and an agent that hands on what it scraped.

Only addresses are put in place of the examples' own, and the seconds of a test for minutes.
"""
import os
import shutil
import sys

import harness as h
from prometheus import query

EXAMPLES = os.path.join(h.SRC, "contrib/prometheus")
CONF = 'interval = "200ms";'


def targets(at, *daemons):
    """Writes the file of hosts as the example has it, as an editor would: at once."""
    with open(os.path.join(EXAMPLES, "targets/example.yml")) as f:
        text = f.read()
    assert text.count('"127.0.0.1:10062"') == 1, text
    hosts = ", ".join('"%s"' % u.url.split("//")[1] for u in daemons)
    with open(os.path.join(at, "new"), "w") as f:
        f.write(text.replace('"127.0.0.1:10062"', hosts))
    os.rename(os.path.join(at, "new"), os.path.join(at, "targets/example.yml"))


def example(name, *changes):
    """A directory with one of the files and what it names."""
    at = h.path(name + ".d")
    os.makedirs(os.path.join(at, "targets"))
    shutil.copy(os.path.join(EXAMPLES, "rules.yml"), at)
    with open(os.path.join(EXAMPLES, name)) as f:
        text = f.read()
    for old, new in (("scrape_interval: 15s", "scrape_interval: 200ms"),
                     ("evaluation_interval: 15s", "evaluation_interval: 1s"), *changes):
        assert old in text or old.startswith("evaluation"), old
        text = text.replace(old, new)
    with open(os.path.join(at, name), "w") as f:
        f.write(text)
    return at


def daemons(n):
    return [h.Uncored("-c", h.write("u%d.conf" % i, CONF), "--engine", "model:nehalem-ex",
                      "--path-run", h.path("run%d" % i)) for i in range(n)]


def hosts_up(base):
    return {dict(labels)["instance"]: dict(labels)
            for labels, value in query(base, "up == 1").items()}


def test_hosts_come_and_go():
    us = daemons(3)
    at = example("fleet.yml")
    targets(at, *us[:2])
    base = h.prometheus(os.path.join(at, "fleet.yml"))
    first = {u.url.split("//")[1] for u in us[:2]}
    h.wait_for("two hosts", lambda: set(hosts_up(base)) == first, 40)
    assert all(found["rack"] == "example" and found["job"] == "uncored"
               for found in hosts_up(base).values()), hosts_up(base)
    targets(at, *us[1:])
    last = {u.url.split("//")[1] for u in us[1:]}
    h.wait_for("one has gone, another come", lambda: set(hosts_up(base)) == last, 40)
    h.wait_for("rules are evaluated", lambda: query(
        base, 'ALERTS{alertname="UncoredSimulated"}'), 40)
    assert all(u.stop() == 0 for u in us)


def test_an_agent_hands_on():
    us = daemons(2)
    receiver = h.prometheus(h.write("empty.yml", ""), "--web.enable-remote-write-receiver")
    at = example("agent.yml", ("http://prometheus.example:9090", receiver))
    targets(at, *us)
    h.prometheus(os.path.join(at, "agent.yml"), "--enable-feature=agent", "--storage.agent.path",
                 h.path("agent"))
    hosts = {u.url.split("//")[1] for u in us}

    def received():
        return {dict(labels)["instance"] for labels in query(
            receiver, 'uncore_imt_latency_seconds{site="example",rack="example",job="uncored"}')}
    h.wait_for("both hosts' metrics", lambda: received() == hosts, 40)
    assert all(u.stop() == 0 for u in us)


h.main(sys.modules[__name__])
