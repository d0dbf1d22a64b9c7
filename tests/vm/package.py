# SPDX-License-Identifier: MIT
"""package.py - Debian's package, built from the sources of this tree: lintian says nothing of it;
installed it runs under systemd and is scraped; removed and purged it leaves nothing behind."""
import glob
import os
import shutil
import sys

import image
from guest import Guest, h

XEON_7500 = "Nehalem,model=46,stepping=6,-hypervisor"
# Not busybox's. The guest has files of the packages that ours depends on, not the packages.
DPKG = "export PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive; " \
    "/usr/bin/dpkg --force-depends --force-bad-path "
# What dpkg and the maintainer scripts call.
TOOLS = ("dpkg", "perl-base", "init-system-helpers", "tar", "passwd", "libc-bin", "diffutils",
         "coreutils")
# All files but those of the package manager and of what runs, with what they say.
FILES = "cd /; find etc usr lib var -xdev ! -type d ! -path 'var/lib/dpkg/*' ! -path 'var/log/*' " \
    "! -name '.pwd.lock' ! -name '*-' ! -path 'var/cache/*' | sort | xargs md5sum 2>/dev/null"


# What lintian may say. What the unit does without an init script - capabilities, restarts, the
# restore after a crash - one could not; the tag is gone from Debian 13's lintian, so that an
# override would be an error there. The version of the policy is Debian 12's.
FINE = ("package-supports-alternative-init-but-no-init.d-script", "out-of-date-standards-version")


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
    clean = {"MAKEFLAGS": "", "MFLAGS": "", "MAKELEVEL": "0", "DEB_BUILD_OPTIONS": "nocheck"}
    code, out, err = h.run("sh", "-c", "cd '%s' && exec dpkg-buildpackage -us -uc -d" % at,
                           timeout=600, env=clean)
    assert code == 0, out[-3000:] + err[-3000:]
    return {os.path.basename(f).split("_")[0]: f for f in glob.glob(h.path("*.deb"))}


def test_package():
    debs = build()
    assert {"uncored", "uncored-doc"} <= set(debs), debs
    code, out, err = h.run("lintian", "--allow-root", "--pedantic", "-I",
                           *glob.glob(h.path("*.changes")), timeout=300)
    said = [line for line in out.splitlines() if not any(tag in line for tag in FINE)]
    assert code == 0 and not said, (said, err)
    print("# %d bytes, %d of documentation; lintian says nothing"
          % (os.path.getsize(debs["uncored"]), os.path.getsize(debs["uncored-doc"])))
    files = image.packages(*TOOLS)
    for program in (h.UNCORED, h.HTTP, h.CTL):
        files.update((f[1:], f) for f in image._libraries(program))
    files.update({"usr/%s.deb" % p: debs[p] for p in ("uncored", "uncored-doc")})
    files.update(image.udev())
    g = Guest(XEON_7500, systemd=True, extra=files, installed=False)
    g.sh("/lib/systemd/systemd-udevd --daemon")
    for name, text in ("shadow", "root:*:1::::::"), ("gshadow", "root:*::\nnogroup:!::"):
        g.write("/etc/" + name, text)       # which every system has
    g.sh("mkdir -p /var/lib/dpkg/info /var/lib/dpkg/updates /var/log "
         "/var/lib/dpkg/triggers; : >/var/lib/dpkg/status; [ ! -e /usr/sbin/uncored ]")
    before = g.sh(FILES)
    g.sh(DPKG + "-i /usr/uncored.deb /usr/uncored-doc.deb")
    g.sh("for i in $(seq 100); do wget -q -O /dev/null http://127.0.0.1:10062/-/ready && exit 0; "
         "usleep 100000; done; systemctl status uncored; exit 1")
    assert g.sh("systemctl is-enabled uncored").strip() == "enabled"
    assert g.run("systemctl is-enabled uncored.socket")[1].strip() == "disabled"
    m = h.samples(g.sh("wget -q -O - http://127.0.0.1:10062/metrics"))
    info = 'uncored_socket_info{socket="0",processor="nehalem-ex",engine="registers",cpu="0"}'
    assert info in m, m
    for page in ("man8/uncored.8", "man5/uncored.conf.5", "man1/uncorectl.1"):
        g.sh("[ -s /usr/share/man/%s.gz ]" % page)
    # A configuration that somebody edited stays when the package is removed, and goes with a purge.
    g.sh("echo >>/etc/uncored.conf")
    g.sh(DPKG + "-r uncored")
    assert g.run("systemctl is-active uncored")[1].strip() == "inactive"
    assert g.run("wget -q -O - http://127.0.0.1:10062/metrics")[0] != 0
    g.sh("[ -e /etc/uncored.conf ] && [ ! -e /usr/sbin/uncored ]")
    g.sh(DPKG + "-P uncored uncored-doc")
    after = g.sh(FILES)
    assert after == before, "\n".join(sorted(set(after.splitlines()) ^ set(before.splitlines())))


h.main(sys.modules[__name__])
