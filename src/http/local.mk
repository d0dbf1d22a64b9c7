libuncored_a_SOURCES += src/http/confine.c src/http/http.c src/http/http.h src/http/stream.c src/http/stream.h
