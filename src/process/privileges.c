/* SPDX-License-Identifier: MIT */
#include "process/privileges.h"

#include "base/user.h"

#include <cap-ng.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <unistd.h>

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

int privileges_drop(struct err *err)
{
	uid_t uid;
	gid_t gid;

	privileges_keep_here();
	capng_clear(CAPNG_SELECT_BOTH);
	if (getuid() == 0) {
		user_find(&uid, &gid);
		if (capng_change_id((int)uid, (int)gid,
				    CAPNG_DROP_SUPP_GRP | CAPNG_CLEAR_BOUNDING) != 0)
			return err_set(err, -EPERM, "this process cannot give up root: that takes "
				       "CAP_SETUID, CAP_SETGID, CAP_SETPCAP, and user %u in this "
				       "user namespace; or start uncored as another user",
				       uid);
	} else if (holds_any() && capng_apply(CAPNG_SELECT_CAPS) != 0) {
		return err_set(err, -EPERM, "this process cannot give up its capabilities");
	}
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);       /* changing the user id cleared it */
	return 0;
}
