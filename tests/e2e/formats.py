# SPDX-License-Identifier: MIT
"""formats.py - the same series with the same values in every format: text, OpenMetrics as Python's
parser reads it, protobuf as Google's decoder reads it by the published schema; plain and
compressed; and negotiation on the wire."""
import gzip
import re
import sys
import time

import harness as h

sys.path.append("/usr/lib/python3/dist-packages")

TEXT = "text/plain;version=0.0.4"
OPENMETRICS = "application/openmetrics-text;version=1.0.0"
PROTOBUF = ("application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;"
            "encoding=delimited")
CONF = """
created = true;
resolution = "50ms";
groups = (
  { name = "memory"; events = [ "bbox/IMT_VALID_OCCUPANCY", "bbox/IMT_INSERTS_ALL",
    "bbox/CONFLICTS", "wbox/CLOCKTICKS" ];
    distribution = true; },
  { name = "hits"; events = [ "cbox/LLC_HITS:M:E", "cbox/LLC_MISSES:ALL", "wbox/CLOCKTICKS" ]; },
  { name = "links"; events = [ "rbox/NULL_IDLE,port=0", "rbox/FLITS_SENT,port=1",
    "wbox/CLOCKTICKS", "sbox/PKTS_SENT_SNP" ]; }
);
metrics = ( { name = "below_ratio"; per = "socket";
              scale = -1.0; distribution = true;
              numerator = ( "bbox/IMT_INSERTS_ALL" ); denominator = ( "wbox/CLOCKTICKS" ); } );
"""

# io/prometheus/client/metrics.proto of github.com/prometheus/client_model: name, number, type; *
# repeated.
SCHEMA = {
    "LabelPair": ["name 1 string", "value 2 string"],
    "Gauge": ["value 1 double"],
    "Timestamp": ["seconds 1 int64", "nanos 2 int32"],
    "Exemplar": ["label 1 *LabelPair", "value 2 double", "timestamp 3 Timestamp"],
    "Counter": ["value 1 double", "exemplar 2 Exemplar", "created_timestamp 3 Timestamp"],
    "Quantile": ["quantile 1 double", "value 2 double"],
    "Summary": ["sample_count 1 uint64", "sample_sum 2 double", "quantile 3 *Quantile",
                "created_timestamp 4 Timestamp"],
    "Untyped": ["value 1 double"],
    "Bucket": ["cumulative_count 1 uint64", "upper_bound 2 double", "exemplar 3 Exemplar",
               "cumulative_count_float 4 double"],
    "BucketSpan": ["offset 1 sint32", "length 2 uint32"],
    "Histogram": ["sample_count 1 uint64", "sample_sum 2 double", "bucket 3 *Bucket",
                  "sample_count_float 4 double",
                  "schema 5 sint32", "zero_threshold 6 double", "zero_count 7 uint64",
                  "zero_count_float 8 double",
                  "negative_span 9 *BucketSpan", "negative_delta 10 *sint64",
                  "negative_count 11 *double",
                  "positive_span 12 *BucketSpan", "positive_delta 13 *sint64",
                  "positive_count 14 *double",
                  "created_timestamp 15 Timestamp", "exemplars 16 *Exemplar"],
    "Metric": ["label 1 *LabelPair", "gauge 2 Gauge", "counter 3 Counter", "summary 4 Summary",
               "untyped 5 Untyped",
               "timestamp_ms 6 int64", "histogram 7 Histogram"],
    "MetricFamily": ["name 1 string", "help 2 string", "type 3 int32", "metric 4 *Metric",
                     "unit 5 string"],
}
TYPES = {0: "counter", 1: "gauge", 4: "histogram"}


def message_class():
    try:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    except ImportError:
        h.skip("python3-protobuf is not installed")
    file = descriptor_pb2.FileDescriptorProto(name="metrics.proto", package="p", syntax="proto2")
    for name, fields in SCHEMA.items():
        message = file.message_type.add(name=name)
        for field in fields:
            key, number, kind = field.split()
            f = message.field.add(name=key, number=int(number), label=3 if kind[0] == "*" else 1)
            kind = kind.lstrip("*")
            if kind in SCHEMA:
                f.type, f.type_name = f.TYPE_MESSAGE, ".p." + kind
            else:
                f.type = getattr(f, "TYPE_" + kind.upper())
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.MessageFactory(pool).GetPrototype(
        pool.FindMessageTypeByName("p.MetricFamily"))


