"""nehalem_ex.py - Debian's kernel on a Xeon 7500 of two sockets with two cores each."""
import sys

from checks import Driver
from guest import Guest, h

d = Driver(Guest("Nehalem,model=46,stepping=6,-hypervisor"),
           boxes={"bbox": 2, "cbox": 2, "mbox": 2, "rbox": 2, "sbox": 2, "ubox": 1, "wbox": 1},
           events={"mbox": 2, "rbox": 6, "wbox": 1}, shared=("cbox", 6, "event=0x1,umask=0x%x"), family="nehalem-ex")

test_engine = d.engine
test_discovery = d.discovery
test_names = d.names
test_every_pmu_counts = d.every_pmu_counts
test_named_events_count = d.named_events_count
test_group_limit = d.group_limit
test_multiplexing = d.multiplexing
test_rate = d.rate
test_hotplug = d.hotplug

h.main(sys.modules[__name__], at_once=0)
