/* SPDX-License-Identifier: MIT
 * What an operator looks at first, on the front page and in uncorectl top.
 *
 * Owns:  the quantities, and the metrics that show each, the most direct one first.
 * Never: how they are drawn.
 */
#ifndef EXPO_OVERVIEW_H
#define EXPO_OVERVIEW_H

/* Title, unit, how the series of a socket are taken together, metrics without uncore_: the first
 * that the socket has. "-" before a name: what is left of 1; "+" between two: their sum, where it
 * has both. A total is shown as its rate. Before them the metric that is the most that it can be,
 * in the same unit, where that is known: "" if none is. */
#define OVERVIEW(X) \
	X("Memory read and written", "B/s", "sum", "memory_knee_bytes_per_second", \
	  "memory_read_bytes_total+memory_write_bytes_total " \
	  "memory_command_read_bytes_total+memory_command_write_bytes_total " \
	  "memory_bytes_total die_memory_bytes_total " \
	  "memory_channels_0_to_3_bytes_total+memory_channels_4_to_7_bytes_total") \
	X("Memory latency", "s", "avg", "", \
	  "imt_latency_seconds home_local_read_latency_seconds " \
	  "home_local_latency_seconds llc_data_read_miss_latency_seconds " \
	  "llc_miss_latency_seconds") \
	X("Memory read", "B/s", "sum", "", \
	  "memory_read_bytes_total memory_command_read_bytes_total") \
	X("Memory write", "B/s", "sum", "", \
	  "memory_write_bytes_total memory_command_write_bytes_total") \
	X("Channel use, busiest channel", "%", "max", "", \
	  "memory_channel_utilization_ratio") \
	X("LLC hit ratio", "%", "avg", "", \
	  "llc_socket_hit_ratio -llc_socket_data_read_miss_ratio " \
	  "-llc_data_read_miss_ratio -llc_miss_ratio") \
	X("Link utilisation, busiest link", "%", "max", "", \
	  "link_utilization_ratio link_sent_utilization_ratio") \
	X("Devices read from memory", "B/s", "sum", "", \
	  "pcie_read_bytes_total io_read_bytes_total") \
	X("Devices wrote to memory", "B/s", "sum", "", \
	  "pcie_write_bytes_total io_write_bytes_total") \
	X("Power of the package", "W", "sum", "", "package_power_watts") \
	X("Power of the memory", "W", "sum", "", "dram_power_watts")

#endif
