# SPDX-License-Identifier: MIT
"""service.py - the installed unit under systemd as PID 1, on the msr driver of a real kernel.

Under qemu registers read 0 and forget what is written: uncored counts nothing there, but starts,
writes, reloads and restores.
"""
import re
import sys

import image
from guest import Guest, configuration, h, socket_info

XEON_7500 = "Nehalem,model=46,stepping=6,-hypervisor"
STATE = "/run/uncored/uncored.state"
ONE, TWO = {"one": ["cbox/LLC_HITS:ALL"]}, {"two": ["cbox/LLC_MISSES:ALL"]}

g = Guest(XEON_7500, systemd=True, extra=image.udev())
# The installed rule lets the group open the registers' device.
g.sh("systemd-sysusers; /lib/systemd/systemd-udevd --daemon")
DROPINS = "/etc/systemd/system/uncored.service.d"


def configure(text):
    g.write("/etc/uncored.conf", text)


def show(name):
    return g.sh("systemctl show -P %s uncored" % name).strip()


def metrics():
    return h.samples(g.sh("wget -q -O - http://127.0.0.1:10062/metrics"))


def groups(m):
    return {k.split('group="')[1].split('"')[0] for k in m
            if k.startswith("uncored_group_active_seconds_total{")}


def journal():
    return g.sh("journalctl -o cat -u uncored --no-pager")


def wait(what):
    """Until a command of the guest succeeds."""
    g.sh("for i in $(seq 200); do %s && exit 0; usleep 100000; done; systemctl status "
         "uncored; exit 1" % what)


def powers(pid):
    """(user, effective capabilities) of a process, which can get no others."""
    fields = dict(line.split(":", 1) for line in g.sh("cat /proc/%s/status" % pid).splitlines())
    uids, caps = set(fields["Uid"].split()), int(fields["CapPrm"], 16)
    assert len(uids) == 1 and int(fields["CapEff"], 16) == caps, fields
    assert fields["NoNewPrivs"].strip() == "1", fields
    assert int(fields["CapAmb"], 16) == 0, fields
    return int(uids.pop()), caps


def with_dropins(*names):
    """Starts the service with packaged drop-ins, and no others."""
    g.sh("systemctl stop uncored uncored.socket; rm -rf %s; mkdir -p %s" % (DROPINS, DROPINS))
    for name in names:
        g.sh("cp $(find /usr -name %s.conf) %s" % (name, DROPINS))
    what = "uncored.socket uncored" if "socket" in names else "uncored"
    assert g.run("systemctl daemon-reload; systemctl start " + what)[0] == 0, journal()[-1500:]


def without_dropins():
    g.sh("systemctl stop uncored uncored.socket; rm -r %s; systemctl daemon-reload" % DROPINS)


def test_start():
    """As README says. The unit loads the msr module; both processes are the user uncored, the
    parent with the two capabilities that it needs, the http process without any."""
    configure('interval = "100ms";' + configuration(ONE))
    assert g.run("[ -e /sys/module/msr ]")[0] != 0
    g.sh("systemctl daemon-reload; systemctl enable --now uncored")
    assert show("ActiveState") == "active" and show("NRestarts") == "0", journal()
    m = metrics()
    assert socket_info(1, 2) in m and groups(m) == {"one"}, m
    assert g.run("[ -s %s ]" % STATE)[0] == 0, "no state file"
    # eight slices of two sockets
    assert show("StatusText") == "16 events on 2 sockets, 16 invalid", show("StatusText")
    parent = int(show("MainPID"))
    child, spawner = (int(g.sh("grep -lx %s /proc/[0-9]*/comm" % name).split("/")[2])
                      for name in ("uncored-http", "uncored-spawner"))
    uid = int(g.sh("id -u uncored"))
    # bits 17 and 38 of include/uapi/linux/capability.h
    assert uid and powers(parent) == (uid, 1 << 17 | 1 << 38), powers(parent)
    assert powers(child) == (uid, 0), powers(child)
    assert powers(spawner) == powers(parent), powers(spawner)


