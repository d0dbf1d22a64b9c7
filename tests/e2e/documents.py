# SPDX-License-Identifier: MIT
"""documents.py - what the documents print can be typed: their commands run as they stand, their
queries have answers, their examples of configurations and events are good, the series that they
show exist, and so does every file and function that they name.
"""
import glob
import json
import math
import os
import re
import shutil
import subprocess
import sys
import textwrap
import urllib.parse

import boards
import harness as h

README, HACKING, CONTRIB = "README.md", "HACKING.md", "contrib/README.md"
TUTORIAL, OPERATING = "docs/tutorial.md", "docs/operating.md"
TESTS = tuple(sorted(os.path.relpath(path, h.SRC)
                     for path in glob.glob(os.path.join(h.SRC, "tests/*/README.md"))))
DOCUMENTS = (README, TUTORIAL, OPERATING, CONTRIB, HACKING, "CONTRIBUTING.md", "docs/machines.md",
             "docs/architecture.md", "SECURITY.md", *TESTS)
PAGES = ("man/uncored.8", "man/uncored.conf.5", "man/uncorectl.1")
URL = "http://127.0.0.1:10062"

# Commands that change the machine or take minutes, with what tells that they are spelled right.
# Others run the real thing: bootstrap and its commands CI, install and the units
# tests/e2e/installed.py and systemd/check-unit.sh, the image tests/e2e/container.py.
ELSEWHERE = {
    r"\./bootstrap(?: ([a-z-]+))?$": lambda m: not m[1] or
    re.search(r"^(?:[a-z-]+ \| )*%s(?: \| [a-z-]+)*\)" % m[1], text("bootstrap"), re.M),
    r"(?:sudo |UNCORED_TEST_ONLY=\w+ )?make -C build ([a-z-]+)(?: (?:TESTS|BENCH|BASE|DIR)=.*)?$":
    lambda m: re.search(r"^(?:[\w-]+ )*%s(?: [\w-]+)*:" % m[1], made(), re.M),
    r"(?:sudo )?systemctl (?:(?:en|dis)able --now|reload) (uncored(?:\.socket)?)$": lambda m: any(
        os.path.exists(os.path.join(h.SRC, "systemd", m[1] + end)) for end in ("", ".service.in")),
    r"sudo systemctl daemon-reload$": lambda m: True,
    r"sudo systemd-sysusers$": lambda m: os.listdir(os.path.join(h.SRC, "systemd/sysusers.d")),
    r"sudo apt-get purge ([a-z-]+) ([a-z-]+)$": lambda m: not os.path.exists(
        os.path.join(h.SRC, "debian")) or all(      # which a tarball does not have
        "\nPackage: %s\n" % name in text("debian/control") for name in m.groups()),
    r"sudo apt-get build-dep \./ && dpkg-buildpackage -us -uc$": lambda m: True,
    r"ansible-playbook -i inventory uncored\.yml$": lambda m: True,    # test_the_playbook
    # It takes minutes: tests/e2e/curve.py.
    r"UNCORED_VERIFY_TRAFFIC=traffic (?:uncored|uncorectl) (--engine model:spr:verify|verify "
    r"--curve) --path-\w+ \w+ .*127\.0\.0\.1:10063$": lambda m: True,
    r"export PATH=\$PWD/build:\$PATH$": lambda m: True,
    # It needs PCM; tests/e2e/pause.py pauses for others.
    r"uncorectl pause \\-\\- pcm-memory 1 -i=60$": lambda m: True,
    r"mkdir (\S+) && cd \1 && \$SRC/configure --enable-(\w+) && make check$":
    lambda m: "AC_ARG_ENABLE([%s]" % m[2] in text("configure.ac"),
    r"bash (contrib/container/rootfs\.sh) build contrib/container/rootfs$":
    lambda m: "rootfs.sh BUILD DIR" in text(m[1]),
    r"podman build -t uncored (\S+)$":
    lambda m: os.path.exists(os.path.join(h.SRC, m[1], "Containerfile")),
    r"podman run --read-only --cap-drop=ALL --cap-add=PERFMON "
    r"--security-opt seccomp=(\S+) --network=host uncored$":
    lambda m: os.path.exists(os.path.join(h.SRC, m[1])),
    r"apt-get download linux-source-[\d.]+$": lambda m: True,
    r"(tests/vm/public_events\.py) linux-source-[\d.]+ >(tests/vm/events\.tsv)$":
    lambda m: all(os.path.exists(os.path.join(h.SRC, f)) for f in m.groups()),
}
# What stands in a command for something to choose.
PLACEHOLDERS = {"METRIC": "imt_latency_seconds", "EVENT": "bbox/IMT_FULL", "COMMAND": "true",
                "NAME": "bbox/IMT_FULL"}
