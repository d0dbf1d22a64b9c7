# SPDX-License-Identifier: MIT
"""installed.py - what is only seen on a machine where uncored is installed: the configuration file
that stays as somebody edited it, and messages in a journal (a stand-in for journald, in a mount
namespace of its own)."""
import contextlib
import json
import os
import socket
import subprocess
import sys

import harness as h


def install(dest, target="install-conf", *variables):
    code, out, err = h.run("make", "-s", "-C", h.BUILD, target, "DESTDIR=" + dest, *variables,
                           env={"MAKEFLAGS": "", "MFLAGS": "", "MAKELEVEL": "0"})
    assert code == 0, err
    return out


def below(dest):
    """The files in a directory, and the directories, all as from there."""
    return ({os.path.relpath(os.path.join(at, n), dest) for at, _, names in os.walk(dest)
             for n in names},
            {os.path.relpath(os.path.join(at, n), dest) for at, names, _ in os.walk(dest)
             for n in names})


def test_an_edited_file_is_never_overwritten():
    dest = h.path("root")
    at = dest + "/etc/uncored.conf"
    ours = h.read(os.path.join(h.SRC, "conf/uncored.conf"))
    install(dest)
    assert h.read(at) == ours and not os.path.exists(at + ".new")
    with open(at, "a") as f:
        f.write('interval = "2s";\n')
    assert at in install(dest)                  # it says that it kept the file
    assert h.read(at) == ours + 'interval = "2s";\n' and h.read(at + ".new") == ours
    install(dest, "uninstall-conf")
    assert h.read(at) == ours + 'interval = "2s";\n' and not os.path.exists(at + ".new")


def test_the_installed_program_finds_the_other():
    """What `make install` puts elsewhere is found where configure says, and `make uninstall` takes
    it away."""
    dest, run = h.path("all"), h.path("run")
    install(dest, "install")
    found = [os.path.join(at, f) for at, _, files in os.walk(dest) for f in files
             if f in ("uncored", "uncored-http") and os.access(os.path.join(at, f), os.X_OK)]
    uncored = next(p for p in found if p.endswith("/uncored"))
    http = next(p for p in found if p.endswith("/uncored-http"))
    assert len(found) == 2 and os.path.dirname(http) != os.path.dirname(uncored), found
    at = http[len(dest):]
    below = os.path.dirname(at)
    while not os.path.isdir(below):
        below = os.path.dirname(below)
    # in our namespace root could not become somebody else
    user = [] if os.getuid() == 0 else ["unshare", "--user", "--map-user=1"]
    alone = ["unshare", "--mount", *(["--map-root-user"] if user else []), "sh", "-ec",
             'mount -t tmpfs none "$1"; mkdir -p "${3%/*}"; cp "$2" "$3"; shift 3; exec "$@"', "sh",
             below, http, at, *user]
    if below == "/" or h.run(*alone, "true")[0] != 0:
        h.skip("nothing can be put at %s for a moment here" % at)
    p = h.Process([*alone, uncored, "--engine", "model:nehalem-ex", "--path-run", run,
                   "--listen", "127.0.0.1:0"], "installed")
    assert h.fetch(p.serving() + "/-/healthy")[0] == 200, p.text()
    assert p.stop() == 0, p.text()
    install(dest, "uninstall")
    assert not any(os.path.exists(f) for f in found), found


UNITS = "usr/lib/systemd/system"
# Where Debian's build has them, wherever this build would install.
AS_PACKAGED = ("prefix=/usr", "sysconfdir=/etc", "libexecdir=/usr/libexec",
               "systemdsystemunitdir=/" + UNITS)


def packaged():
    """{line of debian/*.install: packages that have it}"""
    lines = {}
    for package in "uncored", "uncored-doc":
        for line in h.read(os.path.join(h.SRC, "debian/%s.install" % package)).splitlines():
            if line and not line.startswith("#"):
                lines.setdefault(line.replace("${env:UNIT_DIR}", UNITS), []).append(package)
    return lines


