#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""packages.py - what a build needs is in two lists, debian/control for Debian's own builds and
bootstrap for everybody else's: the same, but for what each of the two needs for itself. A third is
of the libraries for another machine, which tests/vm/cross.py builds for.

It lists what one of them has and another lacks.
"""
import os
import re
import sys

SRC = os.environ.get("top_srcdir", os.path.join(os.path.dirname(__file__), "../.."))
# Of Debian's build alone: itself, and where units are installed, of which the build of the clone
# has a default.
DEBIAN = {"debhelper-compat", "dh-sequence-installsysusers", "systemd-dev"}
# Of a clone: what every Debian build has, and what debhelper brings (dh_autoreconf).
CLONE = {"gcc", "make", "autoconf", "automake"}
# One package by two names: the older release has the first alone.
NAMES = {"pkg-config": "pkgconf", "python3:any": "python3"}
# With what a user mounts the model's files; where Debian builds, nobody may.
MOUNTS = {"fuse3"}


def read(name):
    with open(os.path.join(SRC, name), encoding="utf-8") as f:
        return f.read()


def of_debian():
    """(what a build needs, what its tests need)"""
    text = re.search(r"^Build-Depends: (.*(?:\n .*)*)", read("debian/control"), re.M)[1]
    need, tests = set(), set()
    for one in text.replace("\n", "").split(","):
        name = one.split("|")[0].split("(")[0].split("<")[0].strip()
        (tests if "<!nocheck>" in one else need).add(NAMES.get(name, name))
    return need, tests


def of_bootstrap(name):
    words = re.search(r"^%s=\((.*?)\)" % name, read("bootstrap"), re.M | re.S)[1].split()
    return {NAMES.get(word, word) for word in words}


def of_another_machine():
    words = re.search(r"^PACKAGES = \[(.*?)\]", read("tests/vm/cross.py"), re.M | re.S)[1]
    return set(re.findall(r'"([^"]+)"', words))


def main():
    if not os.path.exists(os.path.join(SRC, "debian/control")):
        print("SKIP: a tarball has no debian/")
        return 77
    need, tests = of_debian()
    build, check = of_bootstrap("build_packages"), of_bootstrap("check_packages")
    assert len(need) > 10 and len(tests) > 3 and len(build) > 15 and len(check) > 20
    found = ["debian/control lacks %s, which bootstrap's build_packages have" % name
             for name in sorted(build - CLONE - MOUNTS - need - tests)]
    found += ["bootstrap's build_packages lack %s, which debian/control has" % name
              for name in sorted(need - DEBIAN - build)]
    found += ["bootstrap lacks %s, which debian/control has for tests" % name
              for name in sorted(tests - build - check)]
    libraries = {name for name in build & need if name.endswith("-dev")}
    found += ["tests/vm/cross.py lacks %s" % name
              for name in sorted(libraries - of_another_machine())]
    known = DEBIAN | CLONE | MOUNTS
    found += ["%s is in neither list any more: take it out of packages.py" % name
              for name in sorted(known - need - tests - build)]
    print("\n".join(found))
    return bool(found)


sys.exit(main())
