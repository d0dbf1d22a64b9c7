# SPDX-License-Identifier: MIT
sbin_PROGRAMS += uncored
uncored_SOURCES = src/daemon/uncored.c
uncored_LDADD = $(count_libs) $(SYSTEMD_LIBS) $(CAPNG_LIBS)
libuncored_a_SOURCES += \
	src/daemon/certs.c src/daemon/certs.h \
	src/daemon/check_config.c src/daemon/check_config.h \
	src/daemon/check_summary.c src/daemon/check_summary.h \
	src/daemon/reload_check.c src/daemon/reload_check.h \
	src/daemon/front.c src/daemon/front.h \
	src/daemon/engine.c src/daemon/engine.h \
	src/daemon/generation.c src/daemon/generation.h src/daemon/generation_swap.c \
	src/daemon/health.c src/daemon/health.h \
	src/daemon/keepalive.c src/daemon/keepalive.h \
	src/daemon/reload.c src/daemon/reload.h \
	src/daemon/restore.c src/daemon/restore.h \
	src/daemon/life.c src/daemon/life.h \
	src/daemon/listening.c src/daemon/listening.h \
	src/daemon/measured.c src/daemon/measured.h \
	src/daemon/loop.c src/daemon/loop.h \
	src/daemon/host_names.c src/daemon/host_names.h \
	src/daemon/notify.c src/daemon/notify.h \
	src/daemon/once.c src/daemon/once.h \
	src/daemon/options.c src/daemon/options.h \
	src/daemon/pause.c src/daemon/pause.h \
	src/daemon/pause_socket.c src/daemon/pause_socket.h \
	src/daemon/proc.c src/daemon/proc.h \
	src/daemon/run.c src/daemon/run.h \
	src/daemon/start.c src/daemon/start.h \
	src/daemon/waiting.c src/daemon/waiting.h

# What was built (revision.sh), asked at each make, written only if it is another one; what stands
# there is kept if nobody can tell.
nodist_libuncored_a_SOURCES += src/daemon/revision.h
BUILT_SOURCES += src/daemon/revision.h
CLEANFILES += src/daemon/revision.h
EXTRA_DIST += src/daemon/revision.sh
src/daemon/revision.h: FORCE
	@$(MKDIR_P) src/daemon; \
	r=`sh $(srcdir)/src/daemon/revision.sh $(srcdir)` || { test -f $@ && exit 0; }; \
	printf '%s\n#define UNCORED_REVISION "%s"\n' \
		'/* revision.h - what was built; see local.mk. */' "$$r" >$@.$$$$; \
	if cmp -s $@.$$$$ $@; then rm -f $@.$$$$; else mv $@.$$$$ $@; fi
FORCE:
.PHONY: FORCE
dist-hook:
	sed -n 's/.*"\(.*\)"/\1/p' src/daemon/revision.h >$(distdir)/.tarball-revision
