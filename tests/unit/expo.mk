# SPDX-License-Identifier: MIT
# unit tests of expo
EXTRA_DIST += tests/unit/expo_plan.h tests/unit/expo_scene.h
if HAVE_CMOCKA
test_programs += tests/unit/test_expo tests/unit/test_expo_bounds tests/unit/test_expo_digits \
	tests/unit/test_expo_formats tests/unit/test_expo_json tests/unit/test_expo_page \
	tests/unit/test_expo_parsers \
	tests/unit/test_expo_stalled tests/unit/test_expo_values tests/unit/test_verified
test_programs += tests/unit/test_daemon_metrics
endif
