libuncored_a_SOURCES += \
	src/expo/blob.c src/expo/blob.h \
	src/expo/build.c src/expo/build.h \
	src/expo/carry.c \
	src/expo/catalog.h src/expo/catalog_box.c src/expo/catalog_event.c src/expo/catalog_json.c \
	src/expo/digits.c src/expo/digits.h \
	src/expo/distribution.c src/expo/distribution.h \
	src/expo/expo.h \
	src/expo/json.c \
	src/expo/labels.c \
	src/expo/negotiate.c \
	src/expo/page.c \
	src/expo/pool.c src/expo/pool.h \
	src/expo/render.c \
	src/expo/rows.c \
	src/expo/text.c
