# SPDX-License-Identifier: MIT
"""hosts.py - whom requests may be for: a web site whose name leads to this machine gets nothing, a
scrape by a name of this machine all."""
import fcntl
import os
import signal
import socket
import struct
import subprocess
import sys

import harness as h

CONF = """
interval = "200ms";
groups = ( { name = "memory"; events = [ "bbox/IMT_INSERTS_ALL", "wbox/CLOCKTICKS" ]; } );
"""
MODEL = ["--engine", "model:nehalem-ex"]
PATHS = ["/metrics", "/", "/api/v1/status", "/api/v1/snapshot", "/api/v1/catalog", "/api/v1/stream",
         "/-/ready", "/-/healthy", "/nothing"]


def ask(url, host, path="/metrics"):
    """Status of a request whose Host is this, and what comes at once behind it."""
    address, port = url.split("//")[1].rsplit(":", 1)
    with socket.create_connection((address.strip("[]"), int(port)), h.PATIENCE) as s:
        s.sendall(b"GET %s HTTP/1.0\r\n%s\r\n"
                  % (path.encode(), b"" if host is None else b"Host: %s\r\n" % host.encode()))
        got = s.recv(65536)
    return int(got.split()[1]), got


def reload(u, conf, text):
    h.write(conf, text)
    before = u.text().count("read again")
    u.p.send_signal(signal.SIGHUP)
    h.wait_for("the reload", lambda: u.text().count("read again") > before)


def test_a_web_site_that_leads_to_loopback():
    u = h.Uncored("-c", h.write("rebind.conf", CONF), *MODEL)
    for path in PATHS:
        status, got = ask(u.url, "attacker.example:" + u.url.rsplit(":", 1)[1], path)
        assert status == 403 and b"`hosts` in uncored.conf" in got, (path, got[:300])
        assert b"uncore_" not in got, (path, got[:300])
    for host in "127.0.0.1", "[::1]:10062", "192.0.2.7", "localhost", "LOCALHOST.:1", \
            os.uname().nodename, None:
        assert ask(u.url, host)[0] == 200, host
    assert u.stop() == 0


def test_every_address_and_ipv4_in_ipv6():
    """":PORT" accepts IPv4 through an IPv6 socket, where 127.0.0.1 is ::ffff:127.0.0.1."""
    port = h.free_port()
    p = h.Process([h.UNCORED, "--listen", ":%d" % port, "-c", h.write("any.conf", CONF), *MODEL],
                  "any")
    p.serving()
    for address in "127.0.0.1", "127.0.0.2", "[::1]":
        url = "http://%s:%d" % (address, port)
        try:
            assert ask(url, "attacker.example")[0] == 403, address
        except OSError:
            assert address == "[::1]"           # a machine without IPv6
        else:
            assert ask(url, "localhost")[0] == 200, address
    assert p.stop() == 0


def test_names_that_are_configured():
    c = h.write("names.conf", CONF)
    u = h.Uncored("-c", c, *MODEL)
    assert ask(u.url, "counters.example.org")[0] == 403
    reload(u, "names.conf", CONF + 'hosts = [ "other.example", "counters.example.org" ];\n')
    assert ask(u.url, "Counters.Example.ORG.:10062")[0] == 200
    assert ask(u.url, "attacker.example")[0] == 403
    os.kill(u.child(), signal.SIGKILL)          # the next one knows them, too
    h.wait_for("another child", lambda: u.get("/-/ready")[0] == 200)
    assert ask(u.url, "counters.example.org")[0] == 200
    reload(u, "names.conf", CONF)
    assert ask(u.url, "counters.example.org")[0] == 403
    assert u.stop() == 0
    code, _, err = h.run(h.UNCORED, "--check-config", "-c",
                         h.write("wrong.conf", CONF + 'hosts = [ "box:10062" ];\n'), *MODEL)
    assert code == 78 and 'wrong.conf:4: hosts: "box:10062" is not a host name' in err, (code, err)


# ---- in a network namespace of its own: 192.0.2.7 (RFC 5737) is its other address, and /etc/hosts
# says counters.example.org to that

ADDRESS, NAME = "192.0.2.7", "counters.example.org"


def interface(request, name, family_or_flags, address=b""):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        fcntl.ioctl(s, request, struct.pack("16sH2s4s8x", name, family_or_flags, b"", address))


def inside():
    interface(0x8914, b"lo", 1)                                             # SIOCSIFFLAGS, IFF_UP
    interface(0x8916, b"lo:1", socket.AF_INET, socket.inet_aton(ADDRESS))       # SIOCSIFADDR
    hosts = h.write("hosts", "127.0.0.1 localhost\n%s %s\n" % (ADDRESS, NAME))
    subprocess.run(["mount", "--bind", hosts, "/etc/hosts"], check=True)
    port = 10062
    c = h.write("inside.conf", CONF)
    u = h.Process([h.UNCORED, "--listen", ":%d" % port, "-c", c, *MODEL], "inside")
    u.serving()
    by_name, by_loopback = "http://%s:%d/metrics" % (NAME, port), "http://127.0.0.1:%d" % port

    def scrape():
        return h.fetch(by_name)
    h.wait_for("it is ready", lambda: scrape()[0] == 200 and
               b"uncore_wbox_clockticks_total" in scrape()[2])
    assert ask("http://%s:%d" % (ADDRESS, port), "whatever.example")[0] == 200
    assert ask(by_loopback, NAME)[0] == ask(by_loopback, "attacker.example")[0] == 403
    # With `hosts`, every address is looked at.
    reload(u, "inside.conf", CONF + 'hosts = [ "other.example" ];\n')
    assert scrape()[0] == 403 and ask("http://%s:%d" % (ADDRESS, port), ADDRESS)[0] == 200
    assert ask("http://%s:%d" % (ADDRESS, port), None)[0] == 200
    reload(u, "inside.conf", CONF + 'hosts = [ "%s" ];\n' % NAME)
    assert scrape()[0] == 200 and ask(by_loopback, NAME)[0] == 200
    assert ask(by_loopback, "attacker.example")[0] == 403
    assert u.stop() == 0


def test_a_scrape_by_name_from_elsewhere():
    """Namespaces of the user's own would do for root, too, but nobody else exists there whom the
    http process could become."""
    unshare = ["unshare", "--net", "--mount",
               *([] if os.getuid() == 0 else ["--map-current-user", "--keep-caps"])]
    try:
        tried = h.run(*unshare, "true")
    except OSError as e:
        h.skip("unshare is not installed (Debian: util-linux): %s" % e)
    if tried[0]:
        h.skip("no network namespace can be made here: " + tried[2].strip())
    code, out, err = h.run(*unshare, sys.executable, "-B", os.path.abspath(__file__), "inside")
    assert code == 0, (code, out, err)


if sys.argv[1:] == ["inside"]:
    inside()
else:
    h.main(sys.modules[__name__])
