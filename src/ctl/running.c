/* SPDX-License-Identifier: MIT
 * What a running uncored counts, as commands ask it. */
#include "ctl/ctl.h"

#include "ctl/snapshot_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *ctl_snapshot(const struct http_server *s, struct err *err)
{
	char *text = NULL;
	int r = http_get(s, "/api/v1/snapshot", &text, err);
	json_t *j = r < 0 ? NULL : snapshot_read(text);

	free(text);
	if (r >= 0 && !j)
		err_set(err, -EPROTO, "%s does not answer like an uncored that this uncorectl "
			"understands; give uncored's address with --url", s->url);
	return j;
}

json_t *ctl_series(json_t *snapshot, const char *family)
{
	json_t *j;
	size_t i;

	json_array_foreach(json_object_get(snapshot, "metrics"), i, j)
		if (strcmp(ctl_text(j, "name") ?: "", family) == 0)
			return json_object_get(j, "series");
	return NULL;
}

int ctl_check_paused(const struct http_server *s, json_t *snapshot, struct err *err)
{
	if (ctl_number(json_array_get(ctl_series(snapshot, "uncored_paused"), 0)) > 0)
		return err_set(err, -EAGAIN, "%s is paused, its counters are left to another tool "
			       "(uncorectl pause): try again when that has ended", s->url);
	return 0;
}

void ctl_why_nothing(const struct http_server *s, json_t *snapshot, struct err *ret)
{
	struct err ignored = { "" };
	char *text = NULL;
	json_t *j = NULL;

	ret->text[0] = '\0';
	if (!(ctl_number(json_array_get(ctl_series(snapshot, "uncored_without_counters"), 0)) > 0))
		return;
	if (http_get(s, "/api/v1/status", &text, &ignored) >= 0)
		j = json_loads(text, 0, NULL);
	free(text);
	err_set(ret, 0, "%s", ctl_text(j, "without_counters") ?: "run uncorectl doctor");
	json_decref(j);
}

double ctl_active_seconds(json_t *series)
{
	return json_number_value(json_object_get(series, "active_seconds"));
}

double ctl_number(json_t *series)
{
	json_t *value = json_object_get(series, "value");

	if (!value)
		return NAN;
	if (json_is_string(value))
		return strtod(json_string_value(value), NULL);
	return json_number_value(value);
}
