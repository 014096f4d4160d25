//===- test/Tools/page_script.js - The parts of a page's script that need no document ---===//
// SPDX-License-Identifier: Apache-2.0
//
// page_script.js FOLDER REPORT.json...: runs the scripts of a page without a page, on reports.

const assert = require("assert"), fs = require("fs"), path = require("path"), vm = require("vm");

const [folder, ...reports] = process.argv.slice(2);
const parts = fs.readdirSync(folder).filter((name) => name.endsWith(".js"));
for (const name of parts)
  new vm.Script(fs.readFileSync(path.join(folder, name), "utf8"), { filename: name }); // throws where it is no JavaScript
const script = ["text.js", "report.js", "layout.js"].map((name) => fs.readFileSync(path.join(folder, name), "utf8")).join("\n");
const names = "readReport, graphOf, arenaOf, aliveBytes, arrange, stack, visible, tail, scaled, figure, BOX";
const page = vm.runInNewContext(`"use strict";\n${script}\n({ ${names} })`);

function checkGraph(graph, variant) {
  const steps = graph.groups.filter((group) => group.step !== null);
  assert.strictEqual(steps.length, variant.steps.length);
  for (const group of steps)
    assert.strictEqual(JSON.stringify(group.nodes.map((node) => graph.nodes[node].name)), JSON.stringify(variant.steps[group.step].nodes));
  const isTold = graph.links.filter((link) => link.verdicts.length).length;
  const hasBodies = steps.some((group) => group.body !== undefined);
  assert(hasBodies || isTold > graph.links.length / 2, "most links have a verdict");
  assert.strictEqual(graph.links.some((link) => link.isEntry), hasBodies);
  for (const link of graph.links)
    for (const i of link.verdicts)
      assert(graph.edges[i].producer && graph.edges[i].reason);
}

/** No two boxes overlap, and within a column every link leads down. */
function checkLayout(graph) {
  for (let i = 0; i < graph.groups.length; ++i)
    for (let k = 0; k < i; ++k) {
      const a = graph.groups[i], b = graph.groups[k];
      assert(a.x >= b.x + page.BOX.width || b.x >= a.x + page.BOX.width || a.y >= b.y + b.height || b.y >= a.y + a.height, `${i} over ${k}`);
    }
  for (const { from, to } of graph.links)
    assert(from.column !== to.column || from.y + from.height < to.y);
}

const checked = [];
for (const file of reports) {
  const report = page.readReport(fs.readFileSync(file, "utf8")), [variant] = report.variants, graph = page.graphOf(report, variant);
  checkGraph(graph, variant);
  checked.push(graph);
  page.arrange(graph);
  checkLayout(graph);
  for (const group of graph.groups)
    group.open = group.nodes.length > 0;
  page.stack(graph);
  checkLayout(graph);
  const arena = page.arenaOf(report, variant), alive = page.aliveBytes(arena, variant.steps.length);
  const isPlanned = variant.memory.lower_bound_bytes !== null;
  if (isPlanned) {
    assert.strictEqual(Math.max(...alive), variant.memory.lower_bound_bytes);
    assert(arena.length > 10 && arena.every((buffer) => buffer.offset + buffer.bytes <= variant.memory.peak_bytes));
  }
  const told = isPlanned ? "memory as planned" : `${arena.length} buffers`;
  console.log(`${variant.target} ${variant.arch}: ${graph.groups.length} groups, ${told}`);
}

const precisions = new Set(checked.map((graph) => graph.groups.map((group) => group.precision)).flat());
assert(precisions.has("f32") && precisions.has(undefined), "kernels have a type, inputs none");
assert.strictEqual(page.visible("a\u202eb\0\u200b\u2028"), "a\\u202eb\\u0000\\u200b\\u2028");
assert.strictEqual(page.visible("a".repeat(200)), `${"a".repeat(160)}.. (200 characters)`);
assert.strictEqual(page.tail("/a/b/c", 4), "../c");
assert.strictEqual(page.scaled(1234567, "B"), "1.235 MB");
assert.strictEqual(page.scaled("s0*4", "B"), "s0*4 B");
assert.strictEqual(page.figure(null), "not finite");
assert.throws(() => page.readReport('{"schema":"cupola.check/2"}'), /cupola.check\/2/);
console.log("texts are visible");
