# SPDX-License-Identifier: MIT
# Examples for whoever runs Prometheus and Grafana, and files that only some machines need: into the
# documentation.
contribdir = $(docdir)
dist_contrib_DATA = contrib/README.md contrib/gaps.md docs/tutorial.md docs/operating.md \
	docs/machines.md docs/headroom.svg docs/intervals.svg docs/architecture.md
promdir = $(docdir)/prometheus
dist_prom_DATA = contrib/prometheus/rules.yml contrib/prometheus/rules_test.yml \
	contrib/prometheus/scrape.yml \
	contrib/prometheus/fleet.yml contrib/prometheus/agent.yml
promtargetsdir = $(promdir)/targets
dist_promtargets_DATA = contrib/prometheus/targets/example.yml
grafanadir = $(docdir)/grafana
dist_grafana_DATA = contrib/grafana/uncored.json contrib/grafana/fleet.json \
	contrib/grafana/samples.json contrib/grafana/unit.json
modulesloaddir = $(docdir)/modules-load.d
dist_modulesload_DATA = contrib/modules-load.d/msr.conf
sysctldocdir = $(docdir)/sysctl.d
dist_sysctldoc_DATA = contrib/sysctl.d/uncored-perf.conf
systemddocdir = $(docdir)/systemd
dist_systemddoc_DATA = contrib/systemd/ivytown.conf contrib/systemd/realtime.conf
nginxdocdir = $(docdir)/nginx
dist_nginxdoc_DATA = contrib/nginx/uncored.conf
schemadir = $(docdir)/schema
dist_schema_DATA = contrib/schema/catalog.schema.json contrib/schema/plan.schema.json \
	contrib/schema/curve.schema.json contrib/schema/history.schema.json \
	contrib/schema/search.schema.json contrib/schema/verify.schema.json \
	contrib/schema/certificate.schema.json \
	contrib/schema/snapshot.schema.json \
	contrib/schema/status.schema.json contrib/schema/stat.schema.json \
	contrib/schema/stat-line.schema.json
bashcompletiondir = $(datadir)/bash-completion/completions
nodist_bashcompletion_DATA = contrib/completion/uncored
dist_bashcompletion_DATA = contrib/completion/uncorectl
zshcompletiondir = $(datadir)/zsh/site-functions
nodist_zshcompletion_DATA = contrib/completion/zsh/_uncored
fishcompletiondir = $(datadir)/fish/vendor_completions.d
nodist_fishcompletion_DATA = contrib/completion/fish/uncored.fish
dist_fishcompletion_DATA = contrib/completion/fish/uncorectl.fish
# What the programs take, but do not list in a form for programs.
completion_lists = \
	s/@ENGINES@/auto registers perf model/; \
	s/@OUTPUTS@/json csv/; \
	s/@FORMATS@/prometheus openmetrics json/; \
	s/@LEVELS@/err warning notice info debug/; \
	s/@LISTS@/boxes events keys machines metrics groups processors/; \
	s/@DESCRIBED@/boxes events metrics groups/
completions = $(nodist_bashcompletion_DATA) $(nodist_zshcompletion_DATA) \
	$(nodist_fishcompletion_DATA)
EXTRA_DIST += $(completions:=.in)
CLEANFILES += $(completions)
$(completions): $(completions:=.in) Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(SED) '$(completion_lists)' $(srcdir)/$@.in >$@.tmp && mv $@.tmp $@
kubernetesdir = $(docdir)/kubernetes
dist_kubernetes_DATA = contrib/kubernetes/uncored.yaml contrib/kubernetes/rules.yaml
EXTRA_DIST += contrib/container/Containerfile contrib/container/rootfs.sh \
	contrib/container/seccomp.json
# The programs of the image (rootfs.sh): the same objects, with the libraries inside that Debian has
# as archives, and systemd.c in place of libsystemd. What is left to load is microhttpd, GnuTLS and
# what these need.
image_inside = -l:libjansson.a -l:libconfig.a -l:libcap-ng.a -l:libprotobuf-c.a -l:libz.a
EXTRA_PROGRAMS += contrib/container/uncored contrib/container/uncored-http \
	contrib/container/uncorectl
contrib_container_uncored_SOURCES = $(uncored_SOURCES) contrib/container/systemd.c
contrib_container_uncored_LDADD = libuncored.a $(image_inside)
contrib_container_uncored_http_SOURCES = $(uncored_http_SOURCES)
contrib_container_uncored_http_LDADD = libuncored.a $(image_inside) $(MHD_LIBS) $(GNUTLS_LIBS)
contrib_container_uncorectl_SOURCES = $(uncorectl_SOURCES)
contrib_container_uncorectl_LDADD = libuncored.a $(image_inside) $(GNUTLS_LIBS)
EXTRA_DIST += contrib/check-rules.sh contrib/check-dashboard.py contrib/kubernetes/rules.sh
TESTS += contrib/check-rules.sh contrib/check-dashboard.py
# What is measured on real machines: docs/verified/README.md. Debian has scripts of documentation
# among the examples, where they stay executable.
examplesdir = $(docdir)/examples
dist_examples_SCRIPTS = contrib/certify.sh
EXTRA_DIST += docs/verified/README.md docs/verified/render.py
TESTS += docs/verified/render.py
