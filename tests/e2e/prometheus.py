"""prometheus.py - Debian's Prometheus scrapes uncored: on msr files (the model's rates are known) and on this machine's
real perf counters; promtool and the Python OpenMetrics parser read the same bodies."""
import json
import os
import subprocess
import sys
import time
import urllib.parse

import harness as h

PROMETHEUS = os.environ.get("PROMETHEUS") or "/usr/bin/prometheus"
PROMTOOL = os.environ.get("PROMTOOL") or "/usr/bin/promtool"
# uncored publishes as often as Prometheus scrapes: every 200 ms, so that twenty scrapes are a window of four seconds.
MSR = """
interval = "200ms";
groups = (
  { name = "memory"; events = [ "bbox/IMT_VALID_OCCUPANCY", "bbox/IMT_INSERTS_ALL", "bbox/CONFLICTS", "wbox/CLOCKTICKS" ]; },
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
    return {tuple(sorted((k, v) for k, v in r["metric"].items() if k != "__name__")): float(r["value"][1])
            for r in answer["data"]["result"]}


def perf_allowed():
    code, _, err = h.run(h.UNCORED, "-c", h.write("perf.conf", PERF), "--engine", "perf", "--once")
    return code == 0, err


def start_prometheus(targets):
    if not os.access(PROMETHEUS, os.X_OK):
        h.skip("prometheus is not installed")
    port = h.free_port()
    config = "global:\n  scrape_interval: 200ms\n  scrape_timeout: 200ms\nscrape_configs:\n"
    for job, url in targets.items():
        config += "- job_name: %s\n  static_configs:\n  - targets: ['%s']\n" % (job, url.split("//")[1])
    p = h.Process([PROMETHEUS, "--config.file", h.write("prometheus.yml", config), "--storage.tsdb.path", h.path("tsdb"),
                   "--web.listen-address", "127.0.0.1:%d" % port, "--log.level=warn"], "prometheus")
    base = "http://127.0.0.1:%d" % port

    def ready():
        try:
            return h.fetch(base + "/-/ready")[0] == 200
        except OSError:
            return not p.running()
    h.wait_for("Prometheus is ready", ready, 40)
    assert p.running(), p.text()
    return base


def scraped(**targets):
    """Prometheus scrapes these daemons until a window of four seconds is full; its base URL."""
    base = start_prometheus({job: u.url for job, u in targets.items()})
    h.wait_for("all are up", lambda: list(query(base, "up").values()) == [1.0] * len(targets), 40)
    h.wait_for("enough samples", lambda: min(query(base, "count_over_time(up[1m])").values()) >= 23, 40)
    assert set(query(base, "up").values()) == {1.0}
    return base


def settles(base, expression, want):
    """rate() is within 1 %: a scrape of a busy machine that slips against the publications costs a twentieth of a window."""
    seen = []

    def near():
        got = query(base, expression)
        assert len(got) == 1, got
        seen.append(*got.values())
        return abs(seen[-1] / want - 1) < 0.01
    try:
        h.wait_for(expression, near)
    except AssertionError:
        raise AssertionError("%s is %s, not %g" % (expression, seen, want))


def all_valid(u):
    assert u.value("uncored_config_last_reload_successful") == 1
    for name, value in u.metrics().items():
        if name.startswith("uncored_slot_valid"):
            assert value == "1", name


def test_msr_files():
    fs = h.Msrfs("--workload", "stream")
    u = h.Uncored("-c", h.write("msr.conf", MSR), *fs.options())
    base = scraped(msrfs=u)
    truth = fs.truth()
    checked = 0
    for name, unit, address in (("uncore_bbox_imt_inserts_all_total", 0, 0xc33), ("uncore_bbox_imt_inserts_all_total", 1, 0xc73),
                                ("uncore_wbox_clockticks_total", 0, 0x394)):
        for socket in (0, 1):
            settles(base, 'rate(%s{job="msrfs",socket="%d",unit="%d",group="memory"}[4s])' % (name, socket, unit),
                    truth[(socket, address)][1])
            checked += 1
    assert checked == 6
    latency = query(base, 'uncore_imt_latency_seconds{job="msrfs"}')
    assert len(latency) == 4 and all(1e-8 < v < 1e-5 for v in latency.values()), latency
    all_valid(u)


def test_real_perf_counters():
    allowed, why = perf_allowed()
    if not allowed:
        h.skip("no perf events are permitted here: " + why.strip())
    u = h.Uncored("-c", h.path("perf.conf"), "--engine", "perf")
    base = scraped(perf=u)
    for socket in query(base, 'uncore_software_cpu_clock_total{job="perf"}'):
        number = dict(socket)["socket"]
        settles(base, 'rate(uncore_software_cpu_clock_total{job="perf",socket="%s"}[4s])' % number, 1e9)    # it counts nanoseconds
    tsc = query(base, 'rate(uncore_msr_tsc_total{job="perf"}[4s])')
    assert tsc and all(v > 1e8 for v in tsc.values()), tsc
    all_valid(u)


def test_promtool_accepts():
    if not os.access(PROMTOOL, os.X_OK):
        h.skip("promtool is not installed")
    u = h.Uncored("-c", h.write("lint.conf", MSR), "--engine", "model:nehalem-ex")
    body = u.get("/metrics", {"Accept": "text/plain"})[2]
    p = subprocess.run([PROMTOOL, "check", "metrics"], input=body, capture_output=True)
    assert p.returncode == 0 and p.stdout == b"" and p.stderr == b"", (p.returncode, p.stdout, p.stderr)


def test_openmetrics_parser_accepts():
    sys.path.append("/usr/lib/python3/dist-packages")
    try:
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
    except ImportError:
        h.skip("python3-prometheus-client is not installed")
    u = h.Uncored("-c", h.write("om.conf", MSR), "--engine", "model:nehalem-ex")
    body = u.get("/metrics", {"Accept": "application/openmetrics-text;version=1.0.0"})[2].decode()
    families = list(text_string_to_metric_families(body))
    seen = [(s.name, tuple(sorted(s.labels.items()))) for f in families for s in f.samples]
    assert len(seen) == len(set(seen)) and len(seen) > 50
    assert {"uncore_bbox_imt_inserts_all", "uncored_build"} <= {f.name for f in families}


h.main(sys.modules[__name__])
