# SPDX-License-Identifier: MIT
"""ivytown.py - Debian's kernel on a Xeon E5 v2 of two sockets. Its boxes in PCI space are absent:
qemu has no such devices."""
import sys

from checks import Driver
from guest import Guest, h

d = Driver(Guest("IvyBridge,model=62,-hypervisor"),
           boxes={"cbox": 2, "pcu": 1, "ubox": 1}, events={},
           shared=("pcu", 4, "event=0x%x"), known=("cbox", 4, "event=0x0,umask=0x%x"),
           ready=["llc"], family="ivytown")
d.tests(globals())

h.main(sys.modules[__name__], at_once=0)
