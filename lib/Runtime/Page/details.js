//===- lib/Runtime/Page/details.js - What is said of the chosen step, its kernel and its nodes ---===//
// SPDX-License-Identifier: Apache-2.0

const SHOWN = 200; // entries of a list that is no List

function fact(name, value) {
  const isKnown = value !== null && value !== undefined && value !== "";
  return isKnown ? element("div", { class: "fact" }, element("dt", {}, name), element("dd", {}, value)) : null;
}

function verdictLine(edge) {
  return element("li", { class: edge.fused ? "fused" : "apart" }, verdictText(edge));
}

/** At most SHOWN of them, and how many more there are. */
function listOf(items, lineOf) {
  const lines = items.slice(0, SHOWN).map(lineOf);
  return element("ul", {}, ...lines, ...(items.length > SHOWN ? [element("li", {}, `and ${items.length - SHOWN} more`)] : []));
}

function resourcesOf(kernel) {
  return Object.entries((kernel && kernel.arch) || {}).map(([arch, r]) =>
      fact(visible(arch), `${r.registers} registers, ${r.spill_bytes} spill bytes, ${r.static_shared} + ${r.dynamic_shared} shared bytes`));
}

function differenceText(d) {
  const problem = d.problem ? `: ${visible(d.problem)}` : "";
  return `${d.pass ? "pass" : "FAIL"}: max abs ${figure(d.max_abs)}, max rel ${figure(d.max_rel)}, worst at ${d.index}${problem}`;
}

/** How often `keyOf` gives each text, with the sum of `amountOf`; the largest sum, then the most frequent first. */
function tally(items, keyOf, amountOf) {
  const sums = new Map();
  for (const item of items) {
    const key = keyOf(item), sum = sums.get(key) || { key, count: 0, amount: 0 };
    sums.set(key, sum);
    sum.count += 1;
    sum.amount += amountOf(item);
  }
  return [...sums.values()].sort((a, b) => b.amount - a.amount || b.count - a.count);
}

/** Where nothing is chosen: the whole in a few lines. */
function overview(graph) {
  const steps = graph.groups.filter((group) => group.step !== null), isTimed = steps.some((group) => group.ms !== null);
  const kinds = tally(steps, kindOf, (group) => (isTimed ? group.ms || 0 : isNumber(group.bytes) ? group.bytes : 0));
  const amount = (sum) => (isTimed ? milliseconds(sum) : scaled(sum, "B"));
  const reasons = tally(graph.edges.filter((edge) => !edge.fused), (edge) => edge.reason, () => 0);
  return [element("p", {}, "Choose a kernel: by a click, from the list, or by arrow keys in the graph. Hover over an edge for its verdict."),
          element("h3", {}, "what runs"),
          listOf(kinds, ({ key, count, amount: sum }) => element("li", {}, `${count} x ${visible(key)}${sum ? `: ${amount(sum)}` : ""}`)),
          element("h3", {}, "why edges are not fused"),
          listOf(reasons, ({ key, count }) => element("li", { class: "apart" }, `${count} x ${visible(key)}`))];
}

/** What is known of a step, by name. */
function factsOf(group) {
  const { kernel } = group, known = (value, text) => (value === null ? null : text(value));
  const launch = kernel && kernel.launch ? kernel.launch.map((form) => visible(form)).join("; ") : null;
  return [
    fact("step", known(group.step, String)),
    fact("name", group.label && visible(group.label)),
    fact("kernel", kernel && visible(kernel.name)),
    fact("library", group.may ? `${visible(group.may)} may do it` : visible(group.library)),
    fact("time", known(group.ms, milliseconds)),
    fact("bytes", known(group.bytes, (bytes) => scaled(bytes, "B"))),
    fact("arithmetic", known(group.flops, (flops) => scaled(flops, "FLOP"))),
    fact("roofline", group.roofline ? `${(100 * group.roofline).toFixed(1)} %` : null),
    fact("precision", group.precision && visible(group.precision)),
    fact("layout", group.layout && visible(group.layout)),
    fact("difference", group.difference && differenceText(group.difference)),
    ...resourcesOf(kernel),
    fact("launch", launch),
    fact("only copies", kernel && kernel.copies && visible(kernel.copies)),
  ].filter((entry) => entry);
}

