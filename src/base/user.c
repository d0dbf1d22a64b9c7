/* SPDX-License-Identifier: MIT */
#include "base/user.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>

bool user_find(uid_t *uid, gid_t *gid)
{
	FILE *f = fopen("/etc/passwd", "re");
	const struct passwd *pw;
	bool ours = false;

	*uid = *gid = 65534;
	while (f && !ours && (pw = fgetpwent(f))) {
		ours = strcmp(pw->pw_name, "uncored") == 0;
		if (ours || strcmp(pw->pw_name, "nobody") == 0) {
			*uid = pw->pw_uid;
			*gid = pw->pw_gid;
		}
	}
	if (f)
		fclose(f);
	return ours;
}
