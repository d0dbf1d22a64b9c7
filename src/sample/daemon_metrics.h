/* SPDX-License-Identifier: MIT
 * The metrics of the daemon itself, one row each. All but the code that writes
 * the value is made from the row.
 *
 * Owns:  names, HELP, types, units, where the value is, and when there is a series. The value
 *        indexes (layout.h), the series (expo/), and the list that uncored(8) must have
 *        (tests/unit/test_daemon_metrics.c) come from the rows.
 * Never: values.
 */
#ifndef SAMPLE_DAEMON_METRICS_H
#define SAMPLE_DAEMON_METRICS_H

/*
 * ROW(values, id, scope, kind, type, unit, name, help), in the order of the exposition.
 *
 * values   SOCKET: W_id among those of each socket. DAEMON: D_id among the daemon's own; those of
 *          scope HTTP come last, and the http process writes them. NONE: its code finds it
 * scope    what has a series of its own, and when; enum scope of expo/desc_rows.c
 * kind     how the series' value is made of the word; enum desc_kind without DESC_
 * type     COUNTER, which continues over a reload, GAUGE, INFO, HISTOGRAM
 * unit     "" for counts and truths
 */
#define DAEMON_METRICS(ROW) \
	ROW(NONE, BUILD, BUILD, CONST, INFO, "", "uncored_build_info", \
	    "Version of the running uncored; always 1.") \
	ROW(SOCKET, CPU, INFO, CPU, INFO, "", "uncored_socket_info", \
	    "Processor, model, counting engine and reading CPU of the socket; always 1.") \
	ROW(SOCKET, UP, SOCKET, U64, GAUGE, "", "uncored_up", \
	    "Whether uncored is sampling the socket.") \
	ROW(NONE, ROUNDS, ROUNDS, CONST, GAUGE, "", "uncored_rounds", \
	    "Rounds that take turns on the socket's counters; 1 means that every group " \
	    "counts all the time.") \
	ROW(NONE, NODES, NODES, CONST, GAUGE, "", "uncored_nodes", \
	    "NUMA nodes that have CPUs of the socket, where there are several: an idle one " \
	    "leaves its memory channels idle.") \
	ROW(SOCKET, ACTIVE, SOCKET, NSEC, COUNTER, "seconds", "uncored_active_seconds_total", \
	    "Time during which the counters of the socket ran.") \
	ROW(NONE, SECONDS, GROUP, NSEC, COUNTER, "seconds", "uncored_group_active_seconds_total", \
	    "Time during which the group counted.") \
	ROW(SOCKET, TICKS, SOCKET, U64, COUNTER, "", "uncored_samples_total", \
	    "Ticks at which the counters were read.") \
	ROW(SOCKET, MISSED, SOCKET, U64, COUNTER, "", "uncored_ticks_missed_total", \
	    "Ticks that were skipped because the sampler was too late.") \
	ROW(SOCKET, WRAPS, SOCKET, U64, COUNTER, "", "uncored_wraps_total", \
	    "Times that a counter wrapped between two reads; totals allow for it.") \
	ROW(SOCKET, RESETS, SOCKET, U64, COUNTER, "", "uncored_resets_total", \
	    "Times that a counter rose by more than it can count, because somebody set it; " \
	    "the interval is left out.") \
	ROW(SOCKET, FOREIGN, SOCKET, U64, COUNTER, "", "uncored_foreign_writes_total", \
	    "Times that uncored found a counter that another program had changed.") \
	ROW(SOCKET, READ_ERRORS, SOCKET, U64, COUNTER, "", "uncored_read_errors_total", \
	    "Failed reads of a counter.") \
	ROW(SOCKET, FROZEN, SOCKET, NSEC, COUNTER, "seconds", "uncored_frozen_seconds_total", \
	    "Time during which all counters were stopped, either to be read together " \
	    "(freeze) or after an overflow window.") \
	ROW(SOCKET, NOW_WALL, SAMPLED, NSEC, GAUGE, "seconds", \
	    "uncored_last_sample_timestamp_seconds", \
	    "When the last sample in these values was taken, in seconds since 1970.") \
	ROW(SOCKET, DURATION, SAMPLED, DURATION, GAUGE, "seconds", \
	    "uncored_sample_duration_seconds", \
	    "How long the last read of all counters took.") \
	ROW(NONE, LATE, LATENESS, DISTRIBUTION, HISTOGRAM, "seconds", \
	    "uncored_tick_lateness_seconds", \
	    "How late each tick began.") \
	ROW(SOCKET, PINNED, SOCKET, U64, GAUGE, "", "uncored_sampler_pinned", \
	    "Whether the sampler is bound to its CPU, which the key cpus selects.") \
	ROW(SOCKET, REALTIME, FAST, U64, GAUGE, "", "uncored_sampler_realtime", \
	    "Whether the sampler runs under SCHED_FIFO; only fast samplers may.") \
	ROW(SOCKET, FALLBACKS, FAST, U64, COUNTER, "", "uncored_realtime_fallbacks_total", \
	    "Times that the sampler was returned to normal scheduling because a tick did " \
	    "not end.") \
	ROW(NONE, CHANNELS, CHANNELS, U64, GAUGE, "", "uncored_channels", \
	    "Memory channels of the socket: with_memory have moved data since uncored began to " \
	    "count them, counting are counted now.") \
	ROW(NONE, IO_STACK, IO_STACK, CONST, INFO, "", "uncore_io_stack_info", \
	    "Root bus of an I/O stack, as the kernel says it; always 1. The label unit is that " \
	    "of the stack's bytes.") \
	ROW(NONE, IO_DEVICE, IO_DEVICE, CONST, INFO, "", "uncore_io_device_info", \
	    "Devices behind an I/O stack; always 1. The bytes are of the stack: they are those " \
	    "of a device where the label devices, how many share the stack, is 1.") \
	ROW(NONE, UNIT_NODE, UNIT_NODE, CONST, INFO, "", "uncored_unit_node_info", \
	    "NUMA node that a unit is in, where the kernel proves it; always 1.") \
	ROW(NONE, INVALID, REASON, U64, COUNTER, "", "uncored_samples_invalid_total", \
	    "Invalid samples, counted once for each slot and tick, by reason.") \
	ROW(NONE, SAMPLE_INVALID, DISTRIBUTION, U64, COUNTER, "", \
	    "uncored_distribution_invalid_samples_total", \
	    "Invalid samples of a metric, which its distribution and its peak leave out.") \
	ROW(NONE, SLOT_ACTIVE, SLOT, NSEC, COUNTER, "seconds", \
	    "uncored_slot_active_seconds_total", \
	    "Time that the total of an event covers, if the event ever counted for less " \
	    "time than its socket; divide rates by this.") \
	ROW(NONE, SLOT_VALID, SLOT, IS_ZERO, GAUGE, "", "uncored_slot_valid", \
	    "Whether the count of an event is valid now; its total is exported only then.") \
	ROW(NONE, SLOT_INVALID, SLOT, REASON, GAUGE, "", "uncored_slot_invalid", \
	    "1 while the count of an event is invalid; uncored(8), VALIDITY explains each " \
	    "reason and what to do.") \
	ROW(NONE, METRIC_ACTIVE, METRIC, NSEC, COUNTER, "seconds", \
	    "uncored_metric_active_seconds_total", \
	    "Time that the total of a derived metric covers, if the metric ever counted for " \
	    "less time than its socket; divide rates by this.") \
	ROW(NONE, METRIC_INVALID, METRIC, REASON, GAUGE, "", "uncored_metric_invalid", \
	    "1 while a derived metric has no value; uncored(8), VALIDITY explains each " \
	    "reason and what to do.") \
	ROW(NONE, VERIFIED, VERIFIED, CONST, GAUGE, "seconds", \
	    "uncored_verified_timestamp_seconds", \
	    "When uncorectl verify compared the metric with traffic that it moved on this " \
	    "machine, in seconds since 1970.") \
	ROW(NONE, VERIFIED_ERROR, VERIFIED, CONST_DOUBLE, GAUGE, "ratio", \
	    "uncored_verified_error_ratio", \
	    "What the metric counted of each byte that uncorectl verify moved, less 1: 0 is " \
	    "exact, 1 is twice, -0.5 is half of it.") \
	ROW(NONE, VERIFIED_STALE, STALE, CONST, GAUGE, "", "uncored_verified_stale", \
	    "1 where what uncorectl verify found does not hold any more, or not here, and why: " \
	    "another kernel, microcode, BIOS or processor, a simulated run, or a file that " \
	    "cannot be read.") \
	ROW(NONE, CURVE_STALE, CURVE, CONST, GAUGE, "", "uncored_curve_stale", \
	    "1 where the curve of uncorectl verify --curve does not hold any more, or not here, " \
	    "and why, as with uncored_verified_stale, but for the kernel; knee and headroom of " \
	    "memory are then absent until it is measured again.") \
	ROW(DAEMON, CONFIG_OK, DAEMON, U64, GAUGE, "", "uncored_config_last_reload_successful", \
	    "Whether the configuration was accepted the last time it was read.") \
	ROW(DAEMON, CONFIG_WALL_NSEC, DAEMON, NSEC, GAUGE, "seconds", \
	    "uncored_config_last_reload_success_timestamp_seconds", \
	    "When the configuration in use was read, in seconds since 1970.") \
	ROW(DAEMON, CONFIG_HASH, DAEMON, U64, GAUGE, "", "uncored_config_hash", \
	    "A number of 48 bits made of the bytes of the configuration file in use: hosts with " \
	    "the same file have the same.") \
	ROW(DAEMON, LOG_LOST, DAEMON, U64, COUNTER, "", "uncored_log_lines_lost_total", \
	    "Messages that were discarded because nobody read the log.") \
	ROW(DAEMON, SPAWNER_UP, DAEMON, U64, GAUGE, "", "uncored_spawner_up", \
	    "0 after the process that starts programs has ended: then no reload is possible, nor " \
	    "another http process.") \
	ROW(DAEMON, DRIVER, REGISTERS, U64, GAUGE, "", "uncored_kernel_driver_bound", \
	    "Whether the kernel's own uncore driver is loaded; it programs the same " \
	    "registers as this engine.") \
	ROW(DAEMON, WITHOUT, DAEMON, U64, GAUGE, "", "uncored_without_counters", \
	    "Whether uncored is running without anything to count; /api/v1/status says why.") \
	ROW(DAEMON, PAUSED, DAEMON, U64, GAUGE, "", "uncored_paused", \
	    "Whether the counters are left to other tools, by uncorectl pause: then nothing is " \
	    "counted.") \
	ROW(DAEMON, LISTENERS, DAEMON, U64, GAUGE, "", "uncored_stream_listeners", \
	    "Current clients of /api/v1/stream.") \
	ROW(DAEMON, DROPPED, DAEMON, U64, COUNTER, "", "uncored_stream_dropped_total", \
	    "Clients of /api/v1/stream that were dropped because they read too slowly, " \
	    "since the http process began.") \
	ROW(DAEMON, CPU_NSEC, DAEMON, NSEC, COUNTER, "seconds", "process_cpu_seconds_total", \
	    "CPU time of both uncored processes, user and system.") \
	ROW(DAEMON, RSS_BYTES, DAEMON, U64, GAUGE, "bytes", "process_resident_memory_bytes", \
	    "Resident memory of both processes; pages that they share count twice.") \
	ROW(DAEMON, FDS, DAEMON, U64, GAUGE, "", "process_open_fds", \
	    "Open file descriptors of both processes.") \
	ROW(DAEMON, START_WALL_NSEC, DAEMON, NSEC, GAUGE, "seconds", "process_start_time_seconds", \
	    "When the daemon started, in seconds since 1970.") \
	ROW(NONE, HTTP_REQUESTS, ANSWER, U64, COUNTER, "", "uncored_http_requests_total", \
	    "Answers by status code and kind of path, since the http process began; other " \
	    "means an unknown path or a request that was refused.") \
	ROW(DAEMON, HTTP_CONNECTIONS, HTTP, U64, GAUGE, "", "uncored_http_connections", \
	    "Open client connections.") \
	ROW(DAEMON, HTTP_REFUSED, HTTP, U64, COUNTER, "", \
	    "uncored_http_connections_refused_total", \
	    "Connections that were turned away for lack of descriptors, memory or places, or " \
	    "closed because what came on them is no request, since the http process began.") \
	ROW(DAEMON, HTTP_OVERDUE, HTTP, U64, COUNTER, "", "uncored_http_deadlines_total", \
	    "Connections that were closed because they or a request took too long, or " \
	    "because others needed their place, since the http process began.") \
	ROW(DAEMON, HTTP_HANDSHAKE_FAILURES, HTTP, U64, COUNTER, "", \
	    "uncored_http_tls_handshake_failures_total", \
	    "Connections that were closed before their TLS handshake was complete, since the " \
	    "http process began.") \
	ROW(DAEMON, HTTP_BYTES, HTTP, U64, COUNTER, "bytes", "uncored_http_sent_bytes_total", \
	    "Bytes of response bodies that were sent, after compression, since the http " \
	    "process began.") \
	ROW(DAEMON, HTTP_RENDER, HTTP, DURATION, GAUGE, "seconds", \
	    "uncored_http_render_duration_seconds", \
	    "How long it took to render the last new response body, including compression.")

/* The series of uncored_http_requests_total: status codes and kinds of path that there are. */
#define HTTP_ANSWERS(ROW) \
	ROW(200, metrics) ROW(400, metrics) ROW(503, metrics) ROW(200, page) ROW(503, page) \
	ROW(200, api) ROW(503, api) ROW(200, stream) ROW(503, stream) ROW(200, health) \
	ROW(503, health) ROW(400, other) ROW(403, other) ROW(404, other) ROW(405, other) \
	ROW(413, other) ROW(414, other) ROW(431, other) ROW(500, other) ROW(501, other) \
	ROW(505, other)

#endif