/** The panel beside the graph: of a step, or of one of its nodes. `chosen(group, node)` when a name of a node is clicked. */
function showDetails(graph, group, node, chosen) {
  if (!group) {
    byId("details").replaceChildren(...overview(graph));
    return;
  }
  const nameOf = (n) => visible(graph.nodes[n].name), edgesOf = (n, side) => graph.nodes[n][side] || [];
  const edges = node === null ? group.nodes.flatMap((n) => edgesOf(n, "in")) : [...edgesOf(node, "in"), ...edgesOf(node, "out")];
  const button = (n) => element("button", { type: "button", class: "link", onclick: () => chosen(group, n) }, nameOf(n));
  const verdicts = [true, false].map((fused) => edges.filter((i) => graph.edges[i].fused === fused)), [fused, apart] = verdicts;
  byId("details").replaceChildren(
      element("h2", {}, node === null ? headOf(group) : nameOf(node)), element("dl", {}, ...factsOf(group)),
      ...(node === null && group.nodes.length ? [element("h3", {}, `computes ${plural(group.nodes.length, "ONNX node")}`),
                                                 listOf(group.nodes, (n) => element("li", {}, button(n)))] : []),
      ...[[apart, "not fused"], [fused, "fused"]].filter(([list]) => list.length).flatMap(([list, what]) => [
        element("h3", {}, `${plural(list.length, "edge")} ${what}`), listOf(list, (i) => verdictLine(graph.edges[i]))]));
}

/** The view of a kernel: its nodes, its source. */
class KernelView {
  constructor(chosen) {
    this.nodes = new List("kernel-nodes", (node) => [["name", visible(this.graph.nodes[node].name)]], (node) => chosen(this.group, node));
  }

  show(graph, group) {
    const kernel = group && group.kernel, sources = graph.variant.sources || {};
    this.graph = graph;
    this.group = group;
    this.nodes.show(group ? group.nodes : []);
    byId("kernel-name").textContent = !group ? "Choose a kernel from the list." :
        `${headOf(group)}${kernel ? `  ${visible(kernel.name)}, ${plural(kernel.launches, "launch").replace("launchs", "launches")}` : ""}`;
    const source = kernel && Object.hasOwn(sources, kernel.name) ? sources[kernel.name] : "";
    byId("source").textContent = source ||
        (kernel ? "This report has no source of the kernel: cupola explain --html makes one that has." : "");
    byId("source").scrollTop = 0;
  }
}

/** The view of what verify found: outputs, then every kernel's result, the worst first. */
class DifferenceView {
  constructor(chosen) {
    this.list = new List("differences", (row) => this.cells(row), (row) => row.group && chosen(row.group, null));
  }

  show(graph, verified) {
    const error = (d) => (isNumber(d.max_rel) ? d.max_rel : Infinity), worstFirst = (a, b) => error(b.d) - error(a.d) || a.place - b.place;
    const outputs = verified.outputs.map((d, place) => ({ d, place, what: "output", name: visible(d.name), group: null }));
    const kernels = (verified.kernels || []).map((d, place) => (
        { d, place, what: `step ${d.step} ${visible(d.schedule)}`, name: visible(d.nodes.join(", ")), group: graph && graph.groups[d.step] }));
    const errors = [...outputs, ...kernels].map(({ d }) => error(d)).filter(Number.isFinite);
    this.most = Math.max(verified.tolerance, ...errors);
    byId("differences-note").textContent = `Tolerance ${figure(verified.tolerance)}. ${this.note(verified)}`;
    this.list.show([...outputs.sort(worstFirst), ...kernels.sort(worstFirst)]);
  }

  note({ kernels, first_difference: first }) {
    if (!kernels)
      return "Outputs alone: --per-node compares every kernel.";
    return first ? `First difference: ${visible(first.stage)} ${visible(first.name)} ${visible(first.nodes.join(", "))}` :
                   `${plural(kernels.length, "kernel result")} compared, none differs.`;
  }

  cells({ d, what, name }) {
    // On a logarithmic scale of six decades, of which the last ends at the largest error or the tolerance.
    const error = isNumber(d.max_rel) ? d.max_rel : this.most, share = error > 0 ? 1 + Math.log10(error / this.most) / 6 : 0;
    return [[d.pass ? "verdict good" : "verdict bad", d.pass ? "pass" : "FAIL"], ["share", "", share], ["what", what],
            ["figure", `abs ${figure(d.max_abs)}`], ["figure", `rel ${figure(d.max_rel)}`], ["figure", `at ${d.index}`],
            ["name", d.problem ? `${visible(d.problem)}; ${name}` : name]];
  }
}
