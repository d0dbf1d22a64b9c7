# SPDX-License-Identifier: MIT
"""serving.py - what the http process counts of itself, and who may read it through a socket
file."""
import contextlib
import http.client
import os
import random
import re
import signal
import socket
import stat
import string
import subprocess
import sys

import harness as h

CONF = """
interval = "200ms";
groups = ( { name = "memory"; events = [ "bbox/IMT_INSERTS_ALL", "wbox/CLOCKTICKS" ]; } );
"""
MODEL = ["--engine", "model:nehalem-ex"]


def raw(u, request):
    """Status of a request that no library would send."""
    with socket.create_connection(("127.0.0.1", int(u.url.rsplit(":", 1)[1])), h.PATIENCE) as s:
        s.sendall(request)
        return int(s.recv(65536).split()[1])


def answers(metrics):
    """{(code, path): number}"""
    return {(int(m[1]), m[2]): int(v) for k, v in metrics.items() for m in
            [re.fullmatch(r'uncored_http_requests_total\{code="(\d+)",path="(\w+)"\}', k)] if m}


def later(u, series, least):
    """All metrics, once this one has reached a number."""
    return h.wait_for("%s reaches %d" % (series, least), lambda: next(
        (m for m in [u.metrics()] if float(m[series]) >= least), None))


