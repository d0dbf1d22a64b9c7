/* labels.c - finished label texts taken apart again; see description.h. */
#include "config.h"

#include "expo/description.h"

bool labels_next(const char **at, struct strb *name, struct strb *value)
{
	const char *s = *at;

	strb_clear(name);
	strb_clear(value);
	strb_add(name, "");
	strb_add(value, "");
	if (*s == '{' || *s == ',')
		s++;
	while (*s && *s != '=' && *s != '}' && *s != ' ')
		strb_add_char(name, *s++);
	if (s[0] != '=' || s[1] != '"')
		return false;
	for (s += 2; *s && *s != '"'; s++) {
		if (*s == '\\' && s[1]) {
			s++;
			strb_add_char(value, *s == 'n' ? '\n' : *s);
		} else {
			strb_add_char(value, *s);
		}
	}
	*at = *s ? s + 1 : s;
	return true;
}
