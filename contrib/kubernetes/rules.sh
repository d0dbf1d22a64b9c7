#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# rules.sh - prometheus/rules.yml as a PrometheusRule, for a Prometheus operator: writes rules.yaml,
# or the file that it is given. Run it again after each change of the rules.
set -eu
cd "$(dirname "$0")"
{
	cat <<-'END'
	# SPDX-License-Identifier: MIT
	# Made of ../prometheus/rules.yml by rules.sh.
	apiVersion: monitoring.coreos.com/v1
	kind: PrometheusRule
	metadata:
	  name: uncored
	  namespace: uncored
	  labels: { app.kubernetes.io/name: uncored }
	spec:
	END
	sed -n '/^groups:$/,$ { s/^./  &/; p }' ../prometheus/rules.yml
} >"${1-rules.yaml}"