def varint(body, at):
    value = shift = 0
    while True:
        value |= (body[at] & 0x7F) << shift
        shift += 7
        at += 1
        if body[at - 1] < 0x80:
            return value, at


class Exposition:
    """What one format says: {family: (type, help, unit)}, {(sample name, labels): value}, and of
    counters and distributions {(family, labels): when it began, in seconds since 1970}."""

    def __init__(self):
        self.families, self.samples, self.created = {}, {}, {}

    def family(self, name, kind, text, unit):
        assert name not in self.families, "the family %s comes twice" % name
        self.families[name] = kind, text, unit

    def sample(self, name, labels, value):
        assert len(dict(labels)) == len(labels), labels
        key = name, frozenset(labels)
        assert key not in self.samples, "the series %s comes twice" % (key,)
        self.samples[key] = value


def unescape(text):
    return re.sub(r"\\(.)", lambda m: "\n" if m.group(1) == "n" else m.group(1), text)


def read_text(body):
    """Prometheus text, strictly: a family is its HELP, its TYPE, its samples, and not again."""
    e, name = Exposition(), None
    for line in body.decode().split("\n")[:-1]:
        if line.startswith("# HELP "):
            name, text = line[7:].split(" ", 1)
        elif line.startswith("# TYPE "):
            typed, kind = line[7:].split(" ")
            assert typed == name, line
            e.family(name, kind, unescape(text), None)
        else:
            sample, labels, value = re.fullmatch(r'(\w+)(?:\{(.*)\})? (\S+)', line).groups()
            suffixes = ("_bucket", "_sum",
                        "_count") if e.families[name][0] == "histogram" else ("",)
            assert sample in [name + s for s in suffixes], line
            pairs = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"(?:,|$)', labels or "")
            assert ",".join('%s="%s"' % p for p in pairs) == (labels or ""), line
            e.sample(sample, [(k, unescape(v)) for k, v in pairs], value)
    assert body.endswith(b"\n")
    return e


def read_openmetrics(body):
    try:
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
    except ImportError:
        h.skip("python3-prometheus-client is not installed")
    e = Exposition()
    for f in text_string_to_metric_families(body.decode()):
        name = f.name + {"counter": "_total", "info": "_info"}.get(f.type, "")
        e.family(name, "gauge" if f.type == "info" else f.type, f.documentation, f.unit)
        for s in f.samples:
            if s.name == f.name + "_created":
                e.created[name, frozenset(s.labels.items())] = s.value
            else:
                e.sample(s.name, list(s.labels.items()), s.value)
    return e


def number(text):
    return float(text) if re.search("[.eEI]", text) else int(text)


def bound(text):
    return "+Inf" if text == "+Inf" else str(float(text))


def native_buckets(schema, spans, deltas):
    """[(lower bound, upper bound, count)] of one sign: bucket i ends at 2^(i 2^-schema)."""
    out, index, count, at = [], 0, 0, 0
    for span in spans:
        index += span.offset
        for _ in range(span.length):
            count += deltas[at]
            at += 1
            assert count >= 0
            out.append((2.0 ** ((index - 1) * 2.0 ** -schema),
                        2.0 ** (index * 2.0 ** -schema), count))
            index += 1
    assert at == len(deltas)
    return out


def expect_native(m):
    """The native buckets hold the samples of the classic ones, each where its value can be."""
    assert -4 <= m.schema <= 8 and m.zero_threshold > 0
    positive = native_buckets(m.schema, m.positive_span, m.positive_delta)
    negative = native_buckets(m.schema, m.negative_span, m.negative_delta)
    assert m.positive_span or m.negative_span
    assert sum(c for _, _, c in positive + negative) + m.zero_count == m.sample_count
    below = sum(c for _, _, c in negative) + m.zero_count
    for b in m.bucket:
        if b.upper_bound > m.zero_threshold:
            least = below + sum(c for _, upper, c in positive if upper <= b.upper_bound * 1.000001)
            most = below + sum(c for lower, _, c in positive if lower < b.upper_bound * 0.999999)
            assert least <= b.cumulative_count <= most, (b, least, most)


