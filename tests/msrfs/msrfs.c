/* SPDX-License-Identifier: MIT
 * Uncore-msrfs: the register model as cpu/N/msr files and PCI config files, with a
 * matching /sys and /proc, through FUSE.
 * Owns:  options, mounting. The only user of libfuse3.
 * Never: which files there are, what is in them (msrfs.h says who knows).
 * One thread: FUSE runs single-threaded.
 */
#define FUSE_USE_VERSION 31
#include "msrfs.h"

#include "base/num.h"

#include <errno.h>
#include <fuse.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 64

struct served fs;

/* --- FUSE --- */

static struct file *file_of(const struct fuse_file_info *fi)
{
	return (struct file *)(uintptr_t)fi->fh;
}

static int fs_getattr(const char *path, struct stat *st, struct fuse_file_info *fi)
{
	struct node n;

	(void)fi;
	if (!tree_find(path, &n))
		return -ENOENT;
	memset(st, 0, sizeof(*st));
	st->st_nlink = 1;
	st->st_mode = tree_mode(n.kind);
	return 0;
}

struct listing {
	void *buf;
	fuse_fill_dir_t fill;
};

static void listing_add(void *p, const char *name)
{
	struct listing *l = p;

	l->fill(l->buf, name, NULL, 0, 0);
}

static int fs_readdir(const char *path, void *buf, fuse_fill_dir_t fill, off_t off,
		      struct fuse_file_info *fi,
		      enum fuse_readdir_flags flags)
{
	struct listing l = { buf, fill };

	(void)off;
	(void)fi;
	(void)flags;
	listing_add(&l, ".");
	listing_add(&l, "..");
	tree_list(path, listing_add, &l);
	return 0;
}

static int fs_open(const char *path, struct fuse_file_info *fi)
{
	struct node n;
	struct file *f;
	int r = tree_find(path, &n) ? file_open(&n, &f) : -ENOENT;

	if (r < 0)
		return r;
	fi->fh = (uintptr_t)f;
	fi->direct_io = 1;
	return 0;
}

static int fs_release(const char *path, struct fuse_file_info *fi)
{
	(void)path;
	file_close(file_of(fi));
	return 0;
}

static int fs_read(const char *path, char *buf, size_t size, off_t off, struct fuse_file_info *fi)
{
	(void)path;
	return file_read(file_of(fi), buf, size, off);
}

static int fs_write(const char *path, const char *buf, size_t size, off_t off,
		    struct fuse_file_info *fi)
{
	(void)path;
	return file_write(file_of(fi), buf, size, off);
}

static int fs_truncate(const char *path, off_t size, struct fuse_file_info *fi)
{
	(void)size;
	(void)fi;
	return strcmp(path, "/control") == 0 ? 0 : -EACCES;     /* a shell's > opens with O_TRUNC */
}

/* CPUs come and go: nothing may be remembered by the kernel. */
static void *fs_init(struct fuse_conn_info *conn, struct fuse_config *cfg)
{
	(void)conn;
	cfg->entry_timeout = cfg->attr_timeout = cfg->negative_timeout = 0;
	return NULL;
}

static const struct fuse_operations operations = {
	.init = fs_init, .getattr = fs_getattr, .readdir = fs_readdir, .open = fs_open,
	.release = fs_release,
	.read = fs_read, .write = fs_write, .truncate = fs_truncate,
};

/* Mount, say so, serve until SIGINT or SIGTERM, unmount. */
static int serve(char *name, const char *mountpoint)
{
	char *argv[] = { name, (char[]){ "-o" }, (char[]){ "fsname=uncore-msrfs" }, NULL };
	struct fuse_args args = FUSE_ARGS_INIT(3, argv);
	struct fuse *fuse = fuse_new(&args, &operations, sizeof(operations), NULL);
	int r = EXIT_FAILURE;

	fuse_opt_free_args(&args);
	if (!fuse)
		return r;
	if (fuse_mount(fuse, mountpoint) == 0) {
		if (fuse_set_signal_handlers(fuse_get_session(fuse)) == 0) {
			puts("ready");
			fflush(stdout);
			r = fuse_loop(fuse) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
			fuse_remove_signal_handlers(fuse_get_session(fuse));
		}
		fuse_unmount(fuse);
	}
	fuse_destroy(fuse);
	return r;
}

