/* SPDX-License-Identifier: MIT
 * Cmocka 2 under the names of cmocka 1. Every test that includes <cmocka.h> gets this
 * one.
 *
 * cmocka 2 makes a macro of stop(), which struct counting_ops has as a member, and calls
 * assert_in_range() deprecated; what it wants instead is not in cmocka 1.
 */
#include_next <cmocka.h>

#undef stop
#ifdef assert_uint_in_range
#undef assert_in_range
#define assert_in_range assert_uint_in_range
#endif
