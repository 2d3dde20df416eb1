#!/usr/bin/env python3
"""Checks the tree itself: file sizes, and that CMake's source lists match the disk.

A file above 400 lines is reported, one above 800 fails. Every .cpp under src/, tests/unit/,
tests/fuzz/ and tools/ must be named in the CMakeLists.txt of its folder or of one above it, and
every .cpp named there must exist. A source src/FOLDER/NAME.cpp has a test NAME_test.cpp below
tests/unit/FOLDER or stands in tests/unit/without_test.txt, whose lines may only become fewer.

Usage: check_tree.py [--root DIR] [--sizes]
"""

import argparse
import collections
import pathlib
import sys

SOFT_LINES = 400
HARD_LINES = 800
CODE = (".h", ".cpp", ".inc", ".py", ".cmake")

# Written by `litz ops --header`; a test checks that it is current.
GENERATED = {"include/litz/ops.h"}


def code_files(root):
    for folder in ("include", "src", "tests", "tools", "bench", "cmake"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in CODE and file.is_file():
                yield file


def check_sizes(root, show_totals):
    failures = 0
    totals = collections.Counter()
    for file in code_files(root):
        lines = file.read_text(encoding="utf-8").count("\n")
        name = file.relative_to(root)
        totals["/".join(name.parts[:2])] += lines
        if str(name) in GENERATED:
            continue
        if lines > HARD_LINES:
            print(f"{name}: {lines} lines, more than {HARD_LINES}")
            failures += 1
        elif lines > SOFT_LINES:
            print(f"{name}: {lines} lines, more than {SOFT_LINES} (reported only)")
    if show_totals:
        for folder, lines in sorted(totals.items()):
            print(f"{lines:7} {folder}")
        print(f"{sum(totals.values()):7} in all")
    return failures


def words_of(lists):
    lines = lists.read_text(encoding="utf-8").splitlines()
    text = "\n".join(line.split("#", 1)[0] for line in lines)
    return text.replace("(", " ").replace(")", " ").split()


def is_listed(root, file):
    folder = file.parent
    while folder != root.parent:
        lists = folder / "CMakeLists.txt"
        if lists.is_file():
            words = words_of(lists)
            name = file.relative_to(folder)
            # Some folders name a program after its only file: litz_fuzz(zip_reader).
            if str(name) in words or name.stem.removeprefix("fuzz_") in words:
                return True
        folder = folder.parent
    return False


def check_lists(root):
    failures = 0
    for top in ("src", "tests/unit", "tests/fuzz", "tools"):
        for file in sorted((root / top).rglob("*.cpp")):
            if not is_listed(root, file):
                print(f"{file.relative_to(root)}: in no CMakeLists.txt")
                failures += 1
        for lists in sorted((root / top).rglob("CMakeLists.txt")):
            for word in words_of(lists):
                is_source = word.endswith(".cpp") and "$" not in word
                if is_source and not (lists.parent / word).is_file():
                    print(f"{lists.relative_to(root)}: {word} does not exist")
                    failures += 1
    return failures


def check_tests(root):
    """Samples test operators (tests/data/calls); every other source has a test of its name."""
    listed_in = root / "tests/unit/without_test.txt"
    excused = set(listed_in.read_text(encoding="utf-8").split())
    failures = 0
    for file in sorted((root / "src").rglob("*.cpp")):
        name = str(file.relative_to(root / "src"))
        if name.startswith("ops/"):
            continue
        folder = root / "tests/unit" / name.split("/")[0]
        has_test = any(folder.rglob(f"{file.stem}_test.cpp"))
        if has_test == (name in excused):
            what = "has a test, and is" if has_test else "has no test, and is not"
            print(f"src/{name} {what} in {listed_in.relative_to(root)}")
            failures += 1
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--sizes", action="store_true", help="print the lines per folder")
    arguments = parser.parse_args()
    failures = check_sizes(arguments.root, arguments.sizes) + check_lists(arguments.root)
    failures += check_tests(arguments.root)
    print(f"check_tree: {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
