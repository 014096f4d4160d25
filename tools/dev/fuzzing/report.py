#===- tools/dev/fuzzing/report.py - The verdicts, counted ---===#
# SPDX-License-Identifier: Apache-2.0

import collections

VERDICTS = ("ok", "wrong", "unsupported", "crash", "timeout", "unjudged")


class Table:
    def __init__(self):
        self.verdicts, self.nodes = collections.Counter(), 0
        self.elsewhere = 0
        self.ops, self.disagreed = collections.Counter(), collections.Counter()

    def add(self, sample, verdict, message):
        self.verdicts[verdict] += 1
        self.disagreed.update(sample.disagreed)
        if verdict != "unjudged":
            self.elsewhere += len(sample.more)
            self.ops.update(sample.ops())
            self.nodes += sum(node.op_type != "Constant" for node in sample.model.graph.node)

    def is_clean(self):
        return self.verdicts["ok"] > 0 and not any(self.verdicts[verdict] for verdict in VERDICTS[1:5])

    def text(self, options, seconds):
        last = options.seed + options.count - 1
        kind = "dynamic" if options.dynamic else "static"
        lines = [f"seeds {options.seed} to {last}, {kind}, {options.device}: {len(self.ops)} ops, {self.nodes} nodes, {seconds:.0f} s"]
        lines += [f"  {verdict:12} {self.verdicts[verdict]:6}" for verdict in VERDICTS]
        if options.dynamic:
            lines.append(f"run at other extents, too: {self.elsewhere}")
        disagreed = ", ".join(f"{op} {count}" for op, count in self.disagreed.most_common())
        lines.append(f"nodes left out because onnxruntime and ONNX's reference differ: {disagreed or 'none'}")
        return "\n".join(lines)
