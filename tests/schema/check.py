# SPDX-License-Identifier: Apache-2.0
"""The JSON Schemas say what the readers do. Usage: check.py ROOT

All shipped files are valid; files with an unknown key are not; the keys of the
schemas are those that the readers ask for; those that name files are known to
outputs. Ends with 77 (skipped) where Python
lacks jsonschema or yaml.
"""
import json
import pathlib
import re
import sys

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-jsonschema python3-yaml)")
    sys.exit(77)

root = pathlib.Path(sys.argv[1])
faults = []


class Loader(yaml.SafeLoader):
    """YAML 1.2, as the program and editors read it: "off" is a text."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers
            if tag.endswith((":merge", ":null"))]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool",
                             re.compile("^(true|false)$"), list("tf"))
Loader.add_implicit_resolver("tag:yaml.org,2002:int",
                             re.compile(r"^[-+]?\d+$"), list("-+0123456789"))
Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"),
    list("-+.0123456789"))


def kind_of(document):
    for kind in ("detector", "study", "requirements", "optimisation"):
        if isinstance(document, dict) and "gttf-" + kind in document:
            return kind
    return None


def names_in(schema):
    """Names of all properties, at any depth."""
    names = set()
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "properties":
                names |= set(value)
                for inner in value.values():
                    names |= names_in(inner)
            else:
                names |= names_in(value)
    elif isinstance(schema, list):
        for value in schema:
            names |= names_in(value)
    return names


# what the program writes
jsonschema.Draft7Validator.check_schema(json.loads(
    (root / "docs/reference/schema/results.json").read_text()))

def described(schema):
    """Names and descriptions of all properties, at any depth."""
    if isinstance(schema, dict):
        for name, value in schema.get("properties", {}).items():
            if isinstance(value, dict):
                yield name, value.get("description", "")
        for value in schema.values():
            yield from described(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from described(value)


validators, keys, naming = {}, {}, set()
for kind in ("detector", "study", "requirements", "optimisation"):
    path = root / "docs/reference/schema" / (kind + ".json")
    schema = json.loads(path.read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validators[kind] = jsonschema.Draft7Validator(schema)
    keys[kind] = names_in(schema)
    naming |= {name for name, description in described(schema)
               if re.search(r"\bfiles?\b", description, re.IGNORECASE)}

# 1. every shipped file is valid
files = sorted(root.glob("detectors/*.yaml")) + sorted(
    root.glob("configs/**/*.yaml")) + sorted(root.glob("docs/howto/ci/*.yaml"))
counted = 0
for path in files:
    document = yaml.load(path.read_text(), Loader)
    kind = kind_of(document)
    if kind is None:
        continue
    counted += 1
    for error in validators[kind].iter_errors(document):
        where = "/".join(map(str, error.absolute_path))
        faults.append(f"{path.relative_to(root)}: {where}: {error.message}")
if counted < 30:
    faults.append(f"only {counted} shipped files found")

# 2. files that the program rejects for their keys are rejected
refused = 0
for kind in validators:
    folder = {"optimisation": "optimise"}.get(kind, kind)
    for path in sorted((root / "tests/broken" / folder).glob("*.yaml")):
        expected = path.with_suffix(".expected")
        if not expected.exists() or "unknown key" not in expected.read_text():
            continue
        if path.stem == "unknown_number":
            continue  # the key is one of the detector, which no schema knows
        refused += 1
        document = yaml.load(path.read_text(), Loader)
        if validators[kind].is_valid(document):
            faults.append(f"{path.relative_to(root)}: the schema accepts it")
if refused < 3:
    faults.append(f"only {refused} files with an unknown key found")

# 3. the same keys: every key of a reader is in the schema, and every key of the schema is in the readers
lib = root / "lib/gttf"
readers = {
    "detector": ["detector/read.cpp", "detector/read_*.cpp",
                 "detector/surface_outline.hpp", "detector/surface_outline.cpp"],
    "study": ["study/request/request.cpp", "study/request/axis.cpp",
              "study/request/design_variant.cpp",
              "study/request/read_setup.cpp",
              "study/request/average_request.cpp"],
}
readers["requirements"] = readers["study"] + [
    "study/check/requirement_file.cpp", "study/check/read_criterion.cpp"]
readers["optimisation"] = readers["requirements"] + [
    "study/optimise/read_problem.cpp"]
asked = re.compile(
    r'\b(?:find|require|from_file|positive)\(\s*"([\w-]+)"'
    r'|\bpick\([^()]*"([\w-]+)"\)')
for kind, patterns in readers.items():
    text = "".join(
        path.read_text() for pattern in patterns for path in lib.glob(pattern))
    found = {a or b for a, b in asked.findall(text)}
    others = {"gttf-" + k for k in validators if k != kind}
    if kind == "optimisation":  # what only the others may say
        others |= {"study", "baseline", "momentum", "toys", "seed", "fits",
                   "detectors", "requirements", "variants", "set", "average",
                   "luminous_region", "over", "tracks"} - keys[kind]
    if kind == "requirements":  # what only a study may say
        others |= {"layer", "own_hit", "at", "toys", "seed", "fits",
                   "vary", "follow"} - keys[kind]
    for name in sorted(found - keys[kind] - others):
        faults.append(f"{kind}: the reader knows {name}, the schema does not")
    literals = set(re.findall(r'"([\w-]+)"', text))
    for name in sorted(keys[kind] - literals):
        faults.append(f"{kind}: the schema knows {name}, the reader does not")
    if len(found) < 10:
        faults.append(f"{kind}: only {len(found)} keys found in the reader")

# 4. keys that name files are those whose files outputs do not overwrite
text = (lib / "config/named_files.cpp").read_text()
listed = set(re.findall(
    r'"(\w+)"', re.search(r"file_keys = \{([^}]*)\}", text).group(1)))
for name in sorted(naming ^ listed):
    faults.append(f"named_files.cpp and the schemas differ: {name} names files")

print("\n".join(faults) or f"{counted} files valid, {refused} refused")
sys.exit(1 if faults else 0)
