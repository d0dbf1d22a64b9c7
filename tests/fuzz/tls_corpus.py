#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tls_corpus.py DIRECTORY - makes the first inputs of fuzz_tls.c, whose header tells their form.

Run once, when the corpus was made; it needs python's `cryptography`. Keys are made here for nothing
else; certificates expired in 2001, but for one that is valid from 2400 on.
"""
import datetime
import os
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization as s
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa

END, DER = b"\xff", b"\xfe"
PKCS8, OLD = s.PrivateFormat.PKCS8, s.PrivateFormat.TraditionalOpenSSL


def certificate(key, name="fuzz", ca=None, year=2001, is_ca=False):
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    signer = key if not ca else ca[1]
    b = x509.CertificateBuilder(ca[0].subject if ca else subject, subject, key.public_key(), 1,
                                datetime.datetime(year, 1, 1), datetime.datetime(year, 1, 2))
    if is_ca:
        b = b.add_extension(x509.BasicConstraints(True, None), True)
    plain = isinstance(signer, ed25519.Ed25519PrivateKey)
    return b.sign(signer, None if plain else hashes.SHA256())


def pem(*certs):
    return b"".join(c.public_bytes(s.Encoding.PEM) for c in certs)


def key_pem(key, form=PKCS8, password=None):
    return key.private_bytes(s.Encoding.PEM, form, s.BestAvailableEncryption(password) if password
                             else s.NoEncryption())


def in_der(cert, key):
    """0xff within it ends the text, so that such a one is of no use."""
    parts = (cert.public_bytes(s.Encoding.DER),
             key.private_bytes(s.Encoding.DER, PKCS8, s.NoEncryption()))
    return None if any(END in p for p in parts) else DER + parts[0] + END + DER + parts[1]


def ecdsa():
    return ec.generate_private_key(ec.SECP256R1())


def small_der():
    while True:
        key = ecdsa()
        text = in_der(certificate(key), key)
        if text:
            return text


def inputs():
    a, b, root, big = ecdsa(), ecdsa(), ecdsa(), rsa.generate_private_key(65537, 2048)
    p384 = ec.generate_private_key(ec.SECP384R1())
    edwards, old = ed25519.Ed25519PrivateKey.generate(), dsa.generate_private_key(1024)
    ca = certificate(root, "fuzz CA", is_ca=True)
    leaf, cert, cert_rsa = certificate(a, ca=(ca, root)), certificate(a), certificate(big)
    key, key_rsa = key_pem(a), key_pem(big)
    one = pem(cert)
    return {
        "ecdsa": one + END + key,
        "ecdsa-384": pem(certificate(p384)) + END + key_pem(p384),
        "ecdsa-old-form": one + END + key_pem(a, OLD),
        "ecdsa-der": small_der(),
        "rsa": pem(cert_rsa) + END + key_rsa,
        "rsa-old-form": pem(cert_rsa) + END + key_pem(big, OLD),
        "ed25519": pem(certificate(edwards)) + END + key_pem(edwards),
        "dsa": pem(certificate(old)) + END + key_pem(old),
        "chain": pem(leaf, ca) + END + key,
        "chain-wrong-order": pem(ca, leaf) + END + key,
        "ca-file": one + END + key + END + pem(ca),
        "ca-file-of-two": one + END + key + END + pem(ca, cert),
        "ca-file-is-a-key": one + END + key + END + key,
        "ca-file-cut": one + END + key + END + pem(ca)[:200],
        "ca-file-empty": one + END + key + END + b"\n",
        "not-yet-valid": pem(certificate(a, year=2400)) + END + key,
        "wrong-pair": one + END + key_pem(b),
        "wrong-kind-of-key": one + END + key_rsa,
        "exchanged": key + END + one,
        "key-encrypted": one + END + key_pem(a, PKCS8, b"word"),
        "key-encrypted-old-form": one + END + key_pem(a, OLD, b"word"),
        "key-cut": one + END + key[:100],
        "key-missing": one,
        "key-empty": one + END + b"\n",
        "key-behind-a-certificate": one + END + one + key,
        "certificate-cut": one[:200] + END + key,
        "certificate-damaged": one.replace(one[100:104], b"AAAA") + END + key,
        "certificate-with-text": b"A certificate:\n" + one + b"\nand more\n" + END + key,
        "certificate-no-base64": b"-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----\n"
                                 + END + key,
        "certificate-empty": b"-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n" + END
                             + key,
        "windows-lines": (one + END + key).replace(b"\n", b"\r\n"),
        "one-line": one.replace(b"\n", b"") + END + key,
        "garbage": bytes(range(1, 255)) + END + b"garbage",
        "none": b"",
    }


def main():
    for name, data in inputs().items():
        with open(os.path.join(sys.argv[1], name), "wb") as f:
            f.write(data)


main()
