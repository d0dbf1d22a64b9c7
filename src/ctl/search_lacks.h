/* SPDX-License-Identifier: MIT
 * Why a question that is asked often has no answer on a machine.
 *
 * Owns:  that sentence.
 * Never: what is found (search.c), what a question means (search_words.h).
 * Main thread.
 */
#ifndef CTL_SEARCH_LACKS_H
#define CTL_SEARCH_LACKS_H

#include "ctl/ctl.h"
#include "ctl/search_words.h"

/* What a search comes to know on its way. */
struct search_lacks {
	const struct search_question *question; /* NULL: none that is asked often */
	struct err absent;                  /* why an answer to it cannot be counted here, a
	                                     * sentence; "": no metric says */
	struct err unmeasured;              /* why an answer has no value yet, and the command that
	                                     * measures it; "": none, or nothing can */
	const struct search_reason *reason;     /* why nothing answers it; NULL: nobody says */
	const struct search_numbers *numbers;   /* what the kernel counts of it; NULL: nothing that
	                                         * is known */
};

/* What is asked about, for a sentence, and whose its kernel's events are. */
const char *search_whose(const struct ctl *c);
/* One line on why a question has no answer, where it is one that is asked often, or on what gives
 * it one. asked: as it was typed. Returns whether there is one. */
bool search_lacks_say(const struct search_lacks *s, const struct ctl *c, const char *asked);

#endif
