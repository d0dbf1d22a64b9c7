# SPDX-License-Identifier: MIT
# unit tests of topo
if HAVE_CMOCKA
test_programs += tests/unit/test_topo tests/unit/test_topo_pmus
tests_unit_test_topo_SOURCES = tests/unit/test_topo.c tests/unit/temp_dir.h
tests_unit_test_topo_pmus_SOURCES = tests/unit/test_topo_pmus.c tests/unit/temp_dir.h
test_programs += tests/unit/test_topo_devices
tests_unit_test_topo_devices_SOURCES = tests/unit/test_topo_devices.c tests/unit/temp_dir.h
test_programs += tests/unit/test_host
tests_unit_test_host_SOURCES = tests/unit/test_host.c tests/unit/temp_dir.h
test_programs += tests/unit/test_machine_text
tests_unit_test_machine_text_SOURCES = tests/unit/test_machine_text.c tests/unit/temp_dir.h
endif
