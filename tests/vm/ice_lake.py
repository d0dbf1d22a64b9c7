# SPDX-License-Identifier: MIT
"""ice_lake.py - Debian's kernel on an Ice Lake server of two sockets: memory controllers behind
MMIO, but no CHA."""
import sys

from checks import Driver
from guest import Guest, h

# iio: ioclk, bw_in of eight ports; imc: clockticks, cas_count_read, cas_count_write;
# imc_free_running: dclk, read, write and the same two of DDR-T
d = Driver(Guest("Icelake-Server,model=106,-hypervisor"),
           boxes={"iio": 6, "iio_free_running": 6, "imc": 12, "imc_free_running": 4, "irp": 6,
                  "m2pcie": 6, "pcu": 1,
                  "ubox": 1},
           events={"iio_free_running": 9, "imc": 3, "imc_free_running": 5},
           shared=("pcu", 4, "event=0x%x"),
           known=("imc", 4, "event=0x1,umask=0x%x"), ready=["pcie", "memory", "memory_use"])
d.tests(globals())

h.main(sys.modules[__name__], at_once=0)
