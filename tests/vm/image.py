# SPDX-License-Identifier: MIT
"""image.py - what a guest boots: a kernel as its distribution ships it, and an initramfs with our
programs.

Debian's kernel package is fetched with apt-get download, once for a build directory, and unpacked,
never installed.
"""
import fcntl
import glob
import gzip
import lzma
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
import tarfile

sys.path.insert(1, os.path.join(os.environ.get("top_srcdir", "."), "tests/e2e"))
import harness as h

HERE = os.path.join(h.BUILD, "tests/vm")
KERNEL = os.path.join(HERE, "kernel")
MODULES = ("arch/x86/kernel/msr.ko", "arch/x86/events/intel/intel-uncore.ko")
FILES = ["vmlinuz"] + [os.path.basename(m) for m in MODULES]
OURS = "counting_pmus.ko"       # built here, against the kernel's headers
# either; the first is smaller and boots in half the time
PACKAGES = ("linux-image-cloud-amd64", "linux-image-amd64")


def need(program, package):
    """Where a program is; ends the test as skipped if it is nowhere."""
    path = shutil.which(program) or shutil.which(program, path="/usr/sbin:/sbin")
    return path or h.skip("%s is not installed (Debian: %s)" % (program, package))


# ---------------------------------------------------------------- the kernel


def _wanted(name):
    """The name that a file of a kernel package gets in KERNEL, or None."""
    if re.search(r"/boot/vmlinuz-[^/]+$", name):
        return "vmlinuz"
    module = re.search(r"/kernel/(%s)(\.xz|\.gz)?$" % "|".join(map(re.escape, MODULES)), name)
    return os.path.basename(module[1]) if module else None


def _store(name, origin, data):
    """Modules are stored as insmod of busybox wants them."""
    expand = {".xz": lzma.decompress, ".gz": gzip.decompress}.get(os.path.splitext(origin)[1])
    with open(os.path.join(KERNEL, name), "wb") as f:
        f.write(expand(data) if expand else data)


def _unpack(deb):
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE) as p:
        tar = tarfile.open(fileobj=p.stdout, mode="r|")
        for member in tar:
            name = _wanted(member.name) if member.isreg() else None
            if name:
                _store(name, member.name, tar.extractfile(member).read())
        p.stdout.read()


def _download():
    """The reason why Debian's package cannot be had, or None."""
    why = "apt-get or dpkg-deb is not there"
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        return why
    for meta in PACKAGES:
        _, out, _ = h.run("apt-cache", "depends", "--important", meta)
        image = re.search(r"Depends: (linux-image-\d\S+)", out)
        if not image:
            why = "apt knows no package %s (apt-get update?)" % meta
            continue
        p = subprocess.run(["apt-get", "download", "-q", image[1]], cwd=KERNEL, capture_output=True,
                           text=True, timeout=300,
                           stdin=subprocess.DEVNULL)
        debs = glob.glob(os.path.join(KERNEL, "linux-image-*.deb"))
        if p.returncode == 0 and debs:
            _unpack(debs[0])
            os.unlink(debs[0])
            return None
        why = "apt-get download %s: %s" % (image[1], p.stderr.strip()[-300:])
    return why


def _installed():
    """A kernel of this machine that has the modules; True if there is one."""
    for release in sorted(os.listdir("/lib/modules") if os.path.isdir("/lib/modules") else []):
        found = {_wanted(f): f
                 for f in glob.glob("/lib/modules/%s/kernel/**/*.ko*" % release, recursive=True)}
        found["vmlinuz"] = "/boot/vmlinuz-" + release
        if all(os.access(found.get(name, ""), os.R_OK) for name in FILES):
            for name in FILES:
                with open(found[name], "rb") as f:
                    _store(name, found[name], f.read())
            return True
    return False


