# SPDX-License-Identifier: MIT
"""tls_files.py - the files of TLS, before uncored runs and while it does: what is wrong with them,
renewals, reloads, and that the key stays secret.
"""
import contextlib
import fcntl
import os
import re
import shutil
import signal
import socket
import ssl
import sys
import time
import urllib.request

import harness as h
from tls_server import CONF, KINDS, MODEL, Files, Server, openssl, pem


def check(conf):
    """(exit code, messages) of --check-config."""
    code, _, err = h.run(h.UNCORED, "--check-config", "-c", h.write("check.conf", conf), *MODEL)
    return code, err.replace("uncored: ", "").replace(os.path.dirname(h.path("x")) + "/", "")


def test_what_is_wrong_with_the_files():
    f = Files("wrong").own().own("long", kind="rsa")

    def expect(conf, *messages, code=78):
        got = check(CONF.strip() + "\n" + conf)
        assert got[0] == code, got
        for line, key, text in messages:
            want = "check.conf:%d: %s: %s" % (line + 3, key, text)
            assert want in got[1], (want, got)
        assert len(got[1].strip().splitlines()) == len(messages) or not code, got
    expect(f.conf(), code=0)
    os.link(f.at("tls.crt"), f.at("a.crt"))
    with open(f.at("a.key"), "w") as out:
        out.write("nothing\n")
    expect(f.conf(name="a"), (3, "key_file", "the file contains no private key in PEM form"))
    with open(f.at("a.key"), "w") as out:
        out.write(pem(f.at("long.key"))[:600])
    os.unlink(f.at("a.crt"))
    with open(f.at("a.crt"), "w") as out:
        out.write(pem(f.at("tls.crt"))[:200])
    expect(f.conf(name="a"), (2, "cert_file", "the file is truncated or damaged"),
           (3, "key_file", "the file is truncated or damaged"))
    for kind in KINDS:          # GnuTLS itself does not see it of ed25519
        f.own("one", kind=kind).own("two", kind=kind)
        expect(f.conf(name="one"), code=0)
        shutil.copy(f.at("one.crt"), f.at("a.crt"))
        shutil.copy(f.at("two.key"), f.at("a.key"))
        expect(f.conf(name="a"), (3, "key_file", "the key does not belong to the certificate"))
    openssl("pkey", "-in", f.at("tls.key"), "-aes128", "-passout", "pass:secret", "-out",
            f.at("a.key"))
    expect(f.conf(name="a"), (3, "key_file", "the key is encrypted, and a service"))
    with open(f.at("a.crt"), "w") as out:
        out.write("hello\n")
    expect(f.conf(name="a"), (2, "cert_file", "the file contains no certificate in PEM form"),
           (3, "key_file", "the key is encrypted, and a service"))
    open(f.at("a.crt"), "w").close()
    os.unlink(f.at("a.key"))
    # What cannot be read does not hide what is wrong with the others.
    code, err = check(f.conf(name="a"))
    assert code == 78 and "key_file: wrong/a.key: No such file or directory" in err, (code, err)
    assert "cert_file: the file contains no certificate in PEM form" in err, err
    code, err = check(f.conf('client_auth_type = "RequireAndVerifyClientCert";',
                             'client_ca_file = "%s";' % f.at("a.key"), name="a"))
    assert code == 78 and err.count("wrong/a.key: No such file or directory") == 2, (code, err)
    assert err.count("cert_file: the file contains no certificate in PEM form") == 1, err
    shutil.copy(f.at("tls.key"), f.at("a.key"))
    expect(f.conf(name="a"), (2, "cert_file", "the file contains no certificate in PEM form"))
    # An empty file of the clients' signers does not let everybody in.
    expect(f.conf('client_auth_type = "RequireAndVerifyClientCert";',
                  'client_ca_file = "%s";' % f.at("a.crt")),
           (5, "client_ca_file", "the file contains no certificate in PEM form"))
    # Every mistake of the file's text at once, with those of the plan.
    code, err = check('groups = ( { name = "g"; events = [ "nobox/E" ]; } );\n' +
                      f.conf('client_auth_type = "RequestClientCert";', 'min_version = "TLS10";',
                             'client_ca_file = "ca.crt";', "cipher_suites = [];"))
    for want in ('client_auth_type = "RequestClientCert": it must be '
                 '"NoClientCert" or "RequireAndVerifyClientCert"',
                 'min_version = "TLS10": it must be "TLS12" or "TLS13"',
                 'client_ca_file = "ca.crt": the path must begin with /',
                 'tls_server_config has no key "cipher_suites"', "nobox"):
        assert code == 78 and want in err, (want, err)
    code, err = check(f.conf('client_auth_type = "RequireAndVerifyClientCert";'))
    assert code == 78 and "needs client_ca_file" in err, (code, err)
    code, err = check(f.conf('client_ca_file = "%s";' % f.at("tls.crt")))
    assert code == 78 and "client_ca_file has no effect without" in err, (code, err)
    code, _, err = h.run(h.UNCORED, "-c", h.write("no.conf", f.conf(name="a")), *MODEL)
    assert code == 78 and "serving" not in err, (code, err)


