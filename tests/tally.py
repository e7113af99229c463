# SPDX-License-Identifier: Apache-2.0
"""What did the shards of one gtest program say?

tally.py DIR LEDGER LABEL: reads DIR/N.json, DIR/N.log and DIR/N.rc of every shard N, appends one line
`passed|failed|skipped LABEL: suite.name` a test to LEDGER and prints the output of those that failed.
"""

import json
import pathlib
import re
import sys

ENDED = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] ([^\s,]+).* \(\d+ ms\)$", re.M)
OUTCOME = {"OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}


def outcome(test):
    if test.get("failures"):
        return "failed"
    return "passed" if test.get("result") == "COMPLETED" else "skipped"


def outcomes(report, log):
    """Name to outcome of every test of a shard; by its log where it did not live to write the report."""
    if not report.exists():
        return {name: OUTCOME[word] for word, name in ENDED.findall(log)}
    suites = json.loads(report.read_text(errors="replace"))["testsuites"]
    return {f"{s['name']}.{t['name']}": outcome(t) for s in suites for t in s["testsuite"]}


def output_of(name, log):
    """The lines a test wrote, from its RUN line to its FAILED line or the end of the log."""
    start = max(log.find(f"[ RUN      ] {name}\n"), 0)
    end = log.find("[  FAILED  ] ", start)
    return log[start : end if end > 0 else None]


def running(log, results):
    """The test that was running when the log ended, if any."""
    started = re.findall(r"^\[ RUN      \] (.*)$", log, re.M)
    return started[-1] if started and started[-1] not in results else None


def shard_results(rc_file):
    shard, rc = rc_file.stem, int(rc_file.read_text())
    log = rc_file.with_suffix(".log").read_text(errors="replace")
    results = outcomes(rc_file.with_suffix(".json"), log)
    for name in [n for n, o in results.items() if o == "failed"]:
        print(output_of(name, log))
    died_in = running(log, results)
    if died_in or (rc != 0 and "failed" not in results.values()):
        name = died_in or f"shard {shard} outside its tests"
        print(f"{output_of(name, log)[-10000:]}\n{name}: exit code {rc}{', out of time' if rc in (124, 137) else ''}")
        results[name] = "failed"
    return results


def main(directory, ledger, label):
    results = {}
    for rc_file in sorted(pathlib.Path(directory).glob("*.rc")):
        results.update(shard_results(rc_file))
    if not results:
        results = {"no test ran": "failed"}
    with open(ledger, "a") as out:
        out.writelines(f"{o} {label}: {name}\n" for name, o in results.items())


main(*sys.argv[1:])
