# SPDX-License-Identifier: MIT
"""whole.py - a metric of a socket is whole or absent, by the whole daemon on the real kernel.

The tree is a Broadwell-EP's with two sockets of one CPU each, and its memory controllers have the
type of the kernel's software PMU: event 0 is the CPU's clock, which counts 1e9 a second wherever
uncored may count at all.
"""
import os
import re
import sys
import tempfile

import harness as h

TEXT = """cpuinfo GenuineIntel 6 79 1
cpu 0-0 socket 0
cpu 1-1 socket %d
like kernel_intel
PMU uncore_imc_{0-%d} type=1 cpumask=%s
  format event=config:0-7 umask=config:8-15
  events cas_count_read=event=0x0 cas_count_write=event=0x0 clockticks=event=0x0
  events/cas_count_read.scale: 6.103515625e-5
  events/cas_count_read.unit: MiB
  events/cas_count_write.scale: 6.103515625e-5
  events/cas_count_write.unit: MiB
"""
DEVICES = "bus/event_source/devices"
READ = "uncore_memory_read_bytes_total"
EVENTS = 'groups = ( { name = "m"; events = [ %s ]; } );\n'


def put(root, name, text):
    os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
    with open(os.path.join(root, name), "w") as f:
        f.write(text + "\n")


def tree(sockets=2, channels=4):
    """The directory of such a machine."""
    root = h.tree(h.write("r.txt", TEXT % (sockets - 1, channels - 1,
                                           "0,1" if sockets == 2 else "0")))
    for i in range(channels):
        put(root, "%s/uncore_imc_%d/type" % (DEVICES, i), "1")
    put(root, "sys/kernel/perf_event_paranoid", "2")
    put(root, "self/status", h.read("/proc/self/status"))
    return root


def options(root, conf, name):
    return ["--engine", "perf", "-c", h.write(name, conf), "--path-sysfs", root, "--path-procfs",
            root]


def once(root, conf, name="whole.conf", *more):
    code, out, err = h.run(h.UNCORED, "--once", *options(root, conf, name), "--path-run",
                           tempfile.mkdtemp(dir=h.path("")), *more)
    return code, out, err


def values(text):
    return dict(line.rsplit(" ", 1) for line in text.splitlines() if line and line[0] != "#")


def counted(root, conf, name="whole.conf"):
    code, out, err = once(root, conf, name)
    assert code == 0, err
    return values(out), out, err


def sum_of(v, socket):
    return sum(int(x) for k, x in v.items()
               if k.startswith('uncore_imc_cas_count_read_total{socket="%d"' % socket))


ALL = EVENTS % '"perf/uncore_imc/cas_count_read/"'


def may_count():
    if (os.cpu_count() or 1) < 2:
        h.skip("this machine has one CPU")
    code, _, err = once(tree(), ALL)
    if code == 77:
        h.skip("perf may not count here: " + err.strip())


def invalid(v, socket, metric="memory_read_bytes_total"):
    """The reasons with which /metrics leaves it out."""
    start = 'uncored_metric_invalid{socket="%d",metric="%s",reason="' % (socket, metric)
    return [k[len(start):].split('"')[0] for k in v if k.startswith(start)]


def test_all_channels():
    may_count()
    v, _, _ = counted(tree(), ALL)
    for socket in 0, 1:
        total = sum_of(v, socket)
        assert total > 2e9, v                   # four clocks, a second
        assert int(v['%s{socket="%d"}' % (READ, socket)]) == 64 * total, v
        assert invalid(v, socket) == [], v


def test_the_end_is_told():
    """Nothing has to be put back, and that is said: whoever waits for the line of an engine that
    writes registers waits for nothing else."""
    may_count()
    u = h.Uncored(*options(tree(), ALL, "end.conf"), "--path-run", tempfile.mkdtemp(dir=h.path("")))
    assert u.stop() == 0
    assert u.text().endswith("uncored: counting has ended; no register was written\n"), u.text()


def test_channels_without_memory():
    """Four of six channels count. Two stand still, and their clocks with them: event 9 of the
    software PMU never counts."""
    may_count()
    root = tree(channels=6)
    for i in 4, 5:
        events = "%s/%s/uncore_imc_%d/events" % (root, DEVICES, i)
        os.unlink(events)
        for name in "cas_count_read", "cas_count_write", "clockticks":
            put(events, name, "event=0x9")
        for name in "cas_count_read", "cas_count_write":
            put(events, name + ".scale", "6.103515625e-5")
            put(events, name + ".unit", "MiB")
    u = h.Uncored(*options(root, EVENTS % '"perf/uncore_imc/cas_count_read/", '
                           '"perf/uncore_imc/clockticks/"', "six.conf"), "--path-run",
                  tempfile.mkdtemp(dir=h.path("")))
    # longer than it takes until a clock counts as stopped
    h.wait_for("13 samples", lambda: u.value('uncored_samples_total{socket="0"}') >= 13)
    v = u.metrics()
    counts = [int(v['uncore_imc_cas_count_read_total{socket="0",unit="%d"}' % i])
              for i in range(6)]
    assert min(counts[:4]) > 1e9 and counts[4:] == [0, 0], counts
    assert int(v[READ + '{socket="0"}']) == 64 * sum(counts) and invalid(v, 0) == [], v
    u.stop()