def test_a_reload_tells_all_mistakes_at_once():
    """Those of the plan, which a process without files finds, and those of certificates."""
    f = Files("at-once").own()
    u = Server(CONF + f.conf())
    u.ready(f.context())
    wrong = CONF.replace("wbox/CLOCKTICKS", "nobox/E") + f.conf(name="missing")
    before = len(u.text())
    u.reload(wrong, "reload failed")
    said = u.text()[before:]
    for words in "nobox", "missing.crt: No such file", "missing.key: No such file":
        assert said.count(words) == 1, (words, said)
    # of the text alone; the certificate is good
    u.reload(CONF + f.conf("nonsense = 1;"), "reload failed")
    assert u.text().count('no key "nonsense"') == 1, u.text()
    assert u.shows(f.at("tls.crt")) and u.stop() == 0


def expired(name):
    """A certificate of January 2020, and its key."""
    f = Files(name)
    openssl("req", "-newkey", *KINDS["ecdsa"], "-nodes", "-keyout", f.at("tls.key"), "-out",
            f.at("tls.csr"), "-subj", "/CN=localhost")
    database = f.at("index.txt")
    open(database, "w").close()
    with open(f.at("ca.conf"), "w") as out:
        out.write("[ca]\ndefault_ca=c\n[c]\ndatabase=%s\nnew_certs_dir=%s\npolicy=p\nserial=%s\n"
                  "default_md=sha256\n[p]\ncommonName=supplied\n"
                  % (database, f.dir, f.at("serial")))
    openssl("ca", "-batch", "-config", f.at("ca.conf"), "-selfsign", "-in", f.at("tls.csr"),
            "-keyfile", f.at("tls.key"), "-startdate", "20200101000000Z", "-enddate",
            "20200201000000Z", "-rand_serial", "-notext", "-out", f.at("tls.crt"))
    return f


def test_expired():
    u = Server(CONF + expired("expired").conf())
    assert "the certificate expired on 2020-02-01 and clients refuse it" in u.text(), u.text()
    c = ssl.create_default_context()
    c.check_hostname, c.verify_mode = False, ssl.CERT_NONE
    u.ready(c)
    assert u.stop() == 0


def test_the_journal():
    """The http process, which looks at the certificate, cannot write there itself: its filter
    refuses connect()."""
    if os.getuid() != 0:
        h.skip("only root puts another journal into /run")
    code, _, err = h.run("unshare", "--mount", "true")
    if code:
        h.skip("no mount namespace here: " + err)
    f = expired("journal")
    conf = h.write("journal.conf", CONF + f.conf())
    at = h.path("run-journal")
    os.mkdir(at)
    ours, its = socket.socketpair()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as journal, ours, its:
        journal.bind(at + "/socket")
        journal.settimeout(h.PATIENCE)
        st = os.fstat(its.fileno())
        u = h.Process(["unshare", "--mount", "sh", "-c",
                       'mount -t tmpfs none /run && mkdir -p /run/systemd/journal && '
                       'mount --bind "$0" /run/systemd/journal && exec "$@"', at,
                       h.UNCORED, "-c", conf, *MODEL], "journal", stderr=its.fileno(),
                      env={"JOURNAL_STREAM": "%d:%d" % (st.st_dev, st.st_ino)})
        said = ""
        while "serving https" not in said or "expired" not in said:
            said += journal.recv(4096).decode()
        assert re.search(r"^MESSAGE=uncored-http: \S+: .*the certificate expired on 2020-02-01 and "
                         r"clients refuse it: renew it\nPRIORITY=4$", said, re.M), said
        assert u.stop() == 0


