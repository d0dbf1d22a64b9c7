# SPDX-License-Identifier: MIT
"""tls.py - scrapes over TLS: certificates made here by openssl, clients of others (curl, openssl,
python's ssl, Prometheus), and what a wrong file does."""
import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
import warnings

import harness as h

CONF = """
interval = "200ms";
resolution = "50ms";
groups = ( { name = "memory"; events = [ "bbox/IMT_INSERTS_ALL", "wbox/CLOCKTICKS" ]; } );
"""
MODEL = ["--engine", "model:nehalem-ex", "--listen", "127.0.0.1:0"]
KINDS = {"ecdsa": ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], "rsa": ["rsa:2048"],
         "ed25519": ["ed25519"]}
if not shutil.which("openssl"):
    h.skip("openssl is not installed")


def openssl(*args):
    p = subprocess.run(["openssl", *args], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert p.returncode == 0, (args, p.stderr)
    return p.stdout


class Files:
    """A directory with the certificates of a server; a CA of the clients, if they need one."""

    def __init__(self, name):
        self.dir = h.path(name)
        os.mkdir(self.dir)

    def at(self, name):
        return os.path.join(self.dir, name)

    def own(self, name="tls", days=30, kind="ecdsa", names="DNS:localhost,IP:127.0.0.1"):
        openssl("req", "-x509", "-newkey", *KINDS[kind], "-nodes", "-keyout",
                self.at(name + ".key"), "-out", self.at(name + ".crt"), "-days", str(days),
                "-subj", "/CN=" + name, "-addext", "subjectAltName=" + names)
        return self

    def signed(self, name, ca, purpose="clientAuth"):
        """One that the certificate `ca` signs."""
        extra = self.at(name + ".ext")
        with open(extra, "w") as f:
            f.write("extendedKeyUsage=%s\n" % purpose)
        openssl("req", "-newkey", *KINDS["ecdsa"], "-nodes", "-keyout", self.at(name + ".key"),
                "-out", self.at(name + ".csr"), "-subj", "/CN=" + name)
        openssl("x509", "-req", "-in", self.at(name + ".csr"), "-CA", self.at(ca + ".crt"),
                "-CAkey", self.at(ca + ".key"), "-CAcreateserial", "-days", "30",
                "-extfile", extra, "-out", self.at(name + ".crt"))

    def conf(self, *more, name="tls"):
        return 'tls_server_config = {\ncert_file = "%s";\nkey_file = "%s";\n%s};\n' % (
            self.at(name + ".crt"), self.at(name + ".key"), "\n".join(more))

    def context(self, client=None, name="tls"):
        c = ssl.create_default_context(cafile=self.at(name + ".crt"))
        if client:
            c.load_cert_chain(self.at(client + ".crt"), self.at(client + ".key"))
        return c


class Server(h.Process):
    count = 0

    def __init__(self, conf, *options, env=None):
        Server.count += 1
        self.conf = h.write("tls-%d.conf" % Server.count, conf)
        super().__init__([h.UNCORED, "-c", self.conf, *MODEL, *options],
                         "tls-%d" % Server.count, env=env)
        h.wait_for("it serves", lambda: "serving" in self.text() or not self.running())
        assert self.running(), self.text()
        self.url = re.search(r"serving (https?://\S+)/", self.text()).group(1)
        self.port = int(self.url.rsplit(":", 1)[1])

    def get(self, context, path="/metrics"):
        with urllib.request.urlopen(self.url + path, timeout=10, context=context) as r:
            return r.read().decode()

    def ready(self, context):
        h.wait_for("it is ready", lambda: self.tried(context, "/-/ready"))

    def tried(self, context, path="/metrics"):
        try:
            return self.get(context, path)
        except OSError:
            return None

    def value(self, context, series):
        return float(h.samples(self.get(context))[series])

    def reload(self, conf, says="read again"):
        with open(self.conf, "w") as f:
            f.write(conf)
        before = self.text().count(says)
        self.p.send_signal(signal.SIGHUP)
        h.wait_for(says, lambda: self.text().count(says) > before)

    def certificate(self):
        return ssl.get_server_certificate(("127.0.0.1", self.port))

    def shows(self, name):
        """Does it show this one? While one http process takes another's place, a handshake that
        the old one had begun ends with it."""
        with contextlib.suppress(OSError):
            return self.certificate() == pem(name)
        return False


def healthy(s):
    """A request on a connection that stays."""
    s.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n")
    got = b""
    while b"alive\n" not in got:
        more = s.recv(65536)
        assert more, got
        got += more


def check(conf):
    """(exit code, messages) of --check-config."""
    code, _, err = h.run(h.UNCORED, "--check-config", "-c", h.write("check.conf", conf), *MODEL)
    return code, err.replace("uncored: ", "").replace(os.path.dirname(h.path("x")) + "/", "")


def pem(path):
    with open(path) as f:
        return f.read()


def test_clients():
    f = Files("clients").own()
    u = Server(CONF + f.conf())
    assert u.url.startswith("https://")
    u.ready(f.context())
    assert "uncore_wbox_clockticks_total" in u.get(f.context())
    assert u.certificate() == pem(f.at("tls.crt"))
    # Connections that stay, bodies of many records, the stream, which is suspended in between.
    with f.context().wrap_socket(socket.create_connection(("127.0.0.1", u.port)),
                                 server_hostname="localhost") as s:
        assert s.version() == "TLSv1.3"
        for path in "/-/healthy", "/api/v1/catalog", "/-/healthy":
            s.sendall(b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path.encode())
            head, _, body = s.recv(65536).partition(b"\r\n\r\n")
            length = int(re.search(rb"Content-Length: (\d+)", head)[1])
            while len(body) < length:
                body += s.recv(65536)
            assert head.startswith(b"HTTP/1.1 200") and len(body) == length
        s.sendall(b"GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
        got = b""
        while got.count(b"event: snapshot") < 5:
            got += s.recv(65536)
    for line in subprocess.run(
            ["openssl", "s_client", "-connect", "127.0.0.1:%d" % u.port, "-tls1_2", "-brief"],
            capture_output=True, text=True, stdin=subprocess.DEVNULL).stderr.splitlines():
        if line.startswith("Ciphersuite"):
            assert re.search("ECDHE-ECDSA-(AES...-GCM|CHACHA20)", line), line
            break
    else:
        raise AssertionError("openssl s_client shook no hands")
    if shutil.which("curl"):
        p = subprocess.run(["curl", "-sS", "--cacert", f.at("tls.crt"),
                            "--resolve",
                            "localhost:%d:127.0.0.1" % u.port,
                            "https://localhost:%d/-/ready" % u.port], capture_output=True)
        assert p.stdout == b"uncored is ready\n", p
    # What is older, and what is no TLS, is refused and counted.
    bad = u.value(f.context(), "uncored_http_tls_handshake_failures_total")
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.set_ciphers("ALL:@SECLEVEL=0")
    warnings.simplefilter("ignore")
    old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    assert u.tried(old) is None
    with socket.create_connection(("127.0.0.1", u.port)) as s:
        s.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        assert b"uncore_" not in s.recv(65536)
    h.wait_for("both are counted", lambda: u.value(
        f.context(), "uncored_http_tls_handshake_failures_total") == bad + 2)
    assert u.stop() == 0


def top(url, *args):
    code, out, err = h.run(h.CTL, "top", "--batch", "-r", "1", "--url", url, *args)
    assert (code == 0) == ("socket=1" in out) and (code == 0) == (not err), (code, out, err)
    return code, err.replace(os.path.dirname(h.path("x")) + "/", "")


def test_uncorectl():
    f = Files("asking").own().own("ca").own("client").own("far", names="DNS:elsewhere")
    f.signed("client", "ca")
    path = h.path("beside")
    u = Server(CONF + f.conf(), "--listen", "unix:" + path)
    u.ready(f.context())
    trust = "--cacert", f.at("tls.crt")
    for host in "127.0.0.1", "localhost":
        assert top("https://%s:%d" % (host, u.port), *trust) == (0, "")
    assert top("unix:" + path) == (0, "")
    code, out, err = h.run(h.CTL, "stat", "--url", u.url, *trust, "--", "true")
    assert code == 0 and "wbox" in out + err, (code, out, err)
    for args, words in (
            ((), "use --cacert to name the authorities to trust"),
            (("--cacert", f.at("far.crt")), "use --cacert to name the authorities to trust"),
            (("--cacert", f.at("nowhere")), "nowhere cannot be read: No such file or directory"),
            (("--cacert", f.at("tls.key")), "use --cacert to name the authorities to trust"),
            ((*trust, "--key", f.at("client.key")), "--key needs --cert"),
            ((*trust, "--cert", f.at("client.crt"), "--key", f.at("tls.key")),
             "--cert and --key if the server asks")):
        code, err = top(u.url, *args)
        assert code == 69 and words in err, (args, code, err)
    code, err = top(u.url.replace("https", "http"))
    assert code == 69 and "answers with TLS, not with HTTP" in err, err
    code, err = top(u.url.replace("https", "http"), *trust)
    assert code == 69 and "need a URL that begins with https" in err, err
    u.reload(CONF + f.conf('client_auth_type = "RequireAndVerifyClientCert";',
                           'client_ca_file = "%s";' % f.at("ca.crt")))
    code, err = top(u.url, *trust)
    assert code == 69 and "--cert and --key if the server asks" in err, err
    assert top(u.url, *trust, "--cert", f.at("client.crt"), "--key", f.at("client.key")) == (0, "")
    with open(f.at("both.pem"), "w") as both:
        both.write(pem(f.at("client.crt")) + pem(f.at("client.key")))
    assert top(u.url, *trust, "--cert", f.at("both.pem")) == (0, "")
    assert u.stop() == 0
    u = Server(CONF + f.conf(name="far"))
    code, err = top(u.url, "--cacert", f.at("far.crt"))
    assert code == 69 and "name" in err, err
    assert u.stop() == 0
    u = h.Uncored("--engine", "model:nehalem-ex")
    code, err = top(u.url.replace("http", "https"))
    assert code == 69 and u.url.replace("http", "https") in err, err
    assert u.stop() == 0


def test_an_answer_that_is_cut():
    """Its length unknown, the connection ends: only the end of TLS says that this is all."""
    f = Files("cut").own()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f.at("tls.crt"), f.at("tls.key"))

    def serve(listener, properly):
        with contextlib.suppress(OSError):
            plain, _ = listener.accept()
            with plain, context.wrap_socket(plain, server_side=True) as s:
                s.recv(65536)
                s.sendall(b"HTTP/1.1 200 OK\r\n\r\n{}")
                if properly:
                    s.unwrap().close()
    for properly, words in ((True, "does not answer like an uncored that this uncorectl"),
                            (False, "closed the connection in the middle of its answer")):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            thread = threading.Thread(target=serve, args=(listener, properly))
            thread.start()
            code, err = top("https://127.0.0.1:%d" % listener.getsockname()[1], "--cacert",
                            f.at("tls.crt"))
            thread.join()
        assert code == 69 and words in err, (properly, code, err)


def test_versions_and_socket_file():
    f = Files("versions").own(kind="rsa")
    path = h.path("plain")
    u = h.Process([h.UNCORED, "-c", h.write("v.conf", CONF + f.conf('min_version = "TLS13";')),
                   *MODEL, "--listen", "unix:" + path], "versions")
    h.wait_for("it serves", lambda: u.text().count("serving") == 2)
    port = int(re.search(r"serving https://127.0.0.1:(\d+)/", u.text())[1])
    c = f.context()
    for version, good in (ssl.TLSVersion.TLSv1_2, False), (ssl.TLSVersion.TLSv1_3, True):
        c = f.context()
        c.minimum_version = c.maximum_version = version
        try:
            with urllib.request.urlopen("https://127.0.0.1:%d/-/healthy" % port, context=c) as r:
                assert good and r.status == 200
        except OSError:
            assert not good
    # Who may open the file may read: it is not encrypted.
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(path)
        s.sendall(b"GET /-/healthy HTTP/1.0\r\n\r\n")
        assert s.recv(100).startswith(b"HTTP/1.1 200"), "the socket file"
    assert u.stop() == 0


def test_clients_that_show_a_certificate():
    f = Files("mutual").own().own("ca").own("stranger")
    f.signed("client", "ca")
    f.signed("server", "ca", "serverAuth")
    u = Server(CONF + f.conf('client_auth_type = "RequireAndVerifyClientCert";',
                             'client_ca_file = "%s";' % f.at("ca.crt")))
    u.ready(f.context("client"))
    assert "uncored_up" in u.get(f.context("client"))
    for other in None, "stranger", "server":
        assert u.tried(f.context(other)) is None, other
    h.wait_for("they are counted", lambda: u.value(
        f.context("client"), "uncored_http_tls_handshake_failures_total") == 3)
    # A reload that lets everybody in, and one that does not any more: also who is connected.
    gone = "client_auth_type was removed: clients need no certificate any more"
    back = "client_auth_type was added: clients need a certificate now"
    u.reload(CONF + f.conf())
    h.wait_for("everybody may", lambda: u.tried(f.context()))
    assert (u.text().count(gone), u.text().count(back)) == (1, 0), u.text()
    u.reload(CONF + f.conf('min_version = "TLS13";'))
    assert "tls_server_config was" not in u.text() and u.text().count(gone) == 1, u.text()
    with f.context().wrap_socket(socket.create_connection(("127.0.0.1", u.port)),
                                 server_hostname="localhost") as s:
        healthy(s)
        u.reload(CONF + f.conf('client_auth_type = "RequireAndVerifyClientCert";',
                               'client_ca_file = "%s";' % f.at("ca.crt")))
        try:
            s.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert s.recv(65536) == b""
        except OSError:
            pass
    u.ready(f.context("client"))
    assert u.tried(f.context()) is None
    assert (u.text().count(gone), u.text().count(back)) == (1, 1), u.text()
    assert "the http process ended" not in u.text(), u.text()
    assert u.stop() == 0


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


def answer_to(context, port, request):
    with socket.create_connection(("127.0.0.1", port), timeout=10) as plain:
        with context.wrap_socket(plain, server_hostname="localhost",
                                 suppress_ragged_eofs=False) as s:
            s.sendall(request)
            answer = b""
            while part := s.recv(65536):
                answer += part
            return answer.decode()


def test_a_head_that_fills_its_memory():
    """The answer that goes past libmicrohttpd is encrypted, too, and its end is one of TLS."""
    f = Files("full").own()
    s = Server(CONF + f.conf())
    s.ready(f.context())
    too_large = 'uncored_http_requests_total{code="431",path="other"}'
    before = s.value(f.context(), too_large)
    codes = []
    for line, sizes in (b"X: ", range(11800, 12400, 20)), (b"Cookie: a=", range(5600, 6400, 20)):
        for n in sizes:
            request = (b"GET /-/healthy HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                       line + b"y" * n + b"\r\n\r\n")
            answer = answer_to(f.context(), s.port, request)
            assert answer.count("HTTP/1.1 ") == 1, (line, n, answer)
            codes.append(answer[9:12])
        assert set(codes) == {"200", "431"} and codes[-1] == "431", codes
    assert s.value(f.context(), too_large) - before == codes.count("431"), codes
    assert s.value(f.context(), "uncored_http_connections_refused_total") == 0
    s.stop()


def test_behind_the_walls():
    """Certificate and key are bytes from outside: whoever parses them, to check or to use them,
    has given up files and sockets before; of root, with the user."""
    f = Files("walls").own()
    u = Server(CONF + f.conf(), env=h.preloaded("parsing"))
    u.ready(f.context())
    u.reload(CONF + f.conf())

    def said():
        return [line for line in u.text().splitlines() if "parsing: " in line]
    h.wait_for("all three say so", lambda: len(said()) == 3)
    assert set(said()) == {
        "uncored: uncored-http: parsing: a file is refused, a socket is refused"}, u.text()
    assert u.stop() == 0


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
    """A pair that is still being written is left alone until it is complete; one that came with the
    times of the old one (cp -p) is noticed all the same."""
    f = Files("slow").own().own("next").own("third")
    u = Server(CONF + f.conf())
    u.ready(f.context())
    for name in "crt", "key":
        with open(f.at("tls." + name), "w") as out:
            for line in pem(f.at("next." + name)).splitlines(True):
                out.write(line)
                out.flush()
                time.sleep(0.2)
    h.wait_for("the next one", lambda: u.shows(f.at("next.crt")))
    assert "refused" not in u.text(), u.text()
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
    held = []
    for fd in os.listdir("/proc/%d/fd" % u.pid):
        with contextlib.suppress(FileNotFoundError):
            if "memfd:uncored-tls" in os.readlink("/proc/%d/fd/%s" % (u.pid, fd)):
                held.append("/proc/%d/fd/%s" % (u.pid, fd))
    assert len(held) == 1, held
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


def test_prometheus():
    """TLS and client certificates, by the names that Prometheus has for them."""
    if not shutil.which("prometheus"):
        h.skip("prometheus is not installed")
    f = Files("prometheus").own().own("ca")
    f.signed("client", "ca")
    open_one = Server(CONF + f.conf())
    closed = Server(CONF + f.conf('client_auth_type = "RequireAndVerifyClientCert";',
                                  'client_ca_file = "%s";' % f.at("ca.crt")))
    jobs = {"tls": (open_one, ""), "mtls": (closed, "cert_file: %s, key_file: %s"
                                            % (f.at("client.crt"), f.at("client.key"))),
            "refused": (closed, "")}
    config = "global: { scrape_interval: 200ms, scrape_timeout: 200ms }\nscrape_configs:\n"
    for job, (u, more) in jobs.items():
        config += ("- job_name: %s\n  scheme: https\n  tls_config: { ca_file: %s, server_name: "
                   "localhost%s }\n  static_configs: [ { targets: ['%s'] } ]\n"
                   % (job, f.at("tls.crt"), ", " + more if more else "", u.url.split("//")[1]))
    base = h.prometheus(h.write("prometheus.yml", config))

    def up():
        answer = json.loads(h.fetch(base + "/api/v1/query?" + urllib.parse.urlencode(
            {"query": "sum by (job) (up)"}))[2])
        return {r["metric"]["job"]: r["value"][1] for r in answer["data"]["result"]}
    h.wait_for("scrapes", lambda: up() == {"tls": "1", "mtls": "1", "refused": "0"}, 40)
    assert open_one.stop() == 0 and closed.stop() == 0


def storm(u, context, seconds, number):
    """Threads that only shake hands; how often they did."""
    done, until = [0] * number, time.monotonic() + seconds

    def one(i):
        while time.monotonic() < until:
            try:
                with socket.create_connection(("127.0.0.1", u.port), 10) as s, \
                        context.wrap_socket(s, server_hostname="localhost"):
                    done[i] += 1
            except OSError:
                pass
    threads = [threading.Thread(target=one, args=[i]) for i in range(number)]
    for t in threads:
        t.start()
    return threads, done


def p99(u, context):
    """The bucket that has the 99th percentile of the lateness of ticks: its number and bound."""
    text = u.get(context)
    rows = re.findall(r'uncored_tick_lateness_seconds_bucket\{socket="0",le="([^"]+)"\} (\d+)',
                      text)
    return next((i, le) for i, (le, n) in enumerate(rows) if int(n) >= 0.99 * int(rows[-1][1]))


def test_fifty_that_only_shake_hands():
    """Figures, beside an undisturbed twin. The bounds are those that any machine keeps; in the long
    run, on a machine that does nothing else, those that are promised."""
    for kind in KINDS:
        f = Files("storm-" + kind).own(kind=kind)
        twin, u = Server(CONF + f.conf()), Server(CONF + f.conf())
        c = f.context()
        twin.ready(c)
        u.ready(c)
        long = os.environ.get("UNCORED_TEST_LONG")
        seconds = 30 if long else 3
        threads, done = storm(u, c, seconds, 50)
        slowest = 0
        while any(t.is_alive() for t in threads):
            began = time.monotonic()
            u.get(c)
            slowest = max(slowest, time.monotonic() - began)
            time.sleep(0.1)
        late, calm = p99(u, c), p99(twin, c)
        print("%s: %d handshakes a second; slowest scrape beside them %.3f s; p99 of lateness up "
              "to %s s, of the twin %s s" % (kind, sum(done) / seconds, slowest, late[1], calm[1]))
        assert sum(done) > 50 and slowest < (1 if long else 10), slowest
        assert not long or late[0] <= calm[0] + 1, (late, calm)
        assert u.value(c, 'uncored_ticks_missed_total{socket="0"}') < 20
        assert u.stop() == 0 and twin.stop() == 0


h.main(sys.modules[__name__])
