# SPDX-License-Identifier: MIT
"""cli.py - command lines, exit codes and messages of the contract."""
import concurrent.futures
import errno
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time

import harness as h

MEMORY = """
groups = ( { name = "memory"; events = [ "bbox/IMT_VALID_OCCUPANCY", "bbox/IMT_INSERTS_ALL",
    "bbox/CONFLICTS", "wbox/CLOCKTICKS" ]; } );
"""


def test_help_and_version():
    for program in (h.UNCORED, h.CTL):
        code, out, err = h.run(program, "--help")
        assert code == 0 and out.startswith("Usage: ") and err == "", (program, code, err)
        assert max(len(line) for line in out.splitlines()) <= 100, out
        code, out, err = h.run(program, "--version")
        assert code == 0 and "0.1.0" in out, out


VALUE = {"processor": "ivytown", "interval": "1000"}        # an option that refuses others at once


def test_help_of_a_command():
    """Its arguments, and the options that it takes, which are those that it does not refuse."""
    text = h.run(h.CTL, "--help")[1]
    every = re.findall(r"^ +(?:-\w, )?--([a-z-]+)( [A-Z]+)?  ", text, re.M)
    commands = re.findall(r"^  ([a-z]+) +[a-z]", text, re.M)
    page = h.read(os.path.join(h.SRC, "man/uncorectl.1"))
    synopsis = page.partition(".Sh SYNOPSIS")[2].partition(".Sh ")[0]
    described = re.findall(r"^\.Nm\n\.Cm (\w+)", synopsis, re.M)
    assert len(every) > 20 and sorted(commands) == sorted(described), (commands, described)
    for command in commands:
        code, out, err = h.run(h.CTL, command, "--help")
        assert code == 0 and err == "" and out.startswith("Usage: uncorectl %s " % command), out
        shown = re.findall(r"^ +(?:-\w, )?--([a-z-]+)", out, re.M)
        for option, value in every:
            if option in ("help", "version"):
                assert option in shown, (command, option)
                continue
            given = "--" + option + ("=%s" % VALUE.get(option, "1") if value else "")
            said = h.run(h.CTL, given, command, *["x"] * 99 + ["--"])[2]
            refused = "is an option of" in said
            assert refused != (option in shown), (command, option, said)
        assert h.run(h.CTL, "help", command) == (0, out, ""), command
    assert h.run(h.CTL, "help") == (0, text, "")
    assert h.run(h.CTL, "-V") == h.run(h.CTL, "--version")
    assert h.run(h.CTL, "encode", "--help", "--url", "x")[0] == 0
    assert "plan [OPTION]" in h.run(h.CTL, "plan", "-h")[1]


def test_a_guess_is_told_the_command():
    """What perf and other tools call it; a list is no command; what is nothing of these is told
    what is spelt nearly so."""
    for command, guesses in (
            ("uncorectl stat -- COMMAND", "record run count perf measure trace"),
            ("uncorectl top", "monitor watch live graph history"),
            ("uncorectl top --batch", "read dump print export snapshot"),
            ("uncorectl describe EVENT", "show explain"), ("uncorectl doctor", "info check probe"),
            ("uncorectl search WORD", "find grep memory bandwidth latency"),
            ("uncorectl list events", "events event list-events"),
            ("uncorectl list metrics", "metrics metric list-metrics"),
            ("uncorectl list groups", "groups ls"), ("uncorectl list machines", "machines"),
            ("uncorectl list boxes", "box pmus units counters"),
            ("uncorectl --version", "version"), ("uncorectl help", "usage man"),
            ("uncorectl verify", "test bench"), ("uncored --check-config", "config validate"),
            ("uncorectl pause DURATION", "suspend"),
            ("uncorectl pause DURATION; for good, systemctl stop uncored", "stop disable"),
            ("Ctrl-C where uncorectl pause runs: its end ends the pause", "resume unpause"),
            ("systemctl start uncored", "start enable"), ("systemctl status uncored", "status"),
            ("systemctl reload uncored", "reload"), ("journalctl -u uncored", "log logs")):
        for guess in guesses.split():
            for args in [guess], ["help", guess], [guess, "-p", "spr"]:
                code, out, err = h.run(h.CTL, *args)
                assert code == 64 and out == "" and err.startswith(
                    "uncorectl: there is no command '%s'; try %s\n" % (guess, command)), err
    code, _, err = h.run(h.CTL, "LLC_HITS")
    assert code == 64 and "verify and help; what can be counted: uncorectl search WORD\n" in err
    code, _, err = h.run(h.CTL, "pausee")
    assert code == 64 and "the nearest is pause\n" in err, err


def test_options_of_perf_stat():
    """Those that have no sense for a socket's counters say so, also where another command of ours
    has a use for the letter."""
    for letter in "pt":
        code, out, err = h.run(h.CTL, "stat", "-" + letter, "1234", "--", "true")
        assert code == 64 and out == "" and "uncorectl: -%s: uncore counters do not know which " \
            "program causes what they count" % letter in err, err
        assert "no processor '1234'" not in err, err
    code, _, err = h.run(h.CTL, "list", "events", "-p", "1234")
    assert code == 64 and "no processor '1234'" in err and "-p: " not in err, err


def test_options_of_the_command_that_runs():
    """Without -- they are read as ours, and that is said."""
    for args in (["pause", "pcm-memory", "1", "-i=60"], ["pause", "perf", "stat", "-a", "true"],
                 ["stat", "ls", "-l"]):
        code, _, err = h.run(h.CTL, *args)
        assert code == 64 and "follow --, as in: uncorectl %s -- COMMAND -x\n" % args[0] in err, err
    for args in ["stat", "-z"], ["pause", "-a", "--", "perf", "-z"], ["list", "-z", "events"]:
        code, _, err = h.run(h.CTL, *args)
        assert code == 64 and "follow --" not in err, err


def test_what_is_missing_has_an_example():
    """That can be typed: it is not refused for its arguments."""
    for command in "list", "search", "describe", "encode", "decode", "pause":
        code, out, err = h.run(h.CTL, command)
        first, last = err.splitlines()
        assert code == 64 and out == "", (command, code, out)
        assert first.startswith("uncorectl: an argument is missing: "), err
        assert "; usage: uncorectl %s " % command in first, err
        assert last == "Try 'uncorectl %s --help'." % command, err
        example = re.search(": uncorectl (%s [^;,]+)[;,]" % command, first)[1].split()
        code, _, err = h.run(h.CTL, *example, "--path-run", h.path("nobody"))
        assert code == (69 if command == "pause" else 0), (example, code, err)
    _, _, err = h.run(h.CTL, "plan", "9")
    assert "'9' is one argument too many; usage: uncorectl plan\n" in err, err
    assert h.run(h.CTL)[2].startswith("Usage: uncorectl COMMAND")


def test_a_duration_without_its_unit():
    for args in ["10"], ["10", "s"], ["10x"], ["10s", "--", "true"]:
        code, _, err = h.run(h.CTL, "pause", *args, "--path-run", h.path("nobody"))
        assert code == 64 and "'%s' is no command; a duration stands alone and needs a unit, as " \
            "in: uncorectl pause 10s; " % args[0] in err, (args, code, err)
    program = h.write("7zip", "#!/bin/sh\n")
    os.chmod(program, 0o755)
    env = dict(os.environ, PATH=os.path.dirname(program) + ":" + os.environ["PATH"])
    r = subprocess.run([h.CTL, "pause", "7zip", "--path-run", h.path("nobody")], env=env,
                       capture_output=True, text=True, timeout=60)
    assert r.returncode == 69 and "no uncored can be paused" in r.stderr, r