def began(m):
    """When a counter or histogram did, in seconds since 1970."""
    assert 0 <= m.created_timestamp.nanos < 10 ** 9
    return m.created_timestamp.seconds + m.created_timestamp.nanos / 1e9


def read_protobuf(body):
    cls, e, at = message_class(), Exposition(), 0
    while at < len(body):
        n, at = varint(body, at)
        assert n and at + n <= len(body)
        f = cls.FromString(body[at:at + n])
        at += n
        assert not hasattr(f, "UnknownFields") or not len(f.UnknownFields())
        kind = TYPES[f.type]
        e.family(f.name, kind, f.help, f.unit)
        assert len(f.metric) and len(f.name)
        for m in f.metric:
            labels = [(p.name, p.value) for p in m.label]
            assert [d.name for d, _ in m.ListFields() if d.name != "label"] == [kind], m
            if kind != "gauge":
                e.created[f.name, frozenset(labels)] = began(getattr(m, kind))
            if kind != "histogram":
                assert getattr(m, kind).HasField("value")
                e.sample(f.name, labels, getattr(m, kind).value)
                continue
            for b in m.histogram.bucket:
                e.sample(f.name + "_bucket", labels + [("le", bound(str(b.upper_bound)))],
                         b.cumulative_count)
            expect_native(m.histogram)
            key = f.name + "_bucket", frozenset(labels + [("le", "+Inf")])
            e.samples.setdefault(key, m.histogram.sample_count)  # the bucket +Inf is optional here
            e.sample(f.name + "_sum", labels, m.histogram.sample_sum)
            e.sample(f.name + "_count", labels, m.histogram.sample_count)
    return e


def bodies(u, accepts):
    """Bodies of one and the same moment, one for each Accept header."""
    def fetch():
        got = [u.get("/metrics", {"Accept": a})[2] for a in accepts]
        return got if u.get("/metrics", {"Accept": accepts[0]})[2] == got[0] else None
    return h.wait_for("all formats within one generation", fetch)


def agree(text, other, what, exact):
    assert text.families.keys() == \
        other.families.keys(), (what, text.families.keys() ^ other.families.keys())
    for name, (kind, doc, unit) in other.families.items():
        assert (kind, doc) == text.families[name][:2], (what, name, kind, doc)
        assert not unit or re.search("_%s(_total)?$" % unit, name), (what, name, unit)
    left = {(n, frozenset((k, bound(v) if k == "le" else v) for k, v in l)): v for (n, l),
            v in text.samples.items()}
    right = {(n, frozenset((k, bound(v) if k == "le" else v) for k, v in l)): v for (n, l),
             v in other.samples.items()}
    assert left.keys() == right.keys(), (what, left.keys() ^ right.keys())
    for key, value in left.items():
        want = number(value) if exact else float(value)
        assert right[key] == want, (what, key, value, right[key])


def fallen(metrics):
    """Have the samples of both sockets, which are below 0, a sum?"""
    return sum("below_distribution_ratio_sum" in k and float(v) < 0
               for k, v in metrics.items()) == 2


def start():
    try:
        fs = h.Msrfs("--virtual")
    except SystemExit:
        print("NOTE: no FUSE here, therefore no invalid slot in the comparison")
        u = h.Uncored("-c", h.write("formats.conf", CONF), "--engine", "model:nehalem-ex:stream")
        h.wait_for("samples", lambda: fallen(u.metrics()))
        return None, u
    u = h.Uncored("-c", h.write("formats.conf", CONF), *fs.options())

    def counts():
        # again, as what came too late on a busy machine is thrown away
        fs.control("advance 10000000")
        m = u.metrics()
        return len(set(m.values())) > 40 and fallen(m)
    h.wait_for("counts", counts)
    # then somebody takes a counter: a series that names its reason
    fs.control("write 0 0xc32 0x19")
    h.wait_for("an invalid slot",
               lambda: any(k.startswith("uncored_slot_invalid") for k in u.metrics()))
    return fs, u