# What a command in a sentence needs to depend on nothing of this machine, leave it alone and end.
# Nobody listens on port 1: verify itself is typed once, in the tutorial.
ALSO = (
    (r"uncorectl (list|describe|search|encode|plan)\b(?!.* (-p|--machine) )", "-p nehalem-ex"),
    (r"uncored --check-config(?!.* -c )", "-c old.conf"),
    (r"uncored --check-config(?!.* (-p|--machine) )", "-p nehalem-ex"),
    (r"uncored --restore", "--path-run ."),
    (r"uncorectl top(?!.* -r )", "-r 1"),
    (r"uncorectl top(?!.* --url)", "--url " + URL),
    (r"uncorectl stat( -I 1000)?( -o json)?$", "--engine model:spr -- true"),
    (r"uncorectl verify", "--url http://127.0.0.1:1"),
)
# What stands behind -- takes options of ours for its own; `true` for a tool that is not ours.
INSTEAD = ((r"uncorectl pause -- (true|likwid-perfctr \.\.\.)$",
            "uncorectl pause --path-run run -- true"),)
COMMAND = r"(?:sudo )?(?:build/)?(?:uncored|uncorectl|curl|\./bootstrap)"


def text(name):
    return h.read(os.path.join(h.SRC, name))


def made():
    with open(os.path.join(h.BUILD, "Makefile"), encoding="utf-8") as f:
        return f.read()


# Sections are about a server of today, or about what their heading names.
MACHINES = {"Xeon 7500": "nehalem-ex", "Genoa": "genoa"}
FENCED = re.compile(r"^( *)```(\w*)\n(.*?)^ *```$", re.M | re.S)


def part(document, machine=None):
    """What a document says about a machine; None: all of it."""
    about, fence, out = "spr", False, []
    for line in text(document).splitlines(True):
        fence ^= line.lstrip().startswith("```")
        heading = not fence and re.match(r"(#+) ", line)
        if heading:
            named = [m for word, m in MACHINES.items() if word in line]
            about = named[0] if named else "spr" if len(heading[1]) < 3 else about
        out.append(line if machine in (None, about) else "")
    return "".join(out)


def fenced(document, language, machine=None):
    """Blocks between ```language and ```, without their indentation."""
    return [textwrap.dedent(m[3]) for m in FENCED.finditer(part(document, machine))
            if m[2] == language]


def blocks(document, machine=None):
    """Indented blocks of Markdown, each a list of its lines without the indentation."""
    out, block = [], []
    for line in FENCED.sub("", part(document, machine)).splitlines() + ["end"]:
        if line.startswith("    "):
            block.append(line[4:])
        elif block and line:
            out.append(block)
            block = []
    return out


def consoles(document, machine=None):
    """The commands of ```console blocks, and what they print, as the document has it."""
    for block in fenced(document, "console", machine):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, shown = part.replace("\\\n", "").partition("\n")
            yield " ".join(command.split()), shown.rstrip("\n")


