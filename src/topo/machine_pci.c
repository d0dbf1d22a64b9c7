/* SPDX-License-Identifier: MIT
 * PCI functions.
 */
#include "topo/machine_lines.h"

#include "base/num.h"

#include <string.h>

#define CONFIG_OPEN 64              /* bytes of configuration space that everybody can read */

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

static bool is_function(const char *name)
{
	static const char form[] = "xxxx:xx:xx.x";

	if (strlen(name) != sizeof(form) - 1)
		return false;
	for (unsigned i = 0; form[i]; i++)
		if (form[i] == 'x' ? machine_hex(name[i]) < 0 : name[i] != form[i])
			return false;
	return true;
}

bool machine_take_pci(struct reading *rd)
{
	const char *name = line_word(rd);
	unsigned char *config;
	size_t n = CONFIG_OPEN;

	if (!name || !is_function(name))
		return line_wrong(rd, "here a PCI function is expected: pci 0000:7f:08.2 "
				      "0x0=0x0e808086");
	config = arena_alloc(rd->m->arena, 4096, 1);
	for (char *w; (w = line_word(rd));) {
		const char *whole = arena_text(rd->m->arena, w);
		uint64_t offset, value;

		if (!read_config_word(w, &offset, &value))
			return line_wrong(
				rd,
				"'%.60s' is no word of configuration space: "
				"OFFSET=VALUE, OFFSET a multiple of 4 below 4096, VALUE of 32 "
				"bits",
				whole);
		for (unsigned i = 0; i < 4; i++)
			config[offset + i] = (unsigned char)(value >> 8 * i);
		if (offset >= CONFIG_OPEN && n < 256)
			n = 256;
		if (offset >= 256)
			n = 4096;
	}
	machine_put(rd, arena_printf(rd->m->arena, "bus/pci/devices/%s/config", name),
		    (char *)config, n, false);
	return true;
}