def test_what_another_processor_has_is_not_unknown():
    """Where this machine has nothing of the words; the example shows it."""
    os.makedirs(h.path("another"), exist_ok=True)
    h.write("another/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 1\n")
    other = ["--path-procfs", h.path("another"), "--path-sysfs", h.path("another")]
    for name in "numa_reads", "numa_home":
        code, out, err = h.run(h.CTL, "describe", name, *other)
        assert code == 78 and name in results(out)[0][1], (name, code, out, err)
        example = re.search("in brackets, as in: uncorectl (.*)\n", err)
        assert example and " has no '%s'; " % name in err and "its words" not in err, err
        code, out, err = h.run(h.CTL, *example[1].split())
        assert code == 0 and name in out and err == "", (example[1], out, err)
    err = h.run(h.CTL, "describe", "numa reads of", *other)[2]
    assert "these contain its words:" in err, err


def test_a_list_without_hits_leads_to_that_list():
    for args, list_name in ((["machines", "zzzz"], "machines"),
                            (["machine", "latency"], "machines"),
                            (["metrics", "qqq", "-p", "ivytown"], "metrics --processor ivytown"),
                            (["boxes", "qqq", "-p", "ivytown"], "boxes --processor ivytown"),
                            (["group", "qqq", "-p", "ivytown"], "groups --processor ivytown"),
                            (["keys", "qqq"], "keys")):
        code, out, err = h.run(h.CTL, "list", *args)
        assert code == 78 and out == "" and err.endswith(
            "; see: uncorectl list %s\n" % list_name), (args, code, err)
    assert "nearest is 'genoa'" in h.run(h.CTL, "list", "machines", "genoaa")[2]


def test_says_what_was_built():
    """The commit, as git or the tarball tells; what both do not know is empty."""
    tarball = os.path.join(h.SRC, ".tarball-revision")
    want = ""
    if os.path.exists(tarball):
        want = h.read(tarball).strip()
        assert want or not os.path.exists(os.path.join(h.SRC, ".git")), "the tarball lost it"
    elif os.path.exists(os.path.join(h.SRC, ".git")) and shutil.which("git"):
        want = subprocess.run(["git", "-C", h.SRC, "describe", "--always", "--abbrev=12"],
                              capture_output=True, text=True).stdout.strip()
    else:
        want = h.run("sh", os.path.join(h.SRC, "src/daemon/revision.sh"), h.SRC)[1].strip()
    want = want.removesuffix("-dirty")  # a file may be changed while tests run
    code, out, _ = h.run(h.UNCORED, "--version")
    line = out.splitlines()[0].replace("-dirty", "")
    assert code == 0, (line, want)
    assert line == ("uncored 0.1.0 (%s)" % want if want else "uncored 0.1.0"), (line, want)
    code, out, _ = h.run(h.UNCORED, "-c", h.write("memory.conf", MEMORY),
                         "--engine", "model", "--once")
    got = [k for k in out.splitlines() if k.startswith("uncored_build_info")]
    assert [k.replace("-dirty", "") for k in got] == \
        ['uncored_build_info{version="0.1.0",revision="%s"} 1' % want], got


def test_the_commit_without_git():
    """Read from the clone's files; a tarball's word comes first; what is neither is nothing."""
    clone, commit = h.path("clone"), "0123456789abcdef0123456789abcdef01234567"
    bin = h.path("nogit")
    os.makedirs(bin)
    for program in ("cat", "sed", "awk"):
        os.symlink(shutil.which(program), os.path.join(bin, program))
    os.makedirs(clone + "/.git/refs/heads/mine")

    def revision(*files):
        for name, text in files:
            with open(os.path.join(clone, name), "w") as f:
                f.write(text)
        p = subprocess.run(["/bin/sh", os.path.join(h.SRC, "src/daemon/revision.sh"), clone],
                           env={"PATH": bin}, capture_output=True, text=True)
        assert p.returncode == 0 and not p.stderr, p
        return p.stdout.strip()
    assert revision() == ""                                     # an empty clone
    assert revision((".git/HEAD", "ref: refs/heads/mine/branch\n")) == ""
    packed = "# pack-refs with: peeled\n%s refs/heads/mine/branch2\n%s refs/heads/mine/branch\n" % (
        "f" * 40, commit)
    assert revision((".git/packed-refs", packed)) == "0123456789ab-unchecked"
    assert revision((".git/refs/heads/mine/branch", "a" * 40 + "\n")) == "aaaaaaaaaaaa-unchecked"
    assert revision((".git/HEAD", commit + "\n")) == "0123456789ab-unchecked"
    assert revision((".tarball-revision", "v0.2\n")) == "v0.2"
    shutil.rmtree(clone + "/.git")
    os.unlink(clone + "/.tarball-revision")
    assert revision() == ""


def test_the_http_program_alone():
    """Nobody else than uncored starts it."""
    for args in ([], ["--help"]):
        code, out, err = h.run(h.HTTP, *args)
        assert (code, out, err) == (64,
                                    "", "uncored-http is started by uncored: run uncored "
                                        "instead\n"), (code, out, err)


def test_usage_is_64():
    for args in (["--nonsense"], ["extra"], ["--engine", "magic"], ["--listen", "localhost:1"],
                 ["--listen", "127.0.0.1:99999"],
                 ["--processor", "pentium"],
                 ["--engine", "model:ivytown", "--processor", "nehalem-ex"], ["--format", "xml"],
                 ["--log-level", "loud"], ["--restore", "--once"], ["--check-config", "--once"],
                 ["--format", "json"], ["--every", "1s"], ["--once", "--every", "9ms"],
                 ["--once", "--every", "25h"], ["--once", "--every", "1"]):
        code, out, err = h.run(h.UNCORED, *args)
        assert code == 64 and out == "" and err, (args, code, err)
    for args in ([], ["dance"], ["list"], ["list", "cats"],
                 ["decode", "0xd10", "--processor", "nehalem-ex"],
                 ["encode", "cbox/LLC_HITS:ALL", "--processor", "pentium"],
                 ["list", "events", "--sockets", "2"],
                 ["plan", "--counter", "1"], ["describe", "cbox/LLC_HITS", "-c", "x.conf"]):
        code, out, err = h.run(h.CTL, *args)
        assert code == 64 and err and out == "", (args, code, out, err)
    _, _, err = h.run(h.CTL, "describe")
    assert "uncorectl describe EVENT|METRIC|GROUP|BOX" in err, err
    for program in (h.UNCORED, h.CTL):      # every mistake begins alike, wherever the program lies
        name = os.path.basename(program)
        for args, wrong in ((["--option-typo"], "unrecognized option '--option-typo'"),
                            (["-c"], "option requires an argument")):
            code, _, err = h.run(program, *args)
            assert code == 64 and err.startswith(name + ": " + wrong), (code, err)


def test_output_that_cannot_be_written_is_70():
    """A script that fills its disk must not take half an answer for a whole one."""
    empty = h.write("empty.conf", "# defaults\n")
    for program, *args in (
            (h.UNCORED, "--version"), (h.UNCORED, "--help"),
            (h.UNCORED, "--check-config", "-c", empty, "--engine", "model:nehalem-ex"),
            (h.CTL, "--help"), (h.CTL, "--version"), (h.CTL, "list", "processors"),
            (h.CTL, "list", "events", "-p", "nehalem-ex"),
            (h.CTL, "list", "events", "-p", "nehalem-ex", "--json"),
            (h.CTL, "plan", "-p", "ivytown", "-c", empty)):
        with open("/dev/full", "w") as full:
            done = subprocess.run([program, *args], stdout=full, stderr=subprocess.PIPE, text=True,
                                  timeout=20)
        assert done.returncode == 70 and "output could not be written" in done.stderr, (args, done)
    done = subprocess.run(["sh", "-c", 'exec "$0" list processors >&-', h.CTL],
                          stderr=subprocess.PIPE, text=True, timeout=20)
    assert done.returncode == 70 and "Bad file descriptor" in done.stderr, done


