#!/usr/bin/env python3
"""Counts what a test run did: GoogleTest cases, and CTest entries that are not GoogleTest programs.

A GoogleTest program that ends badly although none of its cases failed (a crash, a sanitizer at
exit, a time-out) counts as one failure.

Usage: count_tests.py JUNIT_FROM_CTEST FOLDER_OF_GTEST_JSON
Prints "PASSED FAILED SKIPPED", and the names of failures on standard error.
"""

import json
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def entry_state(case):
    if case.find("failure") is not None or case.get("status") == "fail":
        return "failed"
    if case.find("skipped") is not None or case.get("status") in ("disabled", "notrun"):
        return "skipped"
    return "passed"


def case_state(test):
    if test.get("failures"):
        return "failed"
    if test.get("result") == "SKIPPED" or test.get("status") == "NOTRUN":
        return "skipped"
    return "passed"


def program_cases(report):
    """Pairs of case name and state in one GoogleTest report."""
    for suite in json.loads(report.read_text(encoding="utf-8")).get("testsuites", []):
        for test in suite.get("testsuite", []):
            yield f'{suite["name"]}.{test["name"]}', case_state(test)


def main():
    junit, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    counts = {"passed": 0, "failed": 0, "skipped": 0}

    def count(name, state):
        counts[state] += 1
        if state == "failed":
            print(f"failed: {name}", file=sys.stderr)

    for case in ElementTree.parse(junit).getroot().iter("testcase"):
        name, state = case.get("name"), entry_state(case)
        report = folder / f"{name}.json"
        if not report.is_file():
            count(name, state)
            continue
        cases = list(program_cases(report))
        for case_name, case_result in cases:
            count(case_name, case_result)
        if state == "failed" and all(result != "failed" for _, result in cases):
            count(f"{name} (ended badly)", "failed")
    print(counts["passed"], counts["failed"], counts["skipped"])


if __name__ == "__main__":
    main()