def test_each_file_is_in_one_package():
    if not os.path.exists(os.path.join(h.SRC, "debian")):
        h.skip("a tarball has no debian/")
    dest = h.path("packaged")
    install(dest, "install", *AS_PACKAGED)
    files, _ = below(dest)
    assert {UNITS + "/uncored.service", "usr/sbin/uncored", "etc/uncored.conf"} <= files, files
    lines = packaged()
    for f in sorted(files):
        having = [line for line in lines if f == line or f.startswith(line + "/")]
        assert len(having) == 1 and len(lines[having[0]]) == 1, (f, having)
    idle = [line for line in lines
            if not any(f == line or f.startswith(line + "/") for f in files)]
    assert not idle, "nothing is installed there: %s" % idle


def test_uninstall_leaves_nothing():
    """No file, and no directory of ours; those that others use, too, stay."""
    dest = h.path("gone")
    install(dest, "install", *AS_PACKAGED)
    before, _ = below(dest)
    assert "etc/uncored.conf" in before, before
    install(dest, "uninstall", *AS_PACKAGED)
    files, directories = below(dest)
    assert not files, files
    ours = {d for d in directories if "uncored" in d}
    assert not ours, ours


def entries(s):
    """What a journal gets in a second of silence: one {field: value} for each message."""
    out = []
    s.settimeout(1)
    try:
        while True:
            out.append(dict(line.split("=", 1) for line in s.recv(65536).decode().splitlines()
                            if "=" in line))
    except TimeoutError:
        return out


def journal():
    """Runs in the namespace: a journal that prints what uncored told it."""
    os.makedirs("/run/systemd/journal")
    log, conf = h.path("stderr"), h.write("wrong.conf", 'intervall = "1s";\n')
    with open(log, "w") as err, \
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s, \
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as full:
        s.bind("/run/systemd/journal/socket")
        st = os.fstat(err.fileno())
        # stderr is the journal's, and is not
        for stream in ("%d:%d" % (st.st_dev, st.st_ino), "1:1"):
            code = subprocess.run([h.UNCORED, "-c", conf, "--engine", "model:nehalem-ex",
                                   "--check-config"], stderr=err,
                                  stdin=subprocess.DEVNULL,
                                  env=dict(os.environ, JOURNAL_STREAM=stream)).returncode
            print(code, json.dumps(entries(s)), h.read(log).count("intervall"))
        full.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                full.sendto(b"MESSAGE=of somebody else\n", "/run/systemd/journal/socket")
        print(subprocess.run([h.UNCORED, "-c", conf, "--engine", "model:nehalem-ex",
                              "--check-config"], stderr=err, timeout=10,
                             stdin=subprocess.DEVNULL,
                             env=dict(os.environ,
                                      JOURNAL_STREAM="%d:%d" % (st.st_dev, st.st_ino))).returncode)


def test_messages_in_the_journal():
    alone = ["unshare", "--mount", "--map-root-user", "sh", "-c",
             'mount -t tmpfs none /run && exec "$@"', "sh"]
    if h.run(*alone, "true")[0] != 0:
        h.skip("no mount namespace can be made here")
    code, out, err = h.run(*alone, sys.executable, "-B", os.path.abspath(__file__), "journal")
    assert code == 0, err
    first, second, third = out.splitlines()
    code, rest = first.split(" ", 1)
    told, on_stderr = rest.rsplit(" ", 1)
    told = [e for e in json.loads(told) if "intervall" in e["MESSAGE"]]
    assert code == "78" and on_stderr == "0" and len(told) == 1, out
    # LOG_ERR
    assert told[0]["PRIORITY"] == "3" and told[0]["DOCUMENTATION"] == "man:uncored(8)", told
    assert told[0]["SYSLOG_IDENTIFIER"] == "uncored" and ":1: " in told[0]["MESSAGE"], told
    # stderr was somebody else's: the text goes there, nothing to the journal
    assert second == "78 [] 1", second
    assert third == "78", third         # a journal that reads nothing any more is not waited for


if sys.argv[1:] == ["journal"]:
    journal()
else:
    h.main(sys.modules[__name__])
