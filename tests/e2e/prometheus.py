# SPDX-License-Identifier: MIT
"""prometheus.py - Debian's Prometheus scrapes uncored: on msr files (the model's rates are known)
and on this machine's real perf counters; promtool and the Python OpenMetrics parser read the same
bodies.

`promtool check metrics` accepts a series twice, a family in two pieces and a counter that falls:
tests look for these themselves, and the Python OpenMetrics parser is stricter."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.parse

import harness as h

PROMETHEUS = shutil.which("prometheus")
PROMTOOL = shutil.which("promtool")
# uncored publishes as often as Prometheus scrapes: every 200 ms, so that twenty scrapes are a
# window of four seconds.
MSR = """
interval = "200ms";
groups = (
  { name = "memory"; events = [ "bbox/IMT_VALID_OCCUPANCY", "bbox/IMT_INSERTS_ALL",
    "bbox/CONFLICTS", "wbox/CLOCKTICKS" ]; },
  { name = "links"; events = [ "rbox/NULL_IDLE,port=0", "wbox/CLOCKTICKS" ]; }
);
"""
PERF = """
interval = "200ms";
groups = ( { name = "real"; events = [ "perf/msr/tsc/", "perf/software/cpu-clock/" ]; } );
"""


def query(base, expression):
    url = base + "/api/v1/query?" + urllib.parse.urlencode({"query": expression})
    _, _, body = h.fetch(url)
    answer = json.loads(body)
    assert answer["status"] == "success", answer
    return {tuple(sorted((k, v) for k, v in r["metric"].items() if k != "__name__")):
            float(r["value"][1])
            for r in answer["data"]["result"]}


def perf_allowed():
    code, _, err = h.run(h.UNCORED, "-c", h.write("perf.conf", PERF), "--engine", "perf", "--once")
    return code == 0, err


def start_prometheus(targets, *options):
    config = "global:\n  scrape_interval: 200ms\n  scrape_timeout: 200ms\nscrape_configs:\n"
    for job, url in targets.items():
        config += "- job_name: %s\n  static_configs:\n  - targets: ['%s']\n" % (job,
                                                                                url.split("//")[1])
    return h.prometheus(h.write("prometheus.yml", config), *options)


def scraped(**targets):
    """Prometheus scrapes these daemons until a window of four seconds is full; its base URL."""
    base = start_prometheus({job: u.url for job, u in targets.items()})
    h.wait_for("all are up", lambda: list(query(base, "up").values()) == [1.0] * len(targets), 40)
    h.wait_for("enough samples",
               lambda: min(query(base, "count_over_time(up[1m])").values()) >= 23, 40)
    return base


def settles(base, expression, want):
    """rate() is within 1 %: a scrape of a busy machine that slips against the publications costs a
    twentieth of a window."""
    seen = []

    def near():
        got = query(base, expression)
        assert len(got) <= 1, got
        seen.append(*got.values() or [0])
        return abs(seen[-1] / want - 1) < 0.01
    try:
        h.wait_for(expression, near)
    except AssertionError:
        raise AssertionError("%s is %s, not %g" % (expression, seen, want))


def all_valid(u):
    assert u.value("uncored_config_last_reload_successful") == 1

    def invalid():
        return [k for k, v in u.metrics().items()
                if k.startswith("uncored_slot_valid") and v != "1"]
    h.wait_for("all is valid: %s" % invalid(), lambda: not invalid())


def test_msr_files():
    fs = h.Msrfs("--workload", "stream")
    u = h.Uncored("-c", h.write("msr.conf", MSR), *fs.options())
    base = scraped(msrfs=u)
    truth = fs.truth()
    checked = 0
    for name, unit, address in (("uncore_bbox_imt_inserts_all_total", 0, 0xc33),
                                ("uncore_bbox_imt_inserts_all_total", 1, 0xc73),
                                ("uncore_wbox_clockticks_total", 0, 0x394)):
        for socket in (0, 1):
            settles(base, 'rate(%s{job="msrfs",socket="%d",unit="%d"}[4s])'
                    % (name, socket, unit),
                    truth[(socket, address)][1])
            checked += 1
    assert checked == 6
    # a gauge has no value for an interval in which a busy machine did not sample
    latency = h.wait_for("latency of each", lambda: next(
        (q for q in [query(base, 'uncore_imt_latency_seconds{job="msrfs"}')] if len(q) == 4), None))
    assert all(1e-8 < v < 1e-5 for v in latency.values()), latency
    all_valid(u)


TURNS = """
interval = "200ms";
rotation = "400ms";
groups = ( { name = "full"; events = [ "bbox/IMT_FULL" ]; },
           { name = "conf"; events = [ "bbox/CONFLICTS", "bbox/IMT_INSERTS_ALL" ]; } );
