# SPDX-License-Identifier: Apache-2.0
"""Counts the cases that CTest ran.

tally.py JUNIT LEDGER LABEL: reads the JUnit file of one run of CTest, appends one line `passed|failed|skipped LABEL: NAME`
for each case to LEDGER, and prints the output of those that failed. A shard of a GoogleTest program ("program/3") and the
lit files count by case, every other test as one.
"""

import re
import sys
import xml.etree.ElementTree

GTEST = re.compile(r"\[ +(OK|FAILED|SKIPPED) +\] ([^\s,]+).* \(\d+ ms\)$", re.M)
GTEST_RUN = re.compile(r"^\[==========\] (\d+) tests? from \d+ test suites? ran\.", re.M)
LIT = re.compile(r"^(PASS|FAIL|UNRESOLVED|TIMEOUT|XPASS|UNSUPPORTED): ptox :: (\S+)", re.M)
OUTCOME = {"OK": "passed", "PASS": "passed", "SKIPPED": "skipped", "UNSUPPORTED": "skipped"}


def outcomes(pattern, log):
    """Name to outcome; a name that failed once has failed, whatever other lines say."""
    results = {}
    for word, name in pattern.findall(log):
        if results.get(name) != "failed":
            results[name] = OUTCOME.get(word, "failed")
    return results


def output_of(name, log):
    """The lines that a case of GoogleTest wrote, from its RUN line to its FAILED line or the end of the log."""
    start = max(log.find(f"[ RUN      ] {name}\n"), 0)
    end = log.find("[  FAILED  ] ", start)
    return log[start : end if end > 0 else None]


def running(log, results):
    """The case that was running when the log ended, if any."""
    started = re.findall(r"^\[ RUN      \] (.*)$", log, re.M)
    return started[-1] if started and started[-1] not in results else None


def shard_results(shard, passed, log):
    """Cases may print the lines of programs that they run, so the last summary line is the shard's own."""
    results = outcomes(GTEST, log)
    for name in [n for n, o in results.items() if o == "failed"]:
        print(output_of(name, log))
    died_in = running(log, results)
    summaries = list(GTEST_RUN.finditer(log))
    ended = bool(summaries) and not GTEST.search(log, summaries[-1].end())
    complete = ended and len(results) >= int(summaries[-1].group(1))
    if died_in or not complete or (not passed and "failed" not in results.values()):
        name = died_in or f"{shard} outside its cases"
        print(f"{output_of(name, log)[-10000:]}\n{name}: the program ended early, or a case has no result")
        results[name] = "failed"
    return results


def lit_results(passed, log):
    results = {f"lit {name}": outcome for name, outcome in outcomes(LIT, log).items()}
    if not passed or not results:
        print(log[:20000])
    if not results or (not passed and "failed" not in results.values()):
        results["lit"] = "failed"
    return results


def case_results(case):
    name, passed = case.get("name"), case.get("status") == "run"
    log = (case.findtext("system-out") or "").replace("\r\n", "\n")
    if re.fullmatch(r"\w+/\d+", name):
        results = shard_results(name, passed, log)
        # The same cases as those of the program, with another compiler.
        return {f"second compiler: {n}": o for n, o in results.items()} if "_second/" in name else results
    if name == "lit":
        return lit_results(passed, log)
    if not passed:
        print(f"{log}\nFAILED: {name}: {case.get('status')}")
    return {name: "passed" if passed else "failed"}


def main(junit, ledger, label):
    results = {}
    for case in xml.etree.ElementTree.parse(junit).getroot().iter("testcase"):
        for name, outcome in case_results(case).items():
            if results.get(name) != "failed":
                results[name] = outcome
    if not results:
        results = {"no test ran": "failed"}
    with open(ledger, "a") as out:
        out.writelines(f"{outcome} {label}: {name}\n" for name, outcome in results.items())


main(*sys.argv[1:])
