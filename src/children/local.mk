# SPDX-License-Identifier: MIT
libuncored_a_SOURCES += \
	src/children/http_log.c src/children/http_log.h \
	src/children/http_process.c src/children/http_process.h \
	src/children/listen.c src/children/listen.h \
	src/children/socket_options.c src/children/socket_options.h \
	src/children/spawner.c src/children/spawner.h \
	src/children/supervisor.c src/children/supervisor.h