def test_plan_names_a_metric_with_its_groups():
    group = '{ name = "%s"; events = [ "wbox/CLOCKTICKS" ]; }'
    conf = h.write("clocks.conf", "groups = ( %s, %s );\n" % (group % "first", group % "second"))
    code, out, _ = h.run(h.CTL, "plan", "-c", conf, "-p", "nehalem-ex")
    assert code == 0
    assert [k.strip() for k in out.splitlines() if "  metric" in k] == [
        "metric uncore_clock_hertz from groups first, second"], out


def test_ready_made_groups():
    """Each is listed with what it costs alone, which is what a configuration of its name has."""
    code, out, err = h.run(h.CTL, "list", "groups", "-p", "nehalem-ex", "--json")
    assert code == 0 and not err, err
    groups = {g["name"]: g for g in json.loads(out)}
    assert [n for n, g in groups.items() if not g["default"]] == ["writes"], groups
    # eight C-Boxes with two counters each; a ratio of each and of the socket
    assert groups["llc"]["counters"] == 16 and groups["llc"]["series"] == 9, groups["llc"]
    assert set(groups["llc"]["metrics"]) == {"llc_hit_ratio", "llc_socket_hit_ratio"}
    for name, g in groups.items():
        conf = h.write("group.conf", 'groups = [ "%s" ];\n' % name)
        plan = json.loads(h.run(h.CTL, "plan", "-c", conf, "-p", "nehalem-ex", "--json")[1])
        assert plan["series"] == g["series"], (name, plan["series"], g)
        code, out, _ = h.run(h.CTL, "describe", name, "-p", "nehalem-ex")
        assert code == 0 and all(t in out for t in g["events"] + g["metrics"]), out
    out = h.run(h.CTL, "list", "groups", "-p", "nehalem-ex")[1]
    assert [line.split()[0] for line in out.splitlines()] == list(groups), out


def test_plan_says_a_metric_once():
    """Port 0 is named, port 1 has the events as well: two rows of one metric, one line."""
    conf = h.write("twice.conf", """groups = (
        { name = "a"; metrics = [ "link_utilization_ratio,port=0", "imt_latency_seconds" ];
          events = [ "rbox/FLITS_SENT,port=1", "rbox/NULL_IDLE,port=1" ]; } );""")
    code, out, err = h.run(h.CTL, "plan", "-c", conf, "-p", "nehalem-ex", "--sockets", "1")
    assert code == 0, err
    lines = [line for line in out.split("\n") if line.startswith("  metric ")]
    assert len(lines) == len(set(lines)) and \
        "  metric uncore_link_utilization_ratio from group a" in lines, out


def test_plan_is_short_unless_asked():
    conf = h.write("llc.conf", 'groups = ( { name = "llc"; events = [ "cbox/LLC_HITS:ALL", '
                               '"cbox3/LLC_MISSES:ALL", "cbox5/LLC_MISSES:ALL" ]; } );\n')
    args = ["plan", "-c", conf, "-p", "nehalem-ex", "--sockets", "1"]

    def slots(out):
        return [line.split()[0] for line in out.splitlines() if line.startswith("    cbox")]

    code, out, err = h.run(h.CTL, *args)
    # 323535-001 2.3: eight C-Boxes; the units of LLC_MISSES are not next to each other
    assert code == 0 and slots(out) == [
        "cbox0-7/LLC_HITS:ALL", "cbox3/LLC_MISSES:ALL", "cbox5/LLC_MISSES:ALL"], (out, err)
    assert "cbox0-7/LLC_HITS:ALL " in out and "counter 0 " in out and "0xd10" not in out, out
    assert "_PMON_" not in out and "at the end" not in out, out
    for option in "-v", "--verbose":
        code, out, err = h.run(h.CTL, *args, option)
        assert code == 0 and len(slots(out)) == 10, (out, err)
        assert "0xd10      CB0_CR_C_MSR_PMON_EVT_SEL_0" in out and "at the end" in out, out
    assert h.run(h.CTL, "encode", "cbox/LLC_HITS", "-v", "-p", "nehalem-ex")[0] == 64


def test_plan_of_a_configuration_for_the_model():
    """uncored counts it on the processor that the engine names; uncorectl said that no processor is
    known."""
    def conf(engine):
        return h.write("model.conf", 'engine = "%s";\ngroups = ( { name = "a"; events = [ '
                                     '"imc/CAS_COUNT:RD" ]; } );\n' % engine)

    code, out, err = h.run(h.CTL, "plan", "-c", conf("model:ivytown:idle"))
    assert code == 0 and out.startswith("processor ivytown, "), (out, err)
    code, out, err = h.run(h.CTL, "plan", "-c", conf("model:nix"))
    assert code == 78 and out == "", (out, err)
    assert "model.conf:1: engine: there is no processor 'nix'" in err, (out, err)
    code, out, err = h.run(h.CTL, "plan", "-c", conf("model:ivytown"), "-p", "nehalem-ex")
    assert code == 78 and "nehalem-ex has no box 'imc'" in err, err


def test_processors_with_all_their_models():
    """CPUID models of the client and two-socket parts: SDM volume 3B, 18.17.2 and table 35-1."""
    _, out, _ = h.run(h.CTL, "list", "processors")
    rows = {line.split()[0]: line for line in out.splitlines()}
    assert rows["nehalem"].endswith("(family 6 model 26, 30, 31)"), out
    assert rows["westmere"].endswith("(family 6 model 37, 44)"), out


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


def test_a_bound_that_is_the_boxs():
    # 329468-002 p 173: R3QPI's counters rise by up to 8 bits a cycle; a clock by one; p 21: 5 bits
    # of threshold.
    conf = h.write("bound.conf", 'groups = ( { name = "g"; events = [ "r3qpi0/RXR_INSERTS:DRS", '
                                 '"r3qpi0/CLOCKTICKS" ]; } );\n')
    args = ["plan", "-c", conf, "--processor", "ivytown"]
    lines = {line.split()[0]: line for line in h.run(h.CTL, *args)[1].splitlines()
             if line.startswith("    r3qpi0/")}
    assert "at most 255 per cycle (the box's maximum)" in lines["r3qpi0/RXR_INSERTS:DRS"], lines
    assert lines["r3qpi0/CLOCKTICKS"].endswith("at most 1 per cycle"), lines
    slots = json.loads(h.run(h.CTL, *args, "--json")[1])["sockets"][0]["rounds"][0]["slots"]
    assert [(s["max_increment"], s["max_increment_of"]) for s in slots] == \
        [(255, "box"), (1, "event")], slots


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


def test_a_good_check_raises_no_alarm():
    """What the ready-made groups leave out is nobody's mistake; what a group of one's own would
    show with one more event is said, calmly."""
    for processor in "nehalem-ex", "nehalem", "westmere-ex", "ivytown":
        for text in "# defaults\n", 'groups = [ "memory" ];':
            code, out, err = h.run(h.UNCORED, "--check-config", "-c", h.write("good.conf", text),
                                   "-p", processor)
            assert code == 0 and len(out.splitlines()) == 1 and not err, (processor, out, err)
            assert "missing" not in out and "add " not in out, out
    conf = h.write("own.conf", 'groups = ( { name = "m"; events = [ "bbox/IMT_INSERTS_ALL", '
                   '"bbox/IMT_VALID_OCCUPANCY" ]; } );')
    code, out, err = h.run(h.UNCORED, "--check-config", "-c", conf, "-p", "nehalem-ex")
    assert code == 0 and "(add wbox/CLOCKTICKS to group m)" in out, out


def test_unknown_event_is_78_with_the_nearest():
    code, _, err = h.run(h.CTL, "encode", "cbox/LLC_HIT:ALL", "--processor", "nehalem-ex")
    assert code == 78 and "LLC_HITS" in err, err
    code, _, err = h.run(h.CTL, "describe", "IMTFUL", "--processor", "nehalem-ex")
    assert code == 78 and err, err


