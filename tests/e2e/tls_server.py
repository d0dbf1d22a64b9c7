# SPDX-License-Identifier: MIT
"""tls_server.py - an uncored that serves over TLS, and certificates, made by openssl."""
import contextlib
import os
import shutil
import signal
import ssl
import subprocess
import urllib.request

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
        self.url = self.serving()
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


def pem(path):
    with open(path) as f:
        return f.read()
