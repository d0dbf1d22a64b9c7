# SPDX-License-Identifier: MIT
"""cross.py - this tree and our module built for arm64, Debian's kernel of that architecture, and an
image of them.

Owns: the packages, which apt-get fetches into the build directory (as a user, beside this machine's
own lists; nothing is installed), the sysroot that they are unpacked into, the cross builds.
Never: what a guest does.
"""
import fcntl
import glob
import os
import re
import shutil
import subprocess

import image
from image import h

HERE = os.path.join(image.HERE, "arm64")
ROOT, BUILD, KERNEL, HEADERS = (os.path.join(HERE, d)
                                for d in ("root", "build", "kernel", "headers"))
TRIPLET = "aarch64-linux-gnu"
# Those of build_packages in bootstrap that are libraries, the C library, and what the guest runs.
PACKAGES = ["libmicrohttpd-dev", "libgnutls28-dev", "libsystemd-dev", "libjansson-dev",
            "libconfig-dev", "libcap-ng-dev", "libprotobuf-c-dev", "zlib1g-dev", "libc6-dev",
            "busybox-static", "util-linux", "linux-image-arm64"]
MODULES = ("arm-cmn.ko",)
OURS = "dmc620_counts.ko"       # built here, against the kernel's headers


def _apt(*args, cwd=None):
    """apt-get for arm64, with lists and a cache of its own, on a machine that has no package."""
    apt = os.path.abspath(os.path.join(HERE, "apt"))
    for d in ("lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(apt, d), exist_ok=True)
    open(os.path.join(apt, "status"), "w").close()
    options = {"APT::Architecture": "arm64", "APT::Architectures::": "arm64",
               "Dir::State": apt, "Dir::State::lists": apt + "/lists",
               "Dir::State::status": apt + "/status", "Dir::Cache": apt + "/cache",
               "Dir::Log": apt, "Debug::NoLocking": "1", "Acquire::Languages": "none",
               "APT::Sandbox::User": ""}
    argv = ["apt-get", "-q", "-y"]
    for key, value in options.items():
        argv += ["-o", "%s=%s" % (key, value)]
    p = subprocess.run(argv + list(args), cwd=cwd, capture_output=True, text=True, timeout=600,
                       stdin=subprocess.DEVNULL)
    if p.returncode:
        h.skip("apt-get %s for arm64: %s" % (args[0], p.stderr.strip()[-300:]))


def _fetch():
    for program in "apt-get", "dpkg-deb":
        if not shutil.which(program):
            h.skip(program + " is not there")
    for d in ROOT, HEADERS:
        shutil.rmtree(d, ignore_errors=True)
    _apt("update")
    _apt("install", "--download-only", "--no-install-recommends", *PACKAGES)
    new = ROOT + ".new"
    shutil.rmtree(new, ignore_errors=True)
    os.makedirs(new)
    for deb in glob.glob(os.path.join(HERE, "apt/cache/archives/*.deb")):
        if os.path.basename(deb).startswith("linux-image-6"):
            kernel = deb
        else:
            subprocess.run(["dpkg-deb", "-x", deb, new], check=True)
    os.makedirs(KERNEL, exist_ok=True)
    unpacked = os.path.join(HERE, "linux")
    subprocess.run(["dpkg-deb", "-x", kernel, unpacked], check=True)
    vmlinuz = glob.glob(unpacked + "/boot/vmlinuz-*")[0]
    release = os.path.basename(vmlinuz).split("-", 1)[1]
    shutil.copy(vmlinuz, os.path.join(KERNEL, "vmlinuz"))
    for module in MODULES:
        shutil.copy(glob.glob(unpacked + "/**/" + module, recursive=True)[0], KERNEL)
    shutil.rmtree(unpacked)
    _fetch_headers(release)
    shutil.rmtree(os.path.join(HERE, "apt"))
    os.rename(new, ROOT)


def _fetch_headers(release):
    """Debian's headers of the kernel, with the programs of this machine that build a module."""
    new = HEADERS + ".new"
    shutil.rmtree(new, ignore_errors=True)
    os.makedirs(new)
    _apt("download", "linux-headers-" + release, cwd=new)
    _, depends, _ = h.run("dpkg-deb", "-f", glob.glob(new + "/*.deb")[0], "Depends")
    common, programs = (re.search(p, depends)[0]
                        for p in (r"linux-headers-\S+-common", r"linux-kbuild-[^\s,]+"))
    _apt("download", common, cwd=new)
    image.download(programs, new)
    image.unpack_headers(new, HEADERS, release)


def _module():
    release = os.path.basename(glob.glob(HEADERS + "/usr/src/linux-headers-*-arm64")[0])
    image.build_module("dmc620", HEADERS, release.split("-", 2)[2], os.path.join(KERNEL, OURS),
                       "CROSS_COMPILE=%s-" % TRIPLET, "CC=%s-gcc" % TRIPLET)


def built():
    """The directory with the programs; ends the test as skipped if they cannot be had. Our module
    lies beside the kernel."""
    image.need(TRIPLET + "-gcc", "gcc-" + TRIPLET)
    os.makedirs(HERE, exist_ok=True)
    with open(os.path.join(image.HERE, "arm64.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.isdir(ROOT) or not os.path.isdir(HEADERS):
            _fetch()
        _module()
        os.makedirs(BUILD, exist_ok=True)
        lib = os.path.join(ROOT, "usr/lib", TRIPLET, "pkgconfig")
        env = {"PKG_CONFIG_LIBDIR": lib + ":" + ROOT + "/usr/share/pkgconfig",
               "PKG_CONFIG_SYSROOT_DIR": ROOT, "MAKEFLAGS": "", "MFLAGS": "", "MAKELEVEL": "0"}
        configure = os.path.join(os.path.abspath(h.SRC), "configure")
        steps = [["make", "-j%d" % (os.cpu_count() or 1), "all"]]
        if not os.path.exists(os.path.join(BUILD, "Makefile")):
            steps.insert(0, [configure, "--host=" + TRIPLET, "--prefix=/usr", "--without-libpfm",
                             "CC=%s-gcc --sysroot=%s" % (TRIPLET, ROOT)])
        for argv in steps:
            p = subprocess.run(argv, cwd=BUILD, env=dict(os.environ, **env), text=True,
                               capture_output=True, timeout=900)
            assert p.returncode == 0, (argv, p.stdout[-2000:], p.stderr[-2000:])
            assert "warning: " not in p.stderr, p.stderr
    return BUILD


def _needed(program):
    """{name in the image: file} of the libraries that a program of the sysroot needs."""
    dirs = [os.path.join(ROOT, d, TRIPLET) for d in ("lib", "usr/lib")]
    found, todo = {}, [program]
    while todo:
        _, out, _ = h.run(TRIPLET + "-objdump", "-p", todo.pop())
        for name in re.findall(r"NEEDED\s+(\S+)", out):
            at = [os.path.join(d, name) for d in dirs if os.path.exists(os.path.join(d, name))]
            assert at, (program, name)
            if "lib/%s/%s" % (TRIPLET, name) not in found:
                found["lib/%s/%s" % (TRIPLET, name)] = at[0]
                todo.append(at[0])
    return found


def initramfs(path):
    """Writes the image: like image.initramfs(), with the programs of arm64."""
    a = image.Archive()
    a.console()
    for name in ("proc", "sys", "tmp", "run", "etc", "usr/sbin", "sbin"):
        a.directory(name)
    busybox = [f for f in ("bin/busybox", "usr/bin/busybox")
               if os.path.exists(os.path.join(ROOT, f))][0]
    a.file("bin/busybox", os.path.join(ROOT, busybox))
    a.link("bin/sh", "busybox")
    for name in ("init", "answer"):
        a.file({"init": "init", "answer": "answer.sh"}[name],
               os.path.join(h.SRC, "tests/vm/%s.sh" % name))
    for module in (*MODULES, OURS):
        a.file(module, os.path.join(KERNEL, module), 0o644)
    loader = "lib/ld-linux-aarch64.so.1"
    a.file(loader, os.path.realpath(os.path.join(ROOT, "lib", TRIPLET, "ld-linux-aarch64.so.1")))
    for program in [os.path.join(BUILD, n) for n in ("uncored", "uncored-http", "uncorectl")] + \
            [os.path.join(ROOT, "usr/bin/setpriv")]:
        a.file("usr/bin/" + os.path.basename(program), program)
        for name, origin in _needed(program).items():
            a.file(name, origin)
    a.text("etc/passwd", "root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n")
    a.text("etc/group", "root:x:0:\nnogroup:x:65534:\n")
    with open(path, "wb") as f:
        f.write(a.end())
    return path