def test_describe_of_a_slip_names_the_nearest_of_all_boxes():
    for name, hint in (("LLCHIT", "nearest is cbox/LLC_HITS\n"), ("mboxx", "nearest is mbox\n"),
                       ("FLITSENT", "nearest is rbox/FLITS_SENT\n"), ("zzz", "list events")):
        for command in "describe", "search":
            code, out, err = h.run(h.CTL, command, name, "--processor", "nehalem-ex")
            assert code == 78 and out == "" and hint in err, (name, err)


def results(out):
    """Kind and name of each line of a search."""
    return [re.match("(unit mask|[a-z]+) +([^ ]+) ", line).groups() for line in out.splitlines()]


def test_describe_searches_what_is_no_exact_name():
    for name, first in (("link_utilisation", ("metric", "link_utilization_ratio")),
                        ("uncore_link_utilization", ("metric", "link_utilization_ratio")),
                        ("LLC_HIT", ("event", "cbox/LLC_HITS")),
                        ("power controller", ("box", "wbox"))):
        code, out, err = h.run(h.CTL, "describe", name, "-p", "nehalem-ex")
        assert code == 78 and results(out)[0] == first, (name, out, err)
        assert err.startswith("uncorectl: there is no '%s'; " % name), err
        code, out, _ = h.run(h.CTL, "describe", name, "-p", "nehalem-ex", "--json")
        j = json.loads(out)
        assert code == 78 and j["search"] == name, j
        assert (j["results"][0]["kind"], j["results"][0]["name"]) == first, j
        assert j["results"][0]["processors"] == ["nehalem-ex"], j


def test_search():
    def search(*words):
        code, out, err = h.run(h.CTL, "search", *words)
        assert code == 0 and err == "", (words, out, err)
        return results(out)

    nehalem_ex = ["-p", "nehalem-ex"]
    # an exact name, a name with all words, a description with the others
    got = search("flits", "sent", *nehalem_ex)
    assert got[0] == ("event", "rbox/FLITS_SENT") and len(got) > 1, got
    got = search("imt", *nehalem_ex)
    names = [("IMT" in name or "imt" in name) for _, name in got]
    assert any(names) and names == sorted(names, reverse=True), got
    assert search("utilisation", *nehalem_ex) == search("Utilization", *nehalem_ex)
    assert search("memory", "-p", "ivytown")[0] == ("group", "memory")
    # every word counts; unit masks where the event alone has not all of them
    got = search("llc", "hits", "modified", *nehalem_ex)
    assert got[0] == ("unit mask", "cbox/LLC_HITS:M"), got
    # behind them what has all words but one; the event has two of the three
    assert [kind for kind, _ in got[1:]].count("unit mask") == 0 and len(got) > 1, got
    # a machine that uncored does not know: every processor
    os.makedirs(h.path("other"), exist_ok=True)
    h.write("other/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 1\n")
    other = ["--path-procfs", h.path("other"), "--path-sysfs", h.path("other")]
    for words, name, processors in (("IMT_FULL", "bbox/IMT_FULL", ["nehalem-ex", "westmere-ex"]),
                                    ("bounce assert", "cbox/BOUNCE_ASSERT", ["westmere-ex"]),
                                    ("r3qpi", "r3qpi", ["ivytown"])):
        code, out, _ = h.run(h.CTL, "search", words, "--json", *other)
        first = json.loads(out)["results"][0]
        assert code == 0 and (first["name"], first["processors"]) == (name, processors), first
        line = h.run(h.CTL, "search", words, *other)[1].splitlines()[0]
        assert line.endswith(" (%s)" % ", ".join(processors)), line
    code, out, err = h.run(h.CTL, "describe", "IMT_FULL", *other)
    assert code == 0 and out.startswith("bbox/IMT_FULL (Intel Xeon 7500"), (out, err)
    assert "this entry is for nehalem-ex, not for this machine" in err, err
    assert h.run(h.CTL, "search", "--", "-")[0] == 64       # no word in it


def test_describe_of_a_metric_elsewhere_is_short():
    os.makedirs(h.path("other"), exist_ok=True)
    h.write("other/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 1\n")
    other = ["--path-procfs", h.path("other"), "--path-sysfs", h.path("other")]
    code, out, err = h.run(h.CTL, "describe", "page_hit_ratio", *other)
    lines = out.splitlines()
    assert code == 0 and err == "" and len(lines) == 4, (out, err)
    # 323535-001 p 2-119
    assert lines[:3] == ["uncore_page_hit_ratio (ratio)", "formula: mbox/PAGE_HIT / "
                         "(mbox/PAGE_HIT + mbox/PAGE_MISS + mbox/PAGE_EMPTY)",
                         "source: 323535-001 p 2-119"], out
    assert lines[3].startswith("available only on: Intel Xeon 7500"), out
    assert "E7-" in lines[3], out
    _, out, _ = h.run(h.CTL, "describe", "link_utilization_ratio", *other)
    assert "formula: 1 - rbox/NULL_IDLE / rbox/FLITS_SENT\n" in out, out
    _, out, _ = h.run(h.CTL, "describe", "imt_latency_seconds", *other)
    assert "formula: 32 x bbox/IMT_VALID_OCCUPANCY / bbox/IMT_INSERTS_ALL, cycles of " \
           "wbox/CLOCKTICKS as seconds\n" in out, out
    # of its registers and of the kernel's PMUs there is a table each
    assert out.splitlines()[3].count("Xeon 7500") == 1, out
    code, out, _ = h.run(h.CTL, "describe", "page_hit_ratio", *other, "-v")
    assert code == 0 and out.count("sum of      mbox/PAGE_HIT\n") == 2, out
    j = json.loads(h.run(h.CTL, "describe", "page_hit_ratio", *other, "--json")[1])
    assert j["table"] == "nehalem-ex" and j["absent"] == lines[3], j
    # here it is as long as it was
    _, out, _ = h.run(h.CTL, "describe", "page_hit_ratio", "-p", "nehalem-ex")
    assert "sum of      mbox/PAGE_HIT\n" in out and "available only" not in out, out


def test_an_unreadable_machine_is_one_sentence():
    """Whatever is asked: the cause, and 69."""
    where = ("--path-sysfs", h.path("nowhere"))
    said = h.path("nowhere") + "/devices/system/cpu: No such file or directory\n"
    for args in (("list", "groups"), ("list", "metrics"), ("list", "events"), ("list", "boxes"),
                 ("plan",), ("encode", "imc/CAS_COUNT:RD"), ("encode", "perf/uncore_imc/x/"),
                 ("describe", "perf/uncore_imc/x/"), ("search", "zzz"), ("decode", "0xd10", "0"),
                 ("verify", "--quick")):
        code, out, err = h.run(h.CTL, *args, *where)
        if args[0] != "verify":     # whose server is asked first
            assert (code, out, err) == (69, "", "uncorectl: " + said), (args, code, out, err)
        assert code == 69, (args, err)
    code, out, _ = h.run(h.CTL, "doctor", *where)
    assert code == 69 and said.strip() in out, out
    code, _, err = h.run(h.UNCORED, "--check-config", *where)
    assert code == 69 and err == "uncored: " + said, err
    code, _, err = h.run(h.CTL, "stat", "-g", "memory", *where, "--", "true")
    assert code == 69 and said in err, err


def test_options_are_not_abbreviated():
    code, _, err = h.run(h.CTL, "top", "--socket", "0")
    assert code == 64 and err.startswith("uncorectl: unrecognized option '--socket'\n"
                                         "uncorectl: the nearest is '--sockets'"), err
    code, _, err = h.run(h.UNCORED, "--check", "-c", "/dev/null")
    assert code == 64 and "unrecognized option '--check'" in err, err
    # it would do nothing
    code, _, err = h.run(h.CTL, "stat", "-p", "ivytown", "--", "true")
    assert code == 64 and "--processor is an option of " in err, err
    assert "--processor" not in h.run(h.CTL, "stat", "--help")[1]


