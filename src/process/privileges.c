/* SPDX-License-Identifier: MIT */
#include "process/privileges.h"

#include "base/user.h"

#include <cap-ng.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#define BIT(capability) (UINT64_C(1) << (capability))
#define EVERY_SET (CAPNG_EFFECTIVE | CAPNG_PERMITTED | CAPNG_INHERITABLE | CAPNG_BOUNDING_SET)
/* To count with perf events; to end the other processes; for files; to listen anew. */
#define KEPT (BIT(CAP_PERFMON) | BIT(CAP_SYS_NICE) | BIT(CAP_KILL) | BIT(CAP_DAC_OVERRIDE) | \
	      BIT(CAP_CHOWN) | BIT(CAP_NET_BIND_SERVICE))
#define TO_BECOME_OTHERS \
	(BIT(CAP_SETUID) | BIT(CAP_SETGID) | BIT(CAP_SETPCAP) | BIT(CAP_SYS_CHROOT))

/* A filter may forbid the call that gives up what this process does not have. Leaves libcap-ng's
 * sets empty. */
static bool holds_any(void)
{
	bool any = capng_get_caps_process() != 0 ||
		   capng_have_capabilities(CAPNG_SELECT_CAPS) > CAPNG_NONE;

	capng_clear(CAPNG_SELECT_BOTH);
	return any;
}

void privileges_keep_here(void)
{
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

int privileges_reduce(unsigned caps, struct err *err)
{
	uint64_t kept = KEPT | (caps & CAPS_PROCESSES ? TO_BECOME_OTHERS : 0) |
			(caps & CAPS_REGISTERS ? BIT(CAP_SYS_RAWIO) : 0);
	capng_select_t all;

	if (getuid() != 0 || capng_get_caps_process() < 0)
		return 0;
	/* before Linux 5.8, and in a container that has only the other */
	if (caps & CAPS_ADMIN || !capng_have_capability(CAPNG_EFFECTIVE, CAP_PERFMON))
		kept |= BIT(CAP_SYS_ADMIN);
	all = capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP) ? CAPNG_SELECT_BOTH :
	      CAPNG_SELECT_CAPS;
	for (unsigned c = 0; c <= CAP_LAST_CAP; c++)
		if (!(kept >> c & 1))
			capng_update(CAPNG_DROP, EVERY_SET, c);
	return capng_apply(all) == 0 ? 0 :
	       err_set(err, -EPERM, "this process cannot give up its capabilities");
}

/* Changes the root directory to an empty, read-only one that is mounted nowhere, if the kernel
 * allows it. Not with sanitizers, which look into /proc when a process ends. */
static void leave_files(void)
{
#ifndef UNCORED_SANITIZED
	int fs = fsopen("tmpfs", FSOPEN_CLOEXEC), root = -1;

	if (fs >= 0 && fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		root = fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY);
	if (root < 0 || fchdir(root) < 0 || chroot(".") < 0)
		errno = 0;                      /* the system call filter has to do */
	close(root);
	close(fs);
#endif
}

int privileges_drop(struct err *err)
{
	uid_t uid;
	gid_t gid;

	privileges_keep_here();
	capng_clear(CAPNG_SELECT_BOTH);
	if (getuid() == 0) {
		user_find(&uid, &gid);
		leave_files();
		if (capng_change_id((int)uid, (int)gid,
				    CAPNG_DROP_SUPP_GRP | CAPNG_CLEAR_BOUNDING) != 0)
			return err_set(err, -EPERM, "this process cannot give up root: that needs "
				       "CAP_SETUID, CAP_SETGID, CAP_SETPCAP, and user %u in this "
				       "user namespace; or start uncored as another user",
				       uid);
	} else if (holds_any() && capng_apply(CAPNG_SELECT_CAPS) != 0) {
		return err_set(err, -EPERM, "this process cannot give up its capabilities");
	}
	/* changing the user id cleared the last one */
	if (prctl(PR_SET_DUMPABLE, 0) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return err_set(err, -errno, "cannot close the memory of this process to others: "
			       "prctl: %s; a system call filter must allow it", strerror(errno));
	return 0;
}