def commands(machine):
    """What somebody would paste into a shell, with the document that says so."""
    for document in DOCUMENTS:
        shell = [block.splitlines() for block in fenced(document, "sh", machine)]
        yield from ((document, command) for command, _ in consoles(document, machine))
        lines = "\n".join(sum(blocks(document, machine) + shell, []))
        for line in re.sub(r" \\\n *", " ", lines).split("\n"):      # continued ones in one
            if re.match(r"(\./|[A-Z_]+=\S+ |[a-z][a-z0-9/._-]*( |$))", line) and " = " not in line:
                yield document, re.sub(r"\s+# .*", "", line)
    for page in PAGES if machine == "spr" else ():
        for line in re.findall(r"^(?:\.Dl )?[$#] (.*)", text(page), re.M):
            yield page, line.replace("\\(dq", '"').replace("\\e", "\\")


def commands_in_sentences():
    """Those in `backticks` and behind .Ql. The names of the programs alone are none."""
    for document in DOCUMENTS:
        for span in re.findall(r"`([^`]+)`", FENCED.sub("", text(document))):
            span = " ".join(span.split())
            if re.match(COMMAND + " ", span):
                yield document, span
    for page in PAGES:
        for line in re.findall(r"^\.(?:\w+ )?Ql (.*)$", text(page), re.M):
            line = re.sub(r" (Ar|No|Ns) | [.,;:)]$", " ", line).strip()
            if re.match(COMMAND + " ", line):
                yield page, line


def configurations(*documents, machine="spr"):
    """Those of a machine; of the operator's guide all that name no events of the kernel are a Xeon
    7500's."""
    found = [b for d in documents or (README, TUTORIAL) for b in blocks(d, machine)]
    if machine == "nehalem-ex" and not documents:
        found += [b for b in blocks(OPERATING) if not any("perf/" in line for line in b)]
    for block in found:
        if block[0].startswith(("interval", "groups", "listen")):
            yield "\n".join(block) + "\n"
        elif block[0].startswith("{ name ="):
            yield "groups = ( " + "\n".join(block) + " );\n"


def type_in(shell, conf, url):
    """The command in a shell of its own; bash, so that an early failure in a pipe counts."""
    shell = re.sub(r"^sudo (build/)?", "", shell).replace(URL, url)
    shell = shell.replace("/run/uncored/http", os.path.dirname(conf) + "/http")
    if "/stream" in shell:
        shell += " | head -n 3"         # it does not end by itself
    if shell == "uncorectl verify --quick":
        shell += " --url " + url
    where = os.path.dirname(conf)
    env = dict(os.environ, PATH=os.path.abspath(h.BUILD) + ":" + os.environ["PATH"])
    p = subprocess.run(["bash", "-c", shell], cwd=where, env=env, stdin=subprocess.DEVNULL,
                       capture_output=True, text=True, timeout=4 * h.PATIENCE)
    return p.returncode, p.stdout, p.stderr


def elsewhere(document, command):
    """Is it one that is not typed here? Then it is spelled right."""
    known = [check(m) for pattern, check in ELSEWHERE.items()
             for m in [re.match(pattern, command)] if m]
    assert all(known), "%s: %s: there is no such thing" % (document, command)
    return bool(known)


def good_codes(command):
    if "LLC_HIT:ALL" in command:    # shows an error
        return (78,)
    if "-- ./program" in command:   # of machines that count it; there is no ./program here
        return (69, 77, 78, 127)
    return {"uncorectl doctor": (0, 69), "uncored --once": (0, 69, 75, 77),
            "uncorectl list groups --machine db1.txt": (0, 69),     # it is this machine
            # the model moves nothing; on a busy machine verify gives up
            "uncorectl verify --quick": (1, 75)}.get(re.sub(r"^sudo (build/)?", "", command), (0,))