def test_every_format_says_the_same():
    _, u = start()
    text, openmetrics, protobuf = bodies(u, [TEXT, OPENMETRICS, PROTOBUF])
    want = read_text(text)
    # Lateness; of each event of the group its rate, of each of its metrics its samples.
    assert sum(kind == "histogram" for kind, _, _ in want.families.values()) >= 1 + 4 + 3
    assert want.families["uncore_bbox_conflicts_distribution_events_per_second"][0] == "histogram"
    assert sum(float(v) for (n, _), v in want.samples.items()
               if n.startswith("uncored_tick_lateness_seconds_bucket")) > 0
    assert len(want.samples) > 150 and len({v for v in want.samples.values()}) > 30
    strict = read_openmetrics(openmetrics)
    # OpenMetrics 1.0.0: with values below 0 a histogram has neither sum, which might fall, nor
    # count. Its parser refuses such a sum.
    falls = {k: number(v) for k, v in want.samples.items()
             if re.fullmatch("uncore_below_distribution_ratio_(sum|count)", k[0])}
    assert len(falls) == 4 and min(falls.values()) < 0, falls
    assert not falls.keys() & strict.samples.keys(), falls
    strict.samples.update(falls)
    binary = read_protobuf(protobuf)
    agree(want, strict, "OpenMetrics", exact=True)
    agree(want, binary, "protobuf", exact=False)
    # every counter and distribution, after its process and before now
    assert binary.created.keys() == {(n, labels) for n, labels in want.samples
                                     if n.endswith("_total")} | {
        (n[:-len("_bucket")], frozenset(p for p in labels if p[0] != "le"))
        for n, labels in want.samples if n.endswith("_bucket")}
    assert binary.created.keys() == strict.created.keys()
    before = u.value("process_start_time_seconds") - 1e-6
    for key, at in binary.created.items():
        assert abs(at - strict.created[key]) < 1e-6, (key, at, strict.created[key])
        assert before < at < time.time(), (key, before, at)


def test_gzip_is_the_same_body():
    u = h.Uncored("-c", h.write("gzip.conf", CONF), "--engine", "model:nehalem-ex:stream")
    for accept in (TEXT, OPENMETRICS, PROTOBUF):
        def fetch():
            plain = u.get("/metrics", {"Accept": accept})
            small = u.get("/metrics", {"Accept": accept, "Accept-Encoding": "gzip"})
            return (plain, small) if u.get("/metrics", {"Accept": accept})[2] == plain[2] else None
        plain, small = h.wait_for("both within one generation", fetch)
        assert gzip.decompress(small[2]) == plain[2]
        assert len(small[2]) < len(plain[2]) / 3, (len(small[2]), len(plain[2]))
        assert small[1]["Content-Encoding"] == "gzip" and plain[1]["Content-Encoding"] is None
        assert small[1]["Content-Type"] == plain[1]["Content-Type"]
        for reply in (plain, small):
            assert reply[1]["Vary"] == "Accept, Accept-Encoding"
            assert int(reply[1]["Content-Length"]) == len(reply[2])
    for where, vary in (("/", "Accept-Encoding"), ("/api/v1/status", "Accept-Encoding")):
        code, headers, body = u.get(where, {"Accept-Encoding": "gzip;q=0.3, identity;q=0.2"})
        assert code == 200 and headers["Content-Encoding"] == "gzip" and headers["Vary"] == vary
        assert gzip.decompress(body)[:1] in b"<{"
        assert u.get(where, {"Accept-Encoding": "gzip;q=0"})[1]["Content-Encoding"] is None


def test_content_types():
    u = h.Uncored("-c", h.write("types.conf", CONF), "--engine", "model:nehalem-ex:stream")
    for accept, want in (
            ("*/*", "text/plain; version=0.0.4; charset=utf-8"),
            (TEXT, "text/plain; version=0.0.4; charset=utf-8"),
            # what there is none of: the text that everybody reads
            ("text/plain;version=1.0.0;escaping=allow-utf-8;q=0.6,*/*;q=0.5",
             "text/plain; version=0.0.4; charset=utf-8"),
            (OPENMETRICS, "application/openmetrics-text; version=1.0.0; charset=utf-8"),
            # Prometheus 3
            (OPENMETRICS + ";escaping=allow-utf-8;q=0.6,"
             "application/openmetrics-text;version=0.0.1;q=0.5,"
             "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
             "text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
             "application/openmetrics-text; version=1.0.0; charset=utf-8"),
            (PROTOBUF, "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; "
                       "encoding=delimited")):
        for encoding in ("identity", "gzip"):
            code, headers, _ = u.get("/metrics", {"Accept": accept, "Accept-Encoding": encoding})
            assert code == 200, (accept, headers["Content-Type"])
            assert headers["Content-Type"] == want, (accept, headers["Content-Type"])


