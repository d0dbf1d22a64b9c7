#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names of Intel's that libpfm4 has with another code than Intel's lists of events.

    tests/catalog/libpfm.py DIR >src/spec/pfm_contradicted.h

DIR is a checkout of github.com/intel/perfmon. Each event of its lists that libpfm4 has, too, is
encoded by both, with the values of the filter registers: those that a list leaves open are 0 there.
Printed are those that differ, as libpfm4 calls them."""

import ctypes as c
import glob
import json
import os
import re
import sys

# A folder of perfmon, and how libpfm4 calls the processor: src/spec/perf_pfm.c has the same.
PROCESSORS = {"SKX": "skx", "CLX": "skx", "HSX": "hswep", "BDX": "bdx", "JKT": "snbep",
              "IVT": "ivbep", "ICX": "icx", "SPR": "spr", "EMR": "spr", "GNR": "gnr"}
BOXES = {"CBO": "cbo", "CHA": "cha", "HA": "ha", "IIO": "iio", "IMC": "imc", "IRP": "irp",
         "M2M": "m2m", "M3UPI": "m3upi", "PCU": "pcu", "QPI LL": "qpi", "R2PCIE": "r2pcie",
         "R3QPI": "r3qpi", "SBO": "sbo", "SBOX": "sbo", "UBOX": "ubo", "UPI LL": "upi"}
BITS_OF_KERNEL = 1 << 22 | 1 << 20      # enable, interrupt
FIXED = 0xff                            # a counter of its own that counts the same clock
ALL_PRIVILEGES, UMASK = 9, 1


# ---------------------------------------------------------------- libpfm4

class Pmu(c.Structure):
    _fields_ = [("name", c.c_char_p), ("desc", c.c_char_p), ("size", c.c_size_t),
                ("pmu", c.c_int), ("type", c.c_int), ("nevents", c.c_int), ("first", c.c_int),
                ("max_encoding", c.c_int), ("num_cntrs", c.c_int), ("num_fixed", c.c_int),
                ("flags", c.c_uint)]


class Event(c.Structure):
    _fields_ = [("name", c.c_char_p), ("desc", c.c_char_p), ("equiv", c.c_char_p),
                ("size", c.c_size_t), ("code", c.c_uint64), ("pmu", c.c_int), ("dtype", c.c_int),
                ("idx", c.c_int), ("nattrs", c.c_int), ("reserved", c.c_int), ("flags", c.c_uint)]


class Attribute(c.Structure):
    _fields_ = [("name", c.c_char_p), ("desc", c.c_char_p), ("equiv", c.c_char_p),
                ("size", c.c_size_t), ("code", c.c_uint64), ("type", c.c_int), ("idx", c.c_int),
                ("ctrl", c.c_int), ("flags", c.c_uint), ("dflt", c.c_uint64)]


class Encoding(c.Structure):
    _fields_ = [("codes", c.POINTER(c.c_uint64)), ("fstr", c.c_void_p), ("size", c.c_size_t),
                ("count", c.c_int), ("idx", c.c_int)]


def sized(kind):
    return kind(size=c.sizeof(kind))


class Library:
    """What libpfm4 has of uncore PMUs: {(processor, box): {name: configs}}."""

    def __init__(self):
        os.environ["LIBPFM_ENCODE_INACTIVE"] = "1"
        self.lib = c.CDLL("libpfm.so.4")
        assert self.lib.pfm_initialize() == 0
        self.events = {}
        for i in range(2000):
            pmu = sized(Pmu)
            if self.lib.pfm_get_pmu_info(i, c.byref(pmu)) == 0:
                self.take_pmu(pmu)

    def take_pmu(self, pmu):
        name = pmu.name.decode()
        m = re.match(r"([a-z]+)_unc_(\w+?)(\d*)$", name)
        if not m or m.group(3) not in ("", "0"):
            return
        found = self.events.setdefault(m.group(1, 2), {})
        at = pmu.first
        while at != -1:
            e = sized(Event)
            if self.lib.pfm_get_event_info(at, 0, c.byref(e)) == 0:
                for mask in self.masks(at, e.nattrs):
                    text = e.name.decode() + (":" + mask if mask else "")
                    found[text] = self.configs(name, m.group(2), text)
            at = self.lib.pfm_get_event_next(at)

    def masks(self, at, n):
        names = []
        for i in range(n):
            a = sized(Attribute)
            if self.lib.pfm_get_event_attr_info(at, i, 0, c.byref(a)) == 0 and a.type == UMASK:
                names.append(a.name.decode())
        return names or [""]

    def configs(self, pmu, box, text):
        """config, config1 as src/spec/perf_pfm.c takes them; None: it wants more than a name."""
        e = sized(Encoding)
        if self.lib.pfm_get_os_event_encoding(("%s::%s" % (pmu, text)).encode(), ALL_PRIVILEGES, 0,
                                              c.byref(e)):
            return None
        codes = [e.codes[i] for i in range(e.count)] + [0, 0]
        config, more = codes[0] & ~BITS_OF_KERNEL, codes[1]
        if box in ("cbo", "cha"):
            more |= codes[2] << 32
        return (config | more << 32, 0) if box == "upi" else (config, more)


# ---------------------------------------------------------------- Intel's lists

def number(e, key):
    text = str(e.get(key) or "0").split(",")[0].strip()
    return int(text or "0", 0)


def published(e, box):
    config = number(e, "EventCode") | number(e, "UMask") << 8 | number(e, "ExtSel") << 21
    if box == "iio":
        return config | number(e, "PortMask") << 36 | number(e, "FCMask") << 44, 0
    if box == "upi":
        return config | number(e, "UMaskExt") << 32, 0
    return config | number(e, "UMaskExt") << 32, number(e, "FILTER_VALUE") << 32


def folded(name):
    """Without the letters of the PMU, in which libpfm4 differs from Intel."""
    return re.sub(r"[.:]", "_", re.sub(r"^UNC_[A-Z0-9]+?_", "", name.upper()))


def events_of(directory):
    found = {}
    for path in sorted(glob.glob(os.path.join(directory, "events", "*uncore*.json"))):
        with open(path, encoding="utf-8") as f:
            content = json.load(f)
        for e in content["Events"] if isinstance(content, dict) else content:
            found.setdefault(e["EventName"], e)
    return found


def main(directory):
    library, differ, compared = Library(), set(), 0
    for folder, processor in PROCESSORS.items():
        events = events_of(os.path.join(directory, folder))
        if not events:
            sys.exit("%s has no list of events of %s" % (directory, folder))
        for name, e in events.items():
            box = BOXES.get(e["Unit"].upper())
            for text, configs in library.events.get((processor, box), {}).items():
                if not configs or folded(text) != folded(name) or configs[0] == FIXED:
                    continue
                compared += 1
                if configs != published(e, box):
                    differ.add("%s_unc_%s::%s" % (processor, box, text))
    print("/* SPDX-License-Identifier: MIT\n"
          " * Names of Intel's that libpfm4 (4.13) has with another code, or another value of a "
          "filter, than\n * Intel's lists of events (github.com/intel/perfmon, 2026-08).\n"
          " * Made by tests/catalog/libpfm.py, which is asked again when either has changed: "
          "%d of %d. */" % (len(differ), compared))
    print("\n".join('"%s",' % name for name in sorted(differ)))


if len(sys.argv) != 2:
    sys.exit(__doc__)
main(sys.argv[1])