def counting(machine="spr"):
    """An uncored on the model that all commands may ask, its sockets after their first window, and
    configurations for them."""
    where = h.path(machine)
    os.makedirs(where, exist_ok=True)
    for name, said in (("my", list(configurations(README))[0]),
                       ("old", list(configurations(README, machine="nehalem-ex"))[0]),
                       ("new", next(c for c in configurations(TUTORIAL, machine=machine)
                                    if "resolution" in c or machine == "nehalem-ex")),
                       ("numa", next(c for c in configurations(TUTORIAL) if '"numa"' in c)),
                       ("links", list(configurations(TUTORIAL, machine="genoa"))[1]),
                       ("fast", 'interval = "100ms";   # %s\n' % machine)):
        h.write("%s/%s.conf" % (machine, name), said)
    conf = os.path.join(where, "my.conf")
    u = h.Uncored("-c", os.path.join(where, "fast.conf"), "--engine", "model:%s:stream" % machine,
                  "--path-run", os.path.join(where, "run"),
                  "--listen", "unix:" + os.path.join(where, "http"))
    h.wait_for("a first window of every socket", lambda: all(
        u.value('uncored_samples_total{socket="%d"}' % socket) >= 2 for socket in (0, 1)))
    return conf, u


def test_commands():
    tried = {machine: commands_of(machine) for machine in ("spr", "genoa", "nehalem-ex")}
    assert all(tried.values()) and sum(tried.values()) > 30, tried


def commands_of(machine):
    """How many of them were typed."""
    conf, u = counting(machine)
    tried = 0
    for document, command in commands(machine):
        if elsewhere(document, command):
            continue
        program = re.match(r"(?:sudo (?:build/)?)?(\S+)", command)[1]
        assert program in ("uncored", "uncorectl", "curl",
                           "gnuplot"), "%s: %s: what is this command?" % (document, command)
        if command.startswith("uncored --engine model"):        # it would not end
            command = command.replace("--listen 127.0.0.1:10062", "--once -c fast.conf")
        code, out, err = type_in(command, conf, u.url)
        good = good_codes(command)
        if code == 127 and code not in good:
            h.skip("%s: %s" % (command, err))      # its first word need not be what is missing
        assert code in good, "%s: %s: exit code %d: %s" % (document, command, code, err)
        assert out or err or "--check-config" in command or "set output" in command or \
            " capture " in command or "list metrics" in command, \
            "%s: %s says nothing" % (document, command)
        tried += 1
    assert u.stop() == 0, (machine, u.text())
    return tried


def completed(document, command):
    """A command of a sentence as somebody would type it."""
    for word in re.findall(r"(?<= )[A-Z]{3,}(?= |$)", command):
        assert word in PLACEHOLDERS, "%s: %s: what stands for %s?" % (document, command, word)
        command = re.sub(r" %s\b" % word, " " + PLACEHOLDERS[word], command)
    for pattern, more in ALSO:
        command += " " + more if re.search(pattern, command) else ""
    for pattern, other in INSTEAD:
        command = re.sub(pattern, other, command)
    return command


def test_commands_in_sentences():
    """They are typed, too; one that lacks its arguments is refused for that alone."""
    conf, u = counting()
    tried = {}
    for document, command in commands_in_sentences():
        if elsewhere(document, command):
            continue
        whole = completed(document, command)
        code, out, err = tried.get(whole) or type_in(whole, conf, u.url)
        tried[whole] = code, out, err
        if code == 127 and code not in good_codes(command):
            h.skip("%s: %s" % (whole, err))
        lacks = code == 64 and "an argument is missing: " in err
        nobody = code == 69 and "127.0.0.1:1 cannot be reached" in err
        assert lacks or nobody or code in good_codes(command), \
            "%s: %s: exit code %d: %s" % (document, whole, code, err)
    assert len(tried) > 15, tried
    assert u.stop() == 0


NUMBER = re.compile(r"\d[\d.]*(?:e[-+]\d+)?(?: ?[TGMkmu\u00b5n]?(?:B/s|B|s|J|W|Hz)\b)?")


def same(shown, printed, counted):
    """Is it what the document shows? There `...` stands for any lines, and long ones are wrapped;
    what is counted has other numbers each time, with other prefixes."""
    def plain(text):
        return " ".join((NUMBER.sub("#", text) if counted else text).split())
    parts = [re.escape(plain(part)) for part in re.split(r"^\.\.\.$", shown, flags=re.M)]
    return re.fullmatch(r"(?:\s.*)?\s?".join(parts), plain(printed))


