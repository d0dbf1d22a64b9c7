# SPDX-License-Identifier: MIT
libuncored_a_SOURCES += src/derive/derive.c src/derive/derive.h