static void usage(FILE *out)
{
	fputs("usage: uncore-msrfs [--processor NAME] [--workload NAME] [--sockets N] [--cores N] "
	      "[--seed N]\n"
	      "                    [--virtual] MOUNTPOINT\n"
	      "Serves the uncore register model as files until SIGINT or SIGTERM; prints \"ready\" "
	      "when mounted.\n"
	      "  --processor NAME  nehalem-ex (the default), westmere-ex, nehalem, westmere, "
	      "ivytown\n"
	      "  --workload NAME   idle, stream (the default), bursty, day, rotation\n"
	      "  --sockets N       default 2\n"
	      "  --cores N         per socket, default 8; CPU = socket x cores + core\n"
	      "  --virtual         time stands still but for \"advance\"\n"
	      "Below MOUNTPOINT:\n"
	      "  dev/cpu/N/msr     8 bytes at offset = register number\n"
	      "  sys, proc         CPU topology, PCI configuration space and cpuinfo, for "
	      "--path-sysfs and\n"
	      "                    --path-procfs\n"
	      "  control           write lines: write CPU ADDR VALUE | poke SOCKET ADDR VALUE | "
	      "online CPU 0|1 |\n"
	      "                    advance NSEC | fault NAME SOCKET [ADDR] on|off, where NAME is "
	      "eio, stuck (of ADDR,\n"
	      "                    or of all registers), stop_clock, offline, write_eperm, "
	      "erratum, or hidden (the PCI\n"
	      "                    function ADDR). ADDR in PCI space: DEVICE:FUNCTION+OFFSET\n"
	      "  truth             SOCKET ADDR TRUTH RATE of each counter that counts or ever did: "
	      "what it has counted\n"
	      "                    in all, and events per second of what it selects now\n"
	      "  writes            SOCKET CPU ADDR VALUE of each register write, in order (CPU - "
	      "in PCI space);\n"
	      "                    \"control\" marks those\n"
	      "                    made through control\n"
	      "  violations        how many; the last one\n", out);
}

static bool option_number(const char *s, unsigned max, unsigned *ret)
{
	uint64_t v;

	if (num_parse_u64(s, &v) < 0 || v > max)
		return false;
	*ret = (unsigned)v;
	return true;
}

int main(int argc, char **argv)
{
	enum { PROCESSOR = 256, WORKLOAD, SOCKETS, CORES, SEED, VIRTUAL, HELP };
	static const struct option options[] = {
		{ "processor", required_argument, NULL, PROCESSOR },
		{ "workload", required_argument, NULL, WORKLOAD },
		{ "sockets", required_argument, NULL, SOCKETS },
		{ "cores", required_argument, NULL, CORES },
		{ "seed", required_argument, NULL, SEED },
		{ "virtual", no_argument, NULL, VIRTUAL },
		{ "help", no_argument, NULL, HELP }, { NULL, 0, NULL, 0 },
	};
	struct model_options o = { .processor = "nehalem-ex", .n_sockets = 2, .cores = 8,
				   .real_time = true, .seed = 1 };
	struct err err;
	bool good = true;
	int c, r;

	while (good && (c = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (c) {
		case PROCESSOR: o.processor = optarg; break;
		case WORKLOAD: o.workload = optarg; break;
		case SOCKETS: good = option_number(optarg, 64, &o.n_sockets); break;
		case CORES: good = option_number(optarg, 64, &o.cores); break;
		case SEED: good = num_parse_u64(optarg, &o.seed) == 0; break;
		case VIRTUAL: o.real_time = false; break;
		case HELP: usage(stdout); return EXIT_SUCCESS;
		default: good = false; break;
		}
	if (!good || optind + 1 != argc) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (model_new(&o, &fs.model, &err) < 0) {
		fprintf(stderr, "uncore-msrfs: %s\n", err.text);
		return EXIT_USAGE;
	}
	fs.processor = o.processor;
	fs.sockets = o.n_sockets;
	fs.cores = o.cores;
	fs.cpus = o.n_sockets * o.cores;
	fs.virtual_time = !o.real_time;
	strb_init(&fs.log, LOG_MAX);
	r = serve(argv[0], argv[optind]);
	strb_done(&fs.log);
	model_free(fs.model);
	return r;
}
