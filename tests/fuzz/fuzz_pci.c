/* SPDX-License-Identifier: MIT
 * The PCI functions of sysfs: their names and configuration spaces.
 * The input is the name of a directory and three files, each but the last ended by a byte 0xff: the
 * config of the UBox of socket 0, of that of socket 1 and of the function that the name stands for.
 * What they are too short for is 0, and the first four bytes of both UBoxes are right unless the
 * file has them.
 */
#include "fuzz.h"

#include "topo/topo.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEVICES "bus/pci/devices"

/* Ivytown's UBox, as in tests/unit/pci_tree.h. */
static const struct pci_anchor anchor = { .vendor = 0x8086, .device = 0x0e1e, .node = 0x40,
					  .map = 0x54 };
static const uint8_t ubox[4] = { 0x86, 0x80, 0x1e, 0x0e };

static char root[] = "/tmp/uncored-fuzz-XXXXXX";

static void require(bool ok)
{
	if (!ok)
		abort();
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void remove_tree(void)
{
	nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void make_directory(const char *name)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	require(mkdir(path, 0755) == 0);
}

/* Cut at most at 256 bytes, which is what a function has at least. */
static void put(const char *name, const uint8_t *p, size_t n, bool is_ubox)
{
	uint8_t space[256] = { 0 };
	char path[512];
	int fd;

	if (is_ubox)
		memcpy(space, ubox, sizeof(ubox));
	if (n)
		memcpy(space, p, n < sizeof(space) ? n : sizeof(space));
	snprintf(path, sizeof(path), "%s/" DEVICES "/%s/config", root, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	require(fd >= 0);
	require(write(fd, space, n && n < 64 ? n : sizeof(space)) > 0);
	close(fd);
}

/* A name that a directory can have. */
static void name_of(char *ret, size_t size, const uint8_t *p, size_t n)
{
	size_t len = 0;

	for (; n && len < size - 1; n--, p++)
		if (*p && *p != '/')
			ret[len++] = (char)*p;
	ret[len] = '\0';
	if (!*ret || strcmp(ret, ".") == 0 || strcmp(ret, "..") == 0 ||
	    strcmp(ret, "0000:3f:0b.0") == 0 || strcmp(ret, "0000:7f:0b.0") == 0)
		snprintf(ret, size, "0000:3f:10.4");
}

static void look(const struct topo_pci *p)
{
	for (unsigned i = 0; i < p->n; i++) {
		const struct topo_function *f = &p->v[i], *found;
		struct err err = { "" };
		int fd;

		require(f->dev < 32 && f->fn < 8 && f->socket >= -1);
		found = f->socket < 0 || !f->id ? NULL :        /* id 0: any */
			topo_pci_find(p, (unsigned)f->socket, f->dev, f->fn, f->id);
		require(f->socket < 0 || !f->id || (found && found->id == f->id));
		fd = topo_pci_open(root, f, &err);
		require(fd >= 0 || err.text[0]);
		if (fd >= 0)
			close(fd);
	}
}

static void see_word(void *p, const char *name, int r, uint32_t word)
{
	(void)word;
	require(name[0] && (r == 0 || r == -EACCES));
	++*(unsigned *)p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const fixed[] = { "0000:3f:0b.0", "0000:7f:0b.0" };
	static bool made;
	struct topo_pci *p = NULL;
	struct err err = { "" };
	char name[32] = "", path[512];
	unsigned bridges = 0;
	int r;

	if (!made) {
		require(mkdtemp(root) != NULL);
		atexit(remove_tree);
		make_directory("bus");
		make_directory("bus/pci");
		make_directory(DEVICES);
		make_directory(DEVICES "/0000:3f:0b.0");
		make_directory(DEVICES "/0000:7f:0b.0");
	}
	made = true;
	for (unsigned i = 0; i < 4; i++) {
		const uint8_t *end = n ? memchr(data, 0xff, n) : NULL;
		size_t len = i == 3 || !end ? n : (size_t)(end - data);

		if (i == 0) {
			name_of(name, sizeof(name), data, len);
			snprintf(path, sizeof(path), DEVICES "/%s", name);
			make_directory(path);
		} else {
			put(i == 3 ? name : fixed[i - 1], data, len, i < 3);
		}
		len += len < n;
		data += len;
		n -= len;
	}
	r = topo_pci_read(root, &anchor, &p, &err);
	require(r == 0 || err.text[0]);
	if (r == 0)
		look(p);
	topo_pci_free(r == 0 ? p : NULL);
	topo_pci_bridge_words(root, 11, 0, 0x40, see_word, &bridges);
	require(bridges <= 3);
	snprintf(path, sizeof(path), "%s/" DEVICES "/%s/config", root, name);
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	return 0;
}
