# SPDX-License-Identifier: MIT
"""families.py - the shipped binary on the files of other processors: MSRs and PCI configuration
space, through FUSE.

Addresses: SDM volume 3B 18.17.2 (Nehalem, Westmere: counters 3b0, controls 3c0, fixed 394, enables
391), 329468-002 and the kernel's uncore_snbep.c (Ivytown: channel 0 of the memory is 16:4, counters
a0, controls d8, box f4; UBox c08, c09).
"""
import os
import signal
import sys

import harness as h

STEP = 10_000_000  # ns of model time per advance


def start(processor, conf=None, *args, control=()):
    m = h.Msrfs("--virtual", "--processor", processor)
    if control:
        m.control(*control)
    more = ["-c", h.write("family-%d.conf" % m.pid, conf)] if conf else ["--engine", "registers"]
    return m, h.Uncored(*more, *m.options(), *args)


def count(m, u, steps=3):
    """Let the model run, and the daemon see the last of it."""
    def samples():
        return [float(v) for k, v in u.metrics().items() if k.startswith("uncored_samples_total")]
    for i in range(steps + 1):
        before = samples()
        if i < steps:
            m.control("advance %d" % STEP)
        h.wait_for("samples", lambda: all(b >= a + 2 for a, b in zip(before, samples())))


def invalid(u):
    return {k for k in u.metrics() if k.startswith("uncored_slot_invalid")}


def clean(m):
    assert m.read("violations").split()[0] == "0", m.read("violations")


def config(m, socket, function):
    """The file of a PCI function: the buses of the sockets are told apart by their order."""
    at = m.at + "/sys/bus/pci/devices"
    return sorted(at + "/" + d + "/config" for d in os.listdir(at) if d.endswith(function))[socket]


def pci(m, socket, function, offset, value=None):
    fd = os.open(config(m, socket, function), os.O_RDWR)
    try:
        if value is not None:
            assert os.pwrite(fd, value.to_bytes(4, "little"), offset) == 4
        return int.from_bytes(os.pread(fd, 4, offset), "little")
    finally:
        os.close(fd)


def config_space(m):
    """Every control and box control register of the PCI functions that the tests use."""
    return {(s, f, o): pci(m, s, f, o) for s in (0, 1) for f in ("10.4", "1e.1", "08.2", "09.2")
            for o in (0xf4, 0xd8, 0xdc, 0xe0, 0xe4)}


IVYTOWN = """interval = "200ms";
groups = ( { name = "m"; events = [ "imc/CAS_COUNT:RD,counter=0", "imc/CAS_COUNT:WR,counter=1",
    "imc/DCLK", "ubox/UCLK" ]; },
           { name = "q"; events = [ "qpi/TXL_FLITS_G0:DATA,counter=0",
             "qpi/TXL_FLITS_G0:NON_DATA,counter=1",
                                    "cbox/CLOCKTICKS,counter=3" ]; } );
metrics = ( { name = "all_channels_read_bytes_total"; unit = "bytes"; per = "socket"; scale = 64.0;
    numerator = ( "imc/CAS_COUNT:RD" ); } );
"""
CHANNELS = ("16:4", "16:5", "16:0", "16:1", "30:4", "30:5", "30:0", "30:1")


def test_ivytown_totals_equal_the_truth():
    m, u = start("ivytown", IVYTOWN)
    before = config_space(m)
    count(m, u)
    truth, got = m.truth(), u.metrics()
    for s in (0, 1):
        for unit, function in enumerate(CHANNELS):
            for umask, offset in (("RD", 0xa0), ("WR", 0xa8)):
                total = int(got[
                    'uncore_imc_cas_count_total{socket="%d",unit="%d",umask="%s"}'
                    % (s, unit, umask)])
                assert total == truth[(s, "%s+0x%x" % (function, offset))][0] > 0, (s, unit, umask)
        for unit, function in enumerate(("8:2", "9:2", "24:2")):
            series = ('uncore_qpi_txl_flits_g0_total{socket="%d",unit="%d",umask="DATA",'
                      'link="qpi%d"}' % (s, unit, unit))
            assert int(got[series]) == truth[(s, function + "+0xa0")][0] > 0, got
        assert int(got['uncore_ubox_uclk_total{socket="%d",unit="0"}' % s]) == \
            truth[(s, 0xc09)][0] > 0
        for unit in range(15):
            total = int(got['uncore_cbox_clockticks_total{socket="%d",unit="%d"}'
                            % (s, unit)])
            assert total == truth[(s, 0xd19 + 0x20 * unit)][0] > 0
        # 64 bytes each: exact as well
        assert int(got['uncore_all_channels_read_bytes_total{socket="%d"}' % s]) == \
            64 * sum(truth[(s, f + "+0xa0")][0] for f in CHANNELS)
    # Left out of a sample that came late.
    h.wait_for("utilisation of links", lambda: any(
        k.startswith("uncore_link_sent_utilization_ratio{") for k in u.metrics()))
    assert not invalid(u), invalid(u)
    assert before != dict.fromkeys(before, 0) and config_space(m) == before
    assert u.stop() == 0
    assert config_space(m) == dict.fromkeys(before, 0) and m.register(0, 0xc08) == 0
    clean(m)