def test_renewal():
    f = Files("renewal").own().own("next").own("third", kind="rsa")
    u = Server(CONF + f.conf())
    u.ready(f.context())
    with f.context().wrap_socket(socket.create_connection(("127.0.0.1", u.port)),
                                 server_hostname="localhost") as s:
        # The certificate first: it is of another key until that follows, which is said, and the
        # old one stays.
        first = pem(f.at("tls.crt"))
        shutil.copy(f.at("next.crt"), f.at("tls.crt"))
        h.wait_for("it is refused", lambda: "does not belong to the certificate" in u.text())
        h.wait_for("that is said, too",
                   lambda: "the old one stays in use" in u.text())
        assert u.certificate() == first
        shutil.copy(f.at("next.key"), f.at("tls.key"))
        h.wait_for("the next one", lambda: u.shows(f.at("next.crt")))
        # Who is connected has to begin anew, with the certificate that is good now.
        s.settimeout(10)
        try:
            assert s.recv(1) == b""
        except ConnectionError:
            pass
    # Through links, as certbot does it; also after another http process.
    for name in "tls.crt", "tls.key":
        os.symlink(f.at("third" + name[3:]), f.at("new"))
        os.replace(f.at("new"), f.at(name))
    h.wait_for("the third one", lambda: u.shows(f.at("third.crt")))
    os.kill(h.child_of(u.pid), signal.SIGKILL)
    h.wait_for("another http process", lambda: u.shows(f.at("third.crt")))
    # A reload with a wrong file changes nothing, and one without TLS is one without.
    os.unlink(f.at("tls.key"))
    u.reload(CONF + f.conf(), "reload failed")
    assert "key_file: %s: No such file" % f.at("tls.key") in u.text(), u.text()
    assert u.shows(f.at("third.crt"))
    u.reload(CONF)
    with urllib.request.urlopen("http://127.0.0.1:%d/-/healthy" % u.port, timeout=10) as r:
        assert r.status == 200
    assert u.stop() == 0


def test_copied_slowly():
    """A pair that is still being written is left alone until it is complete, however often it is
    looked at; one that came with the times of the old one (cp -p) is noticed all the same."""
    f = Files("slow").own().own("next").own("third")
    u = Server(CONF + f.conf(), env={"WATCHDOG_USEC": "100000"})
    u.ready(f.context())
    times = []
    for name in "crt", "key":
        with open(f.at("tls." + name), "w") as out:
            for line in pem(f.at("next." + name)).splitlines(True):
                out.write(line)
                out.flush()
                times.append(time.monotonic())
                time.sleep(0.2)
    h.wait_for("the next one", lambda: u.shows(f.at("next.crt")))
    longest = max(b - a for a, b in zip(times, times[1:]))      # on a busy machine
    assert "refused" not in u.text() or longest > 0.8, (longest, u.text())
    for name in "crt", "key":
        was = os.stat(f.at("tls." + name))
        shutil.copy(f.at("third." + name), f.at("tls." + name))
        os.utime(f.at("tls." + name), ns=(was.st_atime_ns, was.st_mtime_ns))
    h.wait_for("the third one", lambda: u.shows(f.at("third.crt")))
    assert u.stop() == 0


def prepared(u):
    """Of its http process: has GnuTLS been initialised, and how many KB are its own?"""
    at = "/proc/%d/" % h.child_of(u.pid)
    own = re.search(r"Anonymous:\s+(\d+)", h.read(at + "smaps_rollup")).group(1)
    return "GNUTLS_NO_IMPLICIT_INIT=1" not in h.read(at + "environ").split("\0"), int(own)


def test_without_tls_gnutls_rests():
    """It is loaded, and no more. Each http process begins as its listeners need it."""
    f = Files("prepared").own()
    u = Server(CONF)
    u.ready(None)
    rests, little = prepared(u)
    u.reload(CONF + f.conf())
    u.url = "https://127.0.0.1:%d" % u.port
    u.ready(f.context())
    ready, more = prepared(u)
    assert (rests, ready) == (False, True)
    assert more - little > 64, (little, more)
    os.kill(h.child_of(u.pid), signal.SIGKILL)
    h.wait_for("another http process", lambda: h.child_of(u.pid) and u.tried(f.context()))
    assert prepared(u)[0]
    u.reload(CONF)
    u.url = "http://127.0.0.1:%d" % u.port
    u.ready(None)
    assert not prepared(u)[0]
    assert u.stop() == 0
    u = Server(CONF + f.conf())
    u.ready(f.context())
    assert prepared(u)[0]
    assert u.stop() == 0


def test_a_reload_that_switches_tls():
    """It is said what every address serves now: without TLS, everybody may read."""
    f = Files("switches").own()
    path = h.path("switches-file")
    u = Server(CONF + f.conf(), "--listen", "unix:" + path)
    at = "://127.0.0.1:%d/" % u.port
    without = "tls_server_config was removed: http%s is served without TLS now\n" % at
    again = "tls_server_config was added: https%s is served with TLS now\n" % at
    u.ready(f.context())
    u.reload(CONF + f.conf('min_version = "TLS13";'))
    u.reload("nonsense", "reload failed")
    assert "tls_server_config was" not in u.text(), u.text()
    for conf, told in (CONF, (1, 0)), (CONF + 'created = true;\n', (1, 0)), \
            (CONF + f.conf(), (1, 1)), (CONF, (2, 1)):
        u.reload(conf)
        assert (u.text().count(without), u.text().count(again)) == told, (conf, u.text())
    assert u.text().count("tls_server_config was") == 3, "the socket file is as it was"
    assert u.stop() == 0


