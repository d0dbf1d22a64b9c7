# SPDX-License-Identifier: MIT
"""skylake_x.py - Debian's kernel on a Skylake-X of two sockets. CHA, M2M, IMC and UPI are absent
with their PCI devices."""
import sys

from checks import Driver
from guest import Guest, h

# ioclk, and bw_in, bw_out, util_in, util_out of four ports each
d = Driver(Guest("Skylake-Server,-hypervisor"),
           boxes={"iio": 6, "iio_free_running": 6, "irp": 6, "pcu": 1, "ubox": 1},
           events={"iio_free_running": 17}, shared=("pcu", 4, "event=0x%x"),
           known=("iio", 4, "event=0x1,umask=0x%x"),
           ready=["pcie"])
d.tests(globals())

h.main(sys.modules[__name__], at_once=0)
