# SPDX-License-Identifier: MIT
# Unit tests, one program per tested file; built only where cmocka is (HAVE_CMOCKA).
# Each room's tests are listed in tests/unit/<room>.mk.
if !HAVE_CMOCKA
TESTS += tests/unit/built.sh
endif
EXTRA_DIST += tests/unit/built.sh
include tests/unit/base.mk
include tests/unit/topo.mk
include tests/unit/conf.mk
include tests/unit/machine.mk
include tests/unit/access.mk
include tests/unit/sample.mk
include tests/unit/expo.mk
include tests/unit/http.mk
include tests/unit/process.mk
include tests/unit/children.mk
include tests/unit/daemon.mk
include tests/unit/verify.mk
include tests/unit/ctl.mk
