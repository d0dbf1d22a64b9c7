#!/bin/bash
# SPDX-License-Identifier: MIT
# test_msrfs.sh - uncore-msrfs, seen as the daemon sees it: pread and pwrite of 8 bytes at the
# register number.
set -u

tool=${top_builddir:-.}/tests/msrfs/uncore-msrfs
[ -x "$tool" ] || { echo "SKIP: uncore-msrfs was not built: libfuse3 is not installed"; exit 77; }
command -v python3 >/dev/null || { echo "SKIP: python3 is not installed"; exit 77; }
if [ ! -r /dev/fuse ] || [ ! -w /dev/fuse ]; then echo "SKIP: /dev/fuse is not usable"; exit 77; fi

dir=$(mktemp -d) || exit 1
pid=
# shellcheck disable=SC2317,SC2329 # called by the trap
stop() {
	[ -n "$pid" ] && kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null
	mountpoint -q "$dir/mnt" && fusermount3 -u "$dir/mnt"
	rm -rf "$dir"
}
trap stop EXIT
trap 'exit 1' INT TERM

mkdir "$dir/mnt"
mkfifo "$dir/out"
"$tool" --virtual --sockets 2 --cores 2 "$dir/mnt" >"$dir/out" 2>"$dir/err" &
pid=$!
read -r -t 10 line <"$dir/out"
status=$?
[ "$status" -gt 128 ] && { echo "FAIL: no \"ready\" in 10 s"; exit 1; }
if [ "$status" != 0 ]; then                     # it has closed its output: it is gone
	wait "$pid"
	pid=
	grep -q mount "$dir/err" && { echo "SKIP: cannot mount: $(cat "$dir/err")"; exit 77; }
	echo "FAIL: it ended before \"ready\": $(cat "$dir/err")"
	exit 1
fi
[ "$line" = ready ] || { echo "FAIL: it said \"$line\""; exit 1; }

timeout 20 python3 - "$dir/mnt" <<'PY' || exit 1
import errno, os, struct, sys
mnt = sys.argv[1]

def text(path):
    with open(mnt + "/" + path) as f:
        return f.read()

def control(lines):
    with open(mnt + "/control", "w") as f:
        f.write(lines)

def fails(code, function, *args):
    try:
        function(*args)
    except OSError as e:
        assert e.errno == code, (e, code)
        return
    assert False, "no error"

def rd(fd, addr):
    return struct.unpack("<Q", os.pread(fd, 8, addr))[0]

def wr(fd, addr, value):
    assert os.pwrite(fd, struct.pack("<Q", value), addr) == 8

cpu = "sys/devices/system/cpu/"
assert text(cpu + "online") == "0-3\n" and text(cpu + "present") == "0-3\n"
assert text(cpu + "possible") == "0-3\n"
assert text(cpu + "cpu3/topology/physical_package_id") == "1\n"
assert text(cpu + "cpu3/topology/core_id") == "1\n"
assert text(cpu + "cpu3/topology/die_id") == "0\n"
assert text(cpu + "cpu3/topology/thread_siblings_list") == "3\n"
assert text(cpu + "cpu3/topology/core_cpus_list") == "3\n"
assert sorted(os.listdir(mnt + "/" + cpu)) == ["cpu0", "cpu1", "cpu2", "cpu3", "online",
                                               "possible", "present"]
assert os.listdir(mnt + "/" + cpu + "cpu0") == ["topology"]
assert sorted(os.listdir(mnt + "/" + cpu + "cpu1")) == ["online", "topology"]
assert os.listdir(mnt + "/sys/bus/event_source/devices") == []
info = text("proc/cpuinfo")
assert info.count("processor\t:") == 4 and info.count("model\t\t: 46\n") == 4
assert info.count("GenuineIntel") == 4
assert info.count("cpu family\t: 6\n") == 4 and info.count("stepping\t: 6\n") == 4

# The uncore clock of socket 1: one second of 2.4 GHz, then a wrap.
fd = os.open(mnt + "/dev/cpu/2/msr", os.O_RDWR)
wr(fd, 0x395, 1)
wr(fd, 0xc80, 1 << 31)
wr(fd, 0xc00, 1 << 28)
control("advance 1000000000\n")
assert rd(fd, 0x394) == 2400000000
control("poke 1 0x394 0xffffffffff00\nadvance 1000000000\n")
assert rd(fd, 0x394) == 2400000000 - 256
assert text("truth") == "1 0x394 4800000000 2400000000.000\n", text("truth")
assert rd(fd, 0xc01) == 2

# Lengths, unknown and write-only registers.
fails(errno.EINVAL, os.pread, fd, 4, 0xc00)
fails(errno.EINVAL, os.pread, fd, 16, 0xc00)
fails(errno.EINVAL, os.pwrite, fd, b"1234", 0xc00)
fails(errno.EIO, os.pread, fd, 8, 0xc03)
assert text("violations") == "0\n"
fails(errno.EIO, os.pread, fd, 8, 0xd02)
wr(fd, 0xd10, 1 << 62)
assert text("violations").startswith("2\nsocket 1 C0.ctl0 (0xd10): reserved bits"), \
    text("violations")

# Somebody else writes; the log has both in order.
control("write 3 0xd12 0x400714\n")
assert rd(fd, 0xd12) == 0x400714
assert text("writes") == ("1 2 0x395 0x1\n1 2 0xc80 0x80000000\n1 2 0xc00 0x10000000\n"
                          "1 2 0xd10 0x4000000000000000\n1 3 0xd12 0x400714 control\n"), \
                          text("writes")

# A CPU goes: its files vanish, what was open answers ENXIO; another CPU of the socket answers.
control("online 2 0\n")
assert text(cpu + "online") == "0-1,3\n" and text(cpu + "cpu2/online") == "0\n"
assert os.listdir(mnt + "/" + cpu + "cpu2") == ["online"]
assert sorted(os.listdir(mnt + "/dev/cpu")) == ["0", "1", "3"]
fails(errno.ENOENT, os.open, mnt + "/dev/cpu/2/msr", os.O_RDWR)
fails(errno.ENXIO, os.pread, fd, 8, 0x394)
other = os.open(mnt + "/dev/cpu/3/msr", os.O_RDONLY)
assert rd(other, 0x394) == 2400000000 - 256
assert text("proc/cpuinfo").count("processor\t:") == 3
control("online 2 1\n")
assert rd(fd, 0x394) == 2400000000 - 256

# Faults.
control("fault eio 1 0x394 on\n")
fails(errno.EIO, os.pread, fd, 8, 0x394)
control("fault eio 1 0x394 off\nfault write_eperm 1 on\n")
fails(errno.EPERM, os.pwrite, fd, bytes(8), 0xd10)
control("fault write_eperm 1 off\nfault stop_clock 1 on\nadvance 1000\n")
assert rd(fd, 0x394) == 2400000000 - 256
for bad in ("nonsense", "fault eio 9 on", "fault gone 1 on", "advance", "advance x", "write 9 0 0",
            "online 0 2"):
    fails(errno.EINVAL, control, bad + "\n")
PY

kill -TERM "$pid"
wait "$pid"
status=$?
pid=
[ "$status" = 0 ] || { echo "FAIL: exit status $status after SIGTERM: $(cat "$dir/err")"; exit 1; }
mountpoint -q "$dir/mnt" && { echo "FAIL: still mounted"; exit 1; }
"$tool" --sockets 0 "$dir/mnt" 2>/dev/null
[ $? = 64 ] || { echo "FAIL: usage error is not 64"; exit 1; }
"$tool" --help | grep -q control || { echo "FAIL: --help"; exit 1; }
exit 0
