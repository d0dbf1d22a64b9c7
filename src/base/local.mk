# SPDX-License-Identifier: MIT
libuncored_a_SOURCES += \
	src/base/address.c src/base/address.h \
	src/base/arena.c src/base/arena.h \
	src/base/bits.h \
	src/base/cleanup.h \
	src/base/clock.h \
	src/base/command.c src/base/command.h \
	src/base/cmdline.c src/base/cmdline.h \
	src/base/err.c src/base/err.h \
	src/base/labels.c src/base/labels.h \
	src/base/name.c src/base/name.h \
	src/base/nsec.c src/base/nsec.h \
	src/base/num.c src/base/num.h \
	src/base/own_dir.c src/base/own_dir.h \
	src/base/pausing.h \
	src/base/populate.h \
	src/base/printable.c src/base/printable.h \
	src/base/query.c src/base/query.h \
	src/base/reg.c src/base/reg.h \
	src/base/state_dir.c src/base/state_dir.h \
	src/base/strb.c src/base/strb.h \
	src/base/texts.c src/base/texts.h \
	src/base/traffic.c src/base/traffic.h \
	src/base/user.c src/base/user.h \
	src/base/words.c src/base/words.h
