# SPDX-License-Identifier: MIT
"""encode.py - uncorectl encode and decode: what an event is in registers, and back, also as others
spell it.

Register values are put together by hand from the manuals' tables, which each test names.
"""
import json
import sys

import harness as h


def test_encode_of_the_contract():
    code, out, _ = h.run(h.CTL, "encode", "cbox0/LLC_HITS:ALL",
                         "--processor", "nehalem-ex", "--json")
    assert code == 0
    assert json.loads(out) == {
        "processor": "nehalem-ex", "box": "cbox", "unit": 0, "counter": 0, "event": "LLC_HITS",
        "umask": ["ALL"],
        "control": "0xd10", "data": "0xd11", "width": 48,
        "writes": [{"space": "msr", "address": "0xd10", "register": "CB0_CR_C_MSR_PMON_EVT_SEL_0",
                    "value": "0x400f15"}]}


def test_several_units_are_the_first():
    """As a plan prints them; each has to be there."""
    for units in "1-3", "[1-3]":
        assert h.run(h.CTL, "encode", "cbox%s/LLC_HITS:ALL" % units, "-p", "nehalem-ex") == \
            h.run(h.CTL, "encode", "cbox1/LLC_HITS:ALL", "-p", "nehalem-ex")
    code, out, err = h.run(h.CTL, "encode", "cbox6-9/LLC_HITS:ALL", "-p", "nehalem-ex")
    assert (code, out) == (78, "") and err == "uncorectl: cbox has no unit 9: 0 to 7\n", err


def test_encode_fixed_and_pinned():
    code, out, _ = h.run(h.CTL, "encode", "wbox/CLOCKTICKS", "--processor", "nehalem-ex", "--json")
    j = json.loads(out)
    assert code == 0 and j["counter"] == "fixed" and j["control"] == "0x395", j
    assert j["data"] == "0x394", j
    # 323535-001 2.6.2.1: FLITS_SENT on QPI0 (port 1) through IPERF1, counter 3: bit 31, ev_sel 7.
    code, out, _ = h.run(h.CTL, "encode", "rbox/FLITS_SENT,port=1,iperf=1", "--counter", "3",
                         "--processor", "nehalem-ex", "--json")
    j = json.loads(out)
    assert code == 0 and [(w["register"], w["value"]) for w in j["writes"]] == [
        ("R_MSR_PORT1_IPERF_CFG1", "0x80000000"), ("R_MSR_PMON_CTL3", "0xf")], j


