/* SPDX-License-Identifier: MIT
 * The hand-made plan of tests/unit as it is served, for targets; cmocka's words abort. */
#ifndef FUZZ_SCENE_H
#define FUZZ_SCENE_H

#include <stdlib.h>

#define fail_msg(...)           abort()
#define assert_int_equal(a, b)  ((a) == (b) ? (void)0 : abort())
#define assert_non_null(p)      ((p) ? (void)0 : abort())
#define assert_true(c)          ((c) ? (void)0 : abort())

#include "../unit/expo_scene.h"

static inline void scene_of_hand(struct scene *s)
{
	scene_open(s, &hand_plan, NULL);
	hand_words(s->words[0], s->words[1], s->daemon_values);
	scene_publish(s);
}

#endif
