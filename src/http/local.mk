# SPDX-License-Identifier: MIT
libuncored_a_SOURCES += src/http/client.c src/http/client.h src/http/dial.c src/http/dial.h \
	src/http/response.c src/http/response.h src/http/connection.c src/http/connection.h \
	src/http/grammar.c src/http/grammar.h src/http/host_field.c src/http/host_field.h \
	src/http/http.c src/http/http.h src/http/reply.c src/http/reply.h src/http/request.c \
	src/http/request.h src/http/stream.c src/http/stream.h src/http/tls.c src/http/tls.h