def test_reload():
    """A good edit is counted; a bad one is refused, said and counted on without it."""
    pid = show("MainPID")
    configure('interval = "100ms";' + configuration(TWO))
    g.sh("systemctl reload uncored")
    wait("wget -q -O - http://127.0.0.1:10062/metrics | grep -q 'group=\"two\"'")
    configure('interval = "100ms";\ngruops = ( );\n')
    code, _, err = g.run("systemctl reload uncored")
    assert code != 0, err
    wait("wget -q -O - http://127.0.0.1:10062/metrics | grep -q "
         "'^uncored_config_last_reload_successful 0'")
    assert groups(metrics()) == {"two"} and show("ActiveState") == "active", journal()
    assert show("MainPID") == pid, journal()
    assert '/etc/uncored.conf:2: the configuration has no key "gruops"; ' \
        'the nearest known one is "groups"' in journal(), journal()


def test_killed():
    """Its registers go back, by ExecStopPost, and it is started again."""
    configure('interval = "100ms";' + configuration(ONE))
    pid = show("MainPID")
    g.sh("[ -s %s ]; kill -KILL %s" % (STATE, pid))
    wait("[ $(systemctl show -P SubState uncored) = auto-restart ]")
    assert g.run("[ -e %s ]" % STATE)[0] != 0, "ExecStopPost put nothing back: " + journal()
    wait("[ $(systemctl show -P NRestarts uncored) = 1 ] && wget -q -O /dev/null "
         "http://127.0.0.1:10062/-/ready")
    assert show("MainPID") not in ("0", pid) and groups(metrics()) == {"one"}, journal()
    assert journal().count("did not exit cleanly") == 1, journal()


def test_realtime():
    """contrib/systemd/realtime.conf makes the samplers SCHED_FIFO, and nobody else."""
    fast = 'interval = "100ms"; resolution = "50ms";' + configuration(ONE)

    def policies():
        pid = show("MainPID")
        return {line.split(None, 1)[0]: int(line.split()[-1]) for line in g.sh(
            "for t in /proc/%s/task/*; do echo $(cat $t/comm | tr ' ' _) $(grep '^policy' $t/sched "
            "| tr -d ' :policy'); done" % pid
        ).splitlines()}

    configure(fast)
    g.sh("systemctl restart uncored")
    assert set(policies().values()) == {0}, policies()
    assert metrics()['uncored_sampler_realtime{socket="0"}'] == "0"
    g.sh("mkdir -p /etc/systemd/system/uncored.service.d; cp $(find /usr -name realtime.conf) "
         "/etc/systemd/system/uncored.service.d;"
         " systemctl daemon-reload; systemctl restart uncored")
    assert show("LimitRTPRIO") == "1"
    m = metrics()
    assert [m['uncored_sampler_realtime{socket="%d"}' % s] for s in (0, 1)] == ["1", "1"], journal()
    fifo = [name for name, policy in policies().items() if policy == 1]
    assert len(fifo) == 2, policies()
    g.sh("rm -r /etc/systemd/system/uncored.service.d; systemctl daemon-reload")


def test_socket():
    """systemd listens, and the first one who asks starts the service."""
    g.sh("systemctl stop uncored; systemctl start uncored.socket")
    assert show("ActiveState") == "inactive"
    assert groups(metrics()) <= {"one"} and show("ActiveState") == "active", journal()
    g.sh("systemctl stop uncored.socket")


def test_late_module():
    """The unit starts without the msr module, waits for it, and may use its devices: which devices
    those are is decided when it starts."""
    g.sh("systemctl stop uncored; rmmod msr; systemctl mask --runtime modprobe@msr.service")
    g.sh("systemctl start uncored")
    got = metrics()
    assert got["uncored_without_counters"] == "1" and g.run("[ -e /dev/cpu/0/msr ]")[0] != 0, got
    pid = show("MainPID")
    g.sh("modprobe msr")
    wait("wget -q -O /dev/null http://127.0.0.1:10062/-/ready")
    got = metrics()
    assert got["uncored_without_counters"] == "0" and groups(got) == {"one"}, journal()
    assert (show("MainPID"), show("NRestarts")) == (pid, "0"), journal()
    g.sh("systemctl unmask --runtime modprobe@msr.service")


