#===- test/Tools/trace.py - Traces and metrics as their readers take them ---===#
# SPDX-License-Identifier: Apache-2.0
"""trace.py traces TRACE.json...: well-formed events of Chrome's format, steps one after the other within the host's, small and printable.
trace.py metrics TEXT: the lines of Prometheus's exposition format in it, without labels; what is not of that format is an error."""

import json
import re
import sys

LABEL = r'[a-z_]+="(?:[^"\\\n]|\\\\|\\"|\\n)*"'
SAMPLE = re.compile(rf"(cupola_[a-z_]+)\{{({LABEL}(?:,{LABEL})*)\}} ([0-9.e+-]+|\+Inf)")
COMMENT = re.compile(r"# (HELP|TYPE) (cupola_[a-z_]+) (.+)")


def look_at_trace(path):
    with open(path, "rb") as file:
        text = file.read()
    assert all(byte == 10 or 32 <= byte < 127 for byte in text), "a character that is not printable ASCII"
    events = json.loads(text)["traceEvents"]
    lanes = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M" and event["name"] == "thread_name"}
    spans = [event for event in events if event["ph"] == "X"]
    assert len(lanes) == 2 and all(event["tid"] in lanes and event["dur"] >= 0 and event["ts"] >= 0 for event in spans)
    for lane in lanes:                                                  # nothing overlaps in a lane
        own = [event for event in spans if event["tid"] == lane]
        assert all(a["ts"] + a["dur"] <= b["ts"] + 0.01 for a, b in zip(own, own[1:])), lanes[lane]
    steps = [event for event in spans if "step" in event["args"]]
    whole = next(event for event in spans if event["name"] == "steps")
    assert [event["args"]["step"] for event in steps] == list(range(len(steps)))
    assert sum(event["dur"] for event in steps) <= whole["dur"] + 0.01 * len(steps)
    assert all(len(name) < 600 and not re.search("[^ -~]", name) for event in steps for name in event["args"]["nodes"])
    assert any(event["args"]["bytes"] > 0 and event["args"]["operations"] > 0 for event in steps)
    print(f"lanes {', '.join(lanes.values())}; {len(steps)} steps of {sum(event['args']['node_count'] for event in steps)} nodes")


def look_at_metrics(path):
    with open(path, encoding="utf-8", newline="") as file:
        lines = file.read().split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith("# HELP"))
    types, last = {}, {}
    for line in lines[first:-1]:
        if comment := COMMENT.fullmatch(line):
            types.setdefault(comment[2], set()).add(comment[1])
            continue
        sample = SAMPLE.fullmatch(line)
        assert sample, f"no sample: {line}"
        family = re.sub(r"_(bucket|sum|count)$", "", sample[1])
        assert types.get(family) == {"HELP", "TYPE"}, f"no type: {line}"
        if sample[1].endswith("_bucket"):
            assert float(sample[3]) >= last.get(sample[1], 0), f"not cumulative: {line}"
        last[sample[1]] = float(sample[3])
        print(sample[1], sample[3])


if __name__ == "__main__":
    for argument in sys.argv[2:]:
        {"traces": look_at_trace, "metrics": look_at_metrics}[sys.argv[1]](argument)
