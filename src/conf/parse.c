/* SPDX-License-Identifier: MIT
 * A configuration from the bytes of a file: scan, libconfig, tables of keys.
 *
 * Owns:  the order of these; the process in which libconfig runs, and what its end means; the life
 *        of struct conf.
 * Never: which keys there are.
 * Pure but for that process.
 *
 * The tree comes from it through a pipe, and is copied as it is read: the end of the pipe is the
 * end of the process, however that comes, and nobody can change what was read. Shared memory would
 * have to be sealed, and its seals asked for.
 */
#include "conf/read.h"
#include "conf/scan.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP_MAX  ((size_t)256 << 20)   /* memory; a file of CONF_MAX bytes takes less */
#define MEMORY_BASE ((size_t)1 << 20)   /* libconfig and the tree of a file take less than this, */
#define MEMORY_BYTE 240                 /* and so much for each byte */
#define PATIENCE  12                    /* seconds; who waits for a check has less */
#define NO_MEMORY 75                    /* exit code: what none of libconfig's is */

static int no_memory(const char *name, struct diags *d)
{
	diags_add(d, (struct where){ name, 0 }, "out of memory");
	return -ENOMEM;
}

/* ---- the text */

struct file {
	struct arena *work;             /* for the time of the reading */
	const char *name, *text;
	size_t len;
	struct diags *d;
	struct scan scan;
	bool good;                      /* libconfig may read scan.text */
};

/* White space as libconfig knows it, and nothing else. */
static bool is_blank(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && strchr(" \t\r\n\f\v", text[n]))
		n++;
	return n == len;
}

static void scan_file(void *p)
{
	struct file *f = p;
	struct where at = { f->name, 1 };
	const char *nul;
	char *copy;

	/* the byte order mark of some editors */
	if (f->len >= 3 && memcmp(f->text, "\xef\xbb\xbf", 3) == 0) {
		f->text += 3;
		f->len -= 3;
	}
	if (f->len > CONF_MAX) {
		diags_add(f->d, (struct where){ f->name, 0 }, "the file is larger than %u bytes",
			  CONF_MAX);
		return;
	}
	nul = memchr(f->text, '\0', f->len);
	if (nul) {
		for (const char *c = f->text; c < nul; c++)
			at.line += *c == '\n';
		diags_add(f->d, at, "a NUL byte: this is not a text file");
		return;
	}
	if (is_blank(f->text, f->len)) {
		/* A full disk, or a program that writes in place, leaves such a file. Taken as a
		 * configuration it would replace the user's groups by the ready-made ones. */
		diags_add(f->d, at, "the file is empty, as an interrupted write leaves it; "
			  "write it again, or, to count what is ready-made, at least a comment: "
			  "# defaults");
		return;
	}
	copy = arena_alloc(f->work, f->len + 2, 1);
	memcpy(copy, f->text, f->len);
	copy[f->len] = '\n';            /* to libconfig, a comment without newline is an error */
	f->good = scan_text(f->work, f->name, copy, &f->scan, f->d) == 0;
}

/* ---- libconfig, in a process of its own */

static bool write_all(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n) {
		ssize_t wrote = write(fd, p, n);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return false;
		p += wrote;
		n -= (size_t)wrote;
	}
	return true;
}

static bool read_all(int fd, void *bytes, size_t n)
{
	char *p = bytes;

	while (n) {
		ssize_t got = read(fd, p, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		p += got;
		n -= (size_t)got;
	}
	return true;
}

/* Is there as much memory as libconfig may need? It does not look at what malloc() returns. */
static bool has_memory(size_t len)
{
	void *volatile memory = malloc(MEMORY_BASE + len * MEMORY_BYTE);
	bool there = memory;

	free(memory);
	return there;
}

/* Where it fails libconfig may write a line, hang, end by abort(), or have buffers written that are
 * not its own: none of that is to be seen, and no memory dumped. */
static _Noreturn void run_apart(int to, const struct file *f)
{
	struct conf_tree *tree;
	sigset_t none;
	size_t size;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0);
	if (to <= STDERR_FILENO)
		to = fcntl(to, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGALRM, SIG_DFL);
	alarm(PATIENCE);
	if (!has_memory(f->len))
		_exit(NO_MEMORY);
	tree = conf_tree_make(&f->scan, &size);
	if (!tree)
		_exit(NO_MEMORY);
	_exit(write_all(to, &size, sizeof(size)) && write_all(to, tree, size) ? 0 : NO_MEMORY);
}

/* What the process sends, which may be anything; NULL: less than it announced, or no memory. */
static struct conf_tree *receive(int from, size_t *ret_size)
{
	AUTO_FREE(free) struct conf_tree *tree = NULL;
	size_t size;

	if (!read_all(from, &size, sizeof(size)) || size > CONF_TREE_MAX)
		return NULL;
	tree = malloc(size);
	if (!tree || !read_all(from, tree, size) || !conf_tree_check(tree, size))
		return NULL;
	*ret_size = size;
	return TAKE(tree);
}