def test_requests_by_code_and_path():
    u = h.Uncored("-c", h.write("count.conf", CONF), *MODEL)
    # the harness has asked whether it is ready
    before = answers(later(u, 'uncored_http_requests_total{code="200",path="health"}', 1))
    asked = {(200, "page"): "/", (200, "api"): "/api/v1/status", (200, "health"): "/-/healthy",
             (400, "metrics"): "/metrics?name[]=none", (404, "other"): "/nothing"}
    for (code, _), path in asked.items():
        for _ in range(3):
            assert u.get(path)[0] == code, path
    assert u.get("/api/v1/catalog")[0] == 200
    for method in "POST", "DELETE", "FOO":
        assert u.get("/metrics", method=method)[0] == 405
    for _ in range(3):
        assert u.get("/metrics", {"Host": "attacker.example"})[0] == 403
        assert raw(u, b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n") == 400
        # of one unknown coding, libmicrohttpd 1.0 says itself that it is bad; it is not counted
        assert raw(u, b"GET / HTTP/1.1\r\nHost: localhost\r\n" +
                   2 * b"Transfer-Encoding: chunked\r\n" + b"\r\n0\r\n\r\n") == 501
    after = answers(later(u, 'uncored_http_requests_total{code="501",path="other"}', 3))
    risen = {k: after[k] - before[k] for k in after if after[k] != before[k]}
    metrics = risen.pop((200, "metrics"))
    assert metrics >= 1
    assert risen == {(200, "page"): 3, (200, "api"): 4, (200, "health"): 3, (400, "metrics"): 3,
                     (404, "other"): 3, (405, "other"): 3, (403, "other"): 3, (400, "other"): 3,
                     (501, "other"): 3}, risen
    own = [k for k in u.metrics() if k.startswith("uncored_http_")]
    assert len(own) <= 40 and after.keys() == before.keys(), own
    assert u.stop() == 0


def series(u):
    return {k for k in u.metrics() if not k.startswith("uncored_slot_invalid")}


def rss(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", h.read("/proc/%d/status" % pid))[1])


def test_any_methods_and_paths():
    """No two requests alike, on connections that stay open as long as they may; in the long run a
    million of them. None leaves a series or memory."""
    u = h.Uncored("-c", h.write("any.conf", CONF), *MODEL)
    later(u, 'uncored_http_requests_total{code="200",path="health"}', 1)
    before, number = series(u), 1000000 if os.environ.get("UNCORED_TEST_LONG") else 20000
    chance, port, codes = random.Random(51), int(u.url.rsplit(":", 1)[1]), {}
    letters = string.ascii_letters + string.digits + "-._~!$&'()*+,;=:@%2F/?[]"
    done = memory = 0
    while done < number:
        with socket.create_connection(("127.0.0.1", port), h.PATIENCE) as s, s.makefile("rb") as f:
            for _ in range(50):
                any_name = chance.choices(string.ascii_uppercase, k=chance.randint(1, 20))
                method = chance.choice(["".join(any_name), "".join(any_name), "GET", "HEAD"])
                path = chance.choice(["".join(chance.choices(letters, k=chance.randint(0, 60))),
                                      "metrics", "api/v1/status"])
                s.sendall(("%s /%s HTTP/1.1\r\nHost: localhost\r\n\r\n" % (method, path)).encode())
                done += 1
                code = int(f.readline().split()[1])
                codes[code] = codes.get(code, 0) + 1
                lines = (line.decode().strip() for line in iter(f.readline, b"\r\n"))
                fields = {k.lower(): v for k, _, v in (line.partition(": ") for line in lines)}
                if method != "HEAD":
                    f.read(int(fields["content-length"]))
                if fields.get("connection") == "close":
                    break
        if done < number / 2:
            memory = rss(u.child())
    assert codes[404] > number / 5 and codes[405] > number / 8, codes
    assert not codes.keys() - {200, 400, 404, 405}, codes
    # a gauge has no value for an interval in which a loaded machine did not sample
    h.wait_for("the same series", lambda: series(u) == before)
    print("%d requests, by code %s; resident %d kB after half of them, %d kB at the end" %
          (done, codes, memory, rss(u.child())))
    # a sanitizer keeps what was freed
    assert h.SANITIZED or rss(u.child()) < memory + 500, (memory, rss(u.child()))
    assert u.stop() == 0


def lateness(u):
    """The upper bound of the bucket with the 99th percentile, in seconds, and how many ticks."""
    got = u.metrics()
    name = 'uncored_tick_lateness_seconds_bucket{socket="0",le="'
    rows = [(k[len(name):-2], int(v)) for k, v in got.items() if k.startswith(name)]
    return next(float(le) for le, n in rows if n >= 0.99 * rows[-1][1]), rows[-1][1]


def test_many_scrapes_leave_the_cadence_alone():
    """A thousand scrapes a second, or as many as there is time for, beside a twin that nobody
    asks: the samplers' threads are scheduled before those who serve."""
    conf = h.write("cadence.conf", CONF + 'resolution = "10ms";\n')
    u, twin = (h.Uncored("-c", conf, *MODEL) for _ in range(2))
    seconds = 120 if os.environ.get("UNCORED_TEST_LONG") else 4
    code, out, err = h.run(os.path.join(h.BUILD, "tests/bench/load"), u.url.rsplit(":", 1)[1],
                           "/metrics", "20", str(seconds), "1000", "-1", timeout=seconds + 60)
    assert not code, err
    scrapes, errors = int(float(out.split()[0])), int(float(out.split()[3]))
    (late, ticks), (calm, beside) = lateness(u), lateness(twin)
    missed = [v.value('uncored_ticks_missed_total{socket="0"}') for v in (u, twin)]
    print("%d scrapes in %d s; p99 of lateness up to %g s in %d ticks, %g missed; of the twin "
          "%g s in %d, %g" % (scrapes, seconds, late, ticks, missed[0], calm, beside, missed[1]))
    assert scrapes > 50 * seconds and not errors, out
    assert ticks > 50 * seconds and beside > 50 * seconds
    # in the long run, on a machine that does nothing else, what is promised: one bucket at most
    assert late <= (2.5 * calm if seconds > 4 else max(10 * calm, 0.1)), (late, calm)
    assert missed[0] <= missed[1] + 0.05 * ticks, missed
    assert u.stop() == 0 and twin.stop() == 0


def test_a_flood_from_another_address():
    """8,000 connections a second, silent or each with a part of a request, and the scraper at
    another address loses none of 60 scrapes: each is answered within the 10 s that Prometheus
    waits by default. How long they take is in the price list."""
    for text in "", "GET /metrics HT":
        u = h.Uncored("-c", h.write("flood.conf", CONF), *MODEL)
        port = int(u.url.rsplit(":", 1)[1])
        took = h.scrapes_under_flood(port, 60, 0.05, text, patience=10)
        assert None not in took, (text, took)
        m = u.metrics()
        assert float(m["uncored_http_connections_refused_total"]) > 10000, m
        assert u.text().count("http process") == 0, u.text()
        assert u.stop() == 0


def test_bytes_connections_and_rendering():
    u = h.Uncored("-c", h.write("bytes.conf", CONF), *MODEL)
    before = u.value("uncored_http_sent_bytes_total")
    n = sum(len(u.get("/api/v1/catalog")[2]) for _ in range(4))
    assert n > 100000, n
    got = later(u, "uncored_http_sent_bytes_total", before + n)
    assert float(got["uncored_http_sent_bytes_total"]) < before + n + 100 * len(u.get("/")[2])
    assert 0 < float(got["uncored_http_render_duration_seconds"]) < 1
    port = int(u.url.rsplit(":", 1)[1])
    idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(5)]
    assert float(later(u, "uncored_http_connections", 6)["uncored_http_connections"]) <= 7
    assert u.value("uncored_http_deadlines_total") == 0
    # A request has ten seconds from its first byte to its last.
    got = later(u, "uncored_http_deadlines_total", 5)
    assert got["uncored_http_deadlines_total"] == "5"
    for s in idle:
        s.close()
    h.wait_for("they are gone", lambda: u.value("uncored_http_connections") < 3)
    assert u.value("uncored_http_connections_refused_total") == 0
    assert u.stop() == 0


def test_bodies_are_shared_all_the_same():
    """A count of each request must not make each body anew: two scrapes of one sample are equal."""
    u = h.Uncored("-c", h.write("shared.conf", CONF.replace("200ms", "5s")), *MODEL)
    same = 0
    for _ in range(10):
        same += u.get("/metrics")[2] == u.get("/metrics")[2]
    assert same >= 7, same          # the daemon publishes once a second
    assert u.stop() == 0


def over_file(path, what, host="localhost"):
    """Status and body of a request through a socket file."""
    with contextlib.closing(http.client.HTTPConnection(host, timeout=h.PATIENCE)) as c:
        c.sock = socket.socket(socket.AF_UNIX)
        c.sock.settimeout(h.PATIENCE)
        c.sock.connect(path)
        c.request("GET", what)
        r = c.getresponse()
        return r.status, r.read()


def test_socket_file():
    path = h.path("http")
    conf = CONF + 'listen = [ "unix:%s", "127.0.0.1:0" ];\nlisten_socket = { mode = "0600"; };\n'
    c = h.write("file.conf", conf % path)
    argv = [h.UNCORED, "-c", c, *MODEL]
    u = h.Process(argv, "file")
    h.wait_for("it serves", lambda: u.text().count("serving") == 2 or not u.running())
    assert "serving unix:%s\n" % path in u.text() and "serving http://127" in u.text(), u.text()
    h.wait_for("it is ready", lambda: over_file(path, "/-/ready")[0] == 200)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    # Who can open the file may read, whatever name it gives: no web page can.
    status, body = over_file(path, "/metrics", "attacker.example")
    assert status == 200 and b"uncore_wbox_clockticks_total" in body
    try:
        p = subprocess.run(["curl", "-s", "--unix-socket", path, "http://localhost/-/ready"],
                           capture_output=True, text=True)
        assert p.stdout == "uncored is ready\n", p
    except FileNotFoundError:
        pass
    # A client that closes its side at once (nc -N) is answered and gone; one that says nothing
    # ends by the deadline.
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(h.PATIENCE)
        s.connect(path)
        s.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n")
        s.shutdown(socket.SHUT_WR)
        got = b""
        while more := s.recv(4096):
            got += more
        assert b"alive" in got, got
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(h.PATIENCE)
        s.connect(path)
        assert s.recv(1) == b""
    # A second one does not take it away; the next one after a crash does.
    code, _, err = h.run(*argv)
    assert code == 75 and "another program is listening there" in err, (code, err)
    h.write("file.conf", conf.replace("0600", "0660") % path)
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("the reload", lambda: "read again" in u.text())
    assert "file.conf:5: a change of `listen_socket` needs a restart" in u.text(), u.text()
    u.stop(signal.SIGKILL)
    assert os.path.exists(path)
    u = h.Process(argv, "file2")
    u.serving()
    h.wait_for("it is ready", lambda: over_file(path, "/-/ready")[0] == 200)
    assert u.stop() == 0 and not os.path.exists(path)


def test_names_that_nobody_has():
    """Owner and group, both at once and with what is wrong elsewhere: in a check, at a start and in
    a reload, which changes nothing."""
    good = CONF + 'listen_socket = { mode = "0600"; };\n'
    names = CONF + 'listen_socket = {\nowner = "nouser";\ngroup = "nogrp"; };\n'
    c = h.write("names.conf", names)
    where = len(CONF.splitlines()) + 2
    want = ['names.conf:%d: listen_socket: "nouser" is not in /etc/passwd' % where,
            'names.conf:%d: listen_socket: "nogrp" is not in /etc/group' % (where + 1)]
    argv = [h.UNCORED, "-c", c, *MODEL, "--listen", "127.0.0.1:0"]
    for more in [], ["--check-config"]:
        code, _, err = h.run(*argv, *more)
        assert code == 78 and all(w in err for w in want), (code, err)
        assert len(err.splitlines()) == 2, err
    # Who only counts once makes no socket file.
    code, _, err = h.run(h.UNCORED, "--once", "-c", c, *MODEL)
    assert code == 0 and "nouser" not in err, (code, err)
    h.write("names.conf", names.replace("wbox/CLOCKTICKS", "nobox/E"))
    code, _, err = h.run(*argv, "--check-config")
    assert code == 78 and all(w in err for w in want) and "nobox" in err, (code, err)
    h.write("names.conf", good)
    u = h.Uncored("-c", c, *MODEL)
    for text, more in (names, "nouser"), (names.replace("wbox/CLOCKTICKS", "nobox/E"), "nobox"):
        h.write("names.conf", text)
        before = len(u.text())
        u.p.send_signal(signal.SIGHUP)
        h.wait_for("it is refused", lambda: "reload failed" in u.text()[before:])
        said = u.text()[before:]
        assert all(said.count(w) == 1 for w in want) and said.count(more) == 1, said
    assert u.get("/-/ready")[0] == 200 and u.stop() == 0


def test_a_socket_file_without_its_directory():
    """Trying again creates none: a start names the line and ends with 78. A check only tells: it
    does not know what is made before the start, and says nothing of what systemd makes then."""
    path = h.path("nowhere/http")
    c = h.write("nowhere.conf", CONF + 'listen = [ "127.0.0.1:0", "unix:%s" ];\n' % path)
    line = "nowhere.conf:%d: " % (len(CONF.splitlines()) + 1)
    missing = "listen on unix:%s: its directory does not exist; create it first" % path
    code, _, err = h.run(h.UNCORED, "-c", c, *MODEL)
    assert code == 78 and line + "cannot " + missing in err, (code, err)
    code, _, err = h.run(h.UNCORED, *MODEL, "--listen", "unix:" + path)
    assert code == 78 and "uncored: cannot " + missing in err, (code, err)
    code, out, err = h.run(h.UNCORED, "--check-config", "-c", c, *MODEL)
    assert code == 0 and out and line + "listen: the directory of unix:%s does not exist" % path \
        in err, (code, out, err)
    for text in "unix:/run/uncored-absent/http", "unix:/http", "unix:" + h.path("http"):
        code, _, err = h.run(h.UNCORED, "--check-config", "-c", h.write(
            "other.conf", CONF + 'listen = [ "%s" ];\n' % text), *MODEL)
        assert code == 0 and err == "", (text, err)
    for more in ["--check-config", "--listen", "127.0.0.1:0"], ["--once"]:
        code, _, err = h.run(h.UNCORED, "-c", c, *MODEL, *more)
        assert code == 0 and "nowhere" not in err, (more, code, err)


def test_a_listener_that_leaves_a_socket_file():
    """Nothing is sent for a minute, so that only a look at the connection can tell."""
    path = h.path("http")
    u = h.Uncored("--listen", "unix:" + path, "-c",
                  h.write("leave.conf", CONF.replace("200ms", "60s")), *MODEL)
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    s.sendall(b"GET /api/v1/stream HTTP/1.1\r\nHost: x\r\n\r\n")
    h.wait_for("it listens", lambda: u.value("uncored_stream_listeners") == 1)
    s.close()
    h.wait_for("it is missed", lambda: u.value("uncored_stream_listeners") == 0)
    assert u.stop() == 0


h.main(sys.modules[__name__])
