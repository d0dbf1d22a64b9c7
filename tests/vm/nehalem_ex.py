"""nehalem_ex.py - Debian's kernel on a Xeon 7500 of two sockets with two cores each."""
import sys

from guest import Guest, h

g = Guest("Nehalem,model=46,stepping=6,-hypervisor")


def test_counts_one_event():
    g.sh("insmod /intel-uncore.ko")
    g.write("/tmp/one.conf", 'groups = ( { name = "g"; events = [ "perf/uncore_wbox/clockticks/" ]; } );')
    m = h.samples(g.sh("uncored --once --engine perf -c /tmp/one.conf"))
    for socket in "01":
        assert m['uncore_wbox_clockticks_total{socket="%s",unit="0",group="g"}' % socket] == "0", m  # nothing counts here
        assert float(m['uncored_group_active_seconds_total{socket="%s",group="g"}' % socket]) >= 0.9, m


h.main(sys.modules[__name__], at_once=0)