def test_dropins():
    """Each packaged drop-in really starts, and counts: the clock, which a guest has."""
    configure('interval = "100ms"; engine = "perf"; '
              'groups = ( { name = "one"; events = [ "perf/msr/tsc/" ]; } );')
    g.sh("sysctl -w kernel.perf_event_paranoid=2")      # Debian's 3 wants more than CAP_PERFMON
    for names in ((), ("loopback",), ("socket",), ("bound",), ("socket", "bound", "loopback")):
        with_dropins(*names)
        wait("wget -q -O - http://127.0.0.1:10062/metrics | grep -q '^uncore_msr_tsc_.* [1-9]'")
        assert groups(metrics()) == {"one"} and show("ActiveState") == "active", (names, journal())
        pinned = metrics()['uncored_sampler_pinned{socket="0"}']
        assert pinned == ("1" if "bound" in names else "0"), (names, pinned)
        without_dropins()


def test_perf_only():
    """Of a machine that counts through perf events, with CAP_PERFMON alone and without a device.
    The guest's kernel has no uncore PMU for its processor, so that the clock is counted."""
    configure('engine = "perf"; groups = ( { name = "clock"; events = [ "perf/msr/tsc/" ]; } );')
    with_dropins("socket", "perf")
    assert powers(show("MainPID")) == (int(g.sh("id -u uncored")), 1 << 38), journal()
    wait("wget -q -O - http://127.0.0.1:10062/metrics | grep -q '^uncore_.* [1-9]'")
    without_dropins()


def test_socket_owner():
    """A socket file of somebody else takes the drop-in for it."""
    configure('listen = [ "unix:/run/uncored/http" ]; listen_socket = { owner = "nobody"; };' +
              configuration(ONE))
    assert g.run("systemctl start uncored")[0] != 0
    assert "socket-owner.conf" in journal(), journal()
    with_dropins("socket-owner")
    assert g.sh("stat -c %U /run/uncored/http").strip() == "nobody", journal()
    without_dropins()


CLOCK = 'engine = "perf"; pause = "counters"; ' \
    'groups = ( { name = "clock"; events = [ "perf/msr/tsc/" ]; } );'


def as_nobody(group):
    """Of that group, and of no other."""
    return "/usr/bin/setpriv --reuid=nobody --regid=%s --clear-groups " % group


def open_events():
    return g.sh("ls -l /proc/%s/fd" % show("MainPID")).count("anon_inode:[perf_event]")


def clocks():
    """What was counted of each socket; {}: nothing is."""
    return {k: int(v) for k, v in metrics().items() if k.startswith("uncore_msr_tsc_total{")}


def check_pause(who, closed):
    """While the command runs it is paused, and `closed` is so; then all goes on."""
    g.sh("rm -f /tmp/ended /tmp/code; (%s uncorectl pause -- sh -c 'until [ -e /tmp/ended ]; do "
         "usleep 50000; done; exit 7' >/tmp/said 2>&1; echo $? >/tmp/code) &" % who)
    wait("wget -q -O - http://127.0.0.1:10062/metrics | grep -qx 'uncored_paused 1'")
    closed()
    assert not any(k.startswith("uncore_") for k in metrics()), metrics()
    g.sh("wget -q -O /dev/null http://127.0.0.1:10062/-/ready; [ ! -e /tmp/code ]; >/tmp/ended")
    wait("[ -s /tmp/code ]")
    assert g.sh("cat /tmp/said /tmp/code") == "7\n", g.sh("cat /tmp/said /tmp/code")
    wait("wget -q -O - http://127.0.0.1:10062/metrics | grep -qx 'uncored_paused 0'")


def check_clock_pauses(who):
    """Its events are closed meanwhile, and opened again."""
    def closed():
        assert open_events() == 0, open_events()
    wait("wget -q -O - http://127.0.0.1:10062/metrics | grep -q '^uncore_msr_tsc_total{'")
    before, events = clocks(), open_events()
    assert events == 2 == len(before), (events, before)
    check_pause(who, closed)
    h.wait_for("it counts on", lambda: len(clocks()) == 2 and all(
        v > before[k] for k, v in clocks().items()))
    assert open_events() == events, journal()


