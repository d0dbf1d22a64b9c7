# SPDX-License-Identifier: MIT
"""schema.py - documents against the schemas of contrib/schema (python3-jsonschema)."""
import functools
import json
import os

import harness as h

try:
    import jsonschema
except ImportError:
    h.skip("python3-jsonschema is not installed")
if not hasattr(jsonschema, "Draft202012Validator"):
    h.skip("this python3-jsonschema does not know draft 2020-12")

_BASE = jsonschema.Draft202012Validator
_good = set()       # (file, definition, value) that was found good: values repeat a great deal


# Published open: members may be added to a document of the same format. The tests read them closed,
# so that a member which the schema does not name is noticed.
OPEN = {"history", "snapshot"}


def _close(s):
    if isinstance(s, dict):
        if s.get("type") == "object":
            s.setdefault("additionalProperties", False)
        for v in s.values():
            _close(v)
    elif isinstance(s, list):
        for v in s:
            _close(v)


@functools.cache
def _load(name):
    with open(os.path.join(h.SRC, "contrib/schema", name + ".schema.json")) as f:
        s = json.load(f)
    _BASE.check_schema(s)
    if name in OPEN:
        _close(s)
    return s


@functools.cache
def validator(name, definition=None):
    """Of the whole schema, or of one of its definitions."""
    s = _load(name)
    if definition:
        s = {"$schema": s["$schema"], "$ref": "#/$defs/" + definition, "$defs": s["$defs"]}

    def ref(v, r, instance, _):
        key = (name, r, json.dumps(instance))
        if key in _good:
            return
        bad = False
        for e in _BASE.VALIDATORS["$ref"](v, r, instance, _):
            bad = True
            yield e
        if not bad:
            _good.add(key)
    return jsonschema.validators.extend(_BASE, {"$ref": ref})(s)


def accept(v, document, what):
    errors = ["%s: %s" % ("/".join(map(str, e.absolute_path)), e.message[:200])
              for e in v.iter_errors(document)]
    assert not errors, (what, errors[:5])


def check_open(name):
    """Is the published schema one that refuses no member?"""
    assert name in OPEN, name
    with open(os.path.join(h.SRC, "contrib/schema", name + ".schema.json")) as f:
        assert '"additionalProperties": false' not in f.read(), name


def check_closed(name, within=()):
    """Every object that the schema describes refuses members that it does not name; `within`:
    narrows one that does."""
    n = 0

    def look(s, where):
        nonlocal n
        if isinstance(s, dict):
            if s.get("type") == "object" and where not in within:
                n += 1
                assert s.get("additionalProperties") is False or \
                    isinstance(s.get("additionalProperties"), dict), where
                assert set(s.get("required", [])) <= set(s.get("properties", {})), where
            assert not ("properties" in s and s.get("type") != "object") or where in within or \
                where.endswith(("/if", "/then", "/else")), where
            for k, v in s.items():
                look(v, where + "/" + k)
        elif isinstance(s, list):
            for i, v in enumerate(s):
                look(v, "%s/%d" % (where, i))
    look({k: v for k, v in _load(name).items()}, "#")
    assert n, name
