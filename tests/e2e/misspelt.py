# SPDX-License-Identifier: MIT
"""misspelt.py - "the nearest is ..." is said of a misspelling of what the user wrote, and of
nothing else: no other hardware, no word that merely looks alike, no name that uncored itself
looked for.
"""
import functools
import json
import sys

import harness as h

HERE = ["--path-sysfs", "{0}", "--path-procfs", "{0}"]
CLIENT, SERVER = "GenuineIntel 6 165 2", "GenuineIntel 6 173 1"


@functools.lru_cache()
def machine(cpuinfo, *pmus):
    """A machine of one socket with these uncore PMUs, each of which has the event clockticks."""
    text = "cpuinfo %s\ncpu 0-1 socket 0\nlike kernel_intel\n" % cpuinfo
    for i, name in enumerate(pmus):
        text += ("PMU %s type=%d cpumask=0\n  format event=config:0-7 umask=config:8-15\n"
                 "  events/clockticks: event=0x01\n" % (name, 20 + 20 * i))
    return h.tree(h.write("machine.txt", text))


def at(root):
    return [word.format(root) for word in HERE]


def of_config(text, *where):
    code, out, err = h.run(h.UNCORED, "--check-config", "-c", h.write("m.conf", text), *where)
    assert code == 78 and out == "", (text, code, out, err)
    return err


def of_event(spec, *where):
    return of_config('groups = ( { name = "g"; events = [ "%s" ]; } );' % spec, *where)


def of_command(*args):
    code, out, err = h.run(h.CTL, *args)
    assert code in (64, 78) and out == "", (args, code, out, err)
    return err


def pmu(wanted, *there, cpuinfo=SERVER):
    return of_event("perf/%s/clockticks/" % wanted, *at(machine(cpuinfo, *there)))


EX, IVT = ("-p", "nehalem-ex"), ("-p", "ivytown")


def test_other_hardware_is_not_offered():
    for said in (
            pmu("uncore_hbm", "uncore_pcu", "uncore_imc_{0-3}"), pmu("uncore_imc", "uncore_pcu"),
            pmu("uncore_imc", "uncore_arb", cpuinfo=CLIENT),
            pmu("uncore_cha_0", "uncore_type_5", "uncore_type_0_{0-3}"),
            pmu("uncore_upi", "uncore_type_5"), pmu("uncore_upi", "uncore_qpi_{0-1}"),
            pmu("uncore_qpi", "uncore_upi_{0-1}"), pmu("uncore_ubox", "uncore_cbox_{0-3}"),
            pmu("uncore_iio", "uncore_irp_{0-3}"), pmu("uncore_imc_9", "uncore_imc_{0-3}"),
            # names that no table knows, either: the first letter differs, or is missing
            pmu("uncore_ebox", "uncore_cbox_{0-3}"), pmu("uncore_box", "uncore_cbox_{0-3}"),
            of_config('metrics = [ "bandwidth" ];', *EX),
            of_config('groups = ( { name = "g"; metrics = [ "bandwidth" ]; } );', *EX),
            of_config("port = 10062;", *EX), of_config('log_level = "info";', *EX),
            of_command("describe", "cache mises", *EX),
            of_command("search", "cash mises", *EX),
            of_command("encode", "imc/MEM_CHANNEL_BW", *IVT),
            of_config('groups = [ "links2memory" ];', *EX),
            of_command("plan", "-p", "haswell"), of_command("list", "events", "-p", "skylake"),
            of_command("draw"), of_command("plan", "--frequency")):
        assert "nearest" not in said, said


def test_what_uncored_looks_for_is_not_misspelt():
    """Reasons why a ready-made metric is absent are about names that nobody typed."""
    root = machine("GenuineIntel 6 85 4", "uncore_imd_{0-3}", "uncore_chb_{0-3}", "uncore_iic_0")
    for args in (["doctor", "--json"], ["list", "metrics", "--json"], ["list", "groups"]):
        _, out, err = h.run(h.CTL, *args, *at(root))
        assert "has no PMU 'uncore_imc'" in out or args[0] == "list", out
        assert "nearest" not in out + err, (args, out, err)
    # who types it is helped
    assert "the nearest is 'uncore_imd_0'" in of_event("perf/uncore_ime/clockticks/", *at(root))