def kernel():
    """The directory with FILES; ends the test as skipped if no kernel can be had."""
    os.makedirs(KERNEL, exist_ok=True)
    with open(os.path.join(HERE, "kernel.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)            # several guests may start at once
        if not all(os.path.exists(os.path.join(KERNEL, f)) for f in FILES):
            why = _download()
            if why and not _installed():
                h.skip("no kernel to boot: %s; none with the modules msr and intel-uncore is "
                       "installed" % why)
    return KERNEL


# ---------------------------------------------------------------- our own module


def _release():
    """Of the kernel in KERNEL, as its modules say it."""
    with open(os.path.join(KERNEL, "msr.ko"), "rb") as f:
        return re.search(rb"\0vermagic=(\S+)", f.read())[1].decode()


def _depends(package, *patterns):
    _, out, _ = h.run("apt-cache", "depends", "--important", package)
    found = [re.search(r"Depends: (%s)" % p, out) for p in patterns]
    return [m[1] for m in found] if all(found) else []


def _fetch_headers(root, release):
    """Debian's headers below root, as they would lie below / if they were installed."""
    arch = "linux-headers-" + release
    more = _depends(arch, r"linux-headers-\S+-common", r"linux-kbuild-\S+")
    if not more:
        h.skip("apt knows no package %s to build our module with" % arch)
    new = root + ".new"
    shutil.rmtree(new, ignore_errors=True)
    os.makedirs(new)
    for package in [arch] + more:
        download(package, new)
    unpack_headers(new, root, release)


def download(package, to):
    """A package for this machine; ends the test as skipped if it cannot be had."""
    p = subprocess.run(["apt-get", "download", "-q", package], cwd=to, capture_output=True,
                       text=True, timeout=300, stdin=subprocess.DEVNULL)
    if p.returncode:
        h.skip("apt-get download %s: %s" % (package, p.stderr.strip()[-300:]))


def unpack_headers(new, root, release):
    """The directory new, with packages, becomes the directory root, with their files."""
    for deb in glob.glob(os.path.join(new, "*.deb")):
        subprocess.run(["dpkg-deb", "-x", deb, new], check=True)
        os.unlink(deb)
    # it names files by absolute paths
    makefile = os.path.join(new, "usr/src/linux-headers-" + release, "Makefile")
    with open(makefile) as f:
        text = f.read().replace("/usr/src", os.path.abspath(root) + "/usr/src")
    with open(makefile, "w") as f:
        f.write(text)
    os.rename(new, root)


def build_module(directory, headers, release, built, *options):
    """Makes the file `built` of what lies in a directory here, unless it is newer; options: of
    make."""
    origin = os.path.join(h.SRC, "tests/vm", directory)
    sources = sorted(os.listdir(origin))
    newest = max(os.path.getmtime(os.path.join(origin, f)) for f in sources)
    if os.path.exists(built) and os.path.getmtime(built) >= newest:
        return
    at = h.path(directory)
    os.makedirs(at, exist_ok=True)
    for name in sources:
        shutil.copy(os.path.join(origin, name), at)
    code, out, err = h.run("make", "-s", "-C",
                           os.path.join(headers, "usr/src/linux-headers-" + release),
                           "M=" + at, *options, "modules",
                           env={"MAKEFLAGS": "", "MFLAGS": "", "MAKELEVEL": "0"})
    assert code == 0, out + err
    shutil.copy(os.path.join(at, os.path.basename(built)), built)


def module():
    """counting_pmus.ko for the kernel; ends the test as skipped if it cannot be built."""
    built = os.path.join(KERNEL, OURS)
    kernel()
    release = _release()
    headers = os.path.join(HERE, "headers-" + release)
    with open(os.path.join(HERE, "kernel.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.isdir(headers):
            _fetch_headers(headers, release)
        build_module("module", headers, release, built)
    return built


# ---------------------------------------------------------------- the initramfs


def libraries_of(program):
    _, out, _ = h.run(need("ldd", "libc-bin"), program)
    return re.findall(r"(/\S+) \(0x", out)


class Archive:
    """A cpio archive in the form that the kernel unpacks (newc); no root is needed for its device
    nodes."""

    def __init__(self):
        self.out, self.seen = bytearray(), set()

    def _add(self, name, mode, data=b"", device=(0, 0)):
        parent = os.path.dirname(name)
        if name in self.seen:
            return
        if parent:
            self._add(parent, stat.S_IFDIR | 0o755)
        self.seen.add(name)
        fields = (len(self.seen), mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0)
        self.out += b"070701" + b"".join(b"%08x" % f for f in fields) + name.encode() + b"\0"
        self.out += b"\0" * (-len(self.out) % 4) + data
        self.out += b"\0" * (-len(self.out) % 4)

    def file(self, name, origin, mode=0o755):
        with open(origin, "rb") as f:
            self._add(name, stat.S_IFREG | mode, f.read())

    def text(self, name, text):
        self._add(name, stat.S_IFREG | 0o644, text.encode())

    def link(self, name, target):
        self._add(name, stat.S_IFLNK | 0o777, target.encode())

    def directory(self, name):
        self._add(name, stat.S_IFDIR | 0o755)

    def console(self):
        self._add("dev/console", stat.S_IFCHR | 0o600, device=(5, 1))

    def end(self):
        self._add("TRAILER!!!", 0)
        return bytes(self.out)


SYSTEMD = ("/lib/systemd/systemd", "/lib/systemd/systemd-journald", "/bin/systemctl",
           "/bin/journalctl", "/bin/systemd-sysusers")
UNITS = ("sysinit.target", "basic.target", "multi-user.target", "sockets.target", "timers.target",
         "paths.target", "slices.target",
         "shutdown.target", "umount.target", "local-fs.target", "local-fs-pre.target",
         "swap.target", "network.target",
         "network-online.target", "modprobe@.service", "systemd-journald.service",
         "systemd-journald.socket",
         "systemd-journald-dev-log.socket")
ANSWER = """[Unit]
After=systemd-journald.socket
[Service]
ExecStart=/bin/sh /answer.sh
"""


def _installed_files():
    """What `make install` puts where, in a directory of its own."""
    root = h.path("installed")
    if not os.path.isdir(root):
        code, _, err = h.run("make", "-s", "-C", h.BUILD, "install", "DESTDIR=" + root,
                             env={"MAKEFLAGS": "", "MFLAGS": "", "MAKELEVEL": "0"})
        assert code == 0, err
    for at, _, files in os.walk(root):
        for name in files:
            yield os.path.relpath(os.path.join(at, name), root), os.path.join(at, name)


def _add_systemd(a, installed):
    """systemd with the least of units; installed: and uncored as `make install` puts it there."""
    for program in SYSTEMD:
        a.file(program[1:], need(program, "systemd"))
        for library in libraries_of(program):
            a.file(library[1:], library)
    for unit in UNITS:
        if os.path.exists("/lib/systemd/system/" + unit):
            a.file("lib/systemd/system/" + unit, "/lib/systemd/system/" + unit, 0o644)
    for unit in "systemd-journald.socket", "systemd-journald.service":
        a.link("etc/systemd/system/sysinit.target.wants/" + unit, "/lib/systemd/system/" + unit)
    a.text("etc/systemd/system/answer.service", ANSWER)
    a.link("etc/systemd/system/multi-user.target.wants/answer.service", "../answer.service")
    a.link("etc/systemd/system/default.target", "/lib/systemd/system/multi-user.target")
    # without one all units are enabled, as at the first boot
    a.text("etc/machine-id", "c" * 32 + "\n")
    a.link("sbin/modprobe", "/bin/busybox")
    for name, origin in _installed_files() if installed else ():
        a.file(name, origin, os.stat(origin).st_mode & 0o777)


def udev():
    """{name in the image: file} of udev without its rules."""
    udevadm = need("udevadm", "udev")
    names = {"lib/systemd/systemd-udevd": udevadm, "usr/bin/udevadm": udevadm}
    names.update((f[1:], f) for f in libraries_of(udevadm))
    return names


def packages(*names):
    """{name in the image: file} of all files of packages of this machine, with what the programs
    among them link."""
    files = {}
    for package in names:
        _, out, _ = h.run(need("dpkg-query", "dpkg"), "-L", package)
        for path in out.splitlines():
            if not os.path.isfile(path) or path.startswith(("/usr/share/doc", "/usr/share/man",
                                                            "/usr/share/locale")):
                continue
            libraries = libraries_of(path) if os.access(path, os.X_OK) else ()
            files.update((f[1:], f) for f in (path, *libraries))
    return files


def initramfs(path, systemd=False, extra=None, installed=True):
    """Writes the image; the modules lie in /, the programs in /usr/bin, unless they are to be
    installed by the test. extra: {name: file of this machine, or text}."""
    a = Archive()
    a.console()
    for name in ("proc", "sys", "tmp", "run", "etc", "usr/sbin", "sbin"):
        a.directory(name)
    a.file("bin/busybox", need("busybox", "busybox-static"))
    a.link("bin/sh", "busybox")
    a.file("init", os.path.join(h.SRC, "tests/vm/init.sh"))
    a.file("answer.sh", os.path.join(h.SRC, "tests/vm/answer.sh"))
    for module in FILES[1:]:
        a.file(module, os.path.join(kernel(), module), 0o644)
    ours = (h.UNCORED, h.HTTP, h.CTL) if installed else ()
    for program in (*ours, os.path.join(h.BUILD, "tests/vm/tsc_rate"),
                    need("setpriv", "util-linux")):
        a.file("usr/bin/" + os.path.basename(program), program)
        for library in libraries_of(program):
            a.file(library[1:], library)
    for name, what in (extra or {}).items():
        if "\n" in what:
            a.text(name, what)
        else:
            a.file(name, what, os.stat(what).st_mode & 0o777)
    a.text("etc/passwd", "root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n")
    a.text("etc/group", "root:x:0:\nnogroup:x:65534:\n")
    if systemd:
        _add_systemd(a, installed)
    with open(path, "wb") as f:
        f.write(a.end())
    return path


def check_host():
    """Ends the test as skipped where no guest can run."""
    if platform.machine() != "x86_64":
        h.skip("the guests are x86-64 machines with programs of this one, which is " +
               platform.machine())
    need("qemu-system-x86_64", "qemu-system-x86")
    busybox = need("busybox", "busybox-static")
    if libraries_of(busybox):
        h.skip("%s needs libraries: the guest wants busybox-static" % busybox)
