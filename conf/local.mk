# SPDX-License-Identifier: MIT
# The example configuration. The daemon reads /etc/uncored.conf whatever the prefix, so that is
# where it goes; only a trial installation below some other prefix, without DESTDIR, keeps it to
# itself. A file that somebody edited is never overwritten (the new one is put beside it) and never
# removed.
EXTRA_DIST += conf/uncored.conf

conf_target = case '$(DESTDIR):$(prefix)' in \
	:|:/|:/usr|:/usr/local|[!:]*) target='$(DESTDIR)/etc/uncored.conf' ;; \
	*) target='$(sysconfdir)/uncored.conf' ;; \
	esac

install-data-local: install-conf
uninstall-local: uninstall-conf

install-conf:
	@$(NORMAL_INSTALL)
	@$(conf_target); new='$(srcdir)/conf/uncored.conf'; \
	if test -e "$$target" && ! cmp -s "$$new" "$$target"; then \
		echo "$$target was edited and stays; the new one is $$target.new"; \
		target="$$target.new"; \
	fi; \
	$(MKDIR_P) "`dirname "$$target"`" && $(INSTALL_DATA) "$$new" "$$target"

uninstall-conf:
	@$(NORMAL_UNINSTALL)
	@$(conf_target); \
	if cmp -s '$(srcdir)/conf/uncored.conf' "$$target"; then rm -f "$$target"; fi; \
	rm -f "$$target.new"

.PHONY: install-conf uninstall-conf
