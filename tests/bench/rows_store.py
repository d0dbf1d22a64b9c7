# SPDX-License-Identifier: MIT
"""rows_store.py - what uncored's series cost in Prometheus' store, bytes a sample: what it serves
under two loads of the register model, as promtool of the real Prometheus stores it.

Moments are exact multiples of the interval, as they are where Prometheus is not late: it moves a
scrape that is up to 2 ms off. On a busy machine each sample costs up to 2 bytes more. A chunk holds
120 samples; what a block has beside its chunks is shared by more samples the longer it is.
"""
import json
import os
import shutil
import time

from common import Row, h

# (workload of the model, goal)
LOADS = (("day", "<= 2.9"), ("bursty", "<= 3.2"))
SAMPLES = 120           # a full chunk
EVERY = 1               # s


def stored(name, bodies, every):
    """Bytes of chunks and samples of a block that has these samples: [{series: value}]."""
    at = h.path("tsdb-" + name)
    text = "".join("%s %s %d\n" % (series, body[series], k * every)
                   for k, body in enumerate(bodies, 1) for series in body)
    code, out, err = h.run("promtool", "tsdb", "create-blocks-from", "openmetrics",
                           h.write(name + ".om", text + "# EOF\n"), at, timeout=300)
    assert code == 0, out + err
    size = samples = 0
    for where, _, files in os.walk(at):
        if os.path.basename(where) == "chunks":
            size += sum(os.path.getsize(os.path.join(where, f)) for f in files)
        if "meta.json" in files:
            samples += json.loads(h.read(os.path.join(where, "meta.json")))["stats"]["numSamples"]
    assert samples == text.count("\n"), (samples, text.count("\n"))
    return size, samples


def rows(every=EVERY, n=SAMPLES):
    if not shutil.which("promtool"):
        for load, goal in LOADS:
            yield Row("bytes a sample in Prometheus' store, workload " + load, goal, [],
                      "prometheus is not installed")
        return
    served = [(h.Uncored("--engine", "model:nehalem-ex:" + load, "-c",
                         h.write(load + ".conf", "# what is ready-made\n")), [])
              for load, _ in LOADS]
    begun = time.monotonic()
    for k in range(n):
        for u, bodies in served:
            bodies.append(u.metrics())
        time.sleep(max(0, begun + (k + 1) * every - time.monotonic()))
    for (load, goal), (u, bodies) in zip(LOADS, served):
        u.stop()
        size, samples = stored(load, bodies, every)
        yield Row("bytes a sample in Prometheus' store, workload " + load, goal, [size / samples],
                  "%d samples of %d series, one each %d s" % (samples, len(bodies[-1]), every))
