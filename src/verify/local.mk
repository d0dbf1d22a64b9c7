# SPDX-License-Identifier: MIT
# files of src/verify
libuncored_a_SOURCES += \
	src/verify/cpu_time.c src/verify/cpu_time.h \
	src/verify/load.c src/verify/load.h \
	src/verify/pace.c src/verify/pace.h \
	src/verify/verdict.c src/verify/verdict.h