def test_events_by_numbers():
    """Control words by hand: C-Box (323535-001 Table 2-13) event 7:0, unit mask 15:8, edge 18,
    enable 22, invert 23, threshold 31:24; B-Box (2-20) 5:1 and 0; R-Box (2-44) 5:1 and 0, select
    6 x port + 0 for IPERF0; M-Box (2-67) inc_sel 13:9, flag_mode 7, set_flag_sel 21:19, wrap_mode
    6, enable 0; S-Box (2-30) also 17, which resets the occupancy; SDM 18.17.2: event 7:0, unit
    mask 15:8, enable 22, threshold 31:24; Ivytown's PCU (329468-002): extended event 21."""
    for processor, typed, printed, writes in (
            ("nehalem-ex", "bbox1/event=0x3,counter=3,name=snp_merge/", None, [("0xc76", 0x7)]),
            ("nehalem-ex", "cbox3/event=0x14,umask=0x3,name=x/", None, [("0xdd0", 0x400314)]),
            ("nehalem-ex", "cbox0/event=0x14,umask=3,thresh=2,inv,edge,name=x/",
             "cbox0/event=0x14,umask=0x3,threshold=2,edge,invert,name=x/", [("0xd10", 0x2C40314)]),
            ("nehalem-ex", "rbox0/event=0x6,iperf_cfg0=0x80000000,port=1,name=x/",
             "rbox0/event=0x6,cfg0=0x80000000,port=1,name=x/",
             [("0xe05", 0x80000000), ("0xe10", 0xD)]),
            ("nehalem-ex", "mbox0/event=0,set_flag_sel=2,flag_mode,dsp=0x100,name=x/",
             "mbox0/event=0x0,set_flag_sel=0x2,flag_mode=0x1,dsp=0x100,name=x/",
             [("0xca5", 0x100), ("0xcb0", 0x1000C1)]),
            ("nehalem-ex", "sbox0/event=0x31,reset_occ_cnt=0x1,umask=0x3,name=x/", None,
             [("0xc50", 0x420331)]),
            ("westmere-ex", "wbox0/event=0x4,umask=0x1,name=x/", None, [("0xc90", 0x400104)]),
            ("nehalem", "uncore0/event=0x2c,umask=0x7,threshold=2,name=x/", None,
             [("0x3c0", 0x240072C)]),
            ("westmere", "uncore0/event=0x2c,cmask=2,name=x/",
             "uncore0/event=0x2c,threshold=2,name=x/", [("0x3c0", 0x240002C)]),
            ("ivytown", "pcu0/event=0x9,ev_sel_ext=0x1,name=x/", None, [("0xc30", 0x600009)])):
        code, out, err = h.run(h.CTL, "encode", typed, "-p", processor, "--json")
        assert code == 0, (typed, err)
        got = [(w["address"], int(w["value"], 16)) for w in json.loads(out)["writes"]]
        assert got == writes, (typed, out)
        # what is printed can be typed, and means the same
        code, out, err = h.run(h.CTL, "encode", typed, "-p", processor)
        assert code == 0 and out.startswith((printed or typed) + "\n"), (typed, out)
        assert h.run(h.CTL, "encode", printed or typed, "-p", processor)[1] == out, typed
    for typed, part in (
            ("cbox/event=0x14,pmi_en=1,name=x/", "'pmi_en' is not an event's to set"),
            ("cbox/event=0x14,en,name=x/", "'en' is not an event's to set"),
            ("mbox/event=0,wrap_mode=0,name=x/", "'wrap_mode' is not an event's to set"),
            ("cbox/event=0x114,name=x/", "event=0x114 does not fit: 0 to 0xff"),
            ("cbox/event=1,umask=0x100,name=x/", "umask=0x100 does not fit: 0 to 0xff"),
            ("bbox/event=1,umask=1,counter=0,name=x/", "bbox has no field 'umask'"),
            ("bbox/event=3,name=x/", "counter= is missing: one code is another event"),
            ("cbox/event=1,name=LLC_HITS/", "cbox/LLC_HITS is an event of the manual"),
            ("cbox/umask=1,name=x/", "event= is missing"),
            ("cbox/event=1/", "needs a name: add ,name=..."),
            ("cbox/event=1,evnt=2,name=x/", "the nearest is 'event'"),
            ("rbox/event=6,port=0,name=x/", "event=6 is not of port=0, whose codes are 0 to 5"),
            ("rbox/event=6,port=1,iperf_cfg0=0x1000000000,name=x/", "sets bits 0x1000000000"),
            ("rbox/event=5,port=1,mask=1,name=x/", "none of its registers alone ends in that"),
            ("cbox/event=1,counter=9,name=x/", "cbox has no counter 9")):
        code, out, err = h.run(h.CTL, "encode", typed, "-p", "nehalem-ex")
        assert code == 78 and out == "" and part in err, (typed, out, err)
    code, out, _ = h.run(h.CTL, "encode", "cbox/event=1,name=x/", "--counter", "2", "-p",
                         "nehalem-ex", "--json")
    assert code == 0 and json.loads(out)["counter"] == 2, out


def test_numbers_of_a_register_are_printed_back():
    """No event of the guide is 3 on counter 3 of a B-Box; with the interrupt it is not ours."""
    spec = "bbox0/event=0x3,counter=3,name=event_0x3/"
    code, out, _ = h.run(h.CTL, "decode", "0xc36", "0x7", "-p", "nehalem-ex")
    assert code == 0 and "\nby numbers: " + spec + " on counter 3\n" in out, out
    code, out, _ = h.run(h.CTL, "encode", spec, "-p", "nehalem-ex", "--json")
    assert [(w["address"], w["value"]) for w in json.loads(out)["writes"]] == [("0xc36", "0x7")]
    code, out, _ = h.run(h.CTL, "decode", "0xc36", "0x7", "-p", "nehalem-ex", "--json")
    j = json.loads(out)
    assert j["events"] == [] and [e["spec"] for e in j["by_numbers"]] == [spec], out
    code, out, _ = h.run(h.CTL, "decode", "0xc36", "0x100007", "-p", "nehalem-ex")
    assert code == 0 and "event_0x3" not in out, out


