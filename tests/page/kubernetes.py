# SPDX-License-Identifier: MIT
"""kubernetes.py - the manifests of contrib/kubernetes are what the API of Kubernetes and the
Prometheus operator take: the compiler of TypeScript holds them against their types, which name
every field there is. Both come from npm, and so this runs beside the page (./bootstrap check-page).
"""
import glob
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))
import harness as h             # noqa: E402

MODULES = os.path.join(h.BUILD, "tests/page/node_modules")
MANIFESTS = sorted(glob.glob(os.path.join(h.SRC, "contrib/kubernetes/*.yaml")))
# Each document as a constant of the type that its kind and version name.
WRITE = """
const { readFileSync } = require("fs"), { parseAllDocuments } = require("yaml");
let n = 0;
for (const file of process.argv.slice(1))
    for (const document of parseAllDocuments(readFileSync(file, "utf8"))) {
        const o = document.toJS(), at = (o.apiVersion.startsWith("monitoring.coreos.com/") ?
            "@kubernetes-models/prometheus-operator/" : "kubernetes-models/") + o.apiVersion;
        console.log(`import type { I${o.kind} } from "${at}";`);
        console.log(`export const o${n++}: I${o.kind} = ${JSON.stringify(o, null, 1)};`);
    }
"""


def complaints(*manifests):
    """What the compiler says, and the kinds that it read."""
    if not shutil.which("node"):
        h.skip("node is not installed (Debian: nodejs)")
    if not os.path.isdir(MODULES + "/kubernetes-models"):
        h.skip("the types of Kubernetes are not installed (npm: see bootstrap)")
    at = h.path("typed")
    os.makedirs(at, exist_ok=True)
    if not os.path.exists(at + "/node_modules"):
        os.symlink(MODULES, at + "/node_modules")
    p = subprocess.run(["node", "-e", WRITE, *manifests], cwd=at, capture_output=True, text=True)
    assert p.returncode == 0, p
    with open(at + "/manifests.ts", "w", encoding="utf-8") as f:
        f.write(p.stdout)
    tsc = subprocess.run([MODULES + "/.bin/tsc", "--noEmit", "--strict", "--skipLibCheck",
                          "--module", "nodenext", "manifests.ts"], cwd=at, capture_output=True,
                         text=True)
    assert (tsc.returncode == 0) == (tsc.stdout == ""), tsc
    return tsc.stdout, re.findall(r"import type { I(\w+) }", p.stdout)


def test_manifests():
    said, kinds = complaints(*MANIFESTS)
    assert said == "", said
    assert sorted(kinds) == ["ConfigMap", "DaemonSet", "Namespace", "PodMonitor",
                             "PrometheusRule", "Service"], kinds


def test_mistakes():
    """A field that nobody knows, one of another type, and one that is missing."""
    manifest = h.read(next(m for m in MANIFESTS if m.endswith("/uncored.yaml")))
    for old, new, said in (("updateStrategy:", "updateStrategie:", "updateStrategie"),
                           ("containerPort: 10062", 'containerPort: "10062"', "'string' is not"),
                           ("jobLabel:", "joblabel:", "joblabel"),
                           ("  selector:\n    matchLabels: { app.kubernetes.io/name: uncored }\n"
                            "  # A node", "  # A node", "selector\"' is missing")):
        assert manifest.count(old) == 1, old
        found, _ = complaints(h.write("mistake.yaml", manifest.replace(old, new)))
        assert said in found, (old, found)


h.main(sys.modules[__name__])