def test_cpus_of_another_machine():
    conf = h.write("cpus.conf", 'cpus = "0,99";\n')
    for args in ((h.UNCORED, "--check-config", "-p", "ivytown", "-c", conf),
                 (h.CTL, "plan", "-p", "ivytown", "--sockets", "2", "-c", conf)):
        code, out, err = h.run(*args)
        assert code == 0 and "The CPUs that the key `cpus` names are not checked" in out + err, err


def test_series_of_a_scrape():
    """describe, search and encode take what /metrics shows."""
    p = ("-p", "nehalem-ex")
    for series in ("uncore_cbox_llc_hits_total", "cbox_llc_hits_total",
                   'uncore_cbox_llc_hits_total{socket="0",unit="3",umask="M:E"}',
                   'cbox_llc_hits_total{unit="3", umask="M:E"}'):
        code, out, _ = h.run(h.CTL, "describe", series, *p)
        assert code == 0 and out.startswith("cbox/LLC_HITS ("), (series, out)
        code, out, _ = h.run(h.CTL, "search", series, *p)
        assert code == 0 and out.startswith("event     cbox/LLC_HITS "), (series, out)
    for series in ("uncore_imt_latency_seconds", 'imt_latency_seconds{socket="0",unit="1"}',
                   "uncore_imt_latency_peak_seconds", "uncore_imt_latency_distribution_seconds"):
        code, out, _ = h.run(h.CTL, "describe", series, *p)
        assert code == 0 and out.startswith("uncore_imt_latency_seconds"), (series, out)
        code, out, _ = h.run(h.CTL, "search", series, *p)
        assert code == 0 and out.startswith("metric    imt_latency_seconds "), (series, out)
    for command in ("describe", "search"):
        code, out, _ = h.run(h.CTL, command, 'uncored_up{socket="0"}')
        assert code == 0 and "Whether uncored is sampling the socket" in out, out
    # a CAS command that reads is 0x04 with unit mask 0x03 (329468, table 2-62)
    code, out, _ = h.run(h.CTL, "encode", "UNC_M_CAS_COUNT.RD", "-p", "ivytown", "--json")
    assert code == 0 and json.loads(out)["writes"][-1]["value"] == "0x400304", out
    code, out, _ = h.run(h.CTL, "encode", 'uncore_cbox_llc_hits_total{unit="3",umask="M:E"}', *p,
                         "--json")
    assert code == 0 and json.loads(out)["unit"] == 3, out
    assert json.loads(out)["umask"] == ["M", "E"], out


def test_names_that_intel_publishes():
    """github.com/intel/perfmon, SPR: TOR_INSERTS is event 0x35, IA_MISS_DRD_REMOTE unit mask 0x01
    and its extension 0xc8177e, bits 15:8 and 63:32 of the kernel's config."""
    name, spr = "UNC_CHA_TOR_INSERTS.IA_MISS_DRD_REMOTE", ("--machine", "spr")
    spec = "perf/uncore_cha/event=0x35,umask=0xc8177e01,name=tor_inserts_ia_miss_drd_remote/"
    for typed in (name, name.lower(), "cha/" + name, "cha/TOR_INSERTS:IA_MISS_DRD_REMOTE",
                  "uncore_cha/" + name, spec):
        code, out, err = h.run(h.CTL, "encode", typed, *spr, "--json")
        j = json.loads(out)
        assert code == 0 and err == "" and j["spec"] == spec, (typed, out, err)
        assert {p["config"] for p in j["perf"]} == {"0xc8177e00000135"}, (typed, out)
    code, out, _ = h.run(h.CTL, "describe", name, *spr)
    assert code == 0 and out.startswith(spec + "\n"), out
    assert "used by uncore_numa_remote_reads_total\n" in out, out
    assert out.endswith(name + "\n"), out
    code, out, _ = h.run(h.CTL, "describe", name.replace("INSERTS", "OCCUPANCY"), *spr, "--json")
    assert code == 0 and json.loads(out)["counters"] == [0], out
    # of another machine
    code, out, _ = h.run(h.CTL, "describe", name, "--machine", "zen4")
    assert code == 0 and "available only on: icx, icx-d, spr, emr, gnr" in out, out
    # one port of it: all processors of a model that differ by stepping have it, no metric does
    code, out, _ = h.run(h.CTL, "describe", "UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART2", "--machine",
                         "zen4")
    assert code == 0 and "available only on: cpx, clx, skx, icx, " in out, out
    assert ",ch_mask=0x4,fc_mask=" in out and "used by" not in out, out
    assert "iio/data_req_of_cpu_mem_read_part2 " in h.run(h.CTL, "search", "mem_read part2",
                                                          *spr)[1]
    code, out, err = h.run(h.CTL, "encode", name, "--machine", "zen4")
    assert code == 78 and "here" in err, err
    # several boxes
    code, _, err = h.run(h.CTL, "encode", "CLOCKTICKS", *spr)
    assert code == 78 and '"CLOCKTICKS" may be imc/dclk, upi/clockticks, ' in err, err
    code, _, err = h.run(h.CTL, "encode", "CLOCKTICKS", "-p", "ivytown")
    assert code == 78 and " may be ubox/CLOCKTICKS, cbox/CLOCKTICKS, " in err, err
    assert name in h.run(h.CTL, "list", "events", *spr)[1]
    assert "cha/tor_inserts_ia_miss_drd_remote " in h.run(h.CTL, "search", name, *spr)[1]


def test_list_of_a_word_or_box():
    def lines(*args):
        code, out, err = h.run(h.CTL, "list", *args, "-p", "nehalem-ex")
        assert code == 0 and err == "", (args, out, err)
        return out.splitlines()

    events = lines("events")
    assert lines("events", "bbox") == [line for line in events if line.startswith("bbox/")]
    assert lines("events", "IMT_FULL") == [line for line in events
                                           if line.startswith("bbox/IMT_FULL ")]
    # 323535-001 2.6 has two events with "flits" in their names; descriptions count too
    assert {line.split()[0] for line in lines("events", "flits")} >= {"rbox/FLITS_SENT"}
    for what in "boxes", "events", "metrics":
        j = json.loads("\n".join(lines(what, "--json")))
        few = json.loads("\n".join(lines(what, "mbox", "--json")))
        assert 0 < len(few[what]) < len(j[what]), (what, len(few[what]))
        assert set(few) == set(j), what
        if what != "boxes":
            assert len(lines(what, "mbox")) >= len({m.get("name", m.get("event"))
                                                    for m in few[what]})
    # the formula names the box: pages are opened and closed by the M-Box's DRAM commands
    metrics = {line.split()[0] for line in lines("metrics", "mbox")}
    assert "page_hit_ratio" in metrics and "imt_full_ratio" not in metrics, metrics
    assert [line.split()[0] for line in lines("boxes", "cache")] == ["cbox"]
    for what in "boxes", "events", "metrics":
        for word, hint in (("zzz", "nothing called"), ("invert", "search 'invert'")):
            if (what, word) == ("events", "invert"):
                continue
            code, out, err = h.run(h.CTL, "list", what, word, "-p", "nehalem-ex")
            assert code == 78 and out == "" and (word != "zzz" or hint in err), (what, word, err)
    assert h.run(h.CTL, "list", "processors", "ivytown")[0] == 64
    for what, plural in (("event", "events"), ("metric", "metrics"), ("box", "boxes"),
                         ("group", "groups"), ("key", "keys")):
        assert lines(what) == lines(plural), what
    assert h.run(h.CTL, "list", "machine") == h.run(h.CTL, "list", "machines")
    assert h.run(h.CTL, "list", "processor") == h.run(h.CTL, "list", "processors")


