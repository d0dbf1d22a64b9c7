"""ivytown.py - Debian's kernel on a Xeon E5 v2 of two sockets. Its boxes in PCI space are absent: qemu has no such devices."""
import sys

from checks import Driver
from guest import Guest, h

d = Driver(Guest("IvyBridge,model=62,-hypervisor"), boxes={"cbox": 2, "pcu": 1, "ubox": 1}, events={},
           shared=("pcu", 4, "event=0x%x"), known=("cbox", 4, "event=0x0,umask=0x%x"), ready=["llc"], family="ivytown")

test_engine = d.engine
test_discovery = d.discovery
test_names = d.names
test_every_pmu_counts = d.every_pmu_counts
test_default = d.default
test_group_limit = d.group_limit
test_multiplexing = d.multiplexing
test_turns = d.turns
test_rate = d.rate
test_hotplug = d.hotplug

h.main(sys.modules[__name__], at_once=0)
