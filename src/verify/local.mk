# files of src/verify
libuncored_a_SOURCES += \
	src/verify/client.c src/verify/client.h \
	src/verify/fit.c src/verify/fit.h \
	src/verify/load.c src/verify/load.h \
	src/verify/verdict.c src/verify/verdict.h