def test_misspellings_are():
    imc = functools.partial(pmu, cpuinfo=SERVER)
    for said, meant in (
            # a letter too few, too many, another, two exchanged
            (imc("uncore_ic", "uncore_imc_{0-3}"), "'uncore_imc_0'"),
            (imc("uncore_immc", "uncore_imc_{0-3}"), "'uncore_imc_0'"),
            (imc("uncore_ime_2", "uncore_imc_{0-3}"), "'uncore_imc_2'"),
            (imc("uncore_hca", "uncore_cha_{0-3}"), "'uncore_cha_0'"),
            (imc("uncore_imc_fre_runing", "uncore_imc_free_running_{0-3}"),
             "'uncore_imc_free_running_0'"),
            (of_event("perf/uncore_imc/clocktiks/", *at(machine(SERVER, "uncore_imc_0"))),
             "'clockticks'"),
            (of_event("perf/uncore_imc/evnet=1,name=x/", *at(machine(SERVER, "uncore_imc_0"))),
             "'event'"),
            (of_event("perf/software/cpu-clok/", *at(machine(SERVER, "uncore_imc_0"))),
             "'cpu-clock'"),
            (of_event("bbox/IMT_INSERT_ALL", *EX), "IMT_INSERTS_ALL"),
            (of_event("bbox/IMT_VALID_OCUPANCY", *EX), "IMT_VALID_OCCUPANCY"),
            (of_event("cbxo/LLC_HITS:ALL", *EX), "'cbox'"),
            (of_event("cbox/LLC_HITS:AL", *EX), "'ALL'"),
            (of_event("cbox/LLC_HITS:ALL,treshold=1", *EX), "'threshold'"),
            (of_event("rbox/FLITS_SENT,prot=1", *EX), "'port'"),
            (of_config('metrics = [ "imt_latency_secnods" ];', *EX), None),
            (of_config('groups = ( { name = "g"; metrics = [ "imt_latency_secnods" ]; } );', *EX),
             "'imt_latency_seconds'"),
            (of_config('groups = [ "memroy" ];', *EX), "'memory'"),
            (of_config('lisen = [ "127.0.0.1:1" ];', *EX), '"listen"'),
            (of_config('intreval = "1s";', *EX), '"interval"'),
            (of_config('groups = ( { name = "g"; event = [ "bbox/IMT_FULL" ]; } );', *EX),
             '"events"'),
            (of_command("describe", "LLC_MISES", *EX), "cbox/LLC_MISSES"),
            (of_command("encode", "imc/CAS_COUTN:RD", *IVT), "CAS_COUNT"),
            # Intel's names of the events of today's servers
            (of_command("encode", "UNC_CHA_TOR_INSERTS.IA_MISS_DRD_REMOT", "--machine", "spr"),
             "cha/tor_inserts_ia_miss_drd_remote"),
            (of_command("describe", "UNC_M_CAS_CONUT.RD", "--machine", "spr"), "imc/CAS_COUNT.RD"),
            (of_event("UNC_UPI_CLOCKTICK", *at(h.shared_tree("spr"))), "upi/clockticks"),
            # words that nothing is called, but by which people search
            (of_command("search", "bandwith", "--machine", "spr"), "bandwidth"),
            (of_command("search", "througput", *EX), "throughput"),
            (of_command("plan", "-p", "nehalemex7"), "'nehalem-ex'"),
            (of_command("plan", "-p", "ivytwon"), "'ivytown'"),
            (of_command("plna"), "plan"), (of_command("plan", "--confg", "x"), "'--config'")):
        if meant:
            assert "nearest" in said and meant in said.split("nearest", 1)[1], (meant, said)


def test_other_words_for_it():
    """What another tool calls it, or what was meant by a word of another block."""
    for said, meant in ((of_event("cbox/LLC_HITS:ALL,inv", *EX), "'invert'"),
                        (of_event("cbox/LLC_HITS:ALL,thresh=1", *EX), "'threshold'")):
        assert "the nearest is " + meant in said, said


def test_doctor_offers_nothing_anywhere():
    for name in ("spr", "sprhbm", "skx", "icx", "gnr", "adl", "zen4", "cmn600", "bdx"):
        _, out, _ = h.run(h.CTL, "doctor", "--json", *at(h.shared_tree(name)))
        texts = [f["text"] for f in json.loads(out)["findings"]]
        assert not [t for t in texts if "nearest" in t], texts


h.main(sys.modules[__name__])