/* Why there is no tree. */
static int why_it_ended(const char *name, int status, struct diags *d)
{
	struct where at = { name, 0 };

	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
		diags_add(d, at, "libconfig did not come to an end of it within %d s", PATIENCE);
		return -ETIMEDOUT;
	}
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
		diags_add(d, at, "the process that reads it was killed, perhaps for want of "
			  "memory");
		return -ENOMEM;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_MEMORY)
		return no_memory(name, d);
	return diags_add(d, at, "libconfig ended the process that reads it (%s %d), by a defect of "
			 "its own that something in this file meets; undo its last change",
			 WIFSIGNALED(status) ? "signal" : "exit code",
			 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static int make_apart(const struct file *f, struct conf_tree **ret, size_t *ret_size)
{
	AUTO_FREE(free) struct conf_tree *tree = NULL;
	AUTO_FD int from = -1;
	AUTO_FD int to = -1;
	int ends[2] = { -1, -1 }, status = 0, r;
	pid_t pid = -1;

	if (pipe2(ends, O_CLOEXEC) == 0)
		pid = fork();
	r = -errno;
	from = ends[0];
	to = ends[1];
	if (pid == 0)
		run_apart(to, f);
	if (pid < 0) {
		diags_add(f->d, (struct where){ f->name, 0 }, "cannot start the process that "
			  "reads it: %s%s", strerror(-r),
			  r == -EAGAIN ? " (is TasksMax too small?)" : "");
		return r;
	}
	close(TAKE_FD(to));                     /* else there would be no end */
	tree = receive(from, ret_size);
	close(TAKE_FD(from));                   /* it may still write */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!tree || status)
		return why_it_ended(f->name, status, f->d);
	*ret = TAKE(tree);
	return 0;
}

static int make_here(const struct file *f, struct conf_tree **ret, size_t *ret_size)
{
	*ret = conf_tree_make(&f->scan, ret_size);
	return *ret ? 0 : no_memory(f->name, f->d);
}

int conf_tree_parse(const char *name, const char *text, size_t len, bool apart,
		    struct conf_tree **ret, size_t *ret_size, struct diags *d)
{
	AUTO_FREE(arena_free) struct arena *work = arena_new(KEEP_MAX, NULL);
	AUTO_FREE(free) struct conf_tree *tree = NULL;
	struct file f = { .work = work, .name = name, .text = text, .len = len, .d = d };
	const struct setting *root;
	int r;

	if (!work || !arena_try(work, scan_file, &f))
		return no_memory(name, d);
	if (!f.good)
		return -EINVAL;
	r = (apart ? make_apart : make_here)(&f, &tree, ret_size);
	if (r < 0)
		return r;
	root = &tree->settings[0];
	if (root->type != SETTING_BLOCK)
		return diags_add(d, (struct where){ name, root->line }, "%s", setting_text(root));
	*ret = TAKE(tree);
	return 0;
}

/* ---- keys and values */

static struct conf *conf_new(struct arena *keep, const char *name)
{
	struct conf *c = arena_alloc(keep, 1, sizeof(*c));

	c->arena = keep;
	c->file = name ? arena_text(keep, name) : NULL;
	return c;
}

struct reading {
	struct arena *keep;             /* the configuration's own */
	const char *name;
	const struct setting *root;     /* NULL: the defaults */
	struct reader r;
};

static void read_root(void *p)
{
	struct reading *v = p;

	v->r.conf = conf_new(v->keep, v->name);
	read_block(&v->r, &conf_root, v->root, v->r.conf);
}

int conf_read(const char *name, const struct conf_tree *tree, size_t size, struct conf **ret,
	      struct diags *d)
{
	AUTO_FREE(arena_free) struct arena *keep = NULL;
	struct reading v = { .name = name, .r.d = d };
	size_t before = diags_count(d);

	*ret = NULL;
	if (!conf_tree_check(tree, size) || tree->settings[0].type != SETTING_BLOCK)
		return diags_add(d, (struct where){ name, 0 }, "what the process that reads it has "
				 "sent cannot be understood; this is a defect");
	v.root = &tree->settings[0];
	keep = v.keep = arena_new(KEEP_MAX, NULL);
	if (!keep || !arena_try(keep, read_root, &v))
		return no_memory(name, d);
	if (!v.r.no_engine) {
		*ret = v.r.conf;
		keep = NULL;                    /* it is the configuration's */
	}
	if (diags_count(d) == before)
		return 0;
	if (*ret)
		(*ret)->faulty = true;
	return -EINVAL;
}

int conf_parse_apart(const char *name, const char *text, size_t len, struct conf **ret,
		     struct diags *d)
{
	AUTO_FREE(free) struct conf_tree *tree = NULL;
	size_t size;
	int r;

	*ret = NULL;
	r = conf_tree_parse(name, text, len, true, &tree, &size, d);
	return r < 0 ? r : conf_read(name, tree, size, ret, d);
}

struct conf *conf_default(void)
{
	AUTO_FREE(arena_free) struct arena *keep = arena_new(KEEP_MAX, NULL);
	struct reading v = { .keep = keep };

	if (!keep || !arena_try(keep, read_root, &v))
		return NULL;
	keep = NULL;                            /* it is the configuration's */
	return v.r.conf;
}

void conf_free(struct conf *c)
{
	if (c)
		arena_free(c->arena);
}
