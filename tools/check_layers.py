#!/usr/bin/env python3
"""Fails when a source file includes what its layer may not.

A layer may include itself and what its row allows, transitively. The rows are those of the design;
a path that goes up the table is wrong even when it happens to link. Some third-party headers are
kept to single folders as well.

Usage: check_layers.py [--root DIR]
"""

import argparse
import pathlib
import re
import sys

LAYERS = {
    "support": [],
    "expr": ["support"],
    "types": ["expr"],
    "machine": ["types"],
    "distributed": ["types"],
    "artifact": ["types"],
    "schema": ["types"],
    "ir": ["schema"],
    "graph_tools": ["ir"],
    "loops": ["types"],
    "ops": ["ir", "loops"],
    "import": ["ir", "ops"],
    "trace": ["ir", "ops"],
    "autodiff": ["ir", "ops"],
    "passes": ["graph_tools", "ops", "machine"],
    "lowering": ["ir", "ops", "loops"],
    "memory": ["lowering"],
    "fusion": ["memory", "machine"],
    "schedule": ["loops", "machine"],
    "codegen": ["schedule", "artifact", "machine"],
    "kernels": ["schema", "artifact", "machine", "distributed"],
    "runtime": ["artifact", "kernels"],
    "compiler": ["import", "trace", "autodiff", "passes", "lowering", "fusion", "schedule",
                 "codegen", "kernels", "runtime"],
}

# The folders that may include the headers of a third-party library.
THIRD_PARTY = {
    "simdjson.h": ["support"],
    "zlib.h": ["support"],
    "spdlog/": ["support"],
    "CLI/": [],
    "llvm/": ["codegen"],
    "llvm-c/": ["codegen"],
    "regex": [],
    "iostream": [],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def allowed_layers(layer):
    """The layer itself and everything below it."""
    seen = set()
    todo = [layer]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo.extend(LAYERS[name])
    return seen


def check_quoted(source_root, layer, path, allowed):
    """Returns why a quoted include is wrong, or None."""
    folder = path.split("/", 1)[0]
    if path.startswith("litz/"):
        return None  # The public API.
    if folder not in LAYERS:
        return f'"{path}" is not a path from src/'
    if not (source_root / path).is_file():
        return f'"{path}" does not exist'
    if folder not in allowed:
        return f"{layer} may not include {folder} ({path})"
    return None


def check_angled(layer, header):
    """Returns why an angled include is wrong, or None."""
    for prefix, layers in THIRD_PARTY.items():
        matches = header.startswith(prefix) if prefix.endswith("/") else header == prefix
        if matches and layer not in layers:
            return f"{layer} may not include <{header}>"
    return None


def check_file(source_root, file):
    layer = file.relative_to(source_root).parts[0]
    if layer not in LAYERS:
        yield 1, f"folder {layer} is in no row of the layer table"
        return
    allowed = allowed_layers(layer)
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quoted, angled = match.groups()
        problem = (check_quoted(source_root, layer, quoted, allowed) if quoted
                   else check_angled(layer, angled))
        if problem:
            yield number, problem


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root
    source_root = root / "src"
    files = sorted(file for file in source_root.rglob("*") if file.suffix in (".h", ".cpp", ".inc"))
    failures = 0
    for file in files:
        for number, problem in check_file(source_root, file):
            print(f"{file.relative_to(root)}:{number}: {problem}")
            failures += 1
    print(f"check_layers: {len(files)} files, {failures} forbidden includes")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
