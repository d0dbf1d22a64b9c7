# SPDX-License-Identifier: MIT
# files of src/conf
libuncored_a_SOURCES += \
	src/conf/conf.c src/conf/conf.h \
	src/conf/file.c src/conf/key.h \
	src/conf/metric.c \
	src/conf/parse.c \
	src/conf/read.c src/conf/read.h \
	src/conf/sampling.c \
	src/conf/scan.c src/conf/scan.h \
	src/conf/serving.c \
	src/conf/tree.c src/conf/tree.h \
	src/conf/tree_make.c \
	src/conf/values.c
