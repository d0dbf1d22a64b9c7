# SPDX-License-Identifier: MIT
"""catalog.py - the catalog as JSON: its schema, and that another tool can program every event from
it alone.

What registers must hold comes from the tables of the manuals in tests/catalog, not from our own
encoder.
"""
import copy
import json
import os
import shutil
import sys

import harness as h
import schema

FAMILIES = ("nehalem-ex", "westmere-ex", "nehalem", "westmere", "ivytown")
_documents = {}


def document(processor):
    if processor not in _documents:
        code, out, err = h.run(h.CTL, "list", "events", "--json", "--processor", processor)
        assert code == 0 and err == "", (processor, code, err)
        _documents[processor] = json.loads(out)
    return copy.deepcopy(_documents[processor])


def table(name):
    """Rows of a table of tests/catalog as dicts."""
    with open(os.path.join(h.SRC, "tests/catalog", name)) as f:
        rows = [line.rstrip("\n").split("\t") for line in f if not line.startswith("#")]
    return [dict(zip(rows[0], r)) for r in rows[1:]]


# ---------------------------------------------------------------------- a reader of the document,
# as the schema explains it

def number(text):
    return int(text, 16)


def put(bits, value):
    if bits is None:
        return 0
    high, low = bits
    assert value < 1 << (high - low + 1), "%#x does not fit into bits %d:%d" % (value, high, low)
    return value << low


def mask(bits):
    return put(bits, (1 << (bits[0] - bits[1] + 1)) - 1)


class Catalog:
    def __init__(self, doc):
        self.doc = doc
        self.boxes = {b["name"]: b for b in doc["boxes"]}
        self.events = {(e["box"], name): e for e in doc["events"]
                       for name in [e["event"], *e["aliases"]]}

    def find(self, box, name):
        prefix = self.boxes[box]["prefix"]
        name = name.upper()
        return self.events.get((box, name)) or \
            self.events[box, name[len(prefix):] if name.startswith(prefix) else name]

    def increment(self, box, event, umasks):
        """The most that unit masks together can add in one cycle."""
        e = self.find(box, event)
        if e["increments"] == "or":
            return e["max_increment"]
        bits = 0
        for u in umasks:
            bits |= number(self.umask(e, u)["value"]) & ~number(e["umasks_agree"])
        n = bin(bits).count("1") if e["encoding"]["umask_in_control"] else len(umasks)
        return max(n, e["max_increment"])

    def umask(self, event, name):
        def fold(s):
            return s.upper().replace(".", "_")
        (u,) = [u for u in event["umasks"] if fold(name) in map(fold, [u["name"], *u["aliases"]])]
        return u

    def register(self, box, row, unit, index):
        """(address or (device, function, offset), name)"""
        bank = box["units"][unit]["banks"][row["bank"]]
        at = number(bank["base"]) + number(row["offset"]) + (index - row["first"]) * row["step"]
        name = row["name"].replace("%u", str(unit)).replace("%n", str(index))
        return (at if box["space"] == "msr" else (bank["device"], bank["function"], at)), name

    def rows(self, box, index, **wanted):
        return [r for r in box["registers"] if r["first"] <= index < r["first"] + r["count"]
                and all(r[k] == v for k, v in wanted.items())]

    def encode(self, box, event, umasks=(), unit=0, port=0, place=0, keys=None, threshold=0,
               edge=0, invert=0):
        """The control word, and [(address, register, mask, value)] of what selects beside it."""
        b, e, keys = self.boxes[box], self.find(box, event), keys or {}
        enc, c = e["encoding"], b["control"]
        if e["counters"] == "fixed":
            return number(b["fixed"]["enable"]), []
        umasks = [self.umask(e, u) for u in umasks or filter(None, [e["default_umask"]])]
        given = [k for k in e["keys"] if k["name"] in keys]
        at = enc["places"][place]
        add = b["ports"]["values"][port]["event_add"] if b["ports"] else 0
        ctl = number(enc["control"]) | number(c["always"]) | put(c["event"],
                                                                 number(at["code"]) + add)
        ctl |= put(c["enable"], 1) | put(c["occupancy_reset"], int(enc["occupancy_reset"]))
        ctl |= put(c["threshold"], threshold) | put(c["edge"],
                                                    edge) | put(e["encoding"]["invert"] or
                                                                c["invert"], invert)
        values = 0
        for u in umasks:
            values |= number(u["value"])
            ctl |= number(u["control"])
        if enc["umask_in_control"]:
            ctl |= put(c["umask"], values)
        for k in given:
            ctl |= number(k.get("control", "0x0"))
        return ctl, self.select(b, at,
                                self.targets(e, enc, umasks, values, given, keys), unit, port)

    def targets(self, e, enc, umasks, values, given, keys):
        wanted, default = {}, {}
        for s in [enc["set"], *(u["set"] for u in umasks)]:
            for t in s:
                wanted[t["target"]] = wanted.get(t["target"], 0) | number(t["value"])
        for k in e["keys"]:
            is_given = k in given
            value = keys[k["name"]] if is_given else number(k["default"])
            if not is_given and "umask_bits" in k and not values & number(k["umask_bits"]):
                continue
            to = wanted if is_given else default
            value >>= k.get("shift", 0)
            high, low = k["bits"]
            if "split" in k:
                n = k["split"]["at"]
                to[k["split"]["target"]] = to.get(k["split"]["target"], 0) | value >> n
                value, high = value & ((1 << n) - 1), low + n - 1
            to[k["target"]] = to.get(k["target"], 0) | put([high, low], value)
            if is_given:
                for t in k.get("owns", []):
                    wanted.setdefault(t, 0)
                if "also" in k:
                    t = k["also"]["target"]
                    wanted[t] = wanted.get(t, 0) | number(k["also"]["value"])
        return {t: v | default.get(t, 0) for t, v in wanted.items()}

    def select(self, b, place, wanted, unit, port):
        out = []
        for r in self.rows(b, port):
            m = v = 0
            for t in place["targets"]:
                if t["register_id"] == r["id"] and t["target"] in wanted:
                    m |= mask(t["bits"])
                    v |= put(t["bits"], wanted[t["target"]])
            if m:
                out.append((*self.register(b, r, unit, port), m, v))
        return out


