sbin_PROGRAMS += uncored
uncored_SOURCES = src/daemon/main.c
uncored_LDADD = $(uncored_libs)
libuncored_a_SOURCES += \
	src/daemon/child.c src/daemon/child.h \
	src/daemon/constants.c src/daemon/constants.h \
	src/daemon/engine.c src/daemon/engine.h \
	src/daemon/generation.c src/daemon/generation.h \
	src/daemon/keeper.c src/daemon/keeper.h \
	src/daemon/listen.c src/daemon/live.c src/daemon/live.h src/daemon/listen.h \
	src/daemon/log.c src/daemon/log.h \
	src/daemon/loop.c src/daemon/loop.h \
	src/daemon/notify.c src/daemon/notify.h \
	src/daemon/once.c src/daemon/once.h \
	src/daemon/options.c src/daemon/options.h \
	src/daemon/proc.c src/daemon/proc.h \
	src/daemon/serve.c src/daemon/serve.h \
	src/daemon/shared.c src/daemon/shared.h \
	src/daemon/way.c src/daemon/way.h
