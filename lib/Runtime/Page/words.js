//===- lib/Runtime/Page/words.js - What is said of a group, and of edges ---===//
// SPDX-License-Identifier: Apache-2.0

/** "gemm", or with who does it in the kernel's place. */
const kindOf = (group) => visible(group.what + (group.library ? ` by ${group.library}` : ""));

function headOf(group) {
  const times = group.ms === null ? "" : `  ${milliseconds(group.ms)}`;
  return `${kindOf(group)}${times}${group.enters.length ? "  (enters a body)" : ""}`;
}

function labelOf(graph, group) {
  if (group.label !== undefined)
    return group.label;
  const more = group.nodes.length > 1 ? ` +${group.nodes.length - 1}` : "";
  return group.nodes.length ? tail(graph.nodes[group.nodes[0]].name, 120) + more : "";
}

/** Edges between nodes of an open group, as lines beside its names: from and to are places in it. */
function innerEdges(graph, group) {
  if (group.inner)
    return group.inner;
  const place = new Map(group.nodes.slice(0, BOX.most).map((node, i) => [node, i]));
  group.inner = [];
  for (const [node, from] of place)
    for (const edge of graph.nodes[node].out || []) {
      const to = place.get(nodeNamed(graph, graph.edges[edge].consumer));
      if (to !== undefined && to !== from)
        group.inner.push({ from, to, edge, depth: 5 + Math.min(26, 3 * Math.abs(to - from)) });
    }
  return group.inner;
}

function verdictText({ producer, consumer, fused, rule, reason }) {
  return `${fused ? "fused" : "not fused"}: ${tail(producer, 60)} -> ${tail(consumer, 60)}: ${visible(reason)} (${visible(rule)})`;
}

function tipOf(graph, { group, node, link, edge }) {
  const apartFirst = (edges) => [...edges].sort((a, b) => Number(graph.edges[a].fused) - Number(graph.edges[b].fused) || a - b);
  const texts = (edges) => apartFirst(edges).slice(0, 8).map((i) => verdictText(graph.edges[i]))
      .concat(edges.length > 8 ? [`and ${edges.length - 8} more`] : []);
  if (edge !== undefined)
    return texts([edge]);
  if (link)
    return link.verdicts.length ? texts(link.verdicts) : [link.isEntry ? "enters this body" : "what one writes the other reads"];
  if (node !== undefined)
    return [visible(graph.nodes[node].name), ...texts([...(graph.nodes[node].in || []), ...(graph.nodes[node].out || [])])];
  return group ? [headOf(group), visible(labelOf(graph, group))] : [];
}
