# SPDX-License-Identifier: MIT
"""tls.py - scrapes over TLS by clients of others: curl, openssl, python's ssl, Prometheus."""
import contextlib
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse
import warnings

import harness as h
from tls_server import CONF, KINDS, MODEL, Files, Server, pem


def healthy(s):
    """A request on a connection that stays."""
    s.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n")
    got = b""
    while b"alive\n" not in got:
        more = s.recv(65536)
        assert more, got
        got += more


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

    def serve(listener, answer, properly):
        with contextlib.suppress(OSError):
            plain, _ = listener.accept()
            with plain, context.wrap_socket(plain, server_side=True) as s:
                s.recv(65536)
                s.sendall(answer)
                if properly:
                    s.unwrap().close()
    whole = b"HTTP/1.1 200 OK\r\n\r\n{}"
    for answer, properly, words in (
            (whole, True, "does not answer like an uncored that this uncorectl"),
            (whole, False, "closed the connection in the middle of its answer"),
            (whole[:9], False, "closed the connection; try again, with --cert and --key if")):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            thread = threading.Thread(target=serve, args=(listener, answer, properly))
            thread.start()
            code, err = top("https://127.0.0.1:%d" % listener.getsockname()[1], "--cacert",
                            f.at("tls.crt"))
            thread.join()
        assert code == 69 and words in err and "cacert" not in err, (answer, properly, code, err)


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
    # a server that closes, or says so first: whichever comes before the question is sent
    for _ in range(10):
        code, err = top(u.url, "--cacert", f.at("tls.crt"))
        assert code == 69 and " function" not in err, err
        assert "--cert and --key if the server asks" in err, err
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
    h.wait_for("as many are counted: %s" % codes, lambda: s.value(
        f.context(), too_large) - before == codes.count("431"))
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
