/* proto.h - what the files of the protobuf format share; inside expo/ only. */
#ifndef EXPO_PROTO_H
#define EXPO_PROTO_H

#include "expo/description.h"

/* Metric.histogram of a distribution, classic and native buckets: at p, returns its bytes. p NULL:
 * only how many. */
size_t proto_histogram(const struct expo_view *v, const struct desc_series *s, char *p);
/* The most bytes that it takes. */
size_t proto_histogram_bound(const struct desc *d, const struct desc_series *s);

#endif