def test_keys_of_the_configuration():
    """Those of uncored.conf(5), each with its place, to people and to programs."""
    code, out, err = h.run(h.CTL, "list", "keys")
    lines = {line.split()[0]: line for line in out.splitlines()}
    assert code == 0 and err == "" and len(lines) == len(out.splitlines()), (code, err)
    rows = {k["name"]: k for k in json.loads(h.run(h.CTL, "list", "keys", "--json")[1])["keys"]}
    assert list(rows) == list(lines), set(rows) ^ set(lines)
    with open(os.path.join(h.SRC, "man/uncored.conf.5")) as f:
        page = re.findall(r"^\.It Ic ([a-z_ ,]+)", f.read(), re.M)
    named = {word for entry in page for word in re.findall("[a-z_]+", entry)}
    assert {name.split(".")[-1] for name in rows} == named, named
    assert lines["interval"].endswith("(duration from 1ms, default 1s)"), lines["interval"]
    assert lines["groups.window.count"].endswith("(whole number)")
    assert lines["tls_server_config.min_version"].endswith("(TLS12 or TLS13, default TLS12)")
    assert rows["metrics.per"]["choices"] == ["unit", "socket"], rows["metrics.per"]
    assert (rows["listen"]["most"], rows["listen"]["default"]) == (64, "127.0.0.1:10062")
    assert rows["rotation"]["least"] == "1ms" and "default" not in rows["groups"]
    assert h.run(h.CTL, "list", "keys", "histogram", "shown")[0] == 64      # one word
    found = h.run(h.CTL, "list", "keys", "histograms")[1].splitlines()
    assert [line.split()[0] for line in found] == ["groups.distribution"], found
    assert h.run(h.CTL, "list", "keys", "zzz")[0] == 78


def used_by(event):
    """What describe says that an event is used by, in text and in JSON."""
    args = ["describe", event, "-p", "nehalem-ex"]
    metrics = json.loads(h.run(h.CTL, *args, "--json")[1])["metrics"]
    text = re.findall(r"^used by uncore_(\w+)$", h.run(h.CTL, *args)[1], re.M)
    assert text == metrics[:6], (text, metrics)
    return metrics


def test_describe_of_an_event_names_each_metric_once():
    # 323535-001 2.5.4.3: data responses of each link of the S-Box by an event of its own
    for event in "FLITS_SENT_DRS", "PKTS_RCVD_DRS_FROM_R", "PKTS_RCVD_DRS_FROM_B":
        names = used_by("sbox/" + event)
        assert "link_drs_utilization_ratio" in names and len(set(names)) == len(names), names
    # 2.4.6: where conflicts are many the inserts say nothing, and no latency is derived of them
    assert "imt_latency_seconds" in used_by("bbox/CONFLICTS")


def test_describe_of_a_box():
    # 323535-001 2.4: two B-Boxes, each with four counters of 48 bits
    code, out, err = h.run(h.CTL, "describe", "BBOX", "-p", "nehalem-ex")
    assert code == 0 and err == "", err
    for words in ("bbox (Intel Xeon 7500", "home agent", "units: 2 on each socket",
                  "4 of 48 bits", "registers: MSRs", "  IMT_FULL ", "source: 323535-001"):
        assert words in out, (words, out)
    code, out, _ = h.run(h.CTL, "describe", "imc", "-p", "ivytown")
    assert code == 0 and "PCI configuration space" in out and "fixed one" in out, out
    j = json.loads(h.run(h.CTL, "describe", "bbox", "-p", "nehalem-ex", "--json")[1])
    assert j["name"] == "bbox" and j["processor"] == "nehalem-ex", j
    assert "IMT_FULL" in j["events"], j


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


def test_refusal_explains_itself():
    conf = h.write("full.conf", 'groups = ( { name = "g"; events = [ "bbox/IMT_FULL", '
                                '"bbox/CONFLICTS" ]; } );\n')
    for program, args in ((h.CTL, ["plan"]), (h.UNCORED, ["--check-config"])):
        code, _, err = h.run(program, *args, "-c", conf, "--processor", "nehalem-ex")
        assert code == 78, (code, err)
        for words in ("full.conf:1", "IMT_FULL and CONFLICTS both count only on counter 3",
                      "another group"):
            assert words in err, err


def test_check_config():
    conf = h.write("good.conf", MEMORY)
    code, out, err = h.run(h.UNCORED, "--check-config", "-c", conf, "--processor", "nehalem-ex")
    # Of each of two B-Boxes three events and three metrics (occupancy, latency in cycles and in
    # seconds), and the clock and its frequency: 2 x (3 + 3) + 2.
    assert code == 0 and err == "", (code, out, err)
    assert out.startswith("1 group, 1 round, 14 series on 1 socket"), out
    conf = h.write("lacking.conf", """groups = (
        { name = "links"; events = [ "rbox/NULL_IDLE,port=0" ]; },
        { name = "imt"; events = [ "bbox/IMT_FULL" ]; } );""")
    code, out, err = h.run(h.UNCORED, "--check-config", "-c", conf, "--engine", "model:nehalem-ex")
    # the port, and IMT_FULL in each of two B-Boxes
    assert out.startswith("2 groups, 1 round, 3 series on each of 2 sockets; "
                          "with one event more: "), out
    for words in ("link_utilization_ratio (add rbox/FLITS_SENT to group links)",
                  "imt_full_ratio (add bbox/IMT_INSERTS_ALL to group imt)"):
        assert words in out and out.count("\n") == 1, out
    conf = h.write("bad.conf", 'intervall = "1s";\nrotation = 5;\ngroups = ( { name = "g"; '
                               'events = [ "bbox/NO" ]; } );\n')
    code, out, err = h.run(h.UNCORED, "--check-config", "-c", conf, "--processor", "nehalem-ex")
    assert code == 78 and out == "" and "bad.conf:1" in err and "interval" in err, err
    assert "bad.conf:2" in err, err
    code, _, err = h.run(h.UNCORED, "--check-config", "-c", h.path("absent.conf"))
    assert code == 78 and "absent.conf" in err, err
    code, _, err = h.run(h.UNCORED, "--check-config", "-c", "/dev/zero")
    assert code == 78, (code, err)


# The example of the contract, to the letter but for where its lines end.
EXAMPLE = """
interval = "1s";             // the default; 1ms .. ; durations and big numbers are strings
rotation = "1s";
freeze   = false;
takeover = false;
listen   = [ "127.0.0.1:10062" ];
engine   = "auto";
groups = (
  { name = "memory"; events = [ "bbox/IMT_VALID_OCCUPANCY", "bbox/IMT_INSERTS_ALL",
    "bbox/IMT_NE_CYCLES", "bbox/CONFLICTS" ]; },
  { name = "links";  events = [ "rbox/FLITS_SENT,port=0", "rbox/NULL_IDLE,port=0" ]; }
);
metrics = ( { name = "imt_latency_cycles"; unit = "cycles"; per = "unit";
              scale = 32.0;  // also: help
              numerator = ( "bbox/IMT_VALID_OCCUPANCY" );
              denominator = ( { event = "bbox/IMT_INSERTS_ALL"; weight = 1; } );
              guard = { numerator = ( "bbox/CONFLICTS" ); denominator = ( "bbox/IMT_INSERTS_ALL" );
                  max = 0.05; }; } );
"""