def check_refused(who):
    code, _, err = g.run(who + "uncorectl pause -- true")
    assert code == 77 and "only root may pause uncored, and the group that the key `pause` names" \
        in err, (code, err)


def test_pause():
    """As the unit's user: root may; the group that `pause` names with the drop-in, or with what its
    comment says instead; nobody else."""
    g.sh("sysctl -w kernel.perf_event_paranoid=2; echo counters:x:4242: >>/etc/group")
    configure(CLOCK)
    with_dropins()
    assert "only root can pause uncored" in journal() and "socket-owner.conf" in journal(), \
        journal()
    check_refused(as_nobody("counters"))
    check_clock_pauses("")
    for dropin in (None, "[Service]\nSystemCallFilter=@chown\nSupplementaryGroups=counters\n"):
        with_dropins(*([] if dropin else ["socket-owner"]))
        if dropin:
            g.write(DROPINS + "/member.conf", dropin)
            g.sh("systemctl daemon-reload; systemctl restart uncored")
        assert g.sh("stat -c '%a %U %G' /run/uncored/uncored.pause") == "660 uncored counters\n"
        check_refused(as_nobody("nogroup"))
        check_clock_pauses(as_nobody("counters"))
    assert show("NRestarts") == "0", journal()
    # through registers, which its state file names
    configure('pause = "counters"; interval = "100ms";' + configuration(ONE))
    g.sh("systemctl restart uncored; [ -s %s ]" % STATE)
    check_pause(as_nobody("counters"), lambda: g.sh("[ ! -e %s ]" % STATE))
    wait("[ -s %s ]" % STATE)
    without_dropins()


def test_root_in_between():
    """Root may count by hand between two lives of the service, which finds files of its own."""
    configure('interval = "100ms";' + configuration(ONE))
    g.sh("systemctl restart uncored; systemctl stop uncored; rm -f /run/uncored/uncored.lock")
    code, _, err = g.run("PATH=$PATH:/usr/local/sbin uncored --once >/dev/null")
    assert "belongs to" not in err and code != 69, (code, err)
    assert g.sh("stat -c %U /run/uncored/uncored.lock").strip() == "uncored"
    g.sh("systemctl start uncored")


def test_too_few_files():
    """Each try says how many it needs and may open, and systemd gives up after five of them."""
    events = ["perf/software/config=%d,name=n%d/" % (n, n) for n in range(9)]
    configure('interval = "100ms";' + configuration({"many": events}))
    g.sh("mkdir -p " + DROPINS)
    g.write(DROPINS + "/few.conf", "[Service]\nLimitNOFILE=20\nRestartSec=100ms\n")
    g.sh("systemctl stop uncored; systemctl daemon-reload; "
         "journalctl --rotate --vacuum-time=1s -q")
    g.run("systemctl start uncored")
    wait("[ $(systemctl show -P ActiveState uncored) = failed ]")
    assert (show("Result"), show("ExecMainStatus")) == ("exit-code", "75"), journal()
    said = re.findall(r"keeps 18 files open beside \d+ others, but uncored may open 20 in all",
                      journal())
    assert len(said) == 5 and "repeated too quickly" in journal(), journal()
    g.sh("sleep 2")
    assert show("ActiveState") == "failed", journal()
    without_dropins()
    configure('interval = "100ms";' + configuration(ONE))
    code = g.run("systemctl reset-failed uncored; systemctl start uncored")[0]
    assert code == 0 and show("ActiveState") == "active", journal()


def test_stop():
    """Nothing is left behind; and a configuration that cannot be started with is not tried again
    and again."""
    g.sh("systemctl restart uncored; systemctl stop uncored")
    assert show("ActiveState") == "inactive" and show("Result") == "success", journal()
    assert g.run("[ -e %s ]" % STATE)[0] != 0, "the state file stayed"
    configure('interval = "0s";\n')
    assert g.run("systemctl start uncored")[0] != 0
    g.sh("sleep 4")
    assert (show("ActiveState"), show("ExecMainStatus"),
            show("NRestarts")) == ("failed", "78", "0"), journal()
    assert "/etc/uncored.conf:1: interval" in journal(), journal()


h.main(sys.modules[__name__], at_once=0)
