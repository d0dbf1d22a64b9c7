/* SPDX-License-Identifier: MIT
 * The filters of system calls; see confine.h.
 * Owns:  the programs that the kernel runs for each call, and what a refused one gets.
 * Never: which calls a program may make (calls.c).
 *
 * The filters are programs of the kernel's classic BPF, made without allocation: a
 * start that runs out of memory ends with a sentence. What is not allowed fails with EPERM. Since
 * Linux 5.11 a bitmap allows the calls whose arguments do not matter without running the filter.
 */
#include "process/confine.h"

#include "base/bits.h"
#include "process/calls.h"

#include <assert.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define FOREIGN 0x40000000              /* calls of the x32 ABI begin here */
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define FOREIGN UINT32_MAX
#else
#error "the system calls of this architecture are not known here"
#endif

#define REFUSE (SECCOMP_RET_ERRNO | EPERM)

struct filter {
	struct sock_filter ins[512];
	unsigned short n;
	uint32_t process, shared;       /* the id of this process; its highest descriptor that
					 * others have, too */
};

static void add(struct filter *f, uint16_t code, uint32_t k, uint8_t jt, uint8_t jf)
{
	assert(f->n < COUNT(f->ins));
	f->ins[f->n++] = (struct sock_filter){ code, jt, jf, k };
}

static void add_return(struct filter *f, uint32_t action)
{
	add(f, BPF_RET | BPF_K, action, 0, 0);
}

/* Calls of another ABI are refused. Leaves the number of the call to be compared. */
static void add_begin(struct filter *f)
{
	add(f, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
	add(f, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 0, 2);
	add(f, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
	add(f, BPF_JMP | BPF_JGE | BPF_K, FOREIGN, 0, 1);
	add_return(f, REFUSE);
}

/* Both architectures are little-endian. */
static void add_load(struct filter *f, unsigned argument, bool high)
{
	size_t at = offsetof(struct seccomp_data, args) + 8UL * argument + (high ? 4 : 0);

	add(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)at, 0, 0);
}

/* Where a test fails, to go on with the next row; finish_row() knows where that is. */
static const uint8_t NEXT_ROW = UINT8_MAX;

static void add_condition(struct filter *f, const struct argument_condition *c)
{
	add_load(f, c->argument, false);
	switch (c->test) {
	case ARGUMENT_IS:
		add(f, BPF_JMP | BPF_JEQ | BPF_K, c->value, 0, NEXT_ROW);
		break;
	case ARGUMENT_WITHOUT:
		add(f, BPF_JMP | BPF_JSET | BPF_K, c->value, NEXT_ROW, 0);
		break;
	case ARGUMENT_NULL:
		add(f, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, NEXT_ROW);
		add_load(f, c->argument, true);
		add(f, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, NEXT_ROW);
		break;
	case ARGUMENT_OWN_PROCESS:
		add(f, BPF_JMP | BPF_JEQ | BPF_K, f->process, 0, NEXT_ROW);
		break;
	case ARGUMENT_OWN_DESCRIPTOR:
		add(f, BPF_JMP | BPF_JGT | BPF_K, f->shared, 0, NEXT_ROW);
		break;
	default:
		assert(false);
	}
}

/* The row's tests begin at `from`, and the next row's are to begin here. */
static void finish_row(struct filter *f, unsigned from)
{
	for (unsigned i = from; i < f->n; i++) {
		struct sock_filter *ins = &f->ins[i];

		if (BPF_CLASS(ins->code) != BPF_JMP)
			continue;
		if (ins->jt == NEXT_ROW)
			ins->jt = (uint8_t)(f->n - i - 1);
		if (ins->jf == NEXT_ROW)
			ins->jf = (uint8_t)(f->n - i - 1);
	}
}

/* What the rows say gets `match`; the same call otherwise made gets `otherwise`. */
static void add_calls(struct filter *f, const struct calls *calls, uint32_t match,
		      uint32_t otherwise)
{
	for (size_t i = 0; i < calls->n;) {
		const int number = calls->rows[i].number;
		const unsigned first = f->n;
		bool any = false;

		add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 0);
		for (; i < calls->n && calls->rows[i].number == number; i++) {
			const struct argument_condition *when = calls->rows[i].when;
			const unsigned from = f->n;

			any |= when[0].test == ARGUMENT_ANY;
			for (unsigned k = 0; k < CALL_CONDITIONS && when[k].test; k++)
				add_condition(f, &when[k]);
			add_return(f, match);
			finish_row(f, from);
		}
		if (!any)
			add_return(f, otherwise);
		assert(f->n - first - 1 < NEXT_ROW);
		f->ins[first].jf = (uint8_t)(f->n - first - 1);
	}
}

/* Nothing is allocated: the filter is on the stack, the kernel copies it. */
static int filter_load(struct filter *f, uint32_t others, struct err *err)
{
	struct sock_fprog program = { .filter = f->ins };

	add_return(f, others);
	program.len = f->n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_set(err, -errno, "cannot set no_new_privs: %s", strerror(errno));
#ifdef UNCORED_SANITIZED
	return 0;                       /* sanitizers need calls that the filters would refuse */
#endif
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return err_set(err, -errno, "cannot load the system call filter: %s",
			       strerror(errno));
	return 0;
}

int confine_http(int shared, struct err *err)
{
	struct filter f = { .process = (uint32_t)getpid(), .shared = (uint32_t)shared };

	add_begin(&f);
	add_calls(&f, &calls_of_http, SECCOMP_RET_ALLOW, REFUSE);
	return filter_load(&f, REFUSE, err);
}

/* What clone3 shall make is in memory, where no filter sees it: without that call the C library
 * takes clone. */
int confine_counting(struct err *err)
{
	struct filter f = { 0 };

	add_begin(&f);
	add_calls(&f, &calls_refused, REFUSE, REFUSE);
	add_calls(&f, &calls_limited, SECCOMP_RET_ALLOW, REFUSE);
	add(&f, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1);
	add_return(&f, SECCOMP_RET_ERRNO | ENOSYS);
	return filter_load(&f, SECCOMP_RET_ALLOW, err);
}

int confine_execution(struct err *err)
{
	struct filter f = { 0 };

	add_begin(&f);
	add_calls(&f, &calls_of_spawner, REFUSE, REFUSE);
	return filter_load(&f, SECCOMP_RET_ALLOW, err);
}