def test_example_of_the_contract():
    conf = h.write("example.conf", EXAMPLE)
    code, out, err = h.run(h.UNCORED, "--check-config", "-c", conf, "--processor", "nehalem-ex")
    assert (code, err) == (0, "") and out.startswith("2 groups, 1 round, "), (code, out, err)
    code, out, _ = h.run(h.CTL, "plan", "-c", conf, "--processor", "nehalem-ex",
                         "--sockets", "3", "--json")
    j = json.loads(out)
    assert code == 0 and [s["socket"] for s in j["sockets"]] == [0, 1, 2], out
    for s in j["sockets"]:
        (r,) = s["rounds"]
        assert r["groups"] == ["memory", "links"] and len(r["slots"]) == 4 * 2 + 2
        phases = [w["phase"] for w in r["writes"]]
        assert phases == sorted(phases, key=["stop", "select", "enable_counter", "enable_box",
                                             "enable_global"].index)
        assert len({(w["phase"], w["address"]) for w in r["writes"]}) == len(r["writes"])
        assert "imt_latency_cycles" in r["metrics"]
    slot = j["sockets"][0]["rounds"][0]["slots"][2]
    assert (slot["event"], slot["unit"], slot["counter"], slot["control"],
            slot["data"]) == ("IMT_INSERTS_ALL", 0, 1, "0xc32", "0xc33")
    # 2^48 increments of 1 at 2.67 GHz x 1.25
    assert abs(slot["safe_interval_seconds"] - 2 ** 48 / (2.67e9 * 1.25)) < 1, slot


def test_every_mistake_at_once():
    conf = h.write("all.conf", 'intervall = "1s";\ninterval = 5;\ngroups = ( { name = "g"; '
                               'events = [ "cbox/NIX",\n'
                   '"bbox/IMT_FULL", "bbox/CONFLICTS" ]; } );\n')
    for program, args in ((h.UNCORED, ["--check-config"]), (h.UNCORED, ["--once"]),
                          (h.CTL, ["plan"])):
        code, out, err = h.run(program, *args, "-c", conf, "--processor", "nehalem-ex")
        assert code == 78 and out == "", (program, args, code, err)
        lines = err.splitlines()
        assert len(lines) == 4, err
        for line, number, word in zip(lines, (1, 2, 3, 3),
                                      ("intervall", "quotes", "NIX", "counter 3")):
            assert "all.conf:%d: " % number in line and word in line, (line, number, word)


def test_an_engine_that_cannot_be_read_is_one_mistake():
    # Whatever the machine would make of the events: nobody knows which was meant to count them.
    for engine in ('"modell:nehalem-ex"', "5"):
        conf = h.write("engine.conf", 'engine = %s;\ngroups = ( { name = "g"; events = [ '
                                      '"wbox/CLOCKTICKS", "bbox/IMT_FULL" ]; } );\n' % engine)
        for program, mode in ((h.UNCORED, "--check-config"), (h.UNCORED, "--once"),
                              (h.CTL, "plan")):
            code, out, err = h.run(program, mode, "-c", conf)
            assert code == 78 and out == "" and err.count("\n") == 1, (program, mode, code, err)
            assert "engine.conf:1: engine " in err, (program, mode, code, err)


def test_engine_of_the_file():
    for engine, word in (("model:pentium", "pentium"), ("model:nehalem-ex:lazy", "lazy")):
        conf = h.write("engine.conf", '\nengine = "%s";\n' % engine)
        for mode in ("--check-config", "--once"):
            code, out, err = h.run(h.UNCORED, mode, "-c", conf)
            assert code == 78 and out == "", (engine, mode, code, err)
            assert "engine.conf:2: engine: " in err and word in err, (engine, mode, code, err)


def test_default_groups_fit():
    # One round and at most 100 series of a socket, the daemon's own among them; `plan` knows how
    # many are not the daemon's.
    conf = h.write("nothing.conf", "# defaults\n")
    processors = ("nehalem-ex", "westmere-ex", "nehalem", "westmere", "ivytown")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        pages = pool.map(lambda p: h.run(h.UNCORED, "-c", conf, "--engine", "model:" + p, "--once"),
                         processors)
    for processor, (code, page, _) in zip(processors, pages):
        lines = [x for x in page.splitlines() if not x.startswith("#")]
        assert code == 0 and lines, (processor, code)
        code, out, _ = h.run(h.CTL, "plan", "-c", conf, "--processor", processor,
                             "--sockets", "2", "--json")
        plan = json.loads(out)
        assert code == 0 and [len(s["rounds"]) for s in plan["sockets"]] == [1, 1], out
        assert plan["series"] == sum(x.startswith("uncore_")
                                     for x in lines), (processor, plan["series"], page)
        for one in "01":
            n = sum('socket="%s"' % one in x for x in lines)
            assert 0 < n <= 100, (processor, n)


def test_odd_arguments_are_refused():
    for code, args in ((64, ["plan", "--sockets", "0"]), (64, ["plan", "--sockets", "many"]),
                       (78, ["plan", "-c", "/"]),
                       (64, ["encode", "cbox/LLC_HITS", "--counter", "32"]),
                       (78, ["encode", "cbox/LLC_HITS", "--counter", "6"]),
                       (78, ["encode", "perf/nonsense/x/"]), (78, ["describe", "cbox8/LLC_HITS"]),
                       (78, ["describe", "LLC_HITS:Q"]),
                       (78, ["decode", "0x10", "0"]), (64, ["decode", "d10", "0"])):
        got, out, err = h.run(h.CTL, *args, "--processor", "nehalem-ex")
        assert got == code and out == "" and err.startswith("uncorectl: "), (args, got, out, err)
    _, out, _ = h.run(h.CTL, "decode", "0xe10", "0xd", "--processor", "nehalem-ex")
    assert "no event: " in out, out


def test_unsafe_interval_is_78():
    conf = h.write("slow.conf",
                   'interval = "1h";\n' + MEMORY.replace("bbox/CONFLICTS", "cbox/OCCUPANCY_IRQ"))
    code, _, err = h.run(h.UNCORED, "--check-config", "-c", conf, "--processor", "nehalem-ex")
    # OCCUPANCY_IRQ: 24 a cycle at 2.67 GHz x 1.25: 2^48 lasts 3514 s, so 1757 s is the largest
    # interval.
    assert code == 78 and "OCCUPANCY_IRQ" in err and "1757" in err, err


def test_unknown_processor_gets_no_write():
    code, _, err = h.run(h.UNCORED, "--engine", "registers",
                         "--once", "--path-procfs", h.path("noproc"))
    assert code in (69, 78, 70) and err, (code, err)
    os.makedirs(h.path("fakeproc"), exist_ok=True)
    h.write("fakeproc/cpuinfo",
            "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 4\n")
    code, _, err = h.run(h.UNCORED, "--engine", "registers",
                         "--once", "--path-procfs", h.path("fakeproc"))
    assert code == 69 and "perf" in err, (code, err)
    code, _, err = h.run(h.UNCORED, "--engine", "registers", "--once", "--processor", "nehalem-ex",
                         "--path-procfs",
                         h.path("fakeproc"))
    assert code == 69 and "CPUID" in err, (code, err)


def test_address_in_use_is_75():
    conf = h.write("m.conf", MEMORY)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        code, _, err = h.run(h.UNCORED, "-c", conf, "--engine", "model:nehalem-ex",
                             "--listen", "127.0.0.1:%d" % s.getsockname()[1])
        assert code == 75 and "cannot listen" in err, (code, err)
        assert "another program is using it" in err, err
        # A mistake of the configuration comes first: it is what the administrator has to look at.
        full = h.write("full.conf", 'groups = ( { name = "g"; events = [ "bbox/IMT_FULL", '
                                    '"bbox/CONFLICTS" ]; } );\n')
        code, _, err = h.run(h.UNCORED, "-c", full, "--engine", "model:nehalem-ex",
                             "--listen", "127.0.0.1:%d" % s.getsockname()[1])
        assert code == 78 and "IMT_FULL and CONFLICTS" in err, (code, err)
        assert "cannot listen" not in err, (code, err)
    # RFC 5737: nobody's
    code, _, err = h.run(h.UNCORED, "--engine", "model:nehalem-ex", "--listen", "192.0.2.1:0")
    assert code == 75 and "this machine has no such address" in err, (code, err)