# ---------------------------------------------------------------------- the schema

def test_every_family_is_valid():
    v = schema.validator("catalog")
    for processor in FAMILIES:
        doc = document(processor)
        schema.accept(v, doc, processor)
        assert doc["processor"] == processor and doc["perf"] == []
    schema.accept(v, {"format": "uncored-catalog-1", "processor": "other", "events": [],
                      "perf": []}, "other")
    # SDM 3B 18.17.2, p 18-81: device 0, function 0, offset C0H
    assert document("westmere")["clock_ratio"] == {"device": 0, "function": 0, "offset": "0xc0"}
    assert not document("ivytown")["clock_ratio"]
    # 323535-001: 7 kinds of box; and what list prints for people
    assert len(document("nehalem-ex")["boxes"]) == 7
    for processor in FAMILIES:
        names = [line.split()[0]
                 for line in h.run(h.CTL, "list", "events", "-p", processor)[1].splitlines()]
        assert names == ["%s/%s" % (e["box"], e["event"]) for e in document(processor)["events"]]


def test_the_other_lists_are_valid():
    for what in ("processors", "keys", "boxes", "metrics"):
        j = json.loads(h.run(h.CTL, "list", what, "--json", "-p", "ivytown")[1])
        schema.accept(schema.validator("catalog", what), j, what)
    assert j["metrics"] == document("ivytown")["metrics"]
    for spec, processor, metric in (("bbox/IMT_FULL", "nehalem-ex", "imt_full_ratio"),
                                    ("ubox/UCLK", "ivytown", None)):
        j = json.loads(h.run(h.CTL, "describe", spec, "--json", "-p", processor)[1])
        schema.accept(schema.validator("catalog", "description"), j, spec)
        assert j.pop("processor") == processor
        metrics = j.pop("metrics")
        assert metric is None or metric in metrics, metrics
        assert j in document(processor)["events"]


