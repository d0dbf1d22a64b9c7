# SPDX-License-Identifier: MIT
"""old_kernels.py - kernels that do not have the names of a processor's counters yet: what is
missing is said, with the release that has it.
"""
import json
import os
import sys

import harness as h


def released_tree(name, release, like, pmus="", hypervisor=False):
    """A machine whose kernel is of this release."""
    text = h.write(name + ".txt", "cpuinfo %s\nrelease %s\ncpu 0-1 socket 0\nlike kernel_intel\n%s"
                   % (like, release, pmus))
    root = h.tree(text)
    if hypervisor:
        with open(root + "/cpuinfo") as f:
            cpu = f.read().rstrip()
        with open(root + "/cpuinfo", "w") as f:
            f.write(cpu + "\nflags\t\t: fpu hypervisor\n")
    return root


def released(*args, **kwargs):
    """Findings of doctor on it, and its text."""
    root = released_tree(*args, **kwargs)
    _, out, err = h.run(h.CTL, "doctor", "--json", "--path-sysfs", root, "--path-procfs", root)
    j = json.loads(out)
    return j, " ".join("%s %s" % (f["text"], f["todo"] or "") for f in j["findings"])


def test_a_kernel_that_is_too_old():
    """One sentence with both releases, in place of one for each PMU that has no name. Which Linux
    gives them: the commits, and the lists of distributions that took them over."""
    types = "".join("PMU uncore_type_%d_{0-3} type=%d cpumask=0\n  format event=config:0-7\n"
                    % (n, 100 + 10 * n) for n in (4, 5, 6))     # no unit mask: nothing fits
    for like, release, names in (("GenuineIntel 6 173 1", "5.15.0-91-generic", "6.8"),
                                 ("GenuineIntel 6 175 1", "6.7.12", "6.8"),
                                 ("GenuineIntel 6 221 1", "6.12.0", "6.13"),
                                 ("GenuineIntel 6 143 8", "5.14.0-70.el9.x86_64", "5.15"),
                                 ("GenuineIntel 6 207 2", "6.1.0", "6.2")):
        j, text = released("types", release, like, types)
        sentence = ("this kernel (%s) gives this processor's counters no names (uncore_type_N_M); "
                    "Linux %s does" % (release, names))
        assert text.count(sentence) == 1 and "has no PMU" not in text, text
        assert "perf/uncore_type_N/event" in text and "modprobe" not in text, text
        assert not j["counts"] and j["why_not"].startswith("this kernel"), j["why_not"]
        # where metrics are missing for it: in their list, their description, and the log
        at = released_tree("types", release, like, types + "PMU power type=1 cpumask=0\n  "
                           "format event=config:0-7\n  events energy-pkg=event=0x0\n")
        at = ["--path-sysfs", at, "--path-procfs", at]
        code, _, err = h.run(h.CTL, "list", "metrics", *at)
        assert "of them because %s;" % sentence in err, (code, err)
        _, out, err = h.run(h.CTL, "describe", "memory_read_bytes_total", *at)
        assert "absent on this machine: " + sentence in out, (out, err)
        _, _, err = h.run(h.UNCORED, "--check-config", *at)
        assert "sleep states are counted: %s." % sentence in err, err
        code, _, err = h.run(h.UNCORED, "--once", *at[:2], "--path-procfs", at[1], "--path-run",
                             at[1], "-c", h.write("none.conf", 'engine = "perf";'))
        assert code != 75 and sentence in err, (code, err)
    # without any: the driver is too old, and not a module that is not loaded
    j, text = released("none", "5.4.0-42-generic", "GenuineIntel 6 106 6")
    assert text.count("this kernel (5.4.0-42-generic) has no driver for this processor's counters; "
                      "Linux 5.7 has") == 1 and "modprobe" not in text, text
    assert "has no PMU" not in text and "by numbers" not in text, text
    # a newer one without: a module; a guest: the host's; a machine of no table: nothing is known
    j, text = released("new", "5.15.0", "GenuineIntel 6 106 6")
    assert "modprobe intel-uncore" in text and "this kernel (" not in text, text
    _, text = released("guest", "5.4.0", "GenuineIntel 6 106 6", hypervisor=True)
    assert "run uncored on the host" in text and "this kernel (" not in text, text
    at = released_tree("guest", "5.4.0", "GenuineIntel 6 106 6", "PMU power type=1 cpumask=0\n  "
                       "format event=config:0-7\n  events energy-pkg=event=0x0\n", hypervisor=True)
    code, _, err = h.run(h.UNCORED, "--check-config", "--path-sysfs", at, "--path-procfs", at)
    assert code == 0 and "Only energy" not in err, err
    _, text = released("other", "5.4.0", "GenuineIntel 19 1 1", types)
    assert "this kernel (" not in text, text
    # named ones are named, whatever the release says (a distribution's has its driver)
    _, text = released("named", "5.14.0", "GenuineIntel 6 173 1",
                       "PMU uncore_imc_{0-3} type=100 cpumask=0\n  format event=config:0-7\n")
    assert "this kernel (" not in text, text


