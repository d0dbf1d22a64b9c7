# SPDX-License-Identifier: MIT
"""container.py - the image of contrib/container, built by buildah: what it holds, what it weighs,
that it counts as a user without root where nothing can be written, also when a runtime runs it;
and what the manifest for Kubernetes must and must not say.
"""
import ctypes
import ctypes.util
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile

import harness as h

AT = os.path.join(h.SRC, "contrib/container")
PROFILE = os.path.join(AT, "seccomp.json")
# As a container runtime does it: no more capabilities than the chroot takes, /proc and /sys, and
# nothing that could be written to.
ALONE = ("unshare", "--mount", "sh", "-ec", 'mount --bind "$1" "$1"; '
         'mount --rbind /proc "$1/proc"; mount --rbind /sys "$1/sys"; '
         'mount -o remount,bind,ro "$1"; if touch "$1/run/uncored/x" 2>/dev/null; '
         'then exit 9; fi; '
         'exec setpriv --bounding-set=-all,+perfmon,+sys_chroot,'
         '+setuid,+setgid chroot --userspec=65532:65532 "$@"', "sh")


def buildah(*args):
    store = h.path("store")
    return h.run("buildah", "--root", store, "--runroot", store + "-run", "--storage-driver", "vfs",
                 *args, timeout=120)


@functools.cache
def image():
    """(name of a container of the image, its root, mounted); made once."""
    for program, package in (("buildah", "buildah"), ("setcap", "libcap2-bin")):
        if not shutil.which(program):
            h.skip("%s is not installed (Debian: %s)" % (program, package))
    if os.getuid() != 0:
        h.skip("only root can give the program its capability here")
    if h.SANITIZED:
        h.skip("the image is not for a build with sanitizers")
    at = h.path("context")
    os.makedirs(at, exist_ok=True)
    code, out, err = h.run("bash", os.path.join(AT, "rootfs.sh"), h.BUILD, at + "/rootfs",
                           timeout=120, env={"MAKEFLAGS": "", "MFLAGS": "", "MAKELEVEL": "0"})
    if "--prefix=/usr" in err:
        h.skip(err.strip())
    assert code == 0, err
    shutil.copy(os.path.join(AT, "Containerfile"), at)
    code, out, err = buildah("bud", "--isolation", "chroot", "-t", "uncored", at)
    if code:
        h.skip("buildah cannot build here: " + err.strip().split("\n")[-1][:200])
    # A newer buildah sets higher limits, if it is not told any, than the root of a container may.
    code, name, err = buildah("from", "--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024",
                              "uncored")
    assert code == 0, err
    h._cleanup.append(lambda: buildah("rm", "--all"))
    code, root, err = buildah("mount", name.strip())
    assert code == 0, err
    return name.strip(), root.strip()


LIBC = r"(ld-linux|libc\.|libm\.)"


def loaded(root, *paths):
    """What the linker would load for files of the image, beside libc and its linker."""
    code, out, err = h.run("ldd", *(os.path.join(root, p) for p in paths))
    assert code == 0 and "not found" not in out, (out, err)
    return {os.path.basename(f) for f in re.findall(r"=> (\S+) \(", out)
            if not re.match(LIBC, os.path.basename(f))}


def test_image():
    _, root = image()
    files = [os.path.join(at, f) for at, _, names in os.walk(root) for f in names]
    programs = {os.path.relpath(f, root) for f in files
                if os.access(f, os.X_OK) and ".so" not in os.path.basename(f)}
    assert programs == {"usr/sbin/uncored", "usr/libexec/uncored/uncored-http",
                        "usr/bin/uncorectl"}, programs
    libraries = loaded(root, *sorted(programs))
    print("# %d libraries beside libc: %s" % (len(libraries), " ".join(sorted(libraries))))
    assert 0 < len(libraries) <= 12, libraries
    assert not loaded(root, "usr/sbin/uncored"), "uncored needs libc alone"
    held = {os.path.basename(f) for f in files if ".so" in os.path.basename(f)}
    assert {f for f in held if not re.match(LIBC, f)} == libraries, held
    packed = h.path("image.tar.gz")
    with tarfile.open(packed, "w:gz") as tar:
        tar.add(root, arcname="/")
    size = os.path.getsize(packed), sum(os.lstat(f).st_size for f in files)
    print("# the image weighs %.1f MB, %.1f compressed" % (size[1] / 1e6, size[0] / 1e6))
    assert size[0] < 15e6, size
    with open(os.path.join(h.SRC, "docs/operating.md")) as f:
        said = re.search(r"an image of (\d+) MB, (\d+) compressed", f.read())
    for is_now, says in zip(size, (int(said[2]), int(said[1]))):
        assert abs(is_now / 1e6 - says) < 1 + says / 5, (is_now, said[0])
    code, out, err = h.run("getcap", root + "/usr/sbin/uncored")
    assert out.split()[1:] == ["cap_perfmon=ep"], (out, err)
    # It runs as the user of the image.
    code, out, err = h.run(*ALONE, root, "/usr/sbin/uncored", "--once", "--engine",
                           "model:nehalem-ex")
    assert code == 0 and "uncore_imt_latency_seconds" in out, (code, err)
    u = h.Process([*ALONE, root, "/usr/sbin/uncored", "--engine", "model:nehalem-ex", "--listen",
                   "127.0.0.1:0"], "image")
    url = u.serving()
    h.wait_for("a scrape", lambda: h.answers(url + "/-/ready"))
    with open("/proc/%d/status" % u.pid) as f:
        status = dict(line.split(":\t", 1) for line in f)
    assert status["Uid"].split() == ["65532"] * 4, status["Uid"]
    assert int(status["CapEff"], 16) & ~(1 << 38) == 0, status["CapEff"]     # CAP_PERFMON
    assert u.stop() == 0, u.text()


