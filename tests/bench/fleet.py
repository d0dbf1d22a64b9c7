# SPDX-License-Identifier: MIT
"""fleet.py [MACHINES] [MINUTES] - what a fleet costs Prometheus: so many uncored on the register
model (100), scraped by one real Prometheus with contrib's fleet.yml and rules as they are shipped
(10 minutes). Prints the rows of docs/operating.md, "Many machines".

Nothing is guessed: series and samples are counted by Prometheus, bytes in the block that it writes.
Build in the current directory: top_srcdir=.. python3 ../tests/bench/fleet.py
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

SRC = os.environ.get("top_srcdir", "..")
MACHINES = int(sys.argv[1]) if len(sys.argv) > 1 else 100
MINUTES = float(sys.argv[2]) if len(sys.argv) > 2 else 10


def read(at):
    with open(at, encoding="utf-8") as f:
        return f.read()


def fetch(url, method="GET"):
    with urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=60) as r:
        return r.read().decode()


def own(base, name):
    """A metric that Prometheus serves of itself: the sum of its series."""
    return sum(float(v) for v in re.findall(r"^%s(?:{[^}]*})? (\S+)$" % name,
                                            fetch(base + "/metrics"), re.M))


def ask(base, query):
    form = urllib.parse.urlencode({"query": query})
    found = json.loads(fetch(base + "/api/v1/query?" + form))["data"]["result"]
    return float(found[0]["value"][1]) if found else 0.0


def start(at, n, running):
    """An uncored on the model; its address."""
    conf = os.path.join(at, "u%d.conf" % n)
    with open(conf, "w") as f:
        f.write('listen = [ "127.0.0.1:0" ];\n')
    said = os.path.join(at, "u%d.log" % n)
    with open(said, "w") as log:
        running.append(subprocess.Popen(["./uncored", "-c", conf, "--engine",
                                         "model:nehalem-ex:day"], stderr=log, stdout=log))
    for _ in range(200):
        found = re.search(r"http://(127\.0\.0\.1:\d+)/", read(said))
        if found:
            return found[1]
        time.sleep(0.05)
    raise SystemExit(read(said))


def processes(running):
    """CPU seconds and resident bytes of the uncored and their http processes, a machine."""
    cpu = resident = 0
    for p in running:
        children = read("/proc/%d/task/%d/children" % (p.pid, p.pid)).split()
        for pid in [p.pid, *map(int, children)]:
            words = read("/proc/%d/stat" % pid).rsplit(")", 1)[1].split()
            cpu += (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
            resident += int(words[21]) * os.sysconf("SC_PAGE_SIZE")
    return cpu / len(running), resident / len(running)


def measure(at, running):
    for name in "fleet.yml", "rules.yml":
        shutil.copy(os.path.join(SRC, "contrib/prometheus", name), at)
    os.mkdir(os.path.join(at, "targets"))
    hosts = [start(at, n, running) for n in range(MACHINES)]
    with open(os.path.join(at, "targets/all.yml"), "w") as f:
        f.write(json.dumps([{"targets": hosts}]))
    base = "http://127.0.0.1:39090"
    store = os.path.join(at, "tsdb")
    prometheus = subprocess.Popen([
        "prometheus", "--config.file=" + os.path.join(at, "fleet.yml"),
        "--storage.tsdb.path=" + store, "--web.listen-address=127.0.0.1:39090",
        "--web.enable-admin-api", "--log.level=warn"])
    daemons, began = list(running), time.time()
    running.append(prometheus)
    before = processes(daemons)[0]
    time.sleep(60 * MINUTES)
    seconds = time.time() - began
    cpu, resident = processes(daemons)
    print("machines, minutes          %d, %g" % (MACHINES, MINUTES))
    up = ask(base, "count(up == 1)")
    print("machines that answer       %d" % up)
    print("series a machine           %.0f" % ask(base, "avg(scrape_samples_scraped)"))
    print("recorded series a machine  %.0f" % (ask(
        base, 'count({__name__=~".+:.+"})') / MACHINES))
    samples = own(base, "prometheus_tsdb_head_samples_appended_total")
    print("samples a second           %.0f" % (samples / seconds))
    print("a scrape                   %.2f ms" % (1000 * ask(base, "avg(scrape_duration_seconds)")))
    print("rules, one evaluation      %.0f ms" % (1000 * own(
        base, "prometheus_rule_group_last_duration_seconds")))
    print("Prometheus, CPU            %.1f %%" % (100 * own(
        base, "process_cpu_seconds_total") / seconds))
    print("Prometheus, memory         %.0f MB" % (own(
        base, "process_resident_memory_bytes") / 1e6))
    print("uncored, CPU a machine     %.2f %%" % (100 * (cpu - before) / seconds))
    print("uncored, memory a machine  %.1f MB" % (resident / 1e6))
    made = json.loads(fetch(base + "/api/v1/admin/tsdb/snapshot", "POST"))["data"]["name"]
    block = size = kept = 0
    for where, _, files in os.walk(os.path.join(store, "snapshots", made)):
        for f in files:
            size += os.path.getsize(os.path.join(where, f))
            if f == "meta.json":
                block = json.loads(read(os.path.join(where, f)))
                kept += block["stats"]["numSamples"]
    print("bytes a sample, on disk    %.2f (%d samples)" % (size / kept, kept))


def main():
    running = []
    with tempfile.TemporaryDirectory() as at:
        try:
            measure(at, running)
        finally:
            for p in running:
                p.terminate()
            for p in running:
                p.wait()


main()