def test_counts_what_is_given_by_numbers():
    """The model has 0.25 SNP_MERGE for each insert, and 0.35 EARLY_ACK."""
    conf = h.write("raw.conf", 'interval = "200ms";\ngroups = ( { name = "g"; events = [ '
                   '"bbox/event=0x3,counter=3,name=snp_merge/", "bbox/IMT_INSERTS_ALL", '
                   '"cbox/event=0x15,umask=0xf,name=hits/", "cbox/LLC_HITS:ALL" ]; } );\n')
    code, out, err = h.run(h.UNCORED, "-c", conf, "--engine", "model:nehalem-ex:stream", "--once")
    assert code == 0, err
    series = h.samples(out)
    merge = float(series['uncore_bbox_snp_merge_total{socket="0",unit="1"}'])
    inserts = float(series['uncore_bbox_imt_inserts_all_total{socket="0",unit="1"}'])
    assert 0.24 < merge / inserts < 0.26, (merge, inserts)
    hits = float(series['uncore_cbox_hits_total{socket="0",unit="3"}'])
    same = float(series['uncore_cbox_llc_hits_total{socket="0",unit="3",umask="ALL"}'])
    assert 0.9 < hits / same < 1.1, (hits, same)        # enabled and read one after the other
    assert 'uncored_slot_valid{socket="0",box="bbox",unit="1",event="snp_merge"} 1' in out, out
    code, out, _ = h.run(h.CTL, "plan", "-c", conf, "-p", "nehalem-ex")
    assert code == 0 and "is given by numbers: uncored takes it to count at most 1 in" in out, out
    # one name for two events is refused, the same event twice is one
    for events, code in (('"cbox/event=1,name=x/", "cbox/event=2,name=x/"', 78),
                         ('"cbox/event=1,name=x/", "cbox/event=1,name=x/"', 78),
                         ('"cbox/event=1,name=x/", "cbox/event=2,name=y/"', 0)):
        conf = h.write("raw.conf", 'groups = ( { name = "g"; events = [ %s ]; } );\n' % events)
        got = h.run(h.UNCORED, "--check-config", "-c", conf, "-p", "nehalem-ex")
        assert got[0] == code, (events, got)


def test_names_that_a_manual_does_not_define():
    p = ("-p", "nehalem-ex")
    for name in ("SNP_MERGE", "bbox/snp_merge"):
        code, out, _ = h.run(h.CTL, "describe", name, *p)
        assert code == 0 and "323535-001 2.1.2" in out, out
        assert "to count it: bbox/event=0x3,counter=3,name=snp_merge/\n" in out, out
    code, out, _ = h.run(h.CTL, "describe", "CACHE_CHAR_QUAL.ANY_HIT", *p, "--json")
    assert code == 0 and json.loads(out)["instead"] == "cbox/SNP_HITS:REMOTE_ANY", out
    for instead in ("bbox/event=0x3,counter=3,name=snp_merge/", "cbox/SNP_HITS:REMOTE_ANY"):
        assert h.run(h.CTL, "encode", instead, *p)[0] == 0, instead
    code, _, err = h.run(h.CTL, "encode", "bbox/SNP_MERGE", *p)
    assert code == 78 and "write bbox/event=0x3,counter=3,name=snp_merge/" in err, err
    code, out, _ = h.run(h.CTL, "search", "SNP_MERGE", *p)
    assert code == 0 and out.startswith("event     SNP_MERGE "), out


def test_a_row_without_its_filter_has_an_encoding():
    # Ivytown's C-Box filter 1 at 0xd1a, opcode in bits 28:20; TOR_INSERTS is code 0x35, OPCODE
    # umask 0x01, bit 22 enables.
    for spec, note in (("cbox/TOR_INSERTS:OPCODE", True), ("cbox/TOR_INSERTS:OPCODE,opc=0", False)):
        code, out, err = h.run(h.CTL, "encode", spec, "--processor", "ivytown", "--json")
        # the note also says what the key means
        assert code == 0, (code, err)
        assert ("must give 'opc'" in err and "0x182 data read" in err) == note, (code, err)
        assert bool(err) == note, (code, err)
        writes = json.loads(out)["writes"]
        assert [(w["address"], w["value"]) for w in writes] == \
            [("0xd1a", "0x0"), ("0xd10", "0x400135")], writes
    conf = h.write("open.conf",
                   'groups = ( { name = "g"; events = [ "cbox/TOR_INSERTS:OPCODE" ]; } );\n')
    code, out, err = h.run(h.CTL, "plan", "-c", conf, "--processor", "ivytown")
    assert code == 78 and "open.conf:1: " in err and "'opc' is required" in err, (code, err)
    assert "0x182 data read" in err, (code, err)
    # The nodes are a mask in bits 15:0, of which none is no configuration's: what the bare row
    # writes decodes to it.
    bare = [w
            for i in json.loads(h.run(h.CTL, "encode", "cbox/TOR_INSERTS:NID_ALL",
                                      "--processor", "ivytown", "--json")[1])["writes"]
            for w in (i["address"], i["value"])]
    assert bare == ["0xd1a", "0x0", "0xd10", "0x404835"], bare
    code, out, err = h.run(h.CTL, "decode", *bare, "--processor", "ivytown")
    assert code == 0 and "event cbox0/TOR_INSERTS:NID_ALL on counter 0" in out, (out, err)


