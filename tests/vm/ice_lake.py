"""ice_lake.py - Debian's kernel on an Ice Lake server of two sockets: memory controllers behind MMIO, but no CHA."""
import sys

from checks import Driver
from guest import Guest, h

# iio: ioclk, bw_in of eight ports; imc: clockticks, cas_count_read, cas_count_write; imc_free_running: dclk, read, write and
# the same two of DDR-T
d = Driver(Guest("Icelake-Server,model=106,-hypervisor"),
           boxes={"iio": 6, "iio_free_running": 6, "imc": 12, "imc_free_running": 4, "irp": 6, "m2pcie": 6, "pcu": 1,
                  "ubox": 1},
           events={"iio_free_running": 9, "imc": 3, "imc_free_running": 5}, shared=("pcu", 4, "event=0x%x"),
           known=("imc", 4, "event=0x1,umask=0x%x"), ready=["pcie", "memory"])

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
