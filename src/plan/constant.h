/* SPDX-License-Identifier: MIT
 * What constant registers of this machine say, such as how fast a link is.
 *
 * Owns:  their shape. machine/ reads them, metric/ puts them into formulas.
 * Never: addresses, and how a register is read.
 */
#ifndef PLAN_CONSTANT_H
#define PLAN_CONSTANT_H

struct cat_constant;

/* Values of registers that never change, read before a plan is built. One that is not listed, or is
 * 0, is not known. */
struct plan_constants {
	struct plan_constant {
		const struct cat_constant *c;
		unsigned socket, unit;           /* physical package id; index in its box */
		double value;                    /* a second */
	} *v;
	unsigned n;
};

#endif
