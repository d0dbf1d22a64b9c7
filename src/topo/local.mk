# SPDX-License-Identifier: MIT
# files of src/topo
libuncored_a_SOURCES += \
	src/topo/cpuinfo.c src/topo/cpuinfo.h \
	src/topo/host.c src/topo/host.h \
	src/topo/machine_dir.c src/topo/machine_dir.h \
	src/topo/machine_find.c src/topo/machine_find.h \
	src/topo/machine_text.c src/topo/machine_text.h \
	src/topo/memory.c \
	src/topo/pci.c \
	src/topo/pmu.c \
	src/topo/sysfile.c src/topo/sysfile.h \
	src/topo/topo.c src/topo/topo.h
