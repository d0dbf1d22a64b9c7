/* library.c - see library.h. */
#include "config.h"

#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

int library_load(const char *soname, const char *package, const struct library_call *calls, size_t n, void *table, struct err *err)
{
	void *library = dlopen(soname, RTLD_LAZY);      /* as if linked: of most that comes along nothing is ever called */

	if (!library)
		return err_set(err, -ENOENT, "%s cannot be loaded: %s; Debian has it in the package %s", soname, dlerror(), package);
	for (size_t i = 0; i < n; i++)
		if (!dlsym(library, calls[i].name)) {
			dlclose(library);
			return err_set(err, -ENOENT, "%s has no %s", soname, calls[i].name);
		}
	for (size_t i = 0; i < n; i++) {
		void *f = dlsym(library, calls[i].name);

		memcpy((char *)table + calls[i].at, &f, sizeof(f));
	}
	return 0;
}
