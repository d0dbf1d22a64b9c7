# SPDX-License-Identifier: MIT
libuncored_a_SOURCES += \
	src/expo/description.c src/expo/description.h \
	src/expo/desc_build.c src/expo/desc_build.h \
	src/expo/desc_counted.c src/expo/desc_counted.h \
	src/expo/reload_offsets.c \
	src/expo/catalog_json.h src/expo/catalog_box.c src/expo/catalog_event.c \
	src/expo/catalog_json.c src/expo/catalog_kernel.c \
	src/expo/digits.c src/expo/digits.h \
	src/expo/drawn.c src/expo/drawn.h \
	src/expo/distribution.c src/expo/distribution.h \
	src/expo/expo.h src/expo/exported.h \
	src/expo/filter.c \
	src/expo/gzip.c \
	src/expo/json.c src/expo/json.h \
	src/expo/status_json.c \
	src/expo/negotiate.c \
	src/expo/overview.h src/expo/page.c \
	src/expo/daemon_help.c src/expo/daemon_help.h src/expo/strings.c src/expo/strings.h \
	src/expo/proto.c \
	src/expo/render.c \
	src/expo/desc_rows.c \
	src/expo/snapshot.c \
	src/expo/text.c \
	src/expo/verified.c src/expo/verified.h \
	src/expo/view.c

# Messages of Prometheus' protobuf format, encoded by protobuf-c.
EXTRA_DIST += src/expo/metrics.proto
nodist_libuncored_a_SOURCES = src/expo/metrics.pb-c.c src/expo/metrics.pb-c.h
BUILT_SOURCES += src/expo/metrics.pb-c.h
CLEANFILES += src/expo/metrics.pb-c.c src/expo/metrics.pb-c.h
src/expo/metrics.pb-c.c: src/expo/metrics.proto
	$(AM_V_GEN)$(MKDIR_P) src/expo && \
	$(PROTOC_C) --proto_path=$(srcdir)/src --c_out=src $(srcdir)/src/expo/metrics.proto
src/expo/metrics.pb-c.h: src/expo/metrics.pb-c.c ;

# Style and script of the front page, as strings, and the script's digest.
page_files = src/expo/page_text.sh src/expo/page_text.awk src/expo/page.css src/expo/page.js
EXTRA_DIST += $(page_files)
nodist_libuncored_a_SOURCES += src/expo/page_text.h
BUILT_SOURCES += src/expo/page_text.h
CLEANFILES += src/expo/page_text.h
src/expo/page_text.h: $(page_files)
	$(AM_V_GEN)$(MKDIR_P) src/expo && \
	sh $(srcdir)/src/expo/page_text.sh $(srcdir)/src/expo "$(AWK)" >$@.$$$$ && \
	mv -f $@.$$$$ $@ || { rm -f $@.$$$$; exit 1; }