def test_life_without_libsystemd():
    """The image's program is linked with systemd.c of contrib: it tells a manager how it is, as
    under podman --sdnotify=container, takes sockets that are passed, reloads, starts what serves
    anew, pauses, and ends."""
    image()
    program = os.path.join(h.BUILD, "contrib/container/uncored")
    assert not re.search("systemd", h.run("ldd", program)[1])
    conf = h.write("life.conf", 'groups = [ "memory" ];')
    manager, run = h.Notify("manager"), h.path("life")
    u = h.Uncored("-c", conf, "--engine", "model:nehalem-ex", "--path-run", run,
                  program=program, env={"NOTIFY_SOCKET": manager.path,
                                        "WATCHDOG_USEC": "1000000"})
    for _ in range(3):
        manager.until("WATCHDOG=1")
    h.write("life.conf", 'groups = [ "links" ];')
    os.kill(u.pid, signal.SIGHUP)
    manager.until("RELOADING=1")
    manager.until("READY=1")
    h.wait_for("the series of the other group", lambda: "uncore_link_" in str(u.metrics()))
    first = u.child()
    os.kill(first, signal.SIGKILL)
    h.wait_for("another process that serves", lambda: u.child() not in (0, first))
    h.wait_for("its answer", lambda: u.get("/-/ready")[0] == 200)
    code, _, err = h.run(h.CTL, "pause", "--path-run", run, "--", "true")
    assert code == 0, err
    manager.until("STATUS=Paused")
    h.wait_for("it to count again", lambda: u.metrics().get("uncored_paused") == "0")
    assert u.stop() == 0
    manager.until("STOPPING=1")
    code, out, err = h.run(program, "--once", "--engine", "model:nehalem-ex", "--path-run", run,
                           "--", "sh", "-c", "exit 3")
    assert code == 3 and "uncore_imt_latency_seconds" in out, (code, err)


def test_without_counters():
    """Where there is nothing to count it serves that, and waits: an orchestrator would start it
    again and again."""
    _, root = image()
    at = "sys-without"                  # of a machine without PMUs
    tree = os.path.join(root, at)
    files = {"cpuinfo": "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 99\n"
                        "model\t\t: 7\nstepping\t: 1\n\n",
             "devices/system/cpu/online": "0\n",
             "devices/system/cpu/cpu0/topology/physical_package_id": "0\n",
             "devices/system/cpu/cpu0/topology/core_id": "0\n"}
    for name, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(tree, name)), exist_ok=True)
        with open(os.path.join(tree, name), "w") as f:
            f.write(text)
    u = h.Process([*ALONE, root, "/usr/sbin/uncored", "--path-sysfs", "/" + at, "--path-procfs",
                   "/" + at, "--listen", "127.0.0.1:0"], "without", env={"NOTIFY_SOCKET": ""})
    try:
        url = u.serving()
        h.wait_for("it says so", lambda: "\nuncored_without_counters 1\n" in
                   h.fetch(url + "/metrics")[2].decode())
        for path, code in (("/-/healthy", 200), ("/-/ready", 503)):
            assert h.fetch(url + path)[0] == code, path
        assert u.stop() == 0, u.text()
    finally:
        u.kill()
        shutil.rmtree(tree)


def test_doctor():
    """It says of this machine what it says outside, and reads the image's configuration."""
    _, root = image()
    code, out, err = h.run(*ALONE, root, "/usr/bin/uncorectl", "doctor", "--json")
    assert code in (0, 69), (code, out, err)
    inside, outside = json.loads(out), json.loads(h.run(h.CTL, "doctor", "--json")[1])
    for what in "processor", "sockets", "pmus":
        assert inside[what] == outside[what], (what, inside, outside)
    configuration = inside["configuration"]
    assert configuration["present"] and not configuration["mistakes"], configuration