def test_a_metric_described():
    j = json.loads(h.run(h.CTL, "describe", "uncore_imt_latency_seconds", "--json", "-p",
                         "nehalem-ex")[1])
    schema.accept(schema.validator("catalog", "metric"), j, "imt_latency_seconds")
    # 323535-001, 2.4.4.2: occupancy of 32 entries / inserts, while conflicts are at most 5 % of
    # them
    assert j["scale"] == 32 and j["guard"]["max"] == 0.05 and j["cycles_of"] == "wbox/CLOCKTICKS", j
    assert j["unit"] == "seconds", j
    # and to people: both sides of the guard, what keeps a value within bounds, and what a word is
    # that no event stands behind
    for metric, processor, words in (
            ("imt_latency_seconds", "nehalem-ex",
             ("left out while bbox/CONFLICTS / bbox/IMT_INSERTS_ALL is above 0.05\n",)),
            ("link_utilization_ratio", "nehalem-ex",
             ("taken from 1\n", "disputed: PCM takes the rate of FLITS_SENT")),
            ("snoop_miss_ratio", "nehalem-ex", ("taken from 1\n", "kept within 0 and 1\n")),
            ("link_sent_utilization_ratio",
             "ivytown", ("divided by  link_bytes\n",
                         "link_bytes: Bytes of flits that the QPI link can carry"))):
        code, out, err = h.run(h.CTL, "describe", metric, "-p", processor)
        assert code == 0 and all(w in out for w in words), (metric, out, err)


def bare(name):
    """sysfs and proc of one CPU that nobody knows, without PMUs."""
    root = h.path(name)
    for at, text in (("cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\n"
                                 "cpu family\t: 99\nmodel\t\t: 7\nstepping\t: 1\n"),
                     ("devices/system/cpu/online", "0"),
                     ("devices/system/cpu/cpu0/topology/physical_package_id", "0"),
                     ("devices/system/cpu/cpu0/topology/core_id", "0")):
        os.makedirs(os.path.dirname(os.path.join(root, at)), exist_ok=True)
        with open(os.path.join(root, at), "w") as f:
            f.write(text + "\n")
    return root


def test_events_of_the_kernel_are_valid():
    """A machine of no known family with a kernel PMU of two instances."""
    root = bare("sys")
    for unit in range(2):
        for name, text in (("type", "%d" % (20 + unit)), ("cpumask", "0"),
                           ("format/event", "config:0-7"), ("events/cas", "event=0x04"),
                           ("events/cas.scale", "6.103515625e-5"), ("events/cas.unit", "MiB"),
                           ("events/acts", "event=0x01")):
            at = os.path.join(root, "bus/event_source/devices/uncore_imc_%d" % unit, name)
            os.makedirs(os.path.dirname(at), exist_ok=True)
            with open(at, "w") as f:
                f.write(text + "\n")
    code, out, err = h.run(h.CTL, "list", "events", "--json", "--path-sysfs", root,
                           "--path-procfs", root)
    assert code == 0 and err == "", (code, err)
    j = json.loads(out)
    schema.accept(schema.validator("catalog"), j, "perf")
    assert j["processor"] == "other" and j["events"] == [], j
    cas = {"spec": "perf/uncore_imc/cas/", "pmu": "uncore_imc", "instances": 2, "event": "cas",
           "terms": "event=0x04",
           "scale": "6.103515625e-5", "unit": "MiB"}
    assert cas in j["perf"], j["perf"]
    for wrong in (dict(cas, surprise=1), {k: v for k, v in cas.items() if k != "terms"},
                  dict(cas, spec="imc/cas")):
        assert not schema.validator("catalog", "perf_event").is_valid(wrong), wrong


def test_ready_made_metrics_are_valid():
    root = h.tree("skx")
    j = json.loads(h.run(h.CTL, "list", "metrics", "--json", "--path-sysfs", root,
                         "--path-procfs", root)[1])
    schema.accept(schema.validator("catalog", "metrics"), j, "skx")
    assert j["metrics"] == [], j["ready"]
    assert any(m["unit"] == "bytes" and m["absent"] is None for m in j["ready"]), j["ready"]
    assert not schema.validator("catalog", "metric").is_valid(j["ready"][0])
    assert "tables" not in j


