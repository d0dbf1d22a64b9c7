/* privileges.c - see privileges.h. */
#include "process/privileges.h"

#include <cap-ng.h>
#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The user `uncored`, or nobody, from the file: the name service may wait for a network. */
static struct passwd unprivileged_user(void)
{
	struct passwd user = { .pw_uid = 65534, .pw_gid = 65534 };
	FILE *f = fopen("/etc/passwd", "re");
	const struct passwd *pw;
	bool ours = false;

	while (f && !ours && (pw = fgetpwent(f))) {
		ours = strcmp(pw->pw_name, "uncored") == 0;
		if (ours || strcmp(pw->pw_name, "nobody") == 0)
			user = (struct passwd){ .pw_uid = pw->pw_uid, .pw_gid = pw->pw_gid };
	}
	if (f)
		fclose(f);
	return user;
}

int privileges_drop(struct err *err)
{
	struct passwd user;

	capng_clear(CAPNG_SELECT_BOTH);
	if (getuid() == 0) {
		user = unprivileged_user();
		if (capng_change_id((int)user.pw_uid, (int)user.pw_gid,
				    CAPNG_DROP_SUPP_GRP | CAPNG_CLEAR_BOUNDING) != 0)
			return err_set(err, -EPERM, "this process cannot give up root: that takes "
				       "CAP_SETUID, CAP_SETGID, CAP_SETPCAP, and user %u in this "
				       "user namespace; or start uncored as another user",
				       user.pw_uid);
	} else if (capng_apply(CAPNG_SELECT_CAPS) != 0) {
		return err_set(err, -EPERM, "this process cannot give up its capabilities");
	}
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);       /* changing the user id cleared it */
	return 0;
}