def test_addresses_that_cover_each_other():
    port = h.free_port()
    for a, b in (("127.0.0.1", ""), ("", "[::1]"), ("0.0.0.0", "[::]"), ("127.0.0.1", "0.0.0.0"),
                 ("127.0.0.1", "127.0.0.1")):
        a, b = "%s:%d" % (a, port), "%s:%d" % (b, port)
        code, _, err = h.run(h.UNCORED, "--engine", "model:nehalem-ex", "--listen", a,
                             "--listen", b)
        assert code == 78, (code, err)
        assert "cannot listen on %s and on %s: one covers the other" % (b, a) in err, (code, err)


def test_every_address_without_ipv6():
    """A kernel that was started with ipv6.disable=1: socket(AF_INET6)."""
    p = h.Process([h.UNCORED, "--engine", "model:nehalem-ex", "--listen", ":0"], "ipv4",
                  preexec_fn=h.deny(41, errno.EAFNOSUPPORT, 10))
    h.wait_for("it serves, or ends", lambda: "serving" in p.text() or not p.running())
    url = re.search("serving (http://0.0.0.0:[0-9]+)/", p.text())
    assert url, p.text()
    assert h.fetch(url.group(1).replace("0.0.0.0", "127.0.0.1") + "/-/healthy")[0] == 200
    assert p.stop() == 0


def test_restore_without_state_is_silent():
    code, out, err = h.run(h.UNCORED, "--restore", "--path-run", h.path("norun"))
    assert (code, out, err) == (0, "", ""), (code, out, err)
    # Not to be allowed to look is another thing.
    os.mkdir(h.path("closed"), mode=0o000)
    nobody = ["setpriv", "--reuid=65534", "--regid=65534",
              "--clear-groups"] if os.getuid() == 0 else []
    code, out, err = h.run(*nobody, h.UNCORED, "--restore", "--path-run", h.path("closed"))
    if code in (126, 127):
        h.skip("user nobody cannot reach " + h.UNCORED)
    assert (code, out) == (77, ""), (code, out, err)
    assert "closed/uncored.state: cannot check whether it exists" in err, (code, out, err)


def test_once_without_room():
    """What cannot be printed is said."""
    with open("/dev/full", "w") as full:
        p = subprocess.run([h.UNCORED, "-c", h.write("room.conf", 'interval = "50ms";'),
                            "--engine", "model:nehalem-ex", "--once"],
                           stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True,
                           timeout=h.PATIENCE)
    assert p.returncode == 70, (p.returncode, p.stderr)
    assert "cannot be printed: No space left on device" in p.stderr, (p.returncode, p.stderr)


def test_once_formats():
    conf = h.write("m.conf", 'interval = "200ms";\n' + MEMORY)
    base = [h.UNCORED, "-c", conf, "--engine", "model:nehalem-ex:stream", "--once"]
    code, text, err = h.run(*base)
    assert code == 0 and "SIMULATED" in err, err
    series = h.samples(text)
    assert 'uncore_imt_latency_cycles{socket="0",unit="0"}' in series, sorted(series)
    code, om, _ = h.run(*base, "--format", "openmetrics")
    assert code == 0 and om.endswith("# EOF\n")
    assert {x for x in h.samples(om) if "_created" not in x} == set(series)
    code, out, _ = h.run(*base, "--format", "json")
    assert code == 0 and json.loads(out)


def test_every_write_is_in_the_trace():
    conf = h.write("trace.conf", 'interval = "100ms";\n' + MEMORY)
    code, out, _ = h.run(h.CTL, "plan", "-c", conf, "--processor", "nehalem-ex",
                         "--sockets", "1", "--json")
    planned = [(w["address"], w["register"])
               for w in json.loads(out)["sockets"][0]["rounds"][0]["writes"]]
    code, _, err = h.run(h.UNCORED, "-c", conf, "--engine", "model:nehalem-ex",
                         "--once", "--log-level", "debug")
    written = [tuple(line.split()[i] for i in (3, 5)) for line in err.splitlines()
               if line.startswith("socket 0: W")]
    assert code == 0 and written[:len(planned)] == planned and len(planned) > 8, (written, planned)


def test_perf_events_beside_the_model():
    # The model has two sockets; perf events count on those that this machine really has.
    conf = h.write("beside.conf", 'interval = "100ms";\ngroups = ( { name = "both"; events = [ '
                                  '"wbox/CLOCKTICKS",\n'
                   '"perf/software/cpu-clock/", "perf/software/context-switches/" ]; } );\n')
    # Somebody wakes on every CPU, as a CPU may run one process or none for the whole interval.
    naps = [subprocess.Popen([sys.executable, "-c", "import os, time\n"
                              "os.sched_setaffinity(0, {%d})\nprint('awake', flush=True)\n"
                              "while True: time.sleep(0.005)" % cpu], stdout=subprocess.PIPE)
            for cpu in sorted(os.sched_getaffinity(0))]
    try:
        assert all(nap.stdout.readline() for nap in naps)
        began = time.monotonic_ns()
        code, out, err = h.run(h.UNCORED, "-c", conf, "--engine", "model:nehalem-ex", "--once")
    finally:
        for nap in naps:
            nap.kill()
            nap.communicate()
    took = time.monotonic_ns() - began
    if code == 77:
        h.skip("no perf events are permitted here: " + err.strip())
    got = h.samples(out)
    assert code == 0, (code, err)
    assert 'uncore_wbox_clockticks_total{socket="1",unit="0"}' in got, (code, err)
    helps = dict(x.split(None, 3)[2:] for x in out.splitlines() if x.startswith("# HELP "))
    assert helps["uncore_wbox_clockticks_total"].startswith("SIMULATED: "), helps
    assert helps["uncore_clock_hertz"].startswith("SIMULATED: "), helps
    assert "SIMULATED" not in helps["uncore_software_cpu_clock_total"], "this one is real"
    clock = {k: int(v) for k, v in got.items() if k.startswith("uncore_software_cpu_clock_total")}
    switches = {k: int(v) for k, v in got.items()
                if k.startswith("uncore_software_context_switches_total")}
    assert clock and len(clock) == len(switches), (clock, switches)
    assert all(0 < v < took for v in clock.values()), (clock, took)
    assert all(switches.values()), switches


def test_no_permission_for_perf_is_one_sentence():
    if os.getuid() != 0 or int(h.read("/proc/sys/kernel/perf_event_paranoid")) < 1:
        h.skip("wants root, to become nobody, and kernel.perf_event_paranoid of at least 1")
    conf = h.write("denied.conf",
                   'groups = ( { name = "g"; events = [ "perf/software/cpu-clock/" ]; } );\n')
    for at in (os.path.dirname(conf), os.path.dirname(os.path.dirname(conf))):
        os.chmod(at, 0o755)
    code, out, err = h.run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", h.UNCORED,
                           "-c", conf, "--engine",
                           "perf", "--once")
    if code in (126, 127):
        h.skip("user nobody cannot reach " + h.UNCORED)
    lines = [x for x in err.splitlines() if "perf/software" in x]
    assert code == 77 and out == "" and len(lines) == 1 and "CAP_PERFMON" in lines[0], (code, err)


def test_model_needs_a_known_name():
    code, _, err = h.run(h.UNCORED, "--engine", "model:pentium", "--once")
    assert code == 78 and "pentium" in err, (code, err)
    code, _, err = h.run(h.UNCORED, "--engine", "model:nehalem-ex:lazy", "--once")
    assert code in (69, 78) and "lazy" in err, (code, err)


h.main(sys.modules[__name__])