def test_what_commands_print():
    """Where a document shows it, they print it: to the letter, or but for what is counted."""
    tried = {}
    for machine in "spr", "genoa", "nehalem-ex":
        conf, u = counting(machine)
        for document in DOCUMENTS:
            for command, shown in consoles(document, machine):
                code, out, err = type_in(command, conf, u.url)
                counted = URL in command or "--engine" in command
                assert same(shown, out + err, counted), "%s: %s: exit code %d:\n%s" % (
                    document, command, code, out + err)
                tried[machine] = tried.get(machine, 0) + 1
        assert u.stop() == 0
    assert len(tried) == 3 and sum(tried.values()) >= 16, tried


def test_the_tutorial_on_genoa():
    """Each of its questions is answered there, too, and by each of the commands."""
    here, there = ({m[1] for command, _ in consoles(TUTORIAL, machine)
                    for m in [re.match(r"(curl|uncored --check-config|uncorectl \w+)", command)]
                    if m}
                   for machine in ("spr", "genoa"))
    assert len(here) >= 6 and here <= there, (here, there)
    asked = re.findall(r"^## (.*\?)$", part(TUTORIAL, "spr"), re.M)
    answered = re.findall(r"^### (.*\?)$", part(TUTORIAL, "genoa"), re.M)
    assert len(asked) == 5 and asked == answered, (asked, answered)


def prometheus(urls, window):
    """Debian's, which scrapes uncored and evaluates the rules of contrib with a shorter window."""
    h.write("rules.yml", boards.shorter(text("contrib/prometheus/rules.yml"), window))
    config = h.write("prometheus.yml", json.dumps({
        "global": {"scrape_interval": "200ms", "scrape_timeout": "200ms",
                   "evaluation_interval": "500ms"},
        "rule_files": ["rules.yml"],
        "scrape_configs": [{"job_name": "uncored",
                            "static_configs": [{"targets": [
                                url.split("//")[1] for url in urls]}]}]}))
    return h.prometheus(config)


def test_queries():
    """Each has an answer on a machine of the pages, with the rules that are shipped."""
    window = "5s"
    all_of_them = [counting(machine)[1] for machine in ("spr", "genoa", "nehalem-ex")]
    base = prometheus([u.url for u in all_of_them], window)
    queries = [(d, q) for d in DOCUMENTS for q in fenced(d, "promql")]
    assert len(queries) >= 4, queries
    for document, query in queries:
        where = base + "/api/v1/query?" + urllib.parse.urlencode(
            {"query": boards.shorter(query, window)})

        def answered():
            return json.loads(h.fetch(where)[2])["data"]["result"]
        h.wait_for("%s has an answer to %s" % (document, query), answered, 3 * h.PATIENCE)
    assert [u.stop() for u in all_of_them] == [0, 0, 0]


def test_scrape_jobs():
    """Prometheus takes what is shown for its configuration."""
    shown = [y for d in DOCUMENTS for y in fenced(d, "yaml") if "scrape_configs:" in y]
    assert shown
    promtool = h.shutil.which("promtool")
    if not promtool:
        h.skip("promtool is not installed")
    for job in shown:
        code, out, err = h.run(promtool, "check", "config", h.write("shown.yml", job))
        assert code == 0, (job, out, err)


def test_recorded_names():
    """`level:metric:operation` in a sentence is the name of a rule."""
    rules = set(re.findall(r"- record: (\S+)", text("contrib/prometheus/rules.yml")))
    named = [(d, n) for d in DOCUMENTS for n in re.findall(r"`([a-z_]+:[a-z_]+:\w+)`", text(d))]
    assert named and not [n for n in named if n[1] not in rules], named


def test_versions_of_readme():
    """README names what configure asks for."""
    asked = dict(re.findall(r"PKG_CHECK_MODULES\(\[\w+\], \[(\S+) >= ([\d.]+)\]",
                            text("configure.ac")))
    asked["autoconf"] = re.search(r"AC_PREREQ\(\[([\d.]+)\]", text("configure.ac"))[1]
    asked["automake"] = re.search(r"AM_INIT_AUTOMAKE\(\[([\d.]+) ", text("configure.ac"))[1]
    assert len(asked) > 10, asked
    for name, version in asked.items():
        name = {"libprotobuf-c": "protobuf-c"}.get(name, name)
        assert re.search(r"\b%s\s+%s\b" % (re.escape(name), re.escape(version)),
                         text(README)), (name, version)


