/* SPDX-License-Identifier: MIT
 * PCI functions.
 */
#include "topo/machine_lines.h"

#include "base/bits.h"
#include "base/num.h"

#include <string.h>

#define CONFIG_OPEN 64              /* bytes of configuration space that everybody can read */
#define FUNCTIONS   "bus/pci/devices"

/* A function as the line says it is, and the directory of its files. */
struct function {
	const char *name, *root, *dir;
	unsigned char config[4096];
	size_t n_config;            /* 0: the line has no word of it */
	unsigned interfaces;        /* of a network, so far */
};

/* "0x40=0x1": 32 bits of the configuration space. */
static bool read_config_word(char *word, uint64_t *ret_offset, uint64_t *ret_value)
{
	char *value = strchr(word, '=');

	if (!value)
		return false;
	*value++ = '\0';
	return num_parse_u64(word, ret_offset) == 0 && num_parse_u64(value, ret_value) == 0 &&
	       *ret_offset <= 4092 && *ret_offset % 4 == 0 && *ret_value <= UINT32_MAX;
}

/* Is it of a form in which x is a digit of a hexadecimal number? */
static bool has_form(const char *text, const char *form)
{
	if (strlen(text) != strlen(form))
		return false;
	for (unsigned i = 0; form[i]; i++)
		if (form[i] == 'x' ? machine_hex(text[i]) < 0 : text[i] != form[i])
			return false;
	return true;
}

static void put_of(struct reading *rd, const struct function *f, const char *file, const char *text)
{
	machine_put_text(rd, arena_printf(rd->m->arena, "%s/%s", f->dir, file), text);
}

static bool take_config(struct reading *rd, struct function *f, char *word)
{
	const char *whole = arena_text(rd->m->arena, word);
	uint64_t offset, value;

	if (!read_config_word(word, &offset, &value))
		return line_wrong(rd,
				  "'%.60s' is no word of configuration space: "
				  "OFFSET=VALUE, OFFSET a multiple of 4 below 4096, VALUE of 32 "
				  "bits",
				  whole);
	for (unsigned i = 0; i < 4; i++)
		f->config[offset + i] = (unsigned char)(value >> 8 * i);
	if (f->n_config < CONFIG_OPEN)
		f->n_config = CONFIG_OPEN;
	if (offset >= CONFIG_OPEN && f->n_config < 256)
		f->n_config = 256;
	if (offset >= 256)
		f->n_config = 4096;
	return true;
}

/* "0x020000" */
static bool take_number(struct reading *rd, struct function *f, const char *file)
{
	const char *word = line_word(rd);
	uint64_t v;

	if (!word || strncmp(word, "0x", 2) != 0 || num_parse_u64(word, &v) < 0 || v > 0xffffff)
		return line_wrong(rd, "here the %s of a PCI function is expected, up to 0xffffff: "
				  "class 0x020000", file);
	put_of(rd, f, file, word);
	return true;
}

static bool take_node(struct reading *rd, struct function *f)
{
	unsigned node;

	if (!line_unsigned(rd, "node", MACHINE_NODES_MAX - 1, &node))
		return false;
	put_of(rd, f, "numa_node", arena_printf(rd->m->arena, "%u", node));
	return true;
}

/* A name that is a directory or what a link leads to: letters, and other bytes as \xHH. */
static char *take_name(struct reading *rd, const char *what)
{
	char *word = line_word(rd);
	size_t n = word ? machine_decode(word) : 0;

	if (n && n < 64 && !memchr(word, '\0', n) && !memchr(word, '/', n) && *word != '.') {
		word[n] = '\0';
		return word;
	}
	line_wrong(rd, "here the name of the %s is expected, of less than 64 letters without '/': "
		   "net eth0", what);
	return NULL;
}

static bool take_driver(struct reading *rd, struct function *f)
{
	struct arena *a = rd->m->arena;
	const char *name = take_name(rd, "driver");

	if (!name)
		return false;
	machine_put_link(rd, arena_printf(a, "%s/driver", f->dir),
			 arena_printf(a, "../../../bus/pci/drivers/%s", name));
	return true;
}

/* What the kernel calls it: a directory, mostly in that of its subsystem. */
static bool take_device(struct reading *rd, struct function *f, const char *what, const char *in)
{
	struct arena *a = rd->m->arena;
	const char *name = take_name(rd, what);

	if (!name)
		return false;
	f->interfaces++;
	put_of(rd, f, arena_printf(a, "%s%s/ifindex", in, name),
	       arena_printf(a, "%u", f->interfaces));
	return true;
}

static bool take_word(struct reading *rd, struct function *f, char *word)
{
	/* the names of DSA are in the directory of the function itself */
	static const struct { const char *word, *in; } subsystems[] = {
		{ "net", "net/" }, { "infiniband", "infiniband/" }, { "nvme", "nvme/" },
		{ "drm", "drm/" }, { "accel", "accel/" }, { "dsa", "" },
	};

	if (strchr(word, '='))
		return take_config(rd, f, word);
	if (!f->root)
		return line_wrong(rd, "'%.60s' comes after the root bus that the function is "
				  "behind: pci 0000:17:00.0 root 0000:16 class 0x020000", word);
	if (strcmp(word, "class") == 0 || strcmp(word, "vendor") == 0)
		return take_number(rd, f, word);
	if (strcmp(word, "node") == 0)
		return take_node(rd, f);
	if (strcmp(word, "driver") == 0)
		return take_driver(rd, f);
	for (unsigned i = 0; i < COUNT(subsystems); i++)
		if (strcmp(word, subsystems[i].word) == 0)
			return take_device(rd, f, subsystems[i].word, subsystems[i].in);
	return line_wrong(rd, "'%.60s' is nothing that a line of a PCI function says: root, class, "
			  "vendor, node, driver, net, infiniband, nvme, drm, accel, dsa, or a word "
			  "of configuration space such as 0x0=0x0e808086", word);
}

static bool take_root(struct reading *rd, struct function *f)
{
	const char *root = line_word(rd);

	if (!root || !has_form(root, "xxxx:xx"))
		return line_wrong(rd, "here a root bus is expected: pci 0000:17:00.0 root "
				  "0000:16");
	f->root = root;
	f->dir = arena_printf(rd->m->arena, "devices/pci%s/%s", root, f->name);
	return true;
}

bool machine_take_pci(struct reading *rd)
{
	struct function f = { .name = line_word(rd) };
	struct arena *a = rd->m->arena;
	bool good = true;

	if (!f.name || !has_form(f.name, "xxxx:xx:xx.x"))
		return line_wrong(rd, "here a PCI function is expected: pci 0000:7f:08.2 "
				      "0x0=0x0e808086");
	f.dir = arena_printf(a, FUNCTIONS "/%s", f.name);
	for (char *w; good && (w = line_word(rd));)
		good = strcmp(w, "root") == 0 ? take_root(rd, &f) : take_word(rd, &f, w);
	if (!good)
		return false;
	if (f.n_config || !f.root)
		machine_put(rd, arena_printf(a, "%s/config", f.dir), (char *)f.config,
			    f.n_config ?: CONFIG_OPEN, false);
	if (f.root)
		machine_put_link(rd, arena_printf(a, FUNCTIONS "/%s", f.name),
				 arena_printf(a, "../../../%s", f.dir));
	return true;
}
