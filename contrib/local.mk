# Examples for whoever runs Prometheus and Grafana, and files that only some machines need: into the documentation.
contribdir = $(docdir)
dist_contrib_DATA = contrib/README.md
promdir = $(docdir)/prometheus
dist_prom_DATA = contrib/prometheus/rules.yml contrib/prometheus/rules_test.yml contrib/prometheus/scrape.yml
grafanadir = $(docdir)/grafana
dist_grafana_DATA = contrib/grafana/uncored.json
modulesloaddir = $(docdir)/modules-load.d
dist_modulesload_DATA = contrib/modules-load.d/msr.conf
udevdocdir = $(docdir)/udev
dist_udevdoc_DATA = contrib/udev/70-uncored.rules
sysctldocdir = $(docdir)/sysctl.d
dist_sysctldoc_DATA = contrib/sysctl.d/uncored-perf.conf
systemddocdir = $(docdir)/systemd
dist_systemddoc_DATA = contrib/systemd/ivytown.conf
EXTRA_DIST += contrib/check-rules.sh contrib/check-dashboard.py
TESTS += contrib/check-rules.sh contrib/check-dashboard.py