def test_as_a_runtime_runs_it():
    """By podman as docs/operating.md has it, if it is there and can; else by buildah, which cannot
    make the root read-only."""
    name, _ = image()
    once = ("--once", "--engine", "model:nehalem-ex")
    store = h.path("store")
    why = "podman is not there"
    if shutil.which("podman"):
        code, out, err = h.run("podman", "--root", store, "--runroot", store + "-run",
                               "--storage-driver", "vfs", "run", "--rm", "--read-only",
                               "--cap-drop=ALL", "--cap-add=PERFMON", "--security-opt",
                               "seccomp=" + PROFILE, "--network=host",
                               "localhost/uncored", *once, timeout=120)
        if "uncored:" in err or code == 0:
            assert code == 0 and "uncore_imt_latency_seconds" in out, (code, err)
            print("# podman ran it")
            return
        why = "podman cannot run it here: " + err.strip()[-200:]
    code, out, err = buildah("run", "--isolation", "chroot", "--cap-add=CAP_PERFMON", name,
                             "/usr/sbin/uncored", *once)
    if code and "uncored:" not in err:
        h.skip("%s; buildah cannot run it here: %s" % (why, err.strip()[-200:]))
    assert code == 0 and "uncore_imt_latency_seconds" in out, (code, err)
    print("# buildah ran it; " + " ".join(why.split()))


def the_profile():
    """What loads it in a child, as a container runtime does."""
    lib = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    lib.seccomp_init.restype = ctypes.c_void_p
    with open(PROFILE) as f:
        profile = json.load(f)
    errno = 0x00050000                                  # SCMP_ACT_ERRNO of seccomp.h
    context = ctypes.c_void_p(lib.seccomp_init(errno | profile["defaultErrnoRet"]))
    lib.seccomp_attr_set(context, 3, 0)                 # SCMP_FLTATR_CTL_NNP: root loads it without
    for rule in profile["syscalls"]:
        assert rule["action"] == "SCMP_ACT_ALLOW" and "args" not in rule, rule
        for name in rule["names"]:
            number = lib.seccomp_syscall_resolve_name(name.encode())
            if number >= 0:                             # of a newer kernel than libseccomp's
                lib.seccomp_rule_add(context, 0x7fff0000, number, 0)

    def load():
        if lib.seccomp_load(context):
            os._exit(99)
    return load


def test_the_profile():
    """Under it, with CAP_PERFMON alone, uncored counts real perf events and is scraped; nobody
    makes namespaces or traces."""
    if not ctypes.util.find_library("seccomp"):
        h.skip("libseccomp is not installed")
    if os.getuid() != 0 or h.SANITIZED:
        h.skip("only root can try it, and without sanitizers")
    with open(PROFILE) as f:
        profile = json.load(f)
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO", profile
    conf = h.write("profile.conf", 'groups = ( { name = "g"; '
                                   'events = [ "perf/software/config=0,name=clock/" ]; } );\n')
    os.chmod(os.path.dirname(conf), 0o755)
    u = h.Process(["setpriv", "--reuid=65532", "--regid=65532", "--clear-groups",
                   "--inh-caps=-all,+perfmon", "--ambient-caps=-all,+perfmon",
                   "--bounding-set=-all,+perfmon", h.public(), "--engine", "perf", "-c", conf,
                   "--path-run", h.path("profile-run"), "--listen", "127.0.0.1:0"], "profile",
                  preexec_fn=the_profile())
    url = u.serving()
    h.wait_for("a scrape", lambda: h.answers(url + "/-/ready"))
    with open("/proc/%d/status" % u.pid) as f:
        status = dict(line.split(":\t", 1) for line in f)
    assert status["CapBnd"].strip() == "%016x" % (1 << 38), status["CapBnd"]
    h.wait_for("it counts", lambda: "\nuncore_software_clock_total{" in
               h.fetch(url + "/metrics")[2].decode())
    assert u.stop() == 0, u.text()
    for refused in (["unshare", "--mount", "true"], ["unshare", "--user", "true"],
                    ["strace", "true"]):
        if shutil.which(refused[0]):
            p = subprocess.run(refused, preexec_fn=the_profile(), capture_output=True)
            assert p.returncode not in (0, 99), (refused, p)


def as_a_pod(root):
    """In the child: alone in the image, under the profile, with what the bounding set may give to
    the program's file capability."""
    prctl = ctypes.CDLL(None).prctl
    load = the_profile()
    os.chroot(root)
    os.chdir("/")
    load()
    for capability in range(64):
        if capability != 38:                            # CAP_PERFMON
            prctl(24, capability, 0, 0, 0)              # PR_CAPBSET_DROP
    os.setgroups([])
    os.setresgid(65532, 65532, 65532)
    os.setresuid(65532, 65532, 65532)


