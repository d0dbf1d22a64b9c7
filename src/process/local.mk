# SPDX-License-Identifier: MIT
libuncored_a_SOURCES += \
	src/process/calls.c src/process/calls.h \
	src/process/confine.c src/process/confine.h \
	src/process/exit_code.c src/process/exit_code.h \
	src/process/log.c src/process/log.h \
	src/process/privileges.c src/process/privileges.h \
	src/process/shared.c src/process/shared.h \
	src/process/wire.c src/process/wire.h

# What uncored and uncored-http have to agree on, asked at each make, written only if it is another
# one.
nodist_libuncored_a_SOURCES += src/process/layout_hash.h
BUILT_SOURCES += src/process/layout_hash.h
CLEANFILES += src/process/layout_hash.h
EXTRA_DIST += src/process/layout.sh
src/process/layout_hash.h: FORCE
	@$(MKDIR_P) src/process; \
	h=`sh $(srcdir)/src/process/layout.sh $(top_srcdir)/src \
		$(CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) -E -dD -` || exit 1; \
	printf '%s\n#define LAYOUT_HASH UINT64_C(0x%s)\n' \
		'/* layout_hash.h - what both programs have to read alike; see local.mk. */' \
		"$$h" >$@.$$$$; \
	if cmp -s $@.$$$$ $@; then rm -f $@.$$$$; else mv $@.$$$$ $@; fi
