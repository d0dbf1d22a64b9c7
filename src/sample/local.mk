libuncored_a_SOURCES += \
	src/sample/layout.c src/sample/layout.h \
	src/sample/ring.c src/sample/ring.h \
	src/sample/sampler.c src/sample/sampler.h \
	src/sample/thread.c \
	src/sample/wrap.c