def test_metrics_of_all_machines():
    """With -v, whatever this machine is: the tables of all, as a list for people has them, too."""
    nowhere = "--path-sysfs", bare("nowhere"), "--path-procfs", bare("nowhere")
    args = h.CTL, "list", "metrics", "-v", *nowhere
    code, out, err = h.run(*args, "--json")
    assert code == 0 and err == "", (code, err)
    j = json.loads(out)
    schema.accept(schema.validator("catalog", "metrics"), j, "all")
    assert j["metrics"] == [] and j["ready"] == []
    tables = {t["name"]: t for t in j["tables"]}
    assert all(m["table"] == name for name, t in tables.items() for m in t["metrics"])
    # what somebody else looked up; ! is for what one of several machines of a table lacks, too
    with open(os.path.join(h.SRC, "tests/plan/ready.tsv")) as f:
        rows = [line.split("\t") for line in f if not line.startswith("#")][1:]
    for name in {row[1] for row in rows}:
        found = [m for t in tables.values() for m in t["metrics"] if m["name"] == name.rstrip("?!")]
        assert any(not m["absent"] or name.endswith("!") for m in found), (name, found)
    text = h.run(*args)[1]
    assert all("\n%s:\n" % t["title"] in text for t in tables.values()), text
    few = json.loads(h.run(h.CTL, "list", "metrics", "optane", "-v", "--json", *nowhere)[1])
    # its traffic, and where Intel publishes that, how long reads of it take
    assert {t["name"]: [m["name"] for m in t["metrics"]] for t in few["tables"]} == {
        "pmem": ["persistent_memory_read_bytes_total", "persistent_memory_write_bytes_total"],
        "icx-latency": ["persistent_memory_read_latency_seconds"],
        "spr-pmem": ["persistent_memory_read_latency_seconds"]}, few
    code, out, err = h.run(h.CTL, "list", "boxes", "-v", "-p", "nehalem-ex")
    assert code == 64 and "list metrics has" in err, (code, out, err)
    assert h.run(h.CTL, "list", "metrics", *nowhere)[0] == 64


def parts(doc):
    """One object of each kind, with the definition that it must obey."""
    for kind in ("box", "event", "metric", "constant", "overflow"):
        for one in doc[{"box": "boxes"}.get(kind, kind + "s")]:
            yield kind, one


def walk(value, path=()):
    """(path, class of the path, value) of every value; in a class numbers of lists do not count."""
    yield path, tuple("*" if isinstance(p, int) else p for p in path), value
    for k, v in (value.items() if isinstance(value, dict) else enumerate(value)
                 if isinstance(value, list) else ()):
        yield from walk(v, (*path, k))


def changed(doc, path, change):
    """A copy in which change(parent, key) was made."""
    doc = copy.deepcopy(doc)
    at = doc
    for p in path[:-1]:
        at = at[p]
    change(at, path[-1])
    return doc


# A constraint that a plain change of type or presence does not meet.
OPTIONAL = {"needs", "umask_bits", "shift", "split", "word", "also", "owns", "control", "device",
            "function", "device_id"}


def test_what_is_wrong_is_refused():
    """Every object refuses one more member and one less, every value another type."""
    seen, n = set(), 0
    for processor in ("nehalem-ex", "ivytown"):
        for kind, one in parts(document(processor)):
            v = schema.validator("catalog", kind)
            for path, where, value in walk(one):
                if (kind, where, type(value)) in seen:
                    continue
                seen.add((kind, where, type(value)))
                wrong = [changed([one], (0, *path),
                                 lambda at, k: at.__setitem__(k,
                                                              {"no": 1} if not isinstance(value,
                                                                                          dict) else
                                                                                          7))]
                if isinstance(value, dict):
                    wrong.append(changed([one], (0, *path), lambda at,
                                         k: at[k].__setitem__("surprise", 1)))
                if path and isinstance(path[-1], str) and \
                        not (path[-1] in OPTIONAL and ("keys" in where or "banks" in where)):
                    wrong.append(changed([one], (0, *path), lambda at, k: at.__delitem__(k)))
                for w in wrong:
                    n += 1
                    assert not v.is_valid(w[0]), (kind, where,
                                                  "is accepted although it was damaged")
    assert n > 300, n
    v, doc = schema.validator("catalog"), document("nehalem")
    for change in (lambda d: d.pop("boxes"), lambda d: d.update(processor="pentium"),
                   lambda d: d.update(format="uncored-catalog-0"),
                   lambda d: d.update(events=[]), lambda d: d.update(more=1),
                   lambda d: d["groups"][0].pop("name"),
                   lambda d: d["groups"][0]["events"].append("no slash"),
                   lambda d: d["ids"].clear(),
                   lambda d: d["perf"].append({"spec": "perf/x/y/"})):
        d = dict(doc, events=doc["events"][:1], boxes=doc["boxes"][:],
                 groups=copy.deepcopy(doc["groups"]), ids=doc["ids"][:], perf=[])
        assert v.is_valid(d)
        change(d)
        assert not v.is_valid(d), change


