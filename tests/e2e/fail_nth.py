# SPDX-License-Identifier: MIT
"""fail_nth.py - which calls fail_nth.c lets fail in a program, and why it spares others."""
import mmap
import os
import struct

import harness as h

LIBRARY = os.path.abspath(os.path.join(h.BUILD, "tests/e2e/fail_nth.so"))
LONG = bool(os.environ.get("UNCORED_TEST_LONG"))
# Calls of these that nothing can let fail where they stand, and what does not count as a failure.
NEVER = {
    "getsockname": "of a socket that listens",
    "getsockopt": "SO_TYPE of a socket, TCP_INFO of a connection",
}
# Each of these is tried, always: it seals what both processes share, and where neither an old nor a
# new plan can be shared the exit code is that of a machine that may count again.
EACH = {"fcntl"}
# What else the programs call, by why it is not tried.
SPARED = {
    "it computes": """__ctype_b_loc __ctype_tolower_loc __errno_location __explicit_bzero_chk
        __isoc23_sscanf __isoc23_strtol __isoc23_strtoll __isoc23_strtoul __isoc23_strtoull
        __isoc99_sscanf __memcpy_chk __sched_cpucount __snprintf_chk __sprintf_chk __stpcpy_chk
        __vsnprintf_chk alphasort capng_clear capng_have_capabilities capng_have_capability
        deflateBound dirfd dlerror ferror fmax fmin fnmatch frexp getenv getopt_long gmtime_r
        inet_ntop inet_pton ldexp memchr memcmp memcpy memmem
        memmove mempcpy memrchr memset qsort round sigaddset sigdelset sigemptyset sigfillset
        sigismember snprintf stpcpy strcasecmp strcasestr strchr strcmp strcpy strcspn strerror
        strerrorname_np strftime strlen strncasecmp strncmp strnlen strpbrk strrchr strsep
        strptime strsignal strspn strstr strtod strtok_r strtol strtoll strtoul strtoull timegm
        versionsort
        zlibVersion protobuf_c_version __libc_current_sigrtmax __libc_current_sigrtmin""",
    "it asks the kernel what it always knows, or for what it always does": """
        alarm clock_gettime geteuid getpid getuid isatty pthread_self sched_get_priority_min
        sched_getcpu sigpending sysconf time umask""",
    "it ends or gives back": """__assert_fail __libc_start_main __longjmp_chk __stack_chk_fail
        _exit _setjmp MHD_destroy_response MHD_stop_daemon close close_range closedir closefrom
        config_destroy deflateEnd fclose free globfree
        gnutls_certificate_free_credentials gnutls_x509_crt_deinit gnutls_x509_privkey_deinit
        json_delete malloc_trim munmap posix_spawn_file_actions_destroy
        posix_spawnattr_destroy protobuf_c_message_free_unpacked pthread_join
        pthread_mutex_destroy raise sd_event_source_unref sd_event_unref shutdown""",
    "it waits for what cannot fail to come, or for a moment": """kill pthread_mutex_init
        clock_nanosleep pthread_mutex_lock pthread_mutex_unlock sigtimedwait sleep waitpid""",
    "libpfm's, where the build has it: without it an event of its name is refused": """
        dlopen dlsym setenv""",
    "only its allocations and its calls of the kernel fail, and these are tried": """
        MHD_add_connection MHD_add_response_header MHD_create_response_from_buffer
        MHD_create_response_from_buffer_with_free_callback_cls MHD_create_response_from_callback
        MHD_queue_response MHD_run MHD_start_daemon __asprintf_chk calloc config_init
        config_read_string deflate deflateInit2_ fgetpwent fopencookie
        gnutls_certificate_allocate_credentials gnutls_certificate_get_x509_crt
        gnutls_certificate_get_x509_key gnutls_certificate_set_x509_key_mem
        gnutls_x509_crt_get_key_id gnutls_x509_crt_list_import2 gnutls_x509_privkey_get_key_id
        gnutls_x509_privkey_import gnutls_x509_privkey_init json_array json_array_append_new
        json_dump_callback json_integer json_loadb json_loads json_object json_object_set_new
        json_pack json_real json_sprintf json_string json_stringn_nocheck malloc
        protobuf_c_message_pack protobuf_c_message_pack_to_buffer protobuf_c_message_unpack realloc
        strdup syscall""",
    "it reads or sets what is in memory": """MHD_get_connection_info MHD_get_connection_values
        MHD_get_daemon_info MHD_get_reason_phrase_for MHD_get_timeout MHD_get_version
        MHD_is_feature_supported MHD_lookup_connection_value MHD_resume_connection
        MHD_set_response_options MHD_suspend_connection capng_update config_setting_get_bool
        config_setting_get_elem config_setting_get_float config_setting_get_int64
        config_setting_get_member config_setting_get_string
        config_setting_is_aggregate config_setting_length config_setting_set_hook
        gnutls_certificate_server_set_request gnutls_db_get_ptr gnutls_db_set_ptr
        gnutls_handshake_set_hook_function gnutls_session_set_verify_cert2 gnutls_strerror
        gnutls_x509_crt_get_activation_time gnutls_x509_crt_get_expiration_time json_array_get
        json_array_size json_false json_integer_value json_null json_number_value
        json_object_get json_object_iter
        json_object_iter_key json_object_iter_next json_object_iter_value json_object_key_to_iter
        json_real_value json_set_alloc_funcs json_string_length json_string_value json_true
        posix_spawn_file_actions_adddup2 posix_spawn_file_actions_init posix_spawnattr_init
        posix_spawnattr_setflags posix_spawnattr_setsigdefault posix_spawnattr_setsigmask
        protobuf_c_message_get_packed_size pthread_setname_np pthread_sigmask sd_event_exit
        sd_event_now sd_event_source_set_enabled sd_event_source_set_time
        sd_event_source_set_time_relative setvbuf sigaction signal sigprocmask""",
    "what it writes ends in write, or tells a person something": """__fprintf_chk __printf_chk
        fputc fputs fwrite putc putchar""",
    "the last words of a stream, which a client may miss in any case": """gnutls_bye
        gnutls_record_send""",
    "a flag of the empty root; without it the root is less private, not less empty": "fsconfig",
    "of the program that `uncorectl stat` starts; its fork is the spawner's": "posix_spawn",
    "its frame is the caller's, and no wrapper's: where it fails, uncored ends as by fork, or "
    "cannot read its configuration (tests/unit/test_conf_apart.c)": "vfork",
}
HEAD, NAME, MOST = struct.calcsize("5Q"), 32, 128


