//===- lib/Runtime/Page/main.js - Views of a report and how they follow each other ---===//
// SPDX-License-Identifier: Apache-2.0

class ReportPage {
  constructor(report) {
    this.report = report;
    this.graphView = new GraphView((group, node) => this.choose(group, node));
    this.kernelView = new KernelView((group, node) => this.choose(group, node, true));
    this.roofline = new Roofline("roofline", (group) => this.choose(group, null, true));
    this.memory = new MemoryChart("memory", (group) => this.choose(group, null, true));
    this.differences = new DifferenceView((group) => this.choose(group, null, true));
    this.steps = new List("steps", (item) => this.cellsOf(item), (item) => this.choose(item.group, item.node, true));
    this.addTabs();
    this.addControls();
    this.showVariant(0);
  }

  //===--- Which view ---===//

  addTabs() {
    const { kind, variants, run, verified } = this.report, hasGraph = variants.length > 0;
    const views = { graph: hasGraph, kernels: hasGraph, roofline: hasGraph && run, memory: hasGraph && !verified, differences: verified };
    this.tabs = Object.keys(views).filter((name) => views[name]);
    for (const name of this.tabs) {
      const attributes = { id: `tab-${name}`, type: "button", role: "tab", "aria-controls": `view-${name}`, onclick: () => this.open(name) };
      byId("tabs").append(element("button", attributes, name));
    }
    byId("tabs").addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by)
        return;
      this.open(this.tabs[(this.tabs.indexOf(this.tab) + by + this.tabs.length) % this.tabs.length]);
      byId(`tab-${this.tab}`).focus();
    });
    this.first = kind === "verify" ? "differences" : "graph";
    if (!this.tabs.length)
      throw new Error("nothing of this report can be drawn");
  }

  open(name) {
    this.tab = name;
    for (const other of this.tabs) {
      byId(`view-${other}`).hidden = other !== name;
      byId(`tab-${other}`).setAttribute("aria-selected", String(other === name));
      byId(`tab-${other}`).tabIndex = other === name ? 0 : -1;
    }
    document.body.dataset.view = name;
    if (name === "graph" && this.group)
      this.graphView.reveal(this.group);
  }

  //===--- What is in it ---===//

  addControls() {
    const { variants } = this.report;
    byId("variant-choice").hidden = variants.length < 2;
    for (const [i, { target, arch }] of variants.entries())
      byId("variant").append(element("option", { value: String(i) }, visible(`${target} ${arch}`)));
    byId("variant").addEventListener("change", (event) => this.showVariant(Number(event.target.value)));
    byId("colour").addEventListener("change", (event) => this.colour(event.target.value));
    byId("open-all").addEventListener("click", () => this.graphView.openAll(true));
    byId("close-all").addEventListener("click", () => this.graphView.openAll(false));
    byId("fit").addEventListener("click", () => this.graphView.fitAll());
    byId("search").addEventListener("input", (event) => this.search(event.target.value));
    byId("search").addEventListener("keydown", (event) => {
      if (event.key === "Enter" && this.steps.items.length)
        this.steps.choose(0, true);
      if (event.key === "Enter" || event.key === "ArrowDown")
        this.steps.root.focus();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.target.tagName === "INPUT")
        return;
      event.preventDefault();
      byId("search").focus();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.repaint());
  }

  showVariant(index) {
    const variant = this.report.variants[index];
    this.graph = variant ? graphOf(this.report, variant) : null;
    byId("summary").textContent = this.summary(variant);
    readTheme();
    this.open(this.tab || this.first);
    if (this.report.verified)
      this.differences.show(this.graph, this.report.verified);
    document.body.classList.toggle("plain", !this.graph);
    if (!this.graph)
      return;
    arrange(this.graph);
    const colours = coloursOf(this.graph);
    byId("colour").replaceChildren(...colours.map((name) => element("option", { value: name }, COLOURINGS[name].title)));
    byId("colour").value = ["time", "difference", "kind"].find((name) => colours.includes(name)) || colours[0];
    this.colour(byId("colour").value);
    this.graphView.show(this.graph);
    this.roofline.show(this.graph, this.report.run);
    this.memory.show(this.graph, this.report);
    this.choose(null, null);
    this.search("");
  }

  summary(variant) {
    const { run, verified } = this.report, parts = [];
    if (run)
      parts.push(`${visible(run.device.name)} ${visible(run.device.arch)} (${visible(run.device.description)})`,
                 `median ${milliseconds(run.latency_ms.median)} of ${plural(run.iterations, "run")}`);
    if (verified)
      parts.push([...verified.outputs, ...(verified.kernels || [])].every((found) => found.pass) ? "pass" : "FAIL");
    if (variant)
      parts.push(`${visible(variant.target)} ${visible(variant.arch)}`, plural(variant.launches, "step"),
                 plural(variant.kernels.length, "distinct kernel"),
                 `${variant.edges.filter((edge) => edge.fused).length} of ${plural(variant.edges.length, "edge")} fused`);
    return parts.join(", ");
  }

  colour(name) {
    const legend = colourGroups(this.graph, name);
    byId("legend").replaceChildren(...legend.map(([colour, text]) => {
      const swatch = element("span", { class: "swatch" });
      swatch.style.backgroundColor = colour;
      return element("span", { class: "key" }, swatch, text);
    }));
    this.redraw();
  }

  redraw() {
    for (const { drawing } of [this.graphView, this.roofline, this.memory])
      drawing.redraw();
  }

  repaint() {
    readTheme();
    if (this.graph)
      this.colour(byId("colour").value);
  }

  //===--- Finding and choosing ---===//

  /** Without a text all steps, those that take longest or move most first. */
  search(text) {
    const { groups, nodes } = this.graph, wanted = text.trim().toLowerCase();
    if (!wanted) {
      const weight = (group) => (group.ms !== null ? group.ms : isNumber(group.bytes) ? group.bytes : 0);
      const steps = groups.filter((group) => group.step !== null).sort((a, b) => weight(b) - weight(a) || a.id - b.id);
      byId("found").textContent = plural(steps.length, "step");
      this.steps.show(steps.map((group) => ({ group, node: null })));
      this.graphView.mark(null);
      return;
    }
    const items = [];
    for (let node = 0; node < nodes.length; ++node)
      if (nodes[node].lower.includes(wanted))
        for (const id of nodes[node].groups)
          items.push({ group: groups[id], node });
    byId("found").textContent = plural(items.length, "match").replace("matchs", "matches");
    this.steps.show(items);
    this.graphView.mark(new Set(items.map(({ group }) => group.id)));
  }

  cellsOf({ group, node }) {
    const amount = group.ms !== null ? milliseconds(group.ms) : isNumber(group.bytes) ? scaled(group.bytes, "B") : "";
    return node === null ? [["figure", amount], ["what", visible(group.what)], ["name", tail(labelOf(this.graph, group), 20)]] :
                           [["name", tail(this.graph.nodes[node].name, 30)], ["what", visible(group.what)]];
  }

  /** From anywhere: the graph, the list, the kernel and the details then show it. */
  choose(group, node = null, isRevealed = false) {
    this.group = group;
    this.graphView.select(group, node, isRevealed);
    showDetails(this.graph, group, node, (other, inner) => this.choose(other, inner, true));
    if (this.kernelView.group !== group || this.kernelView.graph !== this.graph)
      this.kernelView.show(this.graph, group);
    if (!isRevealed)
      this.steps.mark((item) => item.group === group);
  }
}

function start() {
  document.title = byId("title").textContent = visible(document.title);
  try {
    new ReportPage(readReport(byId("report").textContent));
  } catch (error) {
    byId("summary").textContent = `The report cannot be shown: ${visible(error.message)}`;
    document.body.dataset.view = "none";
  }
}

start();
