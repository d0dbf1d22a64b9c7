#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-rules.sh - promtool on the configurations, the rules and their test cases, and the same
# rules as Kubernetes has them; every rule has a case, and every alert one on a machine without
# counters, and in the operator's guide a section and a row with its severity and time; README.md
# beside this lists the same alerts in the same order.
set -u
command -v promtool >/dev/null || {
	echo "SKIP: promtool (Debian: prometheus) is not installed"
	exit 77
}
cd "${top_srcdir:-$(dirname "$0")/..}/contrib/prometheus" || exit 99
bad=0
# The address of the guide is that of one rule.
runbook='{{ with query "uncored:runbook:info" }}{{ . | first | label "url" }}{{ end }}'

promtool check rules rules.yml || bad=1
promtool check config scrape.yml || bad=1
promtool check config fleet.yml || bad=1
promtool check config --agent agent.yml || bad=1
promtool test rules rules_test.yml || bad=1
made=$(mktemp) || exit 99
trap 'rm -f "$made"' EXIT
bash ../kubernetes/rules.sh "$made" || bad=1
cmp "$made" ../kubernetes/rules.yaml || {
	echo "contrib/kubernetes/rules.yaml is old: run rules.sh beside it"
	bad=1
}
# Without what is around them they are the rules again.
sed '1,/^spec:$/d; s/^  //' ../kubernetes/rules.yaml |
	cmp - <(sed -n '/^groups:$/,$p' rules.yml) || bad=1
while read -r name; do
	grep -qE "(expr: |expr: round\(|alertname: )$name" rules_test.yml || {
		echo "rules_test.yml: no case for $name"
		bad=1
	}
done < <(sed -nE 's/^ *- (record|alert): //p' rules.yml)
while read -r name; do
	sed -n '/name: a machine without counters$/,/^$/p' rules_test.yml |
		grep -q "alertname: $name, exp_alerts: \[\]" || {
		echo "rules_test.yml: no test has $name on a machine without counters"
		bad=1
	}
	if ! sed -n "/alert: $name\$/,/ summary:/p" rules.yml | grep -qF "$runbook#${name,,}" ||
		! grep -qx "### $name" ../../docs/operating.md; then
		echo "rules.yml: $name has no runbook_url $runbook#${name,,}," \
			"or the guide no section $name"
		bad=1
	fi
done < <(sed -n 's/^ *- alert: //p' rules.yml)
while read -r name severity time; do
	case $time in
	0) time="at once" ;;
	1m) time="1 minute" ;;
	*m) time="${time%m} minutes" ;;
	esac
	grep -qE "^\| $name \| $severity \| [^|]+ \| $time \|$" ../../docs/operating.md || {
		echo "the operator's guide has no row with $name, $severity, $time"
		bad=1
	}
done < <(awk '$2 == "alert:" { name = $3; time = 0 } $1 == "for:" { time = $2 }
	$1 == "severity:" { print name, $2, time }' rules.yml)
diff <(sed -n 's/^ *- alert: //p' rules.yml) \
	<(sed -nE 's/^\| (Uncored\w+) \|.*/\1/p' ../README.md) || {
	echo "contrib/README.md does not list the alerts of rules.yml (<) as they are (>)"
	bad=1
}
exit "$bad"