"""


def test_rates_of_turns():
    """Both groups want counter 3: the total of one divides by its own time, and comes to what the
    counter does in a second."""
    fs = h.Msrfs("--workload", "stream")
    u = h.Uncored("-c", h.write("turns.conf", TURNS), *fs.options())
    assert u.value('uncored_rounds{socket="0"}') == 2
    base = scraped(turns=u)
    for socket in (0, 1):
        settles(base, 'rate(uncore_bbox_imt_inserts_all_total{socket="%d",unit="0"}[4s]) / ignoring'
                '(box, event) rate(uncored_slot_active_seconds_total{socket="%d",unit="0",'
                'event="IMT_INSERTS_ALL"}[4s])' % (socket, socket), fs.truth()[(socket, 0xc33)][1])


def test_real_perf_counters():
    allowed, why = perf_allowed()
    if not allowed:
        h.skip("no perf events are permitted here: " + why.strip())
    u = h.Uncored("-c", h.path("perf.conf"), "--engine", "perf")
    base = scraped(perf=u)
    for socket in h.wait_for("clocks", lambda: query(
            base, 'uncore_software_cpu_clock_total{job="perf"}')):
        number = dict(socket)["socket"]
        # it counts nanoseconds
        settles(base, 'rate(uncore_software_cpu_clock_total{job="perf",socket="%s"}[4s])' % number,
                1e9)
    tsc = h.wait_for("rates", lambda: query(base, 'rate(uncore_msr_tsc_total{job="perf"}[4s])'))
    assert all(v > 1e8 for v in tsc.values()), tsc
    all_valid(u)


def test_prometheus_reads_protobuf():
    """With native histograms on it asks for protobuf first, and only there are they."""
    u = h.Uncored("-c", h.write("native.conf", 'resolution = "50ms";' + MSR),
                  "--engine", "model:nehalem-ex:stream")
    base = start_prometheus({"native": u.url}, "--enable-feature=native-histograms")

    def scraped():
        """Series by name and labels as Prometheus has them, between two scrapes of ours in text."""
        before = u.metrics()
        seen = query(base, 'timestamp(uncored_up{job="native",socket="0"})')
        h.wait_for("one more scrape",
                   lambda: query(base, 'timestamp(uncored_up{job="native",socket="0"})') != seen)
        with_names = json.loads(h.fetch(base + "/api/v1/query?" +
                                        urllib.parse.urlencode({"query": '{job="native"}'}))[2])
        after = u.metrics()
        got = {}
        for r in with_names["data"]["result"]:
            labels = ",".join('%s="%s"' % (k, v) for k, v in sorted(r["metric"].items())
                              if k not in ("__name__", "job", "instance"))
            if "value" in r:
                got[r["metric"]["__name__"] + "{" + labels + "}"] = float(r["value"][1])
        return before, got, after

    def by_labels(metrics):
        out = {}
        for key, value in metrics.items():
            name, _, labels = key.partition("{")
            pairs = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels)
            out[name + "{" + ",".join('%s="%s"' % p for p in sorted(pairs) if p[1]) + "}"] = value
        return out

    h.wait_for("the first scrape", lambda: query(base, 'uncored_up{job="native"}'), 40)
    own = ("up{", "scrape_")
    before, got, after = h.wait_for("a quiet scrape", lambda: next(
        (t for t in [scraped()] if set(t[0]) == set(t[2])), None), 40)
    before, after = by_labels(before), by_labels(after)
    histogram = {k
                 for k in before if re.match(
                     r"(uncored_tick_lateness_seconds|uncore_\w+_distribution_\w+)"
                      r"_(bucket|sum|count)\{", k)}
    assert {k for k in got if not k.startswith(own)} == set(before) - histogram, \
        {k for k in got if not k.startswith(own)} ^ (set(before) - histogram)
    assert len(histogram) >= 2 * 14         # in text; in protobuf none of these is a series
    rising = 0
    for key, value in got.items():
        if "_total{" in key and not key.startswith(own):
            assert float(before[key]) <= value <= float(after[key]), \
                (key, before[key], value, after[key])
            rising += 1
    assert rising > 40
    count = query(base, "histogram_count(uncored_tick_lateness_seconds)")
    total = query(base, "histogram_sum(uncored_tick_lateness_seconds)")
    assert len(count) == len(total) == 2 and all(v > 10 for v in count.values()), count
    for socket in "01":
        labels = tuple(sorted({"instance": u.url.split("//")[1], "job": "native",
                               "socket": socket}.items()))
        key = 'uncored_tick_lateness_seconds_%%s{socket="%s"}' % socket
        assert float(before[key % "count"]) <= count[labels] <= u.value(key % "count")
        assert 0 < total[labels] <= u.value(key % "sum")
    clock = query(base, "histogram_count(uncore_clock_distribution_hertz)")
    assert len(clock) == 2 and all(v > 10 for v in clock.values()), clock
    p50 = query(base, "histogram_quantile(0.5, uncored_tick_lateness_seconds)")
    assert len(p50) == 2 and all(0 < v < 0.1 for v in p50.values()), p50


def test_prometheus_takes_start_times():
    """It puts a 0 where each counter began, so that increase() has also what came before the first
    scrape. A reload moves no beginning; what it adds begins with it."""
    feature = "created-timestamp-zero-ingestion"
    if not PROMETHEUS or feature not in re.sub(
            r"\s", "", subprocess.run([PROMETHEUS, "--help"], capture_output=True,
                                      text=True).stdout):
        h.skip("no Prometheus with %s" % feature)
    conf = h.write("created.conf", "created = true;" + MSR)
    u = h.Uncored("-c", conf, "--engine", "model:nehalem-ex:stream")
    base = start_prometheus({"created": u.url}, "--enable-feature=" + feature)

    def began():
        """{name and labels: when} by our own OpenMetrics text."""
        body = u.get("/metrics", {"Accept": "application/openmetrics-text;version=1.0.0"})[2]
        return {k.replace("_created", "_total"): float(v)
                for k, v in h.samples(body.decode()).items() if "_created" in k}

    def zeros(series):
        """When Prometheus has a 0 of it, and how many samples that are more than 0."""
        name = series if "{" in series else series + "{}"
        url = base + "/api/v1/query?" + urllib.parse.urlencode(
            {"query": name.replace("{", '{job="created",').replace(",}", "}") + "[10m]"})
        answer = json.loads(h.fetch(url)[2])["data"]["result"]
        values = answer[0]["values"] if answer else []
        return [at for at, v in values if v == "0"], len([v for _, v in values if v != "0"])

    clock = 'uncore_wbox_clockticks_total{socket="0",unit="0"}'
    cpu = "process_cpu_seconds_total"
    hits = 'uncore_cbox_llc_hits_total{socket="1",unit="3",umask="M:E"}'
    h.wait_for("scrapes", lambda: zeros(clock)[1] > 3 and zeros(cpu)[1] > 3, 40)
    first = began()
    assert abs(first[cpu] - u.value("process_start_time_seconds")) < 1e-6
    with open(conf, "w") as f:
        f.write("created = true;" + MSR.replace('"rbox', '"cbox/LLC_HITS:M:E", "rbox'))
    reload_at = time.time()
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("the new event", lambda: zeros(hits)[1] > 3, 40)
    later = began()
    assert {k: later[k] for k in first} == first
    assert first[clock] < reload_at < later[hits] < time.time()
    for series in clock, cpu, hits:
        at, _ = zeros(series)
        assert abs(at[0] - later[series]) < 0.0011, (series, at, later[series])
        assert len(at) == 1 or series == cpu, at


def test_the_trial_of_contrib():
    """The command in scrape.yml, in its directory; not in Debian's directory for data, which only
    its service may write."""
    if not PROMETHEUS:
        h.skip("prometheus is not installed")
    where = os.path.join(h.SRC, "contrib/prometheus")
    with open(where + "/scrape.yml") as f:
        command = re.search(r"^#   (prometheus .*)", f.read(), re.M)[1]
    assert "--storage.tsdb.path=/tmp/" in command, command
    port = h.free_port()
    mine = command.replace("/tmp/uncored-prom", h.path("tsdb")).replace(":9090", ":%d" % port)
    assert mine.endswith(" --web.listen-address=127.0.0.1:%d" % port), command
    p = h.Process(mine.split(), "trial", cwd=where)
    h.wait_for("Prometheus is ready", lambda: "ready to receive web requests" in p.text() or
               not p.running(), 40)
    assert p.running(), p.text()

    def told(what):
        return json.loads(h.fetch("http://127.0.0.1:%d/api/v1/%s" % (port, what))[2])["data"]
    # A rule file that is not there is no error to Prometheus.
    rules = told("rules")
    assert {os.path.basename(g["file"]) for g in rules["groups"]} == {"rules.yml"}, rules
    h.wait_for("the target is there", lambda: told("targets")["activeTargets"], 20)
    targets = [(t["labels"]["job"], t["scrapeUrl"]) for t in told("targets")["activeTargets"]]
    assert targets == [("uncored", "http://127.0.0.1:10062/metrics")], targets


def test_promtool_accepts():
    if not PROMTOOL:
        h.skip("promtool is not installed")
    everything = MSR.replace("events =", 'resolution = "100ms"; distribution = true; events =')
    u = h.Uncored("-c", h.write("lint.conf", everything), "--engine", "model:nehalem-ex")
    bucket = b"uncore_wbox_clockticks_distribution_events_per_second_bucket{"
    body = h.wait_for("samples", lambda: next(
        (b for b in [u.get("/metrics", {"Accept": "text/plain"})[2]] if bucket in b), None))
    p = subprocess.run([PROMTOOL, "check", "metrics"], input=body, capture_output=True)
    assert p.returncode == 0 and p.stdout == b"", (p.returncode, p.stdout, p.stderr)
    assert p.stderr == b"", (p.returncode, p.stdout, p.stderr)


def test_openmetrics_parser_accepts():
    sys.path.append("/usr/lib/python3/dist-packages")
    try:
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
    except ImportError:
        h.skip("python3-prometheus-client is not installed")
    u = h.Uncored("-c", h.write("om.conf", "created = true;" + MSR),
                  "--engine", "model:nehalem-ex")
    body = u.get("/metrics", {"Accept": "application/openmetrics-text;version=1.0.0"})[2].decode()
    families = list(text_string_to_metric_families(body))
    seen = [(s.name, tuple(sorted(s.labels.items()))) for f in families for s in f.samples]
    assert len(seen) == len(set(seen)) and len(seen) > 50
    assert {"uncore_bbox_imt_inserts_all", "uncored_build"} <= {f.name for f in families}


if __name__ == "__main__":
    h.main(sys.modules[__name__])
