#===- edit_times.py - a database of times, changed: edit_times.py CHANGE FROM TO ---===#
# SPDX-License-Identifier: Apache-2.0

import json
import sys

change, source, target = sys.argv[1:]
with open(source, encoding="utf-8") as f:
    header, *lines = [json.loads(line) for line in f]
if change == "invert":      # what was slow is fast
    for line in lines:
        line["time"] = 1e6 / line["time"]
elif change == "others":    # kernels of another model, not in order, in a writing of their own
    other = {"schedule": "#cuda.gemm<tile 1x1x1>", "time": 0.25, "nvrtc": "12.9", "target": "sm_90a"}
    lines = [{"kernel": "f" * 16, **other}, {"kernel": "0" * 16, **other}]
elif change == "stale":     # of one kernel alone
    lines = [{**lines[0], "schedule": "#cuda.gone<1>"}]
with open(target, "w", encoding="utf-8") as f:
    f.writelines(json.dumps(line) + "\n" for line in [header, *lines])
