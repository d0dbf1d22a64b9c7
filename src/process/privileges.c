/* privileges.c - see privileges.h. */
#include "process/privileges.h"

#include "base/user.h"

#include <cap-ng.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <unistd.h>

int privileges_drop(struct err *err)
{
	uid_t uid;
	gid_t gid;

	capng_clear(CAPNG_SELECT_BOTH);
	if (getuid() == 0) {
		user_find(&uid, &gid);
		if (capng_change_id((int)uid, (int)gid,
				    CAPNG_DROP_SUPP_GRP | CAPNG_CLEAR_BOUNDING) != 0)
			return err_set(err, -EPERM, "this process cannot give up root: that takes "
				       "CAP_SETUID, CAP_SETGID, CAP_SETPCAP, and user %u in this "
				       "user namespace; or start uncored as another user",
				       uid);
	} else if (capng_apply(CAPNG_SELECT_CAPS) != 0) {
		return err_set(err, -EPERM, "this process cannot give up its capabilities");
	}
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);       /* changing the user id cleared it */
	return 0;
}
