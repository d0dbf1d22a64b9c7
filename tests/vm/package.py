# SPDX-License-Identifier: MIT
"""package.py - Debian's packages, built from the sources of this tree: lintian says nothing.

In a guest they are installed, and debian/tests/installed, which Debian's own machines run, sees the
service start, be scraped, removed and purged. All files are then as they were before. So they are
when contrib/certify.sh has installed the package in another guest, measured its memory, and gone.
"""
import glob
import json
import os
import shutil
import sys

import channels
import image
from guest import Guest, h, socket_info

XEON_7500 = "Nehalem,model=46,stepping=6,-hypervisor"
# Debian's programs come before busybox's only by PATH, and only in another shell than busybox's.
PATH = "export PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive; "
# What dpkg, the maintainer scripts and the test call.
TOOLS = ("dpkg", "perl-base", "init-system-helpers", "tar", "passwd", "libc-bin", "diffutils",
         "coreutils", "findutils", "grep", "dash", "curl")
INSTALLED = 300.0       # seconds of debian/tests/installed in a guest: 20 are usual
CORES = 4               # of a socket of the guest whose memory is measured, as in curve.py
CERTIFIED = 900.0       # seconds of certify.sh there: 300 are usual
# All files but those of the package manager and of what runs, with what they say.
FILES = "cd /; find etc usr lib var -xdev ! -type d ! -path 'var/lib/dpkg/*' ! -path 'var/log/*' " \
    "! -name '.pwd.lock' ! -name '*-' ! -path 'var/cache/*' | sort | xargs md5sum 2>/dev/null"
REVISION = "made-by-package.py"
# What lintian may say, beside what debian/ overrides: the version of the policy is Debian 12's.
FINE = ("out-of-date-standards-version",)


def build():
    """The package, from a copy of what git knows."""
    for program, package in (("dpkg-buildpackage", "dpkg-dev"), ("dh", "debhelper"),
                             ("lintian", "lintian")):
        image.need(program, package)
    at = h.path("source")
    code, names, err = h.run("git", "-C", h.SRC, "ls-files", "--cached", "--others",
                             "--exclude-standard")
    if code:
        h.skip("no working copy of git: " + err.strip())
    for name in names.splitlines():
        os.makedirs(os.path.dirname(os.path.join(at, name)), exist_ok=True)
        shutil.copy(os.path.join(h.SRC, name), os.path.join(at, name))
    # As in a release (contrib/release.sh): there is no git in the copy.
    h.write("source/.tarball-revision", REVISION)
    clean = {"MAKEFLAGS": "", "MFLAGS": "", "MAKELEVEL": "0", "DEB_BUILD_OPTIONS": "nocheck"}
    code, out, err = h.run("sh", "-c", "cd '%s' && exec dpkg-buildpackage -us -uc -d" % at,
                           timeout=1800, env=clean)
    assert code == 0, out[-3000:] + err[-3000:]
    return {os.path.basename(f).split("_")[0]: f for f in glob.glob(h.path("*.deb"))}


debs = build()


def test_lintian():
    assert {"uncored", "uncored-doc"} <= set(debs), debs
    code, out, err = h.run("lintian", "--allow-root", "--pedantic", "-I",
                           *glob.glob(h.path("*.changes")), timeout=300)
    said = [line for line in out.splitlines() if not any(tag in line for tag in FINE)]
    assert code == 0 and not said, (said, err)
    print("# %d bytes, %d of documentation; lintian says nothing"
          % (os.path.getsize(debs["uncored"]), os.path.getsize(debs["uncored-doc"])))


def test_commit():
    """What was built is said without git, too."""
    at = h.path("unpacked")
    assert h.run("dpkg-deb", "-x", debs["uncored"], at)[0] == 0
    out = h.run(at + "/usr/sbin/uncored", "--version")[1]
    assert "(%s)\n" % REVISION in out, out