def test_promtool_reads_every_name():
    """The names that any event or metric of any family can be exported under, and what is said of
    it."""
    if not shutil.which("promtool"):
        h.skip("promtool is not installed")
    rows = {}
    for processor in FAMILIES:
        doc = document(processor)
        rows.update((e["family"], (e["help"], "counter")) for e in doc["events"])
        rows.update((m["family"], (m["help"], m["type"])) for m in doc["metrics"])
    assert len(rows) > 600, len(rows)
    text = "".join("# HELP %s %s.\n# TYPE %s %s\n%s{socket=\"0\"} 1\n" % (n, x, n, t, n)
                   for n, (x, t) in rows.items())
    code, out, err = h.run("sh", "-c", 'promtool check metrics <"$1"', "sh",
                           h.write("names.prom", text))
    assert code == 0 and out == err == "", (code, (out + err)[:2000])


def test_each_command_of_machines():
    """What is printed of machines of several kinds: the kernel's and the registers'."""
    def valid(name, definition, *args):
        code, out, err = h.run(h.CTL, *args, "--json")
        assert code == 0, (args, code, err)
        schema.accept(schema.validator(name, definition), json.loads(out), args)
        return json.loads(out)

    for machine in ("spr", "genoa", "grace", "nehalem-ex", "ivytown", "ivt"):
        at = ("-p", machine)
        for what in "boxes", "metrics", "groups", "keys", "machines", "processors":
            valid("catalog", what, "list", what, *at)
        events = valid("catalog", None, "list", "events", *at)
        groups = valid("catalog", "groups", "list", "groups", *at)
        for g in groups:
            assert valid("catalog", "group", "describe", g["name"], *at)["name"] == g["name"]
        boxes = valid("catalog", "boxes", "list", "boxes", *at)
        named = {g["name"] for g in groups}         # a group comes before a box: power
        for b in [b for b in boxes["boxes"] + boxes["pmus"] if b["name"] not in named]:
            valid("catalog", "described_box", "describe", b["name"], *at)
        for e in events["events"][::20]:
            valid("catalog", "description", "describe", e["box"] + "/" + e["event"], *at)
        for e in [e for e in events.get("perf", ()) if "=?" not in e.get("terms", "")][::20]:
            valid("catalog", "kernel_event", "describe", e["spec"], *at)
        for words in (["miss", "latency"], ["memory"], ["clock"], ["uncored_up"]):
            found = valid("search", None, "search", *words, *at)
            assert all(r["processors"] == ["spr"] for r in found["results"]
                       if machine == "spr" and r["kind"] == "event"), found
        valid("plan", None, "plan", *at)
    event = "cha/TOR_INSERTS.IA_MISS_DRD_REMOTE"
    valid("catalog", "kernel_event", "describe", event, "-p", "genoa")


def test_the_schema_leaves_nothing_open():
    schema.check_closed("catalog", within={"#/$defs/event", "#/$defs/metric", "#/$defs/box",
                                           "#/$defs/described_box/oneOf/0", "#/if/anyOf/1"})


# ---------------------------------------------------------------------- plans

