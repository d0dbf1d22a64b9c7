# SPDX-License-Identifier: MIT
"""boot.py - a guest that does not boot is tried again, once; with a stand-in for qemu."""
import os
import sys

import guest
from guest import h, image

# Its nth start hangs, ends or answers, as the nth word of the file says; "6.1" is the answer to the
# first command.
QEMU = """#!/bin/sh
set -- $(cat '%(at)s.starts')
echo "$*" | cut -s -d' ' -f2- >'%(at)s.starts'
case $1 in
hangs) exec sleep 100 ;;
ends) echo "no such machine"; exit 1 ;;
*) echo ready; read -r line; printf '0 4 0\\n6.1\\n'; exec sleep 100 ;;
esac
"""


def boot(starts):
    """A guest whose starts go that way, and which of them were not needed."""
    at = h.path("qemu")
    h.write("qemu", QEMU % {"at": at})
    os.chmod(at, 0o755)
    h.write("qemu.starts", starts + "\n")
    image.check_host, image.need, image.kernel, \
        image.initramfs = (lambda *_: None, lambda *_: at, lambda: ".", lambda *_: "initramfs")
    guest.BOOT = (1.0, 3.0)
    try:
        g = guest.Guest("Nehalem")
        g.kill()
    except AssertionError as e:
        g = str(e)
    with open(at + ".starts") as f:
        return g, f.read().strip()


def test_a_guest_that_hangs_or_ends_is_tried_again():
    for starts, left in (("boots boots", "boots"), ("hangs boots boots", "boots"),
                         ("ends boots", "")):
        g, rest = boot(starts)
        assert isinstance(g, guest.Guest) and rest == left, (starts, g, rest)


def test_but_once():
    for starts, says in (("hangs hangs boots", "the guest does not answer"),
                         ("hangs ends boots", "no such machine")):
        g, rest = boot(starts)
        assert says in str(g) and rest == "boots", (starts, g, rest)


h.main(sys.modules[__name__])
