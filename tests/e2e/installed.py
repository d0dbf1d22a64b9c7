"""installed.py - what is only seen on a machine where uncored is installed: the configuration file that stays as somebody
edited it, and messages in a journal (a stand-in for journald, in a mount namespace of its own)."""
import contextlib
import json
import os
import socket
import subprocess
import sys

import harness as h


def install(dest, target="install-conf"):
    code, out, err = h.run("make", "-s", "-C", h.BUILD, target, "DESTDIR=" + dest,
                           env={"MAKEFLAGS": "", "MFLAGS": "", "MAKELEVEL": "0"})
    assert code == 0, err
    return out


def read(path):
    with open(path) as f:
        return f.read()


def test_an_edited_file_is_never_overwritten():
    dest = h.path("root")
    at = dest + "/etc/uncored.conf"
    ours = read(os.path.join(h.SRC, "conf/uncored.conf"))
    install(dest)
    assert read(at) == ours and not os.path.exists(at + ".new")
    with open(at, "a") as f:
        f.write('interval = "2s";\n')
    assert at in install(dest)                  # it says that it kept the file
    assert read(at) == ours + 'interval = "2s";\n' and read(at + ".new") == ours
    install(dest, "uninstall-conf")
    assert read(at) == ours + 'interval = "2s";\n' and not os.path.exists(at + ".new")


def entries(s):
    """What a journal gets in a second of silence: one {field: value} for each message."""
    out = []
    s.settimeout(1)
    try:
        while True:
            out.append(dict(line.split("=", 1) for line in s.recv(65536).decode().splitlines() if "=" in line))
    except TimeoutError:
        return out


def journal():
    """Runs in the namespace: a journal that prints what uncored told it."""
    os.makedirs("/run/systemd/journal")
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    s.bind("/run/systemd/journal/socket")
    log, conf = h.path("stderr"), h.write("wrong.conf", 'intervall = "1s";\n')
    with open(log, "w") as err:
        st = os.fstat(err.fileno())
        for stream in ("%d:%d" % (st.st_dev, st.st_ino), "1:1"):     # stderr is the journal's, and is not
            code = subprocess.run([h.UNCORED, "-c", conf, "--engine", "model:nehalem-ex", "--check-config"], stderr=err,
                                  stdin=subprocess.DEVNULL, env=dict(os.environ, JOURNAL_STREAM=stream)).returncode
            print(code, json.dumps(entries(s)), read(log).count("intervall"))
        full = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        full.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                full.sendto(b"MESSAGE=of somebody else\n", "/run/systemd/journal/socket")
        print(subprocess.run([h.UNCORED, "-c", conf, "--engine", "model:nehalem-ex", "--check-config"], stderr=err, timeout=10,
                             stdin=subprocess.DEVNULL, env=dict(os.environ, JOURNAL_STREAM="%d:%d" % (st.st_dev, st.st_ino))).returncode)


def test_messages_in_the_journal():
    alone = ["unshare", "--mount", "--map-root-user", "sh", "-c", 'mount -t tmpfs none /run && exec "$@"', "sh"]
    if h.run(*alone, "true")[0] != 0:
        h.skip("no mount namespace can be made here")
    code, out, err = h.run(*alone, sys.executable, "-B", os.path.abspath(__file__), "journal")
    assert code == 0, err
    first, second, third = out.splitlines()
    code, rest = first.split(" ", 1)
    told, on_stderr = rest.rsplit(" ", 1)
    told = [e for e in json.loads(told) if "intervall" in e["MESSAGE"]]
    assert code == "78" and on_stderr == "0" and len(told) == 1, out
    assert told[0]["PRIORITY"] == "3" and told[0]["DOCUMENTATION"] == "man:uncored(8)", told        # LOG_ERR
    assert told[0]["SYSLOG_IDENTIFIER"] == "uncored" and ":1: " in told[0]["MESSAGE"], told
    assert second == "78 [] 1", second          # stderr was somebody else's: the text goes there, nothing to the journal
    assert third == "78", third                 # a journal that reads nothing any more is not waited for


if sys.argv[1:] == ["journal"]:
    journal()
else:
    h.main(sys.modules[__name__])