def test_ivytown_kill_9_and_restore():
    m, u = start("ivytown", IVYTOWN)
    u.stop(signal.SIGKILL)
    assert pci(m, 1, "10.4", 0xd8) == 0x400304
    code, _, err = h.run(h.UNCORED, "--restore", *m.options())
    assert code == 0 and "did not exit cleanly" in err, (code, err)
    assert set(config_space(m).values()) == {0}, config_space(m)
    assert m.register(0, 0xc08) == 0 and m.register(15, 0xc08) == 0 and m.register(0, 0xd13) == 0
    clean(m)


def test_ivytown_foreign_write_is_flagged():
    # What is foreign is ours again at the next tick: one lasts for several looks.
    m, u = start("ivytown", IVYTOWN.replace('"200ms"', '"1s"'))
    count(m, u, 1)
    key = ('uncored_slot_invalid{socket="1",box="imc",unit="0",event="CAS_COUNT",umask="RD",'
           'reason="foreign"}')
    pci(m, 1, "10.4", 0xd8, 0x400001)                   # another tool: ACT_COUNT
    h.wait_for("the slot is flagged", lambda: key in u.metrics())
    h.wait_for("it is armed again", lambda: key not in u.metrics())
    assert pci(m, 1, "10.4", 0xd8) == 0x400304
    pci(m, 1, "10.4", 0xf4, 0x30100)                    # another tool freezes the box
    h.wait_for("both are flagged",
               lambda: len([k for k in invalid(u) if 'box="imc",unit="0"' in k]) == 3)
    m.wait_for("they are armed again", lambda: not invalid(u))
    assert u.stop() == 0
    clean(m)


def test_ivytown_hidden_functions():
    m, u = start("ivytown", IVYTOWN, control=("fault hidden 0 16:5 on", "fault hidden 0 24:2 on"))
    assert "hidden by the BIOS" in u.text() and "16:5" in u.text(), u.text()
    count(m, u, 2)
    got, truth = u.metrics(), m.truth()
    flagged = invalid(u)
    assert len(flagged) == 5, flagged
    assert all('socket="0"' in k and 'reason="hidden"' in k for k in flagged), flagged
    rd = 'uncore_imc_cas_count_total{socket="0",unit="%d",umask="RD"}'
    assert rd % 1 not in got and int(got[rd % 0]) == truth[(0, "16:4+0xa0")][0]
    assert int(got[(rd % 1).replace('socket="0"', 'socket="1"')]) == truth[(1, "16:5+0xa0")][0]
    # what the part has is all there is
    assert int(got['uncore_all_channels_read_bytes_total{socket="0"}']) == \
        64 * sum(truth[(0, f + "+0xa0")][0] for f in CHANNELS if f != "16:5")
    assert u.stop() == 0
    clean(m)


def test_ivytown_without_its_buses():
    m = h.Msrfs("--virtual", "--processor", "ivytown")
    # the UBox, by which the buses are found
    m.control("fault hidden 0 11:0 on", "fault hidden 1 11:0 on")
    c = h.write("nobus.conf", IVYTOWN)
    u = h.Uncored("-c", c, *m.options())
    count(m, u, 1)
    got, truth = u.metrics(), m.truth()
    assert {'box="imc"' in k or 'box="qpi"' in k for k in invalid(u)} == {True}
    assert int(got['uncore_ubox_uclk_total{socket="0",unit="0"}']) == \
        truth[(0, 0xc09)][0] > 0
    assert u.stop() == 0


NEHALEM = """interval = "200ms";
groups = ( { name = "m"; events = [ "uncore/QMC_NORMAL_READS:ANY,counter=0",
    "uncore/QMC_WRITES:FULL_ANY,counter=1",
    "uncore/QHL_OCCUPANCY:LOCAL,counter=2", "uncore/LLC_MISS:ANY,counter=7",
    "uncore/CLK_UNHALTED" ]; } );
"""


