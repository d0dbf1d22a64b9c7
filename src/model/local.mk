# files of src/model
libuncored_a_SOURCES += \
	src/model/model.c src/model/model.h src/model/model_internal.h \
	src/model/ivytown.c src/model/ivytown.h \
	src/model/ivytown_events.c \
	src/model/ivytown_map.c \
	src/model/model_watch.c \
	src/model/nehalem.c \
	src/model/nehalem_ex.c \
	src/model/nehalem_ex_events.c \
	src/model/nehalem_ex_redirect.c \
	src/model/workload.c