def test_on_any_machine():
    """The manual's configuration for any machine counts on an Arm server, too."""
    conf = re.search(r"^On any machine:\n\.Bd[^\n]*\n(.*?)\.Ed", text("man/uncored.conf.5"),
                     re.M | re.S)[1]
    root = h.tree("cmn700")
    code, out, err = h.run(h.CTL, "plan", "-c", h.write("any.conf", conf), "--path-sysfs", root,
                           "--path-procfs", root)
    assert code == 0 and "software0/cpu-clock" in out, (code, out, err)


def test_series_of_readme():
    """A series that is shown is one that the model of a server of today has, with these labels. A
    value is shown as it is exported: a gauge to 20 significant binary digits."""
    shown = h.samples("\n".join(line for block in blocks(README) for line in block
                                if re.match(r"uncored?_\w+\{", line)))
    code, out, err = h.run(h.UNCORED, "--engine", "model:spr:stream",
                           "--once", "-c", h.write("empty.conf", 'interval = "100ms";\n'))
    assert code == 0 and len(shown) > 4, (err, shown)
    assert [s for s in shown if s not in h.samples(out)] == [], shown
    for series, value in shown.items():
        mantissa, _ = math.frexp(float(value))
        nearest = round(mantissa * 2 ** 20) / 2 ** 20
        assert series.split("{")[0].endswith("_total") or \
            abs(mantissa - nearest) < 1e-15, (series, value)
    for name in re.findall(r"`(uncored?_[a-z_]+_(?:total|ratio|seconds|info|valid|invalid))\b",
                           text(README)):
        base = re.sub(r"_(peak|distribution)_", "_", name)
        assert base in out or name in ("uncored_slot_invalid", "uncored_metric_invalid",
                                       "uncored_slot_active_seconds_total",
                                       "uncored_distribution_invalid_samples_total",
                                       "uncored_tick_lateness_seconds"), name


def told(what):
    return "ansible.builtin.command: touch %s/%s" % (h.path("playbook"), what)


def systemd(state):
    return "ansible.builtin.systemd_service:\n        name: uncored\n        " + state


def test_the_playbook():
    """Ansible, here in place of a server, copies what can be counted, and leaves what stands there
    when it cannot; the reload is told once, and not to a systemd. A package is copied, and nothing
    installed. A server on which nothing would be counted fails."""
    if not shutil.which("ansible-playbook"):
        h.skip("ansible-playbook is not installed (Debian: ansible-core)")
    said = next(b for b in re.findall(r"^```yaml\n(.*?)^```$", text(OPERATING), re.M | re.S)
                if "validate:" in b)
    at = h.path("playbook")
    os.mkdir(at)
    for old, new in (("dest: /etc/uncored.conf", "dest: %s/etc.conf" % at),
                     ("dest: /var/tmp/uncored.deb", "dest: %s/copied.deb" % at),
                     ("ansible.builtin.apt:\n        deb: /var/tmp/uncored.deb",
                      "ansible.builtin.stat:\n        path: %s/copied.deb" % at),
                     ("become: true", "connection: local\n  gather_facts: false"),
                     ("validate: uncored ", "validate: %s --machine spr " % h.UNCORED),
                     (systemd("enabled: true\n        state: started"), told("started")),
                     (systemd("state: restarted"), told("restarted")),
                     (systemd("state: reloaded"), told("told")),
                     ("command: uncorectl doctor --json",
                      "command: %s doctor --json {{ tree }}" % h.CTL)):
        assert said.count(old) == 1, (old, said)
        said = said.replace(old, new)
    play = h.write("playbook/play.yml", said)
    h.write("playbook/uncored.deb", "a package\n")
    nothing = "--path-sysfs %s --path-procfs %s" % (at, at)
    good = 'interval = "2s";\n'
    spr = "--machine spr"
    for conf, tree, rc, reloads in ((good, spr, 0, True), (good, spr, 0, False),
                                    (good, nothing, 2, False),
                                    ('intervall = "1s";\n', spr, 2, False)):
        h.write("playbook/uncored.conf", conf)
        for name in "told", "started":
            if os.path.exists(at + "/" + name):
                os.remove(at + "/" + name)
        code, out, err = h.run("ansible-playbook", "-i", "servers,", "-e",
                               json.dumps({"tree": tree}), play,
                               env={"ANSIBLE_LOCAL_TEMP": at + "/tmp", "LC_ALL": "C.UTF-8",
                                    "ANSIBLE_REMOTE_TEMP": at + "/tmp", "ANSIBLE_NOCOLOR": "1"})
        assert code == rc, (conf, tree, code, out, err)
        assert os.path.exists(at + "/told") == reloads, (conf, tree, out, err)
        assert os.path.exists(at + "/started") == (conf == good), (conf, tree, out, err)
        assert '"rc": 69' in out.replace("\\", "") or tree != nothing, out
        assert h.read(at + "/etc.conf") == good, conf
    assert h.read(at + "/copied.deb") == "a package\n" and not os.path.exists(at + "/restarted")
    assert 'source:1: the configuration has no key \\"intervall\\"; the nearest' in out, out


