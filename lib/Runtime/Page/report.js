//===- lib/Runtime/Page/report.js - A report as groups of nodes and the links between them ---===//
// SPDX-License-Identifier: Apache-2.0
//
// A group is a step of a run: a launch with the ONNX nodes that its kernel computes, a copy, a branch or loop. A link
// leads from the step that writes a buffer to one that reads it. Everything is made once, from the JSON alone.

/** The report's parts: what was compiled, what was measured (cupola-run/1), what was compared (cupola.verify/1). */
function readReport(json) {
  const report = JSON.parse(json);
  const schema = String(report.schema);
  const known = { "cupola.explain/1": "explain", "cupola-run/1": "bench", "cupola.verify/1": "verify", "cupola.inspect/1": "inspect" };
  const kind = known[schema];
  if (!kind)
    throw new Error(`this page shows no report of the kind ${visible(schema)}`);
  const explained = kind === "explain" ? report : report.explain;
  const variants = explained ? (explained.variants || [explained]) : [];
  return { kind, variants, run: kind === "bench" ? report : null, verified: kind === "verify" ? report : null };
}

/** A name of an edge or a reason as a node has it: "name (+2)" stands for three nodes that became one op. */
function nodeNamed(graph, name) {
  const found = graph.nodeOf.get(name);
  return found === undefined ? graph.nodeOf.get(name.replace(/ \(\+\d+\)$/, "")) : found;
}

function addNodes(graph, group, names) {
  for (const name of names) {
    let index = graph.nodeOf.get(name);
    if (index === undefined) {
      index = graph.nodes.length;
      graph.nodeOf.set(name, index);
      graph.nodes.push({ name, lower: name.toLowerCase(), groups: [] });
    }
    graph.nodes[index].groups.push(group.id);
    group.nodes.push(index);
  }
}

function groupOf(graph, step, id) {
  const kernel = graph.kernels.get(step.kernel) || null;
  const what = kernel ? kernel.schedule : step.control || step.transfer || "step";
  const group = { id, step: id, kernel, what, may: step.library || "", library: "", body: step.body, enters: step.enters || [], nodes: [],
                  incoming: [], outgoing: [], reaches: new Set(), bytes: null, flops: null, ms: null, roofline: null,
                  difference: null, open: false };
  if (kernel) {
    group.bytes = isNumber(kernel.bytes) ? kernel.bytes / kernel.launches : kernel.bytes;
    group.flops = isNumber(kernel.flops) ? kernel.flops / kernel.launches : kernel.flops;
  }
  addNodes(graph, group, step.nodes);
  return group;
}

/** An input or output of the model. */
function terminalOf(graph, buffer) {
  const group = groupOf(graph, { nodes: [] }, graph.groups.length);
  group.step = null;
  group.what = buffer.kind;
  group.label = buffer.name || "";
  group.bytes = /^\d+$/.test(buffer.bytes) ? Number(buffer.bytes) : buffer.bytes;
  graph.groups.push(group);
  return group;
}

function addLink(graph, from, to, isEntry) {
  if (from === to || from.reaches.has(to))
    return;
  from.reaches.add(to);
  const link = { from, to, isEntry, verdicts: [] };
  from.outgoing.push(link);
  to.incoming.push(link);
  graph.links.push(link);
}

/** By buffers: from the last step that wrote one to those that read it. */
function addLinks(graph, variant) {
  const buffers = variant.buffers, writer = new Map();
  const isTerminal = (place) => buffers[place].kind === "input" || buffers[place].kind === "output";
  variant.steps.forEach((step, i) => {
    const group = graph.groups[i];
    for (const place of step.reads) {
      if (!writer.has(place) && buffers[place].kind === "input")
        writer.set(place, terminalOf(graph, buffers[place]));
      if (writer.has(place))
        addLink(graph, writer.get(place), group, false);
    }
    for (const place of step.writes)
      writer.set(place, group);
  });
  for (const [place, group] of writer)
    if (isTerminal(place) && buffers[place].kind === "output")
      addLink(graph, group, terminalOf(graph, buffers[place]), false);
  for (const group of [...graph.groups])
    for (const body of group.enters)
      for (const other of graph.groups)
        if (other.body === body && !other.incoming.length)
          addLink(graph, group, other, true);
}

