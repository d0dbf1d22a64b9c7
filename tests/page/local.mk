# SPDX-License-Identifier: MIT
# The front page in a real browser, and what else takes packages of npm: `make check-page`, no part
# of `make check`.
EXTRA_DIST += tests/page/page.py tests/page/looks.py tests/page/seen.py tests/page/browser.py \
	tests/page/picture.py tests/page/kubernetes.py
.PHONY: check-page check-long-page picture
picture: all
	@$(AM_TESTS_ENVIRONMENT) python3 -B $(top_srcdir)/tests/page/picture.py
check-page: all
	@$(MKDIR_P) tests/page; \
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS \
		TESTS="tests/page/page.py tests/page/looks.py tests/page/kubernetes.py"; r=$$?; \
	sed -n 's,^# *,page: ,p' tests/page/page.log tests/page/looks.log; exit $$r
check-long: check-long-page
check-long-page: all
	@$(AM_TESTS_ENVIRONMENT) UNCORED_TEST_LONG=1 UNCORED_TEST_ONLY=ten_minutes \
		python3 -B $(top_srcdir)/tests/page/looks.py || test $$? = 77
