# SPDX-License-Identifier: MIT
# files of src/topo
libuncored_a_SOURCES += \
	src/topo/capture_cpus.c \
	src/topo/capture_lines.c src/topo/capture_lines.h \
	src/topo/capture_pci.c \
	src/topo/capture_pmus.c \
	src/topo/cpuinfo.c src/topo/cpuinfo.h \
	src/topo/devices.c src/topo/devices.h \
	src/topo/host.c src/topo/host.h \
	src/topo/machine_capture.c src/topo/machine_capture.h \
	src/topo/machine_cpus.c \
	src/topo/machine_dir.c src/topo/machine_dir.h \
	src/topo/machine_find.c src/topo/machine_find.h \
	src/topo/machine_lines.c src/topo/machine_lines.h \
	src/topo/machine_pci.c \
	src/topo/machine_pmus.c \
	src/topo/machine_text.c src/topo/machine_text.h \
	src/topo/memory.c \
	src/topo/pci.c \
	src/topo/pmu.c \
	src/topo/stale.c src/topo/stale.h \
	src/topo/sysfile.c src/topo/sysfile.h \
	src/topo/topo.c src/topo/topo.h

# The machines that --machine knows, and what several of them have in common.
machinesdir = $(pkgdatadir)/machines
dist_machines_DATA = \
	src/topo/machines/adl.txt src/topo/machines/altra2.txt src/topo/machines/altra2_lts.txt \
	src/topo/machines/ampereone.txt src/topo/machines/cmns3.txt \
	src/topo/machines/kunpeng920.txt src/topo/machines/kunpeng930.txt \
	src/topo/machines/yitian710.txt \
	src/topo/machines/bdx.txt src/topo/machines/bdxde.txt src/topo/machines/clx.txt \
	src/topo/machines/clxap.txt src/topo/machines/cmn600.txt src/topo/machines/cmn700.txt \
	src/topo/machines/cpx.txt \
	src/topo/machines/cwf.txt src/topo/machines/emr.txt src/topo/machines/gnr.txt \
	src/topo/machines/grace.txt src/topo/machines/vera.txt \
	src/topo/machines/hsx.txt src/topo/machines/icx.txt src/topo/machines/ivt.txt \
	src/topo/machines/lnl.txt src/topo/machines/mtl.txt src/topo/machines/nehalem.txt \
	src/topo/machines/nehalem_ex.txt src/topo/machines/raphael.txt \
	src/topo/machines/ryzen.txt src/topo/machines/skl.txt src/topo/machines/skx.txt \
	src/topo/machines/snbep.txt src/topo/machines/spr.txt src/topo/machines/sprhbm.txt \
	src/topo/machines/srf.txt src/topo/machines/tgl.txt \
	src/topo/machines/westmere.txt src/topo/machines/zen1.txt \
	src/topo/machines/zen2.txt src/topo/machines/zen3.txt src/topo/machines/zen4.txt \
	src/topo/machines/zen5.txt src/topo/machines/zen6.txt
machinescommondir = $(machinesdir)/common
dist_machinescommon_DATA = \
	src/topo/machines/common/kernel.txt src/topo/machines/common/kernel_amd.txt \
	src/topo/machines/common/kernel_hybrid.txt src/topo/machines/common/kernel_intel.txt \
	src/topo/machines/common/xeon6.txt
# Programs of a build tree find them beside themselves.
all-local: machines
machines:
	$(AM_V_GEN)ln -s '$(abs_srcdir)/src/topo/machines' machines
CLEANFILES += machines
