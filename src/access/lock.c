/* lock.c - one uncored per machine touches registers.
 *
 * Owns:  RUN/uncored.lock, the run directory.
 * Never: the state file beside it.
 * Main thread.
 */
#include "config.h"

#include "access/counting.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Who holds it, as the file says: "" if it does not say. */
static void holder(int fd, char *buf, size_t n)
{
	ssize_t got = pread(fd, buf, n - 1, 0);

	buf[got > 0 ? got : 0] = '\0';
	buf[strspn(buf, "0123456789")] = '\0';
}

int lock_take(const char *run, struct err *err)
{
	char path[PATH_MAX], pid[24];
	int fd, n, r;
	ssize_t told;

	n = snprintf(path, sizeof(path), "%s/uncored.lock", run);
	if (n < 0 || (size_t)n >= sizeof(path))
		return err_set(err, -ENAMETOOLONG, "the run directory's name is too long");
	if (mkdir(run, 0755) < 0 && errno != EEXIST) {
		r = -errno;
		return err_set(err, r, "%s: cannot be made: %s", run, strerror(-r));
	}
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0) {
		r = -errno;
		return err_set(err, r, "%s: cannot be opened: %s", path, strerror(-r));
	}
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		r = -errno;
		if (r == -EWOULDBLOCK) {
			holder(fd, pid, sizeof(pid));
			err_set(err, r, "%s: another uncored%s%s holds it; two would overwrite each other's registers: "
				"stop that one first", path, *pid ? ", process " : "", pid);
		} else {
			err_set(err, r, "%s: cannot be locked: %s", path, strerror(-r));
		}
		close(fd);
		return r;
	}
	/* Only for whoever is refused: it holds without on a full file system, where registers must be put back all the same. */
	n = snprintf(pid, sizeof(pid), "%ld\n", (long)getpid());
	told = ftruncate(fd, 0) < 0 ? -1 : pwrite(fd, pid, (size_t)n, 0);
	(void)told;
	return fd;
}
