/* library.h - a shared library that is loaded when it is needed, by the process that needs it.
 *
 * Owns:  loading, the addresses of its functions; what a packager's tools read of it.
 * Never: which library, or when (each has one home, as those that are linked).
 * One thread.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include "base/err.h"

#include <stdint.h>

struct library_call {
	const char *name;
	size_t at;                  /* where its address goes in the table */
};

/*
 * library_load - every function or none.
 *
 * soname   "libfoo.so.1"; it stays until the process ends
 * package  of Debian that has it
 * table    of n addresses; untouched on failure
 * -ENOENT with a sentence: the library, or a function of it, is not there.
 */
int library_load(const char *soname, const char *package, const struct library_call *calls, size_t n, void *table,
		 struct err *err);

/*
 * LIBRARY_NOTE - says in the program itself that it loads a library: ldd does not show it. Packaging tools read the section
 * .note.dlopen (systemd.io/ELF_DLOPEN_METADATA).
 *
 * feature_     a name for C and for people: what it is good for
 * priority_    "required", "recommended" or "suggested"
 */
#define LIBRARY_NOTE_TEXT(soname_, feature_, priority_, description_) \
	"[{\"feature\":\"" #feature_ "\",\"description\":\"" description_ "\",\"priority\":\"" priority_ "\",\"soname\":[\"" soname_ "\"]}]"
#define LIBRARY_NOTE(soname_, feature_, priority_, description_) \
	__attribute__((used, section(".note.dlopen"), aligned(4))) \
	static const struct { \
		uint32_t owner_size, text_size, type; \
		char owner[4]; \
		_Alignas(4) char text[sizeof(LIBRARY_NOTE_TEXT(soname_, feature_, priority_, description_))]; \
	} library_note_##feature_ = { \
		4, sizeof(LIBRARY_NOTE_TEXT(soname_, feature_, priority_, description_)), 0x407c0c0a, "FDO", \
		LIBRARY_NOTE_TEXT(soname_, feature_, priority_, description_), \
	}

#endif