def damaged(v, doc):
    """Adds a member to one object of the document after the other. Returns the number of objects,
    and the paths of those where the schema accepts it."""
    n, accepted = 0, []
    for path, _, value in walk(doc):
        if not isinstance(value, dict):
            continue
        bad = copy.deepcopy(doc)
        o = bad
        for p in path:
            o = o[p]
        o["surprise"] = 1
        if v.is_valid(bad):
            accepted.append(path)
        n += 1
    return n, accepted


def test_searches_are_valid():
    v = schema.validator("search")
    schema.check_closed("search")
    for args in (["search", "clock", "-p", "ivytown"], ["search", "llc", "hits", "modified"],
                 ["search", "memory"], ["describe", "link_utilisation"]):
        code, out, err = h.run(h.CTL, *args, "--json")
        assert code == (78 if args[0] == "describe" else 0), (args, err)
        schema.accept(v, json.loads(out), args)
    assert not v.is_valid({"search": "clock", "results": []})


def test_plans_are_valid():
    v = schema.validator("plan")
    schema.check_closed("plan")
    for processor in FAMILIES:
        code, out, err = h.run(h.CTL, "plan", "--json", "-p", processor)
        assert code == 0, (processor, err)
        j = json.loads(out)
        schema.accept(v, j, processor)
        assert j["processor"] == processor and j["sockets"][0]["rounds"], j
    for name in ("windows", "turns", "filters", "links", "memory"):
        code, out, err = h.run(h.CTL, "plan", "--json", "-p", "nehalem-ex", "-c",
                               os.path.join(h.SRC, "tests/golden/conf", name + ".conf"))
        assert code == 0, (name, err)
        j = json.loads(out)
        schema.accept(v, j, name)
        if name == "windows":
            windows = j
    n, accepted = damaged(v, {**windows, "sockets": windows["sockets"][:1]})
    assert n > 20 and not accepted, (n, accepted[:5])
    r = next(r for r in windows["sockets"][0]["rounds"] if "window" in r)
    assert r["window"]["group"] == "window" and r["window"]["count"] == "1000", r["window"]
    for name, value, gone in (("round", r, "slots"), ("window", r["window"], "event"),
                              ("slot", r["slots"][0], "control"),
                              ("write", r["writes"][0], "value")):
        one = schema.validator("plan", name)
        schema.accept(one, value, name)
        assert not one.is_valid({k: x for k, x in value.items() if k != gone}), (name, gone)
    perf = {"pmu": "uncore_imc_0", "type": 20, "config": "0x304", "config1": "0x0",
            "config2": "0x0", "cpu": 0}
    assert not schema.validator("plan", "slot").is_valid(dict(r["slots"][0], perf=perf))


def test_a_plan_of_perf_is_valid():
    root = h.tree("skx")
    code, out, err = h.run(h.CTL, "plan", "--json", "--path-sysfs", root, "--path-procfs", root)
    assert code == 0, err
    j = json.loads(out)
    schema.accept(schema.validator("plan"), j, "skx")
    assert j["processor"] == "skx" and "perf" in j["sockets"][0]["rounds"][0]["slots"][0], j


# ---------------------------------------------------------------------- enough to program the
# hardware

def counters(text, n):
    return "fixed" if text == "fixed" else list(range(n)) if text == "any" else \
        [i for i in range(32) if number(text) & 1 << i]


def test_nehalem_ex_from_the_document_alone():
    """323535-001: the control word, sub-control registers and counters of every event and unit
    mask."""
    c, n = Catalog(document("nehalem-ex")), 0
    for r in table("nehalem_ex_events.tsv"):
        e, port = c.find(r["box"], r["event"]), int(r["port"]) if r["port"] != "-" else 0
        umasks = [] if r["umask"] == "-" else [r["umask"]]
        ctl, subs = c.encode(r["box"], r["event"], umasks, port=port)
        assert r["control"] == "?" or ctl == number(r["control"]), (r, hex(ctl))
        assert r["max_inc"] == "?" or \
            c.increment(r["box"], r["event"], umasks) >= int(r["max_inc"]), r
        assert r["disputed"] == "0" or e["disputed"] or any(u["disputed"] for u in e["umasks"]), r
        allowed = e["counters"]
        if c.boxes[r["box"]]["ports"]:
            allowed = [i for i in allowed
                       if i in c.boxes[r["box"]]["ports"]["values"][port]["counters"]]
        assert r["counters"] == "?" or allowed == counters(r["counters"], 32), (r, allowed)
        if "?" not in (r["sub_address"], r["sub_mask"], r["sub_value"]) and r["sub_address"] != "-":
            for address, m, value in zip(*(map(number, r[k].split(";"))
                                           for k in ("sub_address", "sub_mask", "sub_value"))):
                (found,) = [s for s in subs if s[0] == address]
                assert found[2] & m == m and found[3] & m == value, (r, found)
        n += 1
    assert n > 800, n
    # the contract's spelling of a lone b and s, which promtool takes for units
    assert c.find("bbox", "MSGS_B_TO_S")["family"] == "uncore_bbox_msgs_bbox_to_sbox_total"
    assert c.find("cbox", "LLC_HITS")["family"] == "uncore_cbox_llc_hits_total"


