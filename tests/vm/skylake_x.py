"""skylake_x.py - Debian's kernel on a Skylake-X of two sockets. CHA, M2M, IMC and UPI are absent with their PCI devices."""
import sys

from checks import Driver
from guest import Guest, h

# ioclk, and bw_in, bw_out, util_in, util_out of four ports each
d = Driver(Guest("Skylake-Server,-hypervisor"), boxes={"iio": 6, "iio_free_running": 6, "irp": 6, "pcu": 1, "ubox": 1},
           events={"iio_free_running": 17}, shared=("pcu", 4, "event=0x%x"), known=("iio", 4, "event=0x1,umask=0x%x"),
           ready=["pcie"])

test_engine = d.engine
test_discovery = d.discovery
test_names = d.names
test_every_pmu_counts = d.every_pmu_counts
test_named_events_count = d.named_events_count
test_default = d.default
test_group_limit = d.group_limit
test_multiplexing = d.multiplexing
test_turns = d.turns
test_rate = d.rate
test_hotplug = d.hotplug

h.main(sys.modules[__name__], at_once=0)