def test_truncated_while_serving():
    """A certificate that is cut off, as by a disk that is full: the old one stays until it is
    mended."""
    f = Files("cut").own().own("next")
    u = Server(CONF + f.conf())
    u.ready(f.context())
    first = pem(f.at("tls.crt"))
    with open(f.at("tls.crt"), "w") as out:
        out.write(first[:len(first) // 2])
    h.wait_for("it is refused", lambda: "the new certificate was refused; the old one stays "
               "in use" in u.text())
    assert "cert_file: the file is truncated or damaged: copy it again" in u.text(), u.text()
    assert u.certificate() == first
    child = h.child_of(u.pid)
    os.kill(child, signal.SIGKILL)              # its successor gets the old one, too
    h.wait_for("another http process", lambda: h.child_of(u.pid) not in (0, child))
    with open(f.at("tls.crt"), "w") as out:
        out.write(first)
    h.wait_for("it serves", lambda: u.shows(f.at("tls.crt")))
    for name in "key", "crt":
        shutil.copy(f.at("next." + name), f.at("tls." + name))
    h.wait_for("the next one", lambda: u.shows(f.at("next.crt")))
    assert u.stop() == 0


def test_secrets():
    """The key is read by uncored alone (nobody else may open its file), handed over in memory that
    cannot be changed, and told to nobody: not in a log, a body or a plan, nor in a core file or to
    a process of the same user."""
    f = Files("secret").own()
    os.chmod(f.dir, 0o700)
    os.chmod(f.at("tls.key"), 0o600)
    u = Server(CONF + f.conf(), "--log-level", "debug")
    u.ready(f.context())
    u.reload(CONF + f.conf())
    secret = [line for line in pem(f.at("tls.key")).splitlines() if "-----" not in line]
    code, plan, said = h.run(h.CTL, "plan", "-v", "--processor", "nehalem-ex", "-c", u.conf)
    assert code == 0 and secret and all(len(line) > 20 for line in secret), (code, said)
    bodies = [u.get(f.context(), path) for path in
              ("/metrics", "/", "/api/v1/status", "/api/v1/snapshot", "/api/v1/catalog")]
    assert all(bodies) and plan and u.text()
    for text in plan, said, u.text(), h.read(u.out), *bodies:
        assert not any(line in text for line in secret), text

    def kept():
        found = []
        for fd in os.listdir("/proc/%d/fd" % u.pid):
            with contextlib.suppress(FileNotFoundError):
                if "memfd:uncored-tls" in os.readlink("/proc/%d/fd/%s" % (u.pid, fd)):
                    found.append("/proc/%d/fd/%s" % (u.pid, fd))
        return found
    held = h.wait_for("one is kept after the reload", lambda: len(kept()) == 1 and kept())
    fd = os.open(held[0], os.O_RDWR)
    assert secret[0].encode() in os.pread(fd, 65536, 0)
    # F_SEAL_SEAL, _SHRINK, _GROW and _WRITE of linux/fcntl.h
    assert fcntl.fcntl(fd, fcntl.F_GET_SEALS) & 0xf == 0xf
    for change in (lambda: os.pwrite(fd, b"x", 0), lambda: os.ftruncate(fd, 1),
                   lambda: os.ftruncate(fd, 1 << 20)):
        try:
            raise AssertionError("it was changed: %s" % change())
        except PermissionError:
            pass
    os.close(fd)
    # What belongs to root is of a process that is not dumpable (proc(5), ptrace(2)): no core file.
    child = h.child_of(u.pid)
    memory = "/proc/%d/mem" % child
    assert os.stat(memory).st_uid == 0
    with open("/proc/%d/status" % child) as status:
        uid = int(re.search(r"^Uid:\s+(\d+)", status.read(), re.M)[1])
    assert uid != 0
    tries = os.fork()
    if tries == 0:
        with contextlib.suppress(PermissionError):
            if os.getuid() == 0:
                os.setuid(uid)
            with open(memory, "rb") as f:
                f.read(1)
            os._exit(1)
        os._exit(0)
    assert os.waitpid(tries, 0)[1] == 0, "its own user reads its memory"
    assert u.stop() == 0


h.main(sys.modules[__name__])