def test_a_channel_is_left_out():
    may_count()
    root = tree()
    v, _, _ = counted(root, EVENTS % '"perf/uncore_imc_2/cas_count_read/"')
    assert sum_of(v, 0) > 5e8 and not [k for k in v if READ in k], v
    v, _, _ = counted(root, EVENTS % ", ".join('"perf/uncore_imc_%d/cas_count_read/"' % i
                                               for i in range(4)))
    assert int(v[READ + '{socket="1"}']) == 64 * sum_of(v, 1), v
    code, _, err = once(root, 'groups = ( { name = "m"; '
                              'metrics = [ "memory_read_bytes_total,unit=2" ]; } );\n')
    assert code == 78 and '"perf/uncore_imc_2/cas_count_read/"' in err, (code, err)


def test_an_own_metric_names_its_units():
    may_count()
    v, out, _ = counted(tree(), ALL + 'metrics = ( { name = "three_read_bytes_total"; '
                        'unit = "bytes"; per = "socket"; scale = 64.0; help = "Bytes"; '
                        'numerator = ( %s ); } );\n' %
                        ", ".join('"perf/uncore_imc_%d/cas_count_read/"' % i for i in range(3)))
    assert "# HELP uncore_three_read_bytes_total Bytes of units 0 to 2\n" in \
        out.replace(".\n", "\n"), out
    three = int(v['uncore_three_read_bytes_total{socket="0"}'])
    assert three % 64 == 0 and 64 * sum_of(v, 0) * 0.7 < three < 64 * sum_of(v, 0) * 0.8, v


def notes(root, conf, *words):
    """--check-config and doctor both say it."""
    code, out, err = h.run(h.UNCORED, "--check-config", *options(root, conf, "note.conf"))
    assert code == 0 and all(w in out + err for w in words), (code, out, err)
    code, out, err = h.run(h.CTL, "doctor", *options(root, conf, "note.conf")[2:])
    assert all(w in " ".join(out.split()) for w in words), (out, err)


def test_a_pmu_lacks_a_socket():
    may_count()
    root = tree()
    put(root, DEVICES + "/uncore_imc_2/cpumask", "0")
    v, _, _ = counted(root, ALL)
    assert int(v[READ + '{socket="0"}']) == 64 * sum_of(v, 0) and invalid(v, 0) == [], v
    assert READ + '{socket="1"}' not in v and invalid(v, 1) == ["hidden"], v
    assert sum_of(v, 1) > 1e9, v
    notes(root, ALL, "Metrics of socket 1 that are made from imc are left out",
          "uncore_imc_2 does not count on socket 1")


def test_a_mask_has_more_cpus_than_dies():
    may_count()
    root = tree(sockets=1)
    for i in range(4):
        put(root, "%s/uncore_imc_%d/cpumask" % (DEVICES, i), "0,1")
    v, _, _ = counted(root, ALL)
    assert READ + '{socket="0"}' not in v and invalid(v, 0) == ["hidden"], v
    assert sum_of(v, 0) > 4e9, v
    notes(root, ALL, "Metrics of socket 0 that are made from imc are left out",
          "uncore_imc_0 lists 2 CPUs of socket 0")


def test_a_channel_cannot_be_opened():
    may_count()
    root = tree()
    put(root, DEVICES + "/uncore_imc_2/type", "987654")
    u = h.Uncored(*options(root, "# the defaults\n", "default.conf"), "--path-run",
                  tempfile.mkdtemp(dir=h.path("")))
    h.wait_for("two samples", lambda: u.value('uncored_samples_total{socket="0"}') >= 3)
    v = u.metrics()
    assert READ + '{socket="0"}' not in v and invalid(v, 0) == ["refused"], v
    status = u.status()["sockets"][0]["invalid_metrics"]
    shown = {k for k in v if k.startswith('uncored_metric_invalid{socket="0"')}
    for row in status:                          # both say the same of each metric
        labels = "".join('%s="%s",' % kv for kv in row["labels"].items())
        name = 'uncored_metric_invalid{%smetric="%s",reason="%s"}' % (labels, row["metric"],
                                                                     row["reason"])
        assert name in shown, (name, shown)
        shown.remove(name)
    assert not shown, shown
    page = u.get("/")[2].decode()
    assert re.search(r'refused</td><td>.*?%s' % READ, page, re.S), page
    u.stop()


def test_nothing_that_can_be_divided():
    """A denominator of 0, and a value that no double holds."""
    may_count()
    own = 'metrics = ( %s );\n' % ", ".join(
        '{ name = "%s"; unit = "ratio"; per = "socket"; scale = %s; numerator = ( '
        '"perf/uncore_imc/cas_count_read/" ); denominator = ( "%s" ); }' % row for row in (
            ("huge_ratio", "1e308", "perf/uncore_imc/cas_count_read/"),
            ("void_ratio", "1.0", "perf/uncore_imc/event=9,name=dummy/")))
    # 2 x 1e308 is more than a double holds
    own = own.replace('( "perf/uncore_imc/cas_count_read/" ); denominator',
                      '( { event = "perf/uncore_imc/cas_count_read/"; weight = 2; } ); denominator')
    v, _, _ = counted(tree(), own + EVENTS % '"perf/uncore_imc/cas_count_read/", '
                      '"perf/uncore_imc/event=9,name=dummy/"')
    for name in "huge_ratio", "void_ratio":
        assert invalid(v, 0, name) == ["no_data"], (name, v)
        assert not [k for k in v if k.startswith("uncore_" + name)], v


if __name__ == "__main__":
    h.main(sys.modules[__name__])