def test_intels_spelling_of_an_event():
    want = h.run(h.CTL, "encode", "cbox/LLC_LOOKUP:ANY", "--processor", "ivytown")
    assert want[0] == 0
    assert h.run(h.CTL, "encode", "cbox/UNC_C_LLC_LOOKUP.ANY", "--processor", "ivytown") == want
    for name in ("UNC_C_LLC_LOOKUP.ANY", "cbox/llc_lookup.any"):
        code, out, err = h.run(h.CTL, "describe", name, "--processor", "ivytown")
        assert code == 0 and out.startswith("cbox/LLC_LOOKUP ") and err == "", (name, code, err)
    # three boxes have queues from the ring
    _, out, err = h.run(h.CTL, "describe", "RXR_INSERTS", "--processor", "ivytown")
    assert out.startswith("cbox/RXR_INSERTS ") and "r2pcie/RXR_INSERTS too" in err, err
    assert "r3qpi/RXR_INSERTS too" in err, err


def test_a_key_of_one_bit_is_a_flag():
    # Ivytown's C-Box filter 1: isoc bit 31, nc bit 30, c6 bit 29, opc 28:20. Bare or =0/1, as edge
    # and invert.
    for keys, value in (("nc,isoc", "0xd8200000"), ("nc=1,c6=0,isoc=1", "0xd8200000"),
                        ("c6", "0x38200000")):
        code, out, err = h.run(h.CTL, "encode", "cbox/TOR_INSERTS:OPCODE,opc=0x182," + keys,
                               "--processor", "ivytown", "--json")
        assert code == 0 and json.loads(out)["writes"][0]["value"] == value, (keys, out, err)
    for keys in ("opc=0x182,nc=2", "opc"):
        code, _, err = h.run(h.CTL, "encode", "cbox/TOR_INSERTS:OPCODE," + keys,
                             "--processor", "ivytown")
        assert code == 78 and err, (keys, code, err)


def test_unknown_event_is_78_with_the_nearest():
    code, _, err = h.run(h.CTL, "encode", "cbox/LLC_HIT:ALL", "--processor", "nehalem-ex")
    assert code == 78 and "LLC_HITS" in err, err
    code, _, err = h.run(h.CTL, "describe", "IMTFUL", "--processor", "nehalem-ex")
    assert code == 78 and err, err


def test_decode_names_register_field_event():
    code, out, _ = h.run(h.CTL, "decode", "0xd10", "0x400f15", "--processor", "nehalem-ex")
    assert code == 0 and "CB0_CR_C_MSR_PMON_EVT_SEL_0" in out and "ev_sel" in out, out
    assert "LLC_HITS:ALL" in out, out
    code, out, _ = h.run(h.CTL, "decode", "0xe25", "0x80000000", "0xe16", "0xf",
                         "--processor", "nehalem-ex", "--json")
    j = json.loads(out)
    assert code == 0 and j["events"][0]["event"] == "FLITS_SENT", j
    assert "port=1" in j["events"][0]["spec"], j


def test_decode_of_a_list_of_writes():
    """323535-001 2.5.3.4: MM_CFG is written twice, and what encode prints goes back into decode as
    it is."""
    for spec in ("sbox0/TO_R_PROG_EV,match=0x10800000000000",
                 "mbox1/DRAM_CMD:CAS_RD_OPN,address=0x1240"):
        _, out, _ = h.run(h.CTL, "encode", spec, "--processor", "nehalem-ex", "--json")
        writes = [(w["address"], w["value"]) for w in json.loads(out)["writes"]]
        assert len({address for address, _ in writes}) < len(writes), writes
        code, out, _ = h.run(h.CTL, "decode", *(word for w in writes for word in w),
                             "--processor", "nehalem-ex", "--json")
        assert code == 0 and [e["spec"] for e in json.loads(out)["events"]] == [spec], out