def test_westmere_ex_from_the_document_alone():
    c = Catalog(document("westmere-ex"))
    for r in table("westmere_ex_events.tsv"):
        ctl, subs = c.encode(r["box"], r["event"], [] if r["umask"] == "-" else [r["umask"]])
        assert ctl == number(r["control"]), (r, hex(ctl))
        if r["address"] != "-":
            (found,) = [s for s in subs if s[0] == number(r["address"])]
            assert found[3] == number(r["value"]), (r, found)
    assert len(c.boxes["cbox"]["units"]) == 10


def test_nehalem_and_westmere_from_the_document_alone():
    catalogs = {p: Catalog(document(p)) for p in ("nehalem", "westmere")}
    for r in table("nehalem_events.tsv"):
        c = catalogs[r["processor"]]
        ctl, _ = c.encode("uncore", r["event"], [] if r["umask"] == "-" else [r["umask"]])
        assert ctl == number(r["control"]), (r, hex(ctl))
        assert c.find("uncore", r["event"])["counters"] == counters(r["counters"], 8), r


def test_ivytown_from_the_document_alone():
    """Event code, unit mask and counters of Intel's event file; addresses and device ids of
    329468-002."""
    c, n = Catalog(document("ivytown")), 0
    for r in table("ivytown_events.tsv"):
        e = c.find(r["box"], r["event"])
        # 329468-002 p 173: ring events of R3QPI on counter 2 only, where the event file lists 0 to
        # 2; libpfm4: refusals of R2PCIe's messages on counter 0 only, where the event file lists 0
        # and 1
        allowed = ([2] if r["event"].startswith("UNC_R3_RING_") else [0]
                   if r["event"].startswith("UNC_R2_TxR_NACK_") else
                   counters(r["counters"], 32))
        assert e["counters"] == allowed, (r, e["counters"])
        if e["counters"] == "fixed":
            continue
        ctl, _ = c.encode(r["box"], r["event"], [] if r["umask"] == "-" else [r["umask"]])
        control = c.boxes[r["box"]]["control"]
        code = number(r["code"])
        assert ctl & 0x2000ff == code, (r, hex(ctl))
        if control["umask"] and r["umask_value"] not in ("-", "?"):
            assert ctl >> 8 & 0xff == number(r["umask_value"]), (r, hex(ctl))
        n += 1
    assert n > 900, n
    # 329468-002 p 173: 8 bits per cycle; and none of a box can do more than the box
    assert c.boxes["r3qpi"]["max_increment"] == 255
    assert all(e["max_increment"] <= c.boxes[e["box"]]["max_increment"] for e in c.doc["events"])
    roles = {"ctl": "control", "ctr": "counter", "fixed_ctl": "fixed_control",
             "fixed_ctr": "fixed_counter", "box_ctl": "box_control"}
    n = 0
    for r in table("ivytown_registers.tsv"):
        if r["role"] not in roles:
            continue
        b = c.boxes[r["box"]]
        index = int(r["index"]) if r["index"] != "-" else 0
        (row,) = c.rows(b, index, role=roles[r["role"]])
        at, _ = c.register(b, row, int(r["unit"]), index)
        if r["space"] == "msr":
            assert at == number(r["offset"]), (r, at)
        else:
            bank = b["units"][int(r["unit"])]["banks"][row["bank"]]
            assert at == (int(r["device"]), int(r["function"]), number(r["offset"])), (r, at)
            assert number(bank["device_id"]) == number(r["id"]), (r, bank)
        n += 1
    assert n > 200, n


