/* mhd.h - libmicrohttpd, loaded by the process that serves and by no other.
 *
 * Owns:  its functions, under their own names; nobody else includes <microhttpd.h>.
 *
 * It brings TLS and what that needs along, nine libraries that nobody here uses: the process with the registers has no
 * business with them, and starts without waiting for them.
 */
#ifndef HTTP_MHD_H
#define HTTP_MHD_H

#include <microhttpd.h>

#define MHD_CALLS(X) \
	X(MHD_add_connection) X(MHD_add_response_header) X(MHD_create_response_from_buffer) \
	X(MHD_create_response_from_buffer_with_free_callback_cls) X(MHD_create_response_from_callback) \
	X(MHD_destroy_response) X(MHD_get_connection_info) X(MHD_get_connection_values) X(MHD_get_daemon_info) \
	X(MHD_get_timeout) X(MHD_queue_response) X(MHD_resume_connection) X(MHD_run) X(MHD_set_response_options) \
	X(MHD_start_daemon) X(MHD_stop_daemon) X(MHD_suspend_connection)

struct mhd_calls {
#define MHD_CALL(f) __typeof__(&f) f;
	MHD_CALLS(MHD_CALL)
#undef MHD_CALL
};
extern struct mhd_calls mhd_calls;

#ifndef MHD_BY_NAME
#define MHD_add_connection mhd_calls.MHD_add_connection
#define MHD_add_response_header mhd_calls.MHD_add_response_header
#define MHD_create_response_from_buffer mhd_calls.MHD_create_response_from_buffer
#define MHD_create_response_from_buffer_with_free_callback_cls mhd_calls.MHD_create_response_from_buffer_with_free_callback_cls
#define MHD_create_response_from_callback mhd_calls.MHD_create_response_from_callback
#define MHD_destroy_response mhd_calls.MHD_destroy_response
#define MHD_get_connection_info mhd_calls.MHD_get_connection_info
#define MHD_get_connection_values mhd_calls.MHD_get_connection_values
#define MHD_get_daemon_info mhd_calls.MHD_get_daemon_info
#define MHD_get_timeout mhd_calls.MHD_get_timeout
#define MHD_queue_response mhd_calls.MHD_queue_response
#define MHD_resume_connection mhd_calls.MHD_resume_connection
#define MHD_run mhd_calls.MHD_run
#define MHD_set_response_options mhd_calls.MHD_set_response_options
#define MHD_start_daemon mhd_calls.MHD_start_daemon
#define MHD_stop_daemon mhd_calls.MHD_stop_daemon
#define MHD_suspend_connection mhd_calls.MHD_suspend_connection
#endif

#endif