def test_cost_in_readme():
    """What BENCHMARKS.md measured of the server that README names."""
    said = re.search(r"takes\s+([\d.]+) % of a\s+core and (\d+) MB", text(README))
    rows = [r for r in text("BENCHMARKS.md").split("\n") if "Granite Rapids, 2 x 256 CPUs" in r]
    cpu, = (float(m[1]) for r in rows if (m := re.match(r"\| CPU of all .*\| ([\d.]+) % ", r)))
    mib, = (float(m[1]) for r in rows if (m := re.match(r"\| memory .*\| ([\d.]+) MiB ", r)))
    assert said.groups() == ("%.2f" % cpu, "%.0f" % (mib * 1.048576)), (said[0], cpu, mib)


def test_number_of_series_in_readme():
    """What Prometheus would store of the server that README names."""
    said = re.search(r"(\d+)\s+time\s+series,\s+(\d+)\s+of\s+them\s+measurements", text(README))
    u = h.Uncored("--engine", "model:gnr")
    try:
        h.wait_for("all is measured", lambda: all(
            float(u.metrics().get('uncored_samples_total{socket="%d"}' % socket, 0)) >= 2
            for socket in (0, 1)))

        def served():
            names = u.metrics().keys()
            return len(names), sum(name.startswith("uncore_") for name in names)
        # a late sample takes gauges away for an interval
        h.wait_for("%s are said, %s served" % (said[0], served()), lambda: served() == (
            int(said[1]), int(said[2])), 5)
    finally:
        u.stop()


def test_configurations_of_readme():
    for where in ("--machine", "spr"), ("--machine", "genoa"), ("--processor", "nehalem-ex"):
        found = list(configurations(machine=where[1]))
        for conf in found:
            code, _, err = h.run(h.UNCORED, "--check-config", "-c", h.write("shown.conf", conf),
                                 *where)
            assert code == 0, (where, conf, err)
        assert len(found) > 1, found


def test_configurations_of_a_current_server():
    """What is shown for one counts on each generation of it, all the time, and names what
    uncorectl lists there."""
    found = list(configurations(README))
    assert len(found) == 1, found
    conf = h.write("current.conf", found[0])
    events = re.findall(r"perf/[^\"]+/", found[0])
    for name in "skx", "clx", "icx", "spr", "emr", "gnr", "srf":
        root = h.tree(name)
        where = "--path-sysfs", root, "--path-procfs", root
        code, out, err = h.run(h.UNCORED, "--check-config", "-c", conf, *where)
        assert code == 0 and ", 1 round, " in out, (name, code, out, err)
        code, out, err = h.run(h.CTL, "plan", "-c", conf, *where)
        assert code == 0 and "perf config" in out and "counter 0" not in out, (name, out, err)
        listed = h.run(h.CTL, "list", "events", *where)[1]
        assert events and all(e + " " in listed for e in events), (name, listed)