def machine(cpu, cores=2, extra=None, more=()):
    """A guest as a Debian system is before the packages are installed, as far as they see it."""
    files = image.packages(*TOOLS)
    for program in (h.UNCORED, h.HTTP, h.CTL):
        files.update((f[1:], f) for f in image.libraries_of(program))
    files.update({"usr/packages/%s.deb" % p: debs[p] for p in ("uncored", "uncored-doc")})
    files["usr/packages/installed"] = os.path.join(h.SRC, "debian/tests/installed")
    # The guest has files of the packages that ours depend on, not the packages.
    files["etc/dpkg/dpkg.cfg.d/guest"] = "force-depends\nforce-bad-path\n"
    files.update(image.udev())
    files.update(extra or {})
    g = Guest(cpu, cores=cores, systemd=True, extra=files, more=more, installed=False)
    g.sh("/lib/systemd/systemd-udevd --daemon")
    for name, text in ("shadow", "root:*:1::::::"), ("gshadow", "root:*::\nnogroup:!::"):
        g.write("/etc/" + name, text)       # which every system has
    g.sh("ln -sf dash /bin/sh; mv /usr/packages /tmp; mkdir -p /var/lib/dpkg/info "
         "/var/lib/dpkg/updates /var/lib/dpkg/triggers /var/log; : >/var/lib/dpkg/status; "
         "[ ! -e /usr/sbin/uncored ]")
    return g


def test_installed():
    g = machine(XEON_7500)
    before = g.sh(FILES)
    g.sh(PATH + "/usr/bin/dpkg -i /tmp/packages/uncored.deb /tmp/packages/uncored-doc.deb")
    m = h.samples(g.sh("for i in $(seq 100); do wget -q -O - http://127.0.0.1:10062/metrics && "
                       "exit 0; usleep 100000; done; systemctl status uncored; exit 1"))
    assert socket_info(0, 0) in m, m
    for page in ("man8/uncored.8", "man5/uncored.conf.5", "man1/uncorectl.1"):
        g.sh("[ -s /usr/share/man/%s.gz ]" % page)
    code, out, err = g.run(PATH + "export AUTOPKGTEST_TMP=/tmp/autopkgtest; "
                           "mkdir $AUTOPKGTEST_TMP; /bin/sh /tmp/packages/installed", INSTALLED)
    print(out)
    assert code == 0 and not err, (code, err)
    after = g.sh(FILES)
    assert after == before, "\n".join(sorted(set(after.splitlines()) ^ set(before.splitlines())))


def test_certified():
    """By one command, in a system without uncored."""
    g = machine("Skylake-Server,-hypervisor", CORES,
                dict(channels.EXTRA, **{"usr/packages/certify.sh": os.path.join(
                    h.SRC, "contrib/certify.sh")}), channels.nodes(CORES))
    g.sh("insmod /lib/modules/$(uname -r)/" + image.OURS)
    # A dependent read of a guest takes 20 to 150 ns, by how busy the machine is that runs it, and
    # verify calls wrong what is counted as longer: the memory of this one waits a tenth.
    curve = {share: [(gbps, ns / 10) for gbps, ns in points]
             for share, points in channels.curve_of("skx").items()}
    channels.begin(g, channels.domains(CORES), curve=curve, told=True)
    before = g.sh(FILES)
    code, out, err = g.run(PATH + "cd /tmp/packages; %s UNCORED_OPTIONS='--engine perf' /bin/sh "
                           "certify.sh -o /tmp/certificate.json uncored.deb" % channels.TRAFFIC,
                           CERTIFIED)
    print("# " + err.replace("\n", "\n# "), flush=True)
    text = g.sh("cat /tmp/certificate.json")
    assert code == 0 and not out, (code, out, text)
    after = g.sh(FILES)
    assert after == before, "\n".join(sorted(set(after.splitlines()) ^ set(before.splitlines())))
    assert g.sh("ls /tmp").split() == ["certificate.json", "packages", "traffic"], g.sh("ls /tmp")
    g.sh("! pidof uncored uncored-http")
    assert len(text) < 200000, len(text)
    for word in g.sh("cat /etc/machine-id; hostname").split():
        assert word not in text, word
    j = json.loads(text)
    assert (j["exit"]["verify"], j["exit"]["curve"]) == (0, 0), j["exit"]
    assert j["verify"]["revision"] == REVISION, j["verify"]
    causes = {c["metric"]: c["causes"] for c in j["verify"]["compared"]}
    assert causes["memory_read_bytes_total"] == causes["memory_write_bytes_total"] == ["right"], \
        causes
    assert [c["agrees"] for c in j["verify"]["perf"]["compared"]] == [True] * 4, j["verify"]["perf"]
    channels.check_curve(j["curve"], curve)
    with open(os.path.join(h.BUILD, "tests/vm/certificate.json"), "w") as f:
        f.write(text)


h.main(sys.modules[__name__], at_once=0)