class Shim:
    """Which call is to fail, and how often each was called."""

    def __init__(self):
        if h.SANITIZED:
            h.skip("this build's allocator belongs to the sanitizers")
        if not os.path.exists(LIBRARY):
            h.skip("tests/e2e/fail_nth.so was not built")
        self.file = h.write("nth-%d" % os.getpid(), "\0" * 8192)
        self.env = {"LD_PRELOAD": LIBRARY, "FAIL_NTH": self.file}
        with open(self.file, "r+b") as f:
            self.map = mmap.mmap(f.fileno(), 8192)

    def arm(self, call=0, at=0, for_ever=False):
        """The at-th call from now on."""
        seen = struct.unpack_from("Q", self.map, HEAD + 8 * call)[0] if at else 0
        struct.pack_into("4Q", self.map, 0, call, seen + at if at else 0, for_ever, 0)

    def clear(self):
        struct.pack_into("4Q", self.map, 0, 0, 0, 0, 0)
        self.map[HEAD:HEAD + 8 * MOST] = bytes(8 * MOST)

    def failed(self):
        return struct.unpack_from("Q", self.map, 24)[0]

    def seen(self):
        """[(number, name, calls)]"""
        n = struct.unpack_from("Q", self.map, 32)[0]
        counts = struct.unpack_from("%dQ" % n, self.map, HEAD)
        at = HEAD + 8 * MOST
        names = [self.map[at + NAME * i:at + NAME * (i + 1)].rstrip(b"\0").decode()
                 for i in range(n)]
        return list(zip(range(n), names, counts))

    def named(self):
        """seen() of a program that does nothing."""
        h.run("true", env=self.env)
        return self.seen()

    def trials(self, few):
        """(number, name, N, for ever) of what was called since clear(): all, or a few of each."""
        for call, name, n in self.seen():
            if name in NEVER:
                continue
            choice = range(1, n + 1)
            if not LONG and n and name not in EACH:
                choice = sorted({1 + (2 * i + 1) * (n - 1) // (2 * few) for i in range(few)})
            for at in choice:
                for for_ever in (False, True):
                    if LONG or for_ever == ((call + at) % 2 == 0):
                        yield call, name, at, for_ever