def test_nehalem_and_westmere():
    for processor in ("nehalem", "westmere"):
        m, u = start(processor, NEHALEM)
        count(m, u)
        truth, got = m.truth(), u.metrics()
        for s in (0, 1):
            for name, address in (("qmc_normal_reads_total{%s,umask=\"ANY\"}", 0x3b0),
                                  ("qmc_writes_total{%s,umask=\"FULL_ANY\"}", 0x3b1),
                                  ("qhl_occupancy_total{%s,umask=\"LOCAL\"}", 0x3b2),
                                  ("llc_miss_total{%s,umask=\"ANY\"}", 0x3b7),
                                  ("clk_unhalted_total{%s}", 0x394)):
                series = "uncore_uncore_" + name % ('socket="%d",unit="0"' % s)
                assert int(got[series]) == truth[(s, address)][0] > 0, (series, truth)
        assert not invalid(u), invalid(u)
        assert m.register(0, 0x391) == 1 << 32 | 0x87, hex(m.register(0, 0x391))
        u.stop(signal.SIGKILL)
        code, _, err = h.run(h.UNCORED, "--restore", *m.options())
        assert code == 0, err
        left = [0x391, 0x395, 0x396] + list(range(0x3c0, 0x3c8))
        assert set(m.registers(0, left).values()) | set(m.registers(15, left).values()) == {0}
        clean(m)


def test_westmere_ex():
    m, u = start("westmere-ex", """interval = "200ms";
groups = ( { name = "m"; events = [ "cbox/LLC_HITS:ALL,counter=0", "wbox/CLOCKTICKS" ]; } );""")
    count(m, u)
    truth, got = m.truth(), u.metrics()
    # C-Boxes 8 and 9 have addresses of their own: kernel uncore_nhmex.c, likwid
    for unit, address in ((0, 0xd11), (7, 0xdf1), (8, 0xf51), (9, 0xfd1)):
        series = 'uncore_cbox_llc_hits_total{socket="1",unit="%d",umask="ALL"}' % unit
        assert int(got[series]) == truth[(1, address)][0] > 0, unit
    assert not invalid(u), invalid(u)
    assert u.stop() == 0
    clean(m)


# What people ask of a machine, by what each processor can count beside the rest: memory read and
# written (the M-Box of the Xeon 7500 counts one of the two), latency, cache, links, clock.
EX = ("memory_command_read_bytes_total", "imt_latency_seconds", "llc_hit_ratio",
      "llc_socket_hit_ratio", "link_utilization_ratio", "clock_hertz")
NHM = ("memory_read_bytes_total", "memory_write_bytes_total", "home_local_latency_seconds",
       "llc_socket_hit_ratio", "clock_hertz")
ANSWERS = {
    "nehalem-ex": EX, "westmere-ex": EX, "nehalem": NHM, "westmere": NHM,
    "ivytown": ("memory_read_bytes_total", "memory_write_bytes_total",
                "home_local_read_latency_seconds", "llc_socket_data_read_miss_ratio",
                "link_sent_bytes_total", "link_sent_utilization_ratio", "clock_hertz"),
}


def test_defaults_of_every_family():
    """No configuration: the ready-made groups count at once, in one round and below 100 series a
    socket, and answer what people ask."""
    for processor in ("nehalem-ex", "westmere-ex", "nehalem", "westmere", "ivytown"):
        m, u = start(processor)
        h.wait_for("%s counts" % processor, lambda: len(u.metrics()) > 60)
        got = u.metrics()
        assert got['uncored_rounds{socket="0"}'] == "1", processor
        series = [k for k in got if 'socket="0"' in k]
        assert 40 < len(series) <= 100, (processor, len(series))
        assert ('processor="%s"' % processor) in "".join(got), processor
        assert not invalid(u), (processor, invalid(u))

        seen, wanted = set(), {(name, s) for name in ANSWERS[processor] for s in (0, 1)}

        def answered():
            m.control("advance 20000000")       # 20 ms of the model, which stands still else
            for k, v in u.metrics().items():
                name, _, labels = k.partition("{socket=\"")
                if float(v) > 0 and name.startswith("uncore_"):
                    seen.add((name[len("uncore_"):], int(labels.split('"')[0])))
            return wanted <= seen
        h.wait_for("what %s answers" % processor, answered)
        assert u.stop() == 0
        clean(m)


h.main(sys.modules[__name__])