def test_memory_controllers_of_a_kernel_that_lacks_them():
    """amd_umc came with Linux 6.7 (linux-kernel, perf-core-2023-10-28). A newer kernel without it,
    or that of a virtual machine, has another reason."""
    lacks, has = "kernel has no PMU 'amd_umc'", "; Linux 6.7 has it, and this is "
    for release, flags, said in (("6.1.0-18-amd64", "", True), ("6.12.0", "", False),
                                 ("6.1.0-18-amd64", "flags hypervisor\n", False)):
        text = h.write("raphael.txt", "release %s\n%slike raphael\n" % (release, flags))
        _, out, _ = h.run(h.CTL, "describe", "memory_read_bytes_total", "--machine", text)
        assert lacks in out and (has + release in out) == said, (release, flags, out)
        _, _, err = h.run(h.CTL, "search", "memory", "bandwidth", "--machine", text)
        assert lacks in err and (has + release in err) == said, (release, flags, err)
    # nor is a mistake in an event of the PMU the kernel's, to which a vendor has brought it back
    text = h.write("zen4.txt", "release 6.1.0-18-amd64\nlike zen4\n")
    _, _, err = h.run(h.CTL, "encode", "perf/amd_umc/nope/", "--machine", text)
    assert "has no event or term 'nope'" in err and has not in err, err


def test_high_bandwidth_memory_without_a_name():
    named = "PMU uncore_imc_{0-3} type=100 cpumask=0\n  format event=config:0-7\n"
    hbm = "PMU uncore_type_14_{0-3} type=200 cpumask=0\n  format event=config:0-7\n"
    sentence = ("this kernel (6.1.0) gives the counters of uncore_hbm no names (uncore_type_14); "
                "Linux 6.11 does")
    _, text = released("hbm", "6.1.0", "GenuineIntel 6 143 8", named + hbm)
    assert text.count(sentence) == 1 and "no PMU 'uncore_hbm'" not in text, text
    _, text = released("ddr", "6.1.0", "GenuineIntel 6 143 8", named)
    assert sentence not in text, text


def test_memory_that_is_not_counted_is_said_beside_the_traffic():
    """In the status and on the page of a running uncored: the PMUs are the kernel's software PMU,
    so that they count."""
    if os.geteuid() != 0:
        h.skip("not root, so that perf may not count here")
    imc = ("PMU uncore_imc_%d type=1 cpumask=0\n  format event=config:0-7\n"
           "  events cas_count_read=event=0x0\n")
    hbm = "PMU uncore_%s_%d type=1 cpumask=0\n  format event=config:0-7 umask=config:8-15\n"
    ours = h.write("imc.conf", 'groups = ( { name = "m"; events = '
                   '[ "perf/uncore_imc/cas_count_read/" ]; } );\n')
    both = h.write("both.conf", h.read(ours).replace(
        " ];", ', "perf/uncore_hbm/event=0,name=x/" ];'))
    for conf, pmus, said in (
            (ours, hbm % ("type_14", 0), "because this kernel gives its counters no names"),
            (ours, hbm % ("hbm", 0), "is not counted"), (both, hbm % ("hbm", 0), ""),
            (ours, "", "")):
        text = h.write("max.txt", "cpuinfo GenuineIntel 6 143 8\nrelease 6.1.0\ncpu 0-0 socket 0\n"
                       "like kernel_intel\n" + imc % 0 + pmus)
        root = h.tree(text)
        u = h.Uncored("--engine", "perf", "-c", conf, "--path-sysfs", root, "--path-procfs", root)
        status = json.loads(u.get("/api/v1/status")[2])["uncounted_memory"]
        page = u.get("/")[2]
        page = page.decode() if isinstance(page, bytes) else page
        assert (said in status and "DDR alone" in status) if said else status == "", status
        assert ("Memory traffic is that of DDR alone" in page) == bool(said), page[:3000]
        u.stop()


def test_groups_say_what_is_left_of_them():
    """A kernel of generic formats counts no table of requests and no I/O stack; a CXL device may
    count its writes alone: a group says so, in lists, on its sheet, and where it is searched."""
    llc = "Requests to the last-level cache, its misses, and how long these take"
    lost = {"llc_data_read_misses_total", "llc_data_read_miss_latency_seconds",
            "llc_data_reads_total", "llc_data_read_miss_ratio"}
    for machine in "gnr_lts", "spr_lts":
        root = h.shared_tree(machine)
        at = ["--path-sysfs", root, "--path-procfs", root]
        groups = {g["name"]: g
                  for g in json.loads(h.run(h.CTL, "list", "groups", "--json", *at)[1])}
        assert groups["llc"]["help"] == llc + " (here only clock_hertz)", groups["llc"]
        assert set(groups["llc"]["lacks"]) == lost, groups["llc"]
        assert groups["llc"]["events"] == ["perf/uncore_cha_0/event=0x01,name=clockticks/"]
        for name in "memory", "links", "numa_home":
            assert "here only" not in groups[name]["help"] and not groups[name]["lacks"], name
        out = h.run(h.CTL, "describe", "llc", *at)[1]
        assert "  %s (here only clock_hertz).\n" % llc in out and \
            "lacks       llc_data_read_misses_total\n" in out and "inserts" not in out, out
        assert "\ncosts       1 counter and 1 series per socket" in out, out
        out = h.run(h.CTL, "search", "L3", *at)[1]
        assert out.startswith("group     llc ") and "here only clock_hertz" in out, out
    root = h.shared_tree("gnr")
    out = h.run(h.CTL, "list", "groups", "--path-sysfs", root, "--path-procfs", root)[1]
    assert llc in out and "here only" not in out, out
    root = h.shared_tree("dies")
    out = h.run(h.CTL, "describe", "cxl", "--path-sysfs", root, "--path-procfs", root)[1]
    assert "(here only cxl_write_bytes_total)" in out and "m2s_req_memrddata/" not in out, out


h.main(sys.modules[__name__])