def test_decode_of_several_control_registers():
    """Tables 2-15 and 2-24: LLC_HITS is 15 in C, IMT_INSERTS_ALL 7 on counter 1 of B, in bits 5:1.
    None is left out silently."""
    pairs = ("0xd10", "0x400f15", "0xc32", "0xf", "0xd12", "0x4000fe")
    code, out, _ = h.run(h.CTL, "decode", *pairs, "--processor", "nehalem-ex", "--json")
    assert code == 0
    assert [(e["spec"], e["counter"]) for e in json.loads(out)["events"]] == \
        [("cbox0/LLC_HITS:ALL", 0), ("bbox0/IMT_INSERTS_ALL", 1)], out
    _, out, _ = h.run(h.CTL, "decode", *pairs, "--processor", "nehalem-ex")
    last = [line.split(":")[0] for line in out.splitlines()
            if line.startswith(("event", "no event"))]
    assert last == ["event cbox0/LLC_HITS", "event bbox0/IMT_INSERTS_ALL on counter 1",
                    "no event"] and "0xd12 selects none" in out, out
    # a control register of PCI space has 32 bits (329468-002 p 133)
    code, _, err = h.run(h.CTL, "decode", "19:5+0xd8", "0x100400307", "--processor", "ivytown")
    assert code == 64 and "32 bits" in err, err


def test_spellings_of_likwid():
    """perfmon_nehalemEX_events.txt, perfmon_westmereEX_events.txt: code and unit mask of each, read
    there."""
    for processor, spec, value in (("nehalem-ex", "cbox/LLC_HITS:MODIFIED:FORWARD", "0x400915"),
                                   ("nehalem-ex", "cbox/LLC_S_FILLS:SHARED", "0x400416"),
                                   ("nehalem-ex", "cbox/LLC_VICTIMS:FILL_WITHOUT_VICTIMS",
                                    "0x401017"),
                                   ("nehalem-ex", "wbox/C_C0_THROTTLE_TMP:C5", "0x402000"),
                                   ("nehalem-ex", "wbox/TM1_ON:C_ALL", "0x40ff07"),
                                   ("westmere-ex", "cbox/BOUNCES_C2P_AD:NSB", "0x400201"),
                                   ("westmere-ex", "cbox/SINKS_P2C:IV", "0x400105"),
                                   ("westmere-ex", "cbox/STARVED_EGRESS:C2P_AD_SB", "0x40020b"),
                                   ("westmere-ex", "ubox/BUF_VALID_PM_OUT", "0x400007")):
        code, out, err = h.run(h.CTL, "encode", spec, "--processor", processor, "--json")
        assert code == 0 and json.loads(out)["writes"][-1]["value"] == value, (spec, out, err)


def test_decode_says_all_or_nothing():
    """Linux uncore_snbep.c: occ_invert is bit 30 of a PCU control word, occ_edge bit 31; the event
    of bits 15:0 alone counts the opposite."""
    def decode(value):
        code, out, _ = h.run(h.CTL, "decode", "0xc30", value, "--processor", "ivytown")
        assert code == 0
        return [line for line in out.splitlines() if line.startswith(("event", "no event"))]

    (line,) = decode("0x44408080")
    assert line.startswith("event pcu0/POWER_STATE_OCCUPANCY:CORES_C3,threshold=4,invert on "
                           "counter 0"), line
    code, out, _ = h.run(h.CTL, "encode", "pcu/POWER_STATE_OCCUPANCY:CORES_C3,threshold=4,invert",
                         "--processor", "ivytown", "--json")
    assert code == 0 and json.loads(out)["control"] == "0xc30", out
    assert json.loads(out)["writes"][-1]["value"] == "0x44408080", out
    for value, field in (("0xc4408080", "occ_edge_det"), ("0x40408080", "occ_invert"),
                         ("0x40400000", "occ_invert")):
        (line,) = decode(value)
        assert "no event: control register 0xc30 has bits that no specification can " in line, line
        assert line.endswith(" in " + field), line
    code, _, err = h.run(h.CTL, "encode", "pcu/CLOCKTICKS,threshold=1,invert",
                         "--processor", "ivytown")
    assert code == 78 and "no such field for this event" in err, err


def test_decode_speaks_what_encode_reads():
    """SDM: MatchSel 0 of register 396 compares nothing, and no value of match= says so."""
    code, out, _ = h.run(h.CTL, "decode", "0x396", "0", "0x3c0", "0x400435",
                         "--processor", "nehalem", "--json")
    assert code == 0 and [e["spec"] for e in json.loads(out)["events"]] == \
        ["uncore0/ADDR_OPCODE_MATCH:LOCAL"], out


h.main(sys.modules[__name__])
