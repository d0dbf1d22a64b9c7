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
 * type     COUNTER, which goes on over a reload, GAUGE, INFO, HISTOGRAM
 * unit     "" for counts and truths
 */
#define DAEMON_METRICS(ROW) \
	ROW(NONE, BUILD, BUILD, CONST, INFO, "", "uncored_build_info", \
	    "Version of uncored that is running; always 1.") \
	ROW(SOCKET, CPU, INFO, CPU, INFO, "", "uncored_socket_info", \
	    "Processor family, counting engine and reading CPU of the socket; always 1.") \
	ROW(SOCKET, UP, SOCKET, U64, GAUGE, "", "uncored_up", \
	    "Whether the sampler of the socket ticks.") \
	ROW(NONE, ROUNDS, ROUNDS, CONST, GAUGE, "", "uncored_rounds", \
	    "Rounds that take turns on the socket's counters; 1: every group counts all the " \
	    "time.") \
	ROW(SOCKET, ACTIVE, SOCKET, NSEC, COUNTER, "seconds", "uncored_active_seconds_total", \
	    "Time in which the counters of the socket ran.") \
	ROW(NONE, SECONDS, GROUP, NSEC, COUNTER, "seconds", "uncored_group_active_seconds_total", \
	    "Time in which the group counted.") \
	ROW(SOCKET, TICKS, SOCKET, U64, COUNTER, "", "uncored_samples_total", \
	    "Ticks at which the counters were read.") \
	ROW(SOCKET, MISSED, SOCKET, U64, COUNTER, "", "uncored_ticks_missed_total", \
	    "Ticks skipped because the sampler came too late for them.") \
	ROW(SOCKET, WRAPS, SOCKET, U64, COUNTER, "", "uncored_wraps_total", \
	    "Times that a counter passed its width between two reads; totals include it.") \
	ROW(SOCKET, RESETS, SOCKET, U64, COUNTER, "", "uncored_resets_total", \
	    "Times that a counter rose by more than it can count: it was set by somebody, and " \
	    "the interval is left out.") \
	ROW(SOCKET, FOREIGN, SOCKET, U64, COUNTER, "", "uncored_foreign_writes_total", \
	    "Times that a counter was found reprogrammed by somebody else.") \
	ROW(SOCKET, READ_ERRORS, SOCKET, U64, COUNTER, "", "uncored_read_errors_total", \
	    "Reads of a counter that failed.") \
	ROW(SOCKET, FROZEN, SOCKET, NSEC, COUNTER, "seconds", "uncored_frozen_seconds_total", \
	    "Time in which all counters stood still: to be read together (freeze), or after " \
	    "an exact window.") \
	ROW(SOCKET, NOW_WALL, SAMPLED, NSEC, GAUGE, "seconds", \
	    "uncored_last_sample_timestamp_seconds", \
	    "When the last sample inside the shown values was taken, in seconds since 1970.") \
	ROW(SOCKET, DURATION, SAMPLED, NSEC, GAUGE, "seconds", "uncored_sample_duration_seconds", \
	    "How long the last read of all counters took.") \
	ROW(NONE, LATE, LATENESS, DISTRIBUTION, HISTOGRAM, "seconds", \
	    "uncored_tick_lateness_seconds", \
	    "How long after its time each tick began.") \
	ROW(SOCKET, PINNED, SOCKET, U64, GAUGE, "", "uncored_sampler_pinned", \
	    "Whether the sampler is bound to the CPU that cpus names, or to the default one.") \
	ROW(SOCKET, REALTIME, FAST, U64, GAUGE, "", "uncored_sampler_realtime", \
	    "Whether the sampler runs under SCHED_FIFO, as fast ones may.") \
	ROW(SOCKET, FALLBACKS, FAST, U64, COUNTER, "", "uncored_realtime_fallbacks_total", \
	    "Times that the sampler was put back to plain scheduling because a tick would not " \
	    "end.") \
	ROW(NONE, INVALID, REASON, U64, COUNTER, "", "uncored_samples_invalid_total", \
	    "Slots x ticks whose count was not valid, by reason.") \
	ROW(NONE, SAMPLE_INVALID, DISTRIBUTION, U64, COUNTER, "", \
	    "uncored_distribution_invalid_samples_total", \
	    "Samples of a metric that were not valid, so that its distribution and its peak " \
	    "are without them.") \
	ROW(NONE, SLOT_ACTIVE, SLOT, NSEC, COUNTER, "seconds", \
	    "uncored_slot_active_seconds_total", \
	    "Time that the total of an event stands for, where it ever counted less than its " \
	    "socket; rates divide by this.") \
	ROW(NONE, SLOT_VALID, SLOT, IS_ZERO, GAUGE, "", "uncored_slot_valid", \
	    "Whether the count of an event is valid now; its total is shown only then.") \
	ROW(NONE, SLOT_INVALID, SLOT, REASON, GAUGE, "", "uncored_slot_invalid", \
	    "1 while the count of an event is not valid; what the reason means, and what to " \
	    "do: uncored(8), VALIDITY.") \
	ROW(NONE, METRIC_ACTIVE, METRIC, NSEC, COUNTER, "seconds", \
	    "uncored_metric_active_seconds_total", \
	    "Time that the total of a derived metric stands for, where it ever counted less " \
	    "than its socket; rates divide by this.") \
	ROW(NONE, METRIC_INVALID, METRIC, CONST, GAUGE, "", "uncored_metric_invalid", \
	    "1 while a derived metric is left out by its guard, or because its inputs were " \
	    "counted for different times.") \
	ROW(DAEMON, CONFIG_OK, DAEMON, U64, GAUGE, "", "uncored_config_last_reload_successful", \
	    "Whether the configuration was accepted when last read.") \
	ROW(DAEMON, LOG_LOST, DAEMON, U64, COUNTER, "", "uncored_log_lines_lost_total", \
	    "Messages that were thrown away because nobody read the log.") \
	ROW(DAEMON, DRIVER, REGISTERS, U64, GAUGE, "", "uncored_kernel_driver_bound", \
	    "Whether the kernel's own uncore driver has bound, which programs the same " \
	    "registers as engine registers.") \
	ROW(DAEMON, WITHOUT, DAEMON, U64, GAUGE, "", "uncored_without_counters", \
	    "Whether uncored serves although this machine has nothing to count, or not yet; " \
	    "/api/v1/status says why.") \
	ROW(DAEMON, LISTENERS, DAEMON, U64, GAUGE, "", "uncored_stream_listeners", \
	    "Clients of /api/v1/stream now.") \
	ROW(DAEMON, DROPPED, DAEMON, U64, COUNTER, "", "uncored_stream_dropped_total", \
	    "Clients of /api/v1/stream that were dropped because they did not take what they " \
	    "asked for, since the http process began.") \
	ROW(DAEMON, CPU_NSEC, DAEMON, NSEC, COUNTER, "seconds", "process_cpu_seconds_total", \
	    "CPU time of both processes of uncored, user and system.") \
	ROW(DAEMON, RSS_BYTES, DAEMON, U64, GAUGE, "bytes", "process_resident_memory_bytes", \
	    "Resident memory of both processes; pages they share count twice.") \
	ROW(DAEMON, FDS, DAEMON, U64, GAUGE, "", "process_open_fds", \
	    "Open file descriptors of both processes.") \
	ROW(DAEMON, START_WALL_NSEC, DAEMON, NSEC, GAUGE, "seconds", "process_start_time_seconds", \
	    "When the daemon started, in seconds since 1970.") \
	ROW(NONE, HTTP_REQUESTS, ANSWER, U64, COUNTER, "", "uncored_http_requests_total", \
	    "Answers by status code and kind of path, since the http process began; other: no " \
	    "such path, or refused whatever the path.") \
	ROW(DAEMON, HTTP_CONNECTIONS, HTTP, U64, GAUGE, "", "uncored_http_connections", \
	    "Open connections of clients.") \
	ROW(DAEMON, HTTP_REFUSED, HTTP, U64, COUNTER, "", \
	    "uncored_http_connections_refused_total", \
	    "Times that a connection could not be taken for want of descriptors or memory, " \
	    "since the http process began.") \
	ROW(DAEMON, HTTP_OVERDUE, HTTP, U64, COUNTER, "", "uncored_http_deadlines_total", \
	    "Connections that were ended because a request or they themselves took too long, " \
	    "or others needed their place, since the http process began.") \
	ROW(DAEMON, HTTP_BYTES, HTTP, U64, COUNTER, "bytes", "uncored_http_sent_bytes_total", \
	    "Bytes of bodies that clients took, as they were sent, since the http process " \
	    "began.") \
	ROW(DAEMON, HTTP_RENDER, HTTP, NSEC, GAUGE, "seconds", \
	    "uncored_http_render_duration_seconds", \
	    "How long the last body that was made anew took, compression included.")

/* The series of uncored_http_requests_total: status codes and kinds of path that there are. */
#define HTTP_ANSWERS(ROW) \
	ROW(200, metrics) ROW(400, metrics) ROW(503, metrics) ROW(200, page) ROW(503, page) \
	ROW(200, api) ROW(503, api) ROW(200, stream) ROW(503, stream) ROW(200, health) \
	ROW(503, health) ROW(400, other) ROW(403, other) ROW(404, other) ROW(405, other) \
	ROW(501, other)

#endif
