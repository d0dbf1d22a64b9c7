# SPDX-License-Identifier: MIT
pkglibexec_PROGRAMS += uncored-http
# uncored_http_sendmsg.c is no other program's.
uncored_http_SOURCES = src/serve/uncored_http.c src/serve/uncored_http_sendmsg.c
uncored_http_LDADD = libuncored.a $(MHD_LIBS) $(GNUTLS_LIBS) $(CAPNG_LIBS) $(JANSSON_LIBS) \
	$(PROTOBUF_C_LIBS) $(ZLIB_LIBS)
libuncored_a_SOURCES += \
	src/serve/history.c src/serve/history.h \
	src/serve/stream_poll.c src/serve/stream_poll.h \
	src/serve/routes.c src/serve/routes.h
