# SPDX-License-Identifier: MIT
"""cli.py - the command lines of the programs: options, usage, versions, exit codes."""
import os
import re
import shutil
import subprocess
import sys

import harness as h


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
            where = ["--path-run", h.path("nobody")] if command == "pause" else []
            said = h.run(h.CTL, *where, given, command, *["x"] * 99 + ["--"])[2]
            refused = "is an option of" in said
            assert refused != (option in shown), (command, option, said)
        assert h.run(h.CTL, "help", command) == (0, out, ""), command
    assert h.run(h.CTL, "help") == (0, text, "")
    for program in h.CTL, h.UNCORED:
        code, out, err = h.run(program, "-V")
        assert (code, err) == (0, "") and out, (program, code, err)
        assert h.run(program, "--version") == (0, out, "")
    assert h.run(h.CTL, "encode", "--help", "--url", "x")[0] == 0
    assert "plan [OPTION]" in h.run(h.CTL, "plan", "-h")[1]
    assert re.search("every socket.* a quarter of what is free", h.run(h.CTL, "verify", "-h")[1])


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
    for option, said in (("--per-socket", "has its series"), ("--timeout=1000", "-- sleep 10"),
                         ("--cpu=0", "not to a CPU"), ("-d", "-M METRIC")):
        code, out, err = h.run(h.CTL, "stat", option, "--", "true")
        assert code == 64 and "uncorectl: %s: " % option.split("=")[0] in err and said in err, err
        assert err.endswith("Try 'uncorectl stat --help'.\n"), err
    code, _, err = h.run(h.CTL, "list", "events", "-p", "1234")
    assert code == 64 and "no processor '1234'" in err and "-p: " not in err, err


def test_options_of_the_command_that_runs():
    """Without -- they are read as ours, and that is said."""
    for args in (["pause", "pcm-memory", "1", "-i=60"], ["pause", "perf", "stat", "-a", "true"],
                 ["stat", "ls", "-l"]):
        code, _, err = h.run(h.CTL, *args)
        assert code == 64 and "follow --, as in: uncorectl %s -- COMMAND -x\n" % args[0] in err, err
    for args in ["stat", "-z"], ["pause", "-a", "--", "perf", "-z"], ["list", "-z", "events"], \
            ["help", "stat", "-v"]:
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
    _, _, err = h.run(h.CTL, "top", "host17:10062")
    assert "'host17:10062' is one argument too many; an address follows --url" in err, err
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
    code, out, _ = h.run(h.UNCORED, "-c", h.write("memory.conf", h.MEMORY),
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
            (h.CTL, "plan", "-p", "ivytown", "-c", empty),
            (h.CTL, "stat", "-I", "100", "-x", ",", "--engine", "model:nehalem-ex", "--",
             "sleep", "0.3")):
        with open("/dev/full", "w") as full:
            done = subprocess.run([program, *args], stdout=full, stderr=subprocess.PIPE, text=True,
                                  timeout=20)
        assert done.returncode == 70, (args, done)
        assert re.search("output could not be written: (No space left on device|its disk may be "
                         "full)\n$", done.stderr), (args, done)
    done = subprocess.run(["sh", "-c", 'exec "$0" list processors >&-', h.CTL],
                          stderr=subprocess.PIPE, text=True, timeout=20)
    assert done.returncode == 70 and "Bad file descriptor" in done.stderr, done


def test_an_unreadable_machine_is_one_sentence():
    """Whatever is asked: the cause, and 69."""
    where = ("--path-sysfs", h.path("nowhere"))
    said = h.path("nowhere") + "/devices/system/cpu: No such file or directory\n"
    for args in (("list", "groups"), ("list", "metrics"), ("list", "events"), ("list", "boxes"),
                 ("plan",), ("encode", "imc/CAS_COUNT:RD"), ("encode", "perf/uncore_imc/x/"),
                 ("describe", "perf/uncore_imc/x/"), ("describe", "memory"), ("describe", "zzz"),
                 ("search", "zzz"), ("decode", "0xd10", "0"), ("verify", "--quick")):
        code, out, err = h.run(h.CTL, *args, *where)
        if args[0] != "verify":     # whose server is asked first
            assert (code, out, err) == (69, "", "uncorectl: " + said), (args, code, out, err)
        assert code == 69, (args, err)
    code, out, err = h.run(h.CTL, "search", "memory", *where)       # of others it is known
    assert code == 0 and "memory_read_bytes_total" in out, out
    assert err == "uncorectl: %s; processors that have 'memory' are in parentheses\n" % \
        said.strip(), err
    code, out, _ = h.run(h.CTL, "doctor", *where)
    assert code == 69 and said.strip() in out, out
    code, _, err = h.run(h.UNCORED, "--check-config", *where)
    assert code == 69 and err == "uncored: " + said, err
    code, _, err = h.run(h.CTL, "stat", "-g", "memory", *where, "--", "true")
    assert code == 69 and said in err, err


def test_what_may_not_be_read_is_77():
    """Root has it, too, without its capabilities."""
    if os.getuid() == 0 and not shutil.which("setpriv"):
        h.skip("setpriv is not installed")
    prefix = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] if os.getuid() == 0 else []
    closed, text = h.path("closed"), h.write("closed.txt", h.machine("spr"))
    conf = h.write("closed.conf", h.MEMORY)
    os.mkdir(closed)
    for at in closed, text, conf:
        os.chmod(at, 0)
    for args in (("-c", conf), ("--machine", text), ("--path-sysfs", closed)):
        of_processor = ["-p", "nehalem-ex"] if "-c" in args else []
        for program, what in ((h.UNCORED, "--check-config"), (h.CTL, "plan"), (h.CTL, "list")):
            if what == "list" and "-c" in args:
                continue
            code, out, err = h.run(*prefix, program, what, *["groups"] * (what == "list"), *args,
                                   *of_processor)
            assert (code, out) == (77, "") and args[1] in err and "Permission denied" in err, (
                program, what, args, code, err)
    code, out, _ = h.run(*prefix, h.CTL, "doctor", "-c", conf)
    assert code == 77 and "nothing here: %s: Permission denied\n" % conf in out and \
        "mistake" not in out, (code, out)
    os.chmod(closed, 0o700)


def test_options_are_not_abbreviated():
    code, _, err = h.run(h.CTL, "plan", "--socket", "1")
    assert code == 64 and err.startswith("uncorectl: unrecognized option '--socket'\n"
                                         "uncorectl: the nearest is '--sockets'"), err
    # which top would refuse
    code, _, err = h.run(h.CTL, "top", "--socket", "0")
    assert code == 64 and "unrecognized option '--socket'" in err and "nearest" not in err, err
    code, _, err = h.run(h.UNCORED, "--check", "-c", "/dev/null")
    assert code == 64 and "unrecognized option '--check'" in err, err
    # it would do nothing
    code, _, err = h.run(h.CTL, "stat", "-p", "ivytown", "--", "true")
    assert code == 64 and "--processor is an option of " in err, err
    assert "--processor" not in h.run(h.CTL, "stat", "--help")[1]


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


h.main(sys.modules[__name__])
