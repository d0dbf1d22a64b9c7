/* SPDX-License-Identifier: MIT
 * What an operator looks at first, on the front page and in uncorectl top.
 *
 * Owns:  the quantities, and the metrics that show each, the most direct one first.
 * Never: how they are drawn.
 */
#ifndef EXPO_OVERVIEW_H
#define EXPO_OVERVIEW_H

/* Title, unit, how the series of a socket are taken together, metrics without uncore_: "-" before a
 * name: what is left of 1. A total is shown as its rate. */
#define OVERVIEW(X) \
	X("Memory read", "B/s", "sum", "memory_read_bytes_total memory_command_read_bytes_total") \
	X("Memory write", "B/s", "sum", \
	  "memory_write_bytes_total memory_command_write_bytes_total") \
	X("Memory latency", "s", "avg", "imt_latency_seconds home_local_read_latency_seconds " \
	  "home_local_latency_seconds llc_data_read_miss_latency_seconds " \
	  "llc_miss_latency_seconds") \
	X("LLC hit ratio", "%", "avg", "llc_socket_hit_ratio -llc_socket_data_read_miss_ratio " \
	  "-llc_data_read_miss_ratio -llc_miss_ratio") \
	X("Link utilisation, busiest link", "%", "max", \
	  "link_utilization_ratio link_sent_utilization_ratio")

#endif