def spec_of(box, event, umasks, unit, port, keys, **flags):
    keys = dict(keys, **({"port": port} if port is not None else {}),
                **{k: v for k, v in flags.items() if v})
    return "%s%d/%s%s%s" % (box, unit, event, "".join(":" + u for u in umasks),
                            "".join(",%s=%d" % kv for kv in keys.items()))


def test_filters_and_units_as_uncorectl_encodes_them():
    """Filters, thresholds, ports and units other than the first: against the program, register by
    register."""
    rows = (
        ("nehalem-ex", "rbox", "FLITS_SENT", [], 0, 5, {"iperf": 0}, {}),
        ("nehalem-ex", "bbox", "MSG_IN_MATCH", [], 1, None, {"match": 0x123, "mask": 0xfff}, {}),
        ("nehalem-ex", "cbox", "OCCUPANCY_IRQ", [], 7, None, {}, {"threshold": 4, "edge": 1}),
        ("westmere-ex", "cbox", "LLC_HITS", ["M", "E"], 9, None, {}, {"threshold": 2, "invert": 1}),
        ("nehalem", "uncore", "ADDR_OPCODE_MATCH", None, 0, None,
         {"address": 0x1234567000, "opc": 0x1c, "match": "both"}, {}),
        ("ivytown", "cbox", "TOR_INSERTS", ["OPCODE"], 14, None, {"opc": 0x182}, {}),
        ("ivytown", "cbox", "LLC_LOOKUP", ["ANY"], 3, None, {"state": 3}, {}),
        ("ivytown", "pcu", "POWER_STATE_OCCUPANCY", ["CORES_C6"], 0, None, {},
         {"threshold": 3, "invert": 1}),
        ("ivytown", "pcu", "FREQ_BAND1_CYCLES", [], 0, None, {"band": 20}, {}),
        ("ivytown", "ha", "ADDR_OPC_MATCH", ["FILT"], 1, None,
         {"address": 0x3fff000040, "opc": 5}, {}),
        ("ivytown", "imc", "CAS_COUNT", ["RD"], 6, None, {}, {"threshold": 1}),
    )
    checked = 0
    for processor, box, event, umasks, unit, port, keys, flags in rows:
        c = Catalog(document(processor))
        e = c.find(box, event)
        if umasks is None:
            umasks = [e["umasks"][0]["name"]]
        values = {k["name"]: next((number(w["value"]) for w in k["words"]
                                   if w["name"] == keys[k["name"]]), keys[k["name"]])
                  for k in e["keys"] if k["name"] in keys}
        ctl, subs = c.encode(box, event, umasks, unit, port or 0, keys=values, **flags)
        spec = spec_of(box, event, umasks, unit, port, {}, **flags) + "".join(
            ",%s=%s" % (k, v if isinstance(v, str) else hex(v)) for k, v in keys.items())
        code, out, err = h.run(h.CTL, "encode", spec, "-p", processor, "--json")
        assert code == 0, (spec, err)
        j = json.loads(out)
        writes = {w["register"]: w for w in j["writes"]}
        control = j["writes"][-1]
        assert number(control["value"]) == ctl, (spec, control, hex(ctl))
        (row,) = [r for r in c.rows(c.boxes[box], j["counter"], role="control")]
        at, name = c.register(c.boxes[box], row, unit, j["counter"])
        assert control["register"] == name, (control, name)
        assert (number(control["address"]) if control["space"] == "msr" else
                (control["device"], control["function"],
                 number(control["offset"]))) == at, (control, at)
        for at, name, m, v in subs:
            assert number(writes[name]["value"]) & m == v, (spec, writes[name], hex(m), hex(v))
        assert set(writes) == \
            {name for _, name, _, _ in subs} | {control["register"]}, (spec, writes, subs)
        checked += len(subs)
    assert checked > 5, checked


h.main(sys.modules[__name__], at_once=0)     # they share what was validated
