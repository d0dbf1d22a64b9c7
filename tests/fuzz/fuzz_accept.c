/* SPDX-License-Identifier: MIT
 * Accept and Accept-Encoding: a format of /metrics whatever comes, and of what is
 * named behind commas nothing is lost. */
#include "fuzz.h"

#include "expo/expo.h"

#include <stdlib.h>
#include <string.h>

/* A header, outside of quotes at its end, that also asks for protobuf alone. */
static void expect_appended(const char *accept)
{
	static const char tail[] = ",*/*;q=0,application/vnd.google.protobuf;"
				   "proto=io.prometheus.client.MetricFamily;encoding=delimited";
	char *longer = malloc(strlen(accept) + sizeof(tail));

	if (!longer)
		abort();
	strcpy(longer, accept);
	strcat(longer, tail);
	/* Equally welcome is at most what the header itself named; without any format in it there
	 * is no doubt. */
	if (!strstr(accept, "application") && !strstr(accept, "text") && !strchr(accept, '/') &&
	    !strchr(accept, '"') &&
	    !strchr(accept, '\\') && expo_negotiate(longer) != EXPO_PROTOBUF)
		abort();
	free(longer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *text = malloc(n + 1);
	enum expo_format f;

	if (!text)
		abort();
	memcpy(text, data, n);
	text[n] = '\0';
	f = expo_negotiate(text);
	if (f != EXPO_TEXT && f != EXPO_OPENMETRICS && f != EXPO_PROTOBUF)
		abort();
	if (expo_accepts_gzip(text) && !strpbrk(text, "gG*"))
		abort();
	expect_appended(text);
	free(text);
	return 0;
}