/** Each verdict to its nodes, and to the link between the kernels that the two nodes are in. */
function addVerdicts(graph, edges) {
  graph.edges = edges;
  edges.forEach((edge, i) => {
    const from = nodeNamed(graph, edge.producer), to = nodeNamed(graph, edge.consumer);
    for (const [node, list] of [[from, "out"], [to, "in"]])
      if (node !== undefined)
        (graph.nodes[node][list] = graph.nodes[node][list] || []).push(i);
    if (from === undefined || to === undefined)
      return;
    for (const id of graph.nodes[from].groups)
      for (const link of graph.groups[id].outgoing)
        if (graph.nodes[to].groups.includes(link.to.id))
          link.verdicts.push(i);
  });
}

/** Of each kernel: the types that it writes, and whether 16 bits were asked for and refused. */
function addPrecision(graph, precision) {
  const kept = new Set(((precision && precision.kept) || []).map((entry) => nodeNamed(graph, entry.node)));
  for (const group of graph.groups) {
    const results = [...new Set((group.kernel && group.kernel.results) || [])].sort();
    if (results.length)
      group.precision = results.join(", ") + (group.nodes.some((node) => kept.has(node)) ? ", some kept" : "");
  }
}

/** Of each kernel with convolutions: how their dimensions lie. Packages of older compilers do not say it. */
function addLayouts(graph, chains) {
  const layouts = new Map();
  for (const chain of chains || [])
    for (const node of chain.nodes)
      layouts.set(nodeNamed(graph, node), chain.layout.replace("_", " "));
  for (const group of graph.groups)
    group.layout = [...new Set(group.nodes.map((node) => layouts.get(node)).filter((layout) => layout))].sort().join(", ");
}

function addMeasured(graph, run, verified) {
  for (const step of (run && run.profile) || []) {
    const group = graph.groups[step.step];
    Object.assign(group, { ms: step.ms, bytes: step.bytes, flops: step.operations, roofline: step.roofline, may: "" });
    if (group.kernel && !step.kernel.endsWith(group.kernel.name))
      group.library = step.kernel;
  }
  for (const found of (verified && verified.kernels) || []) {
    const group = graph.groups[found.step];
    if (!group.difference || group.difference.pass)
      group.difference = found;
  }
}

/** The graph of one variant. */
function graphOf(report, variant) {
  const graph = { variant, kernels: new Map(variant.kernels.map((kernel) => [kernel.name, kernel])), nodes: [], nodeOf: new Map(),
                  groups: [], links: [], edges: [] };
  variant.steps.forEach((step, i) => graph.groups.push(groupOf(graph, step, i)));
  addLinks(graph, variant);
  addVerdicts(graph, variant.edges);
  addPrecision(graph, variant.precision);
  addLayouts(graph, variant.layouts);
  addMeasured(graph, report.run, report.verified);
  return graph;
}

/** What lies in the arena of the program itself: bytes at an offset in the steps from first to last; nothing where shapes decide it. */
function arenaOf(report, variant) {
  if (report.run && report.run.arena)
    return report.run.arena;
  const own = variant.buffers.map((buffer, i) => ({ ...buffer, buffer: i, bytes: Number(buffer.bytes) }))
      .filter((buffer) => buffer.kind === "arena" && buffer.body === undefined);
  return own.every((buffer) => isNumber(buffer.offset) && isNumber(buffer.bytes)) ? own : [];
}

/** Bytes alive at each of `count` steps, a buffer taking multiples of 256. */
function aliveBytes(arena, count) {
  const change = new Array(count + 1).fill(0);
  for (const { bytes, first, last } of arena) {
    const taken = Math.ceil(bytes / 256) * 256;
    change[Math.min(first, count)] += taken;
    change[Math.min(last + 1, count)] -= taken;
  }
  let alive = 0;
  return change.slice(0, count).map((step) => (alive += step));
}