def test_filters():
    u = h.Uncored("-c", h.write("filters.conf", CONF), "--engine", "model:nehalem-ex:stream")
    links = ['uncore_link_snp_utilization_ratio{socket="%d",unit="%d",link="s2r"}' % (s, unit)
             for s in (0, 1) for unit in (0, 1)]
    h.wait_for("every series", lambda: {*links, *(
        'uncore_clock_hertz{socket="%d"}' % s for s in (0, 1))} <= u.metrics().keys())

    def fetch():        # series, not values: those move on; a late sample takes gauges away
        got = [set(h.samples(u.get("/metrics" + q)[2].decode()))
               for q in ("", "?group[]=hits", "?group%5B%5D=hits&group%5b%5d=links")]
        again = set(h.samples(u.get("/metrics")[2].decode()))
        return got if again == got[0] and set(links) <= again else None
    everything, hits, both = h.wait_for("the same series twice", fetch)
    def counted(series, *boxes):
        return {k for k in series if k.startswith(tuple("uncore_%s_" % b for b in boxes))}
    assert hits < everything and {k for k in hits if "group=" in k} == {
        'uncored_group_active_seconds_total{socket="%d",group="hits"}' % s for s in (0, 1)}
    assert counted(hits, "cbox", "wbox") == counted(everything, "cbox", "wbox"), \
        counted(hits, "cbox", "wbox") ^ counted(everything, "cbox", "wbox")
    assert len(counted(hits, "cbox")) == 2 * 8 * 2 and not counted(hits, "bbox", "rbox")
    # metrics that have an input in the group, whoever names the others
    assert 'uncore_clock_hertz{socket="0"}' in hits
    assert links[0] in hits
    assert hits < both and not counted(both, "bbox")
    assert counted(both, "rbox") == counted(everything, "rbox") != set()
    assert len(both) > len(hits)
    assert set(h.samples(u.get("/metrics?other=1&collect[]=x")[2].decode())) >= hits
    code, headers, body = u.get("/metrics?name[]=uncored_up&name%5B%5D=uncored_build_info",
                                {"Accept": OPENMETRICS, "Accept-Encoding": "gzip"})
    assert code == 200 and headers["Content-Encoding"] == "gzip"
    assert headers["Content-Type"].startswith("application/openmetrics-text")
    assert set(read_openmetrics(gzip.decompress(body)).families) == \
        {"uncored_up", "uncored_build_info"}
    body = u.get("/metrics?name[]=uncore_cbox_llc_hits_total&group[]=hits", {"Accept": PROTOBUF})[2]
    assert set(read_protobuf(body).families) == {"uncore_cbox_llc_hits_total"}
    for part in "bucket", "count", "sum", "created":        # what PromQL calls it: the whole of it
        body = u.get("/metrics?name[]=uncored_tick_lateness_seconds_" + part)[2]
        assert set(read_text(body).families) == {"uncored_tick_lateness_seconds"}, (part, body)
    for query, word in (("group[]=hit", '"hit"'),
                        ("name[]=uncored_tick_lateness_seconds_total", "_total"),
                        ("name[]=uncored_up_sum", "_sum"),
                        ("name[]=%3Cb%3E%0d%0aX:%20y", '"<b>??X: y"'), ("group[]", '""'),
                        ("name[]=uncored_up&group[]=hits&name[]=nothing", '"nothing"')):
        code, headers, body = u.get("/metrics?" + query)
        assert code == 400 and word in body.decode() and body.endswith(b".\n"), (query, code, body)
        assert headers["Content-Type"] == "text/plain; charset=utf-8"
        assert headers["X-Content-Type-Options"] == "nosniff"
    code, _, body = u.get("/metrics?" + "&".join(["name[]=uncored_up"] * 60))
    assert code == 200 and len(h.samples(body.decode())) == 2


h.main(sys.modules[__name__])
