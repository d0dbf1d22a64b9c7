# SPDX-License-Identifier: MIT
"""nginx.py - the proxy of contrib/nginx in front of a socket file: a password, and all that is
behind it."""
import base64
import os
import shutil
import ssl
import subprocess
import sys
import urllib.error
import urllib.request

import harness as h

CONF = 'interval = "200ms";\nlisten_socket = { mode = "0666"; };\n'
EXAMPLE = os.path.join(h.SRC, "contrib/nginx/uncored.conf")
NGINX = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")


def around(port, file):
    """nginx.conf with the example in it, as another user may run it in a directory of tests."""
    with open(EXAMPLE) as f:
        text = f.read()
    for old, new in (("listen 10063 ssl", "listen 127.0.0.1:%d ssl" % port),
                     ("/etc/nginx/", h.path("")), ("/run/uncored/http", file)):
        assert old in text, old
        text = text.replace(old, new)
    own = "".join("%s %s;\n" % (k, h.path(k)) for k in (
        "client_body_temp_path", "proxy_temp_path", "fastcgi_temp_path", "uwsgi_temp_path",
        "scgi_temp_path"))
    return h.write("nginx.conf", "daemon off;\nmaster_process off;\npid %s;\nerror_log stderr;\n"
                   "events { }\nhttp {\naccess_log off;\n%s%s}\n" % (h.path("pid"), own, text))


def test_password_in_front_of_a_socket_file():
    if not NGINX or not shutil.which("openssl"):
        h.skip("nginx or openssl is not installed (Debian: nginx-light, openssl)")
    file, port = h.path("http"), h.free_port()
    u = h.Uncored("--listen", "unix:" + file, "-c", h.write("file.conf", CONF),
                  "--engine", "model:nehalem-ex")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-keyout", h.path("uncored.key"), "-out",
                    h.path("uncored.crt"), "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    made = subprocess.run(["openssl", "passwd", "-5", "secret"], check=True, capture_output=True,
                          text=True).stdout
    h.write("uncored.passwd", "prometheus:" + made)
    argv = [NGINX, "-c", around(port, file), "-e", h.path("nginx.err")]
    code, _, err = h.run(*argv, "-t")
    assert code == 0, err
    n = h.Process(argv, "nginx")
    context = ssl.create_default_context(cafile=h.path("uncored.crt"))

    def ask(path, password=None):
        request = urllib.request.Request("https://127.0.0.1:%d%s" % (port, path))
        if password:
            request.add_header("Authorization", "Basic " + base64.b64encode(
                b"prometheus:" + password).decode())
        return urllib.request.urlopen(request, timeout=10, context=context)

    def refused(password):
        try:
            ask("/metrics", password)
        except urllib.error.HTTPError as e:
            with e:
                return e.code == 401
        except OSError:
            assert n.running(), n.text()
        return False
    h.wait_for("nginx asks for a password", lambda: refused(None))
    assert refused(b"wrong")
    with ask("/metrics", b"secret") as r:
        assert b"uncored_up" in r.read()
    with ask("/api/v1/stream", b"secret") as r:
        seen = 0
        while seen < 3:
            seen += r.readline().startswith(b"event: snapshot")
    assert u.stop() == 0


h.main(sys.modules[__name__])
