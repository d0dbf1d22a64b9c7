"""verify.py - uncorectl verify against the register model, which counts what verify moves.

The whole path is real: the load, the model's counters, the daemon, its snapshot. A server in
between spoils the snapshot as a miscount would, and verify has to name it. Nothing here depends on
how fast this machine is: only on how many of the bytes that were moved were counted.
"""
import http.server
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import harness as h
import schema

CONF = """interval = "100ms";
groups = ( { name = "reads"; metrics = [ "memory_read_bytes_total" ]; } );
"""
READ = "uncore_memory_read_bytes_total"
TRAFFIC = "UNCORED_VERIFY_TRAFFIC"
PATIENCE = 120


def tree():
    """A machine of two sockets with a CPU and a node each; caches of 1 MB keep the load small."""
    root = h.path("two")
    files = {"devices/system/cpu/online": "0-1", "devices/system/cpu/present": "0-1",
             "devices/system/cpu/possible": "0-1", "cpuinfo": "vendor_id\t: GenuineIntel\n"
             "cpu family\t: 6\nmodel\t\t: 46\nmodel name\t: made up\nstepping\t: 6\n"}
    for n in range(2):
        cpu = "devices/system/cpu/cpu%d/" % n
        files.update({cpu + "topology/physical_package_id": str(n), cpu + "topology/core_id": "0",
                      cpu + "topology/thread_siblings_list": str(n), cpu + "online": "1",
                      cpu + "cache/index0/size": "1024K",
                      "devices/system/node/node%d/cpulist" % n: str(n)})
    for name, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        with open(os.path.join(root, name), "w") as f:
            f.write(text + "\n")
    return ["--path-sysfs", root, "--path-procfs", root]


def between(u, spoil):
    """A server that hands on the snapshot of u after spoil(values), {socket: [value of a unit]}."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            j = json.loads(h.fetch(u.url + self.path)[2])
            for family in j["metrics"]:
                if family["name"] == READ:
                    values = {}
                    for s in family["series"]:
                        values.setdefault(s["labels"]["socket"], []).append(int(s["value"]))
                    spoil(values)
                    for s in family["series"]:
                        s["value"] = values[s["labels"]["socket"]].pop(0)
            body = json.dumps(j).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return "http://127.0.0.1:%d" % server.server_port


def stranger(answer):
    """A server that gives one answer to whatever is asked."""
    s = socket.create_server(("127.0.0.1", 0))

    def serve():
        c, _ = s.accept()
        c.recv(4096)
        c.sendall(answer)
        c.close()
        s.close()
    threading.Thread(target=serve, daemon=True).start()
    return "http://127.0.0.1:%d" % s.getsockname()[1]


def half(values):
    for units in values.values():
        units[:] = [v // 2 for v in units]


def exchanged(values):
    values["0"], values["1"] = values["1"], values["0"]


def three_copies(values):
    for units in values.values():
        units[:] = [3 * v for v in units]


def stuck():
    first = {}

    def spoil(values):
        for number, units in values.items():
            units[:] = first.setdefault(number, list(units))
    return spoil


def started():
    env = {TRAFFIC: h.path("traffic")}
    return h.Uncored("-c", h.write("verify.conf", CONF), "--engine", "model:nehalem-ex:verify",
                     "--path-run", h.path("run"), env=env), env


def test_miscounts_are_named():
    u, env = started()
    options = tree()
    h.wait_for("counts", lambda: READ in u.get("/metrics")[2].decode())
    cases = [("right", lambda values: None, 0), ("half", half, 1), ("sockets", exchanged, 1),
             ("copies", three_copies, 1), ("stuck", stuck(), 1)]
    for cause, spoil, code in cases:
        r = subprocess.run([h.CTL, "verify", "--quick", "--json", "--url", between(u, spoil),
                            *options], env=dict(os.environ, **env), capture_output=True,
                           text=True, timeout=PATIENCE)
        assert r.returncode == code, (cause, r)
        j = json.loads(r.stdout)
        schema.accept(schema.validator("verify"), j, cause)
        assert [c["socket"] for c in j["compared"]] == [0, 1] and j["simulated"]
        for c in j["compared"]:
            print(cause, c)
            assert cause in c["causes"], (cause, c)
            assert c["metric"] == "memory_read_bytes_total"
    assert u.stop() == 0


def test_a_sentence_and_what_was_read():
    u, env = started()
    h.wait_for("counts", lambda: READ in u.get("/metrics")[2].decode())
    r = subprocess.run([h.CTL, "verify", "--quick", "--url", u.url, *tree()],
                       env=dict(os.environ, **env), capture_output=True, text=True,
                       timeout=PATIENCE)
    assert r.returncode == 0, r
    assert "memory_read_bytes_total on socket 0: 1.0" in r.stdout or "0.99" in r.stdout, r
    assert r.stdout.count("of what was read: right") == 2, r
    assert "the load itself: " in r.stdout and "SIMULATED" in r.stdout
    assert u.stop() == 0


def test_nothing_to_compare():
    """Without the metric: its own figures, quickly, and 69. Interrupted: it ends by the signal."""
    conf = CONF.replace('metrics = [ "memory_read_bytes_total" ]', 'events = [ "wbox/CLOCKTICKS" ]')
    u = h.Uncored("-c", h.write("none.conf", conf), "--engine", "model:nehalem-ex", "--path-run",
                  h.path("run"))
    code, out, err = h.run(h.CTL, "verify", "--quick", "--url", u.url, *tree())
    assert code == 69 and "nothing was compared" in out and "latency" in out, (code, out, err)
    p = h.Process([h.CTL, "verify", "--url", u.url, *tree()], "interrupted")
    h.wait_for("it works", lambda: "windows" in p.text())
    time.sleep(0.2)
    assert p.stop(signal.SIGINT) == -signal.SIGINT
    assert u.stop() == 0


def test_no_uncored():
    code, out, err = h.run(h.CTL, "verify", "--url", "http://127.0.0.1:1")
    assert code == 69 and "cannot be reached" in err and "start uncored" in err
    code, out, err = h.run(h.CTL, "verify", "--url", "ftp://x")
    assert code == 69 and "is no URL" in err
    for answer in b"", b"SSH-2.0\r\n", b"HTTP/1.0 404 No\r\n\r\n", b"HTTP/1.0 200 OK\r\n\r\n[]":
        code, out, err = h.run(h.CTL, "verify", "--url", stranger(answer))
        assert code == 69 and "name uncored's address with --url" in err, (answer, err)
    code, out, err = h.run(h.CTL, "plan", "--quick")
    assert code == 64 and "--quick is an option of verify" in err


h.main(sys.modules[__name__])