def test_events_of_readme():
    specs = re.findall(r"^\| `(\w+/[^`]+)` \|", text(README), re.M)
    for spec in specs:
        where = ["--machine", "spr"] if spec.startswith("perf/") else ["-p", "nehalem-ex"]
        code, _, err = h.run(h.CTL, "encode", spec.replace("0x...", "0x1"), *where)
        assert code == 0, (spec, err)
    assert len(specs) >= 5, specs


def tree():
    """Every file of the source, by its path and by its name."""
    paths, names = set(), set()
    for at, folders, files in os.walk(h.SRC):
        folders[:] = [f for f in folders if f not in (".git", "build", "autom4te.cache")]
        for f in files + folders:
            paths.add(os.path.relpath(os.path.join(at, f), h.SRC))
            names.add(f)
    return paths, names


def test_files_that_are_named():
    """`name.c`, `folder/name` and links of the documents; what a build or an installation makes
    begins with / or build/."""
    paths, names = tree()
    missing = []
    for document in DOCUMENTS:
        said = text(document)
        here = os.path.dirname(document)
        files = re.findall(
            r"`([\w./-]+\.(?:c|h|py|sh|tsv|md|yml|json|conf|rules|service|socket|txt|mk))(?![\w.])",
            said)
        files += [x for x in re.findall(r"\]\(([^)]+)\)", said) if "://" not in x]
        files += re.findall(r"TESTS=([\w./-]+)", said)
        sections = {"#" + re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
                    for title in re.findall(r"^#+ (.*)", said, re.M)}
        for f in files:
            if f in sections:
                continue
            if f.startswith(("/", "build/")) or f in ("my.conf", "uncored.conf", "rows_PART.py"):
                continue
            folded = f.strip("'").rstrip("/")
            ok = folded in paths or os.path.normpath(os.path.join(here, folded)) in paths or \
                any(p.endswith("/" + folded) for p in paths)
            # a test program
            ok = ok or ("/" not in folded and folded in names) or folded + ".c" in paths
            if not ok:
                missing.append("%s: %s" % (document, f))
    assert missing == [], missing


def test_functions_that_are_named():
    source = ""
    for top in "src", "tests":
        for at, _, files in os.walk(os.path.join(h.SRC, top)):
            source += "".join(h.read(os.path.join(at, f)) for f in files
                              if f.endswith((".c", ".h")))
    named = re.findall(r"`(?:[a-z_/]+\.c: )?([a-z_]+)\(\)`", text(HACKING))
    gone = [f for f in named if not re.search(r"\b%s\(" % f, source)]
    assert len(named) > 10 and gone == [], gone


def test_reasons_are_explained():
    """Alerts and HELP send people to VALIDITY for what a reason means and what to do: each has its
    entry there, in two sentences or more."""
    code, out, _ = h.run(h.UNCORED, "--once", "--engine", "model:nehalem-ex",
                         "-c", h.write("reasons.conf", "# defaults\n"))
    reasons = set(re.findall(r'^uncored_samples_invalid_total\{socket="0",reason="(\w+)"\}', out,
                             re.M))
    validity = re.search(r"^\.Sh VALIDITY\n(.*?)^\.El", text("man/uncored.8"), re.M | re.S)[1]
    told = dict(re.findall(r"^\.It Li (\w+)\n(.*?)(?=^\.It|\Z)", validity, re.M | re.S))
    assert code == 0 and len(reasons) == 12 and set(told) == reasons, set(told) ^ reasons
    short = [r for r, what in told.items()
             if r != "conflict" and len(re.findall(r"[.;] *$|; ", what, re.M)) < 2]
    assert not short, ("no word of what to do", short)


h.main(sys.modules[__name__])