def test_counts_as_a_pod():
    """The image's program counts what the kernel counts, by uncore's names: the PMU of the tree has
    the type of software events, and 0 there is the CPU's clock, in ns."""
    _, root = image()
    if not ctypes.util.find_library("seccomp"):
        h.skip("libseccomp is not installed")
    tree = os.path.join(root, "sys-pod")
    pmu = "bus/event_source/devices/uncore_imc_0/"
    files = {"cpuinfo": "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 99\n"
                        "model\t\t: 7\nstepping\t: 1\n\n",
             "devices/system/cpu/online": "0",
             "devices/system/cpu/cpu0/topology/physical_package_id": "0",
             "devices/system/cpu/cpu0/topology/core_id": "0",
             pmu + "type": "1", pmu + "cpumask": "0", pmu + "format/event": "config:0-63",
             "my.conf": 'interval = "200ms"; groups = ( { name = "g"; '
                        'events = [ "perf/uncore_imc_0/event=0,name=clock/" ]; } );'}
    for name, said in files.items():
        os.makedirs(os.path.dirname(os.path.join(tree, name)), exist_ok=True)
        with open(os.path.join(tree, name), "w") as f:
            f.write(said + "\n")
    try:
        p = subprocess.run(["/usr/sbin/uncored", "--once", "-c", "/sys-pod/my.conf",
                            "--path-sysfs", "/sys-pod", "--path-procfs", "/sys-pod"],
                           preexec_fn=lambda: as_a_pod(root), capture_output=True, text=True,
                           timeout=h.PATIENCE)
    finally:
        shutil.rmtree(tree)
    assert p.returncode == 0, p
    counted = h.samples(p.stdout)['uncore_imc_clock_total{socket="0",unit="0"}']
    assert 180e6 < float(counted) < 2e9, counted


KUBERNETES = os.path.join(h.SRC, "contrib/kubernetes")


def test_configuration_of_a_cluster():
    """The ConfigMap says what the image's own configuration says, and is one."""
    said = re.search(r"^  uncored\.conf: \|\n((?: {4}.*\n)+)",
                     h.read(os.path.join(KUBERNETES, "uncored.yaml")), re.M)[1]
    conf = re.sub(r"^ {4}", "", said, flags=re.M)
    image = re.search(r"etc/uncored\.conf\" <<'EOF'\n(.*?)^EOF$",
                      h.read(os.path.join(AT, "rootfs.sh")), re.M | re.S)[1]
    assert conf == image, (conf, image)
    code, _, err = h.run(h.UNCORED, "--check-config", "-c", h.write("cluster.conf", conf),
                         "--machine", "spr")
    assert code == 0, err


def test_manifest():
    said = re.sub(r"#.*", "", h.read(os.path.join(KUBERNETES, "uncored.yaml")))
    for never in ("privileged:", "hostPID", "hostIPC", "hostPath", "SYS_ADMIN", "SYS_RAWIO",
                  "runAsUser: 0"):
        assert never not in said, never
    for always in ("runAsNonRoot: true", "readOnlyRootFilesystem: true",
                   "drop: [ALL], add: [PERFMON]", "automountServiceAccountToken: false"):
        assert said.count(always) == 1, always
    kinds = re.findall(r"^kind: (\w+)", said, re.M)
    assert kinds == ["Namespace", "ConfigMap", "DaemonSet", "Service", "PodMonitor"], kinds
    assert said.count("  namespace: uncored\n") == len(kinds) - 1, said
    # CAP_PERFMON is in no list of the levels below.
    assert "pod-security.kubernetes.io/enforce: privileged\n" in said, said
    # The file that the program reads lies where the ConfigMap is mounted.
    assert "args: [-c, /etc/uncored/uncored.conf]" in said and "mountPath: /etc/uncored," in said
    # A node without counters is no fault: it is not ready, but not killed, and no rollout waits.
    probes = re.findall(r"(\w+)Probe:\n +httpGet: { path: (\S+),", said)
    assert probes == [("liveness", "/-/healthy"), ("readiness", "/-/ready")], probes
    assert "maxUnavailable: 100%" in said and "jobLabel: app.kubernetes.io/name" in said, said
    assert "seccompProfile: { type: Localhost," in said and "Unconfined" not in said, said
    # Each selects what the pods are labelled with, and the port that the image listens on.
    assert said.count("{ app.kubernetes.io/name: uncored }") == 7, said
    with open(os.path.join(AT, "Containerfile")) as f:
        exposed = re.search(r"^EXPOSE (\d+)", f.read(), re.M)[1]
    assert "containerPort: %s" % exposed in said and "port: %s," % exposed in said, exposed


# in order, so that the image is made once
h.main(sys.modules[__name__], 0)
