# SPDX-License-Identifier: MIT
# Unit files; sbindir and friends are known to make only, so the service is written at build time.
dist_systemdsystemunit_DATA = systemd/uncored.socket
nodist_systemdsystemunit_DATA = systemd/uncored.service
sysusersdir = $(prefix)/lib/sysusers.d
dist_sysusers_DATA = systemd/sysusers.d/uncored.conf
# Drop-ins to copy to /etc/systemd/system/uncored.service.d; beside those of contrib/systemd.
dropindir = $(docdir)/systemd
dist_dropin_DATA = systemd/loopback.conf systemd/socket.conf systemd/perf.conf systemd/bound.conf \
	systemd/socket-owner.conf
udevrulesdir = $(prefix)/lib/udev/rules.d
dist_udevrules_DATA = systemd/70-uncored.rules
EXTRA_DIST += systemd/uncored.service.in systemd/check-unit.sh
CLEANFILES += systemd/uncored.service
# [@]sbindir[@] below, because configure itself would replace the plain spelling here.
TESTS += systemd/check-unit.sh

systemd/uncored.service: $(srcdir)/systemd/uncored.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) systemd && \
	$(SED) -e 's|[@]sbindir[@]|$(sbindir)|g' -e 's|[@]UNIT_FILES[@]|$(UNIT_FILES)|' \
		$(srcdir)/systemd/uncored.service.in > $@.tmp && mv $@.tmp $@
