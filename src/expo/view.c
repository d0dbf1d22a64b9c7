/* SPDX-License-Identifier: MIT
 * What a view says of one series, slot or metric, for every format.
 * http child, or main for --once.
 */
#include "expo/description.h"
#include "expo/digits.h"

#include <stdlib.h>

static enum reason word_reason(uint64_t word)
{
	return word < REASON_COUNT ? (enum reason)word : REASON_NONE;
}

enum reason view_slot_reason(const struct expo_view *v, uint32_t socket, uint32_t slot)
{
	const struct desc_socket *s = &desc_sockets(v->desc)[socket];

	return word_reason(v->words[socket][s->layout.slot_reason + slot]);
}

enum reason view_metric_reason(const struct expo_view *v, uint32_t socket, uint32_t metric)
{
	const struct desc_socket *s = &desc_sockets(v->desc)[socket];

	return word_reason(v->words[socket][s->layout.metric_reason + metric]);
}

double view_number(const struct expo_view *v, const struct desc_series *s)
{
	uint64_t word = view_word(v, s);
	char text[DIGITS_MAX + 1];

	if (s->kind == DESC_U64)
		return (double)(word + s->offset);
	if (kind_is_double(s->kind))
		return value_double(s->kind, word, s->offset);
	*text_value(text, v->rows[s - desc_series(v->desc)], word, s) = '\0';
	return strtod(text, NULL);
}
