//===- lib/Runtime/Page/graph.js - The graph: zoomed, searched, opened ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Coordinates are those of layout.js until a point is drawn or clicked.

class GraphView {
  /** `chosen(group, node)`: a group, and maybe one of its nodes, was clicked or reached by keys. */
  constructor(chosen) {
    this.chosen = chosen;
    this.drawing = new Drawing("graph", (context) => this.graph && paintGraph(context, this));
    this.view = { scale: 1, x: 0, y: 0 };
    this.marked = null; // ids of groups that a search found
    const canvas = this.drawing.canvas;
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointerleave", () => this.hover(null));
    canvas.addEventListener("dblclick", (event) => this.toggle(this.at(this.point(event)).group));
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  show(graph) {
    this.graph = graph;
    this.selected = null;
    this.node = null;
    this.hovered = {};
    this.drawing.fit();
    this.fitAll();
  }

  //===--- What is where ---===//

  get size() { return { width: this.drawing.canvas.clientWidth, height: this.drawing.canvas.clientHeight }; }

  point(event) {
    const { x, y } = this.drawing.place(event), { scale } = this.view;
    return { x: this.view.x + x / scale, y: this.view.y + y / scale };
  }

  inSight() {
    const { width, height } = this.size, { x, y, scale } = this.view;
    return { left: x, top: y, right: x + width / scale, bottom: y + height / scale };
  }

  /** What lies at a point: a group and maybe a node or an edge within, or a link. */
  at(point) {
    for (const column of this.graph.columns)
      if (point.x >= column.left && point.x <= column.right)
        for (const group of column.rows[rowAt(column, point.y)])
          if (point.x >= group.x && point.x <= group.x + BOX.width && point.y >= group.y && point.y <= group.y + group.height)
            return { group, ...this.within(group, point) };
    const near = 5 / this.view.scale, link = this.graph.links.find(({ curve }) => liesNear(curve, point, near));
    return link ? { link } : {};
  }

  within(group, point) {
    const line = Math.floor((point.y - group.y - BOX.head) / BOX.line);
    if (!group.open || line < 0 || line >= Math.min(group.nodes.length, BOX.most))
      return {};
    if (point.x < group.x + 34)
      for (const arc of innerEdges(this.graph, group))
        if (Math.abs(point.x - (group.x + 34 - arc.depth)) < 4 && line >= Math.min(arc.from, arc.to) && line <= Math.max(arc.from, arc.to))
          return { edge: arc.edge };
    return { node: group.nodes[line] };
  }

  //===--- Moving about ---===//

  zoom(factor, at) {
    const { view } = this, scale = Math.max(0.02, Math.min(3, view.scale * factor));
    view.x += at.x / view.scale - at.x / scale;
    view.y += at.y / view.scale - at.y / scale;
    view.scale = scale;
    this.drawing.redraw();
  }

  fitAll() {
    const { width, height } = this.size, { left, top, right, bottom } = this.graph.bounds;
    if (!width || !this.graph.groups.length)
      return;
    const scale = Math.max(0.02, Math.min(1, width / (right - left + 80), height / (bottom - top + 60)));
    this.view = { scale, x: (left + right - width / scale) / 2, y: (top + bottom - height / scale) / 2 };
    this.drawing.redraw();
  }

  /** Brings a group into sight, large enough to be read. */
  reveal(group) {
    const { width, height } = this.size, { view } = this;
    if (!width)
      return;
    view.scale = Math.max(view.scale, 0.8);
    view.x = group.x + BOX.width / 2 - width / view.scale / 2;
    view.y = group.y + Math.min(group.height, height / view.scale - 80) / 2 - height / view.scale / 2;
    this.drawing.redraw();
  }

  select(group, node = null, isRevealed = true) {
    this.selected = group;
    this.node = node;
    if (group && node !== null && !group.open)
      this.toggle(group);
    if (group && isRevealed)
      this.reveal(group);
    this.drawing.redraw();
  }

  toggle(group) {
    if (!group || !group.nodes.length)
      return;
    group.open = !group.open;
    stack(this.graph);
    this.drawing.redraw();
  }

  openAll(open) {
    for (const group of this.graph.groups)
      group.open = open && group.nodes.length > 0;
    stack(this.graph);
    this.fitAll();
  }

  mark(ids) {
    this.marked = ids;
    this.drawing.redraw();
  }

  //===--- Input ---===//

  wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    this.zoom(Math.exp(-event.deltaY * lines * 0.0015), this.drawing.place(event));
  }

  press(event) {
    this.drag = { ...this.drawing.place(event), moved: false };
    this.drawing.canvas.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (!this.drag) {
      this.hover(event);
      return;
    }
    const { x, y } = this.drawing.place(event), { scale } = this.view;
    this.drag.moved = this.drag.moved || Math.hypot(x - this.drag.x, y - this.drag.y) > 3;
    if (!this.drag.moved)
      return;
    this.view.x -= (x - this.drag.x) / scale;
    this.view.y -= (y - this.drag.y) / scale;
    Object.assign(this.drag, { x, y });
    this.drawing.redraw();
  }

  release(event) {
    const wasDragged = this.drag && this.drag.moved;
    this.drag = null;
    if (wasDragged)
      return;
    const { group = null, node = null } = this.at(this.point(event));
    this.select(group, node, false);
    this.chosen(group, node);
  }

  hover(event) {
    const found = event ? this.at(this.point(event)) : {};
    if (found.link !== this.hovered.link || found.group !== this.hovered.group || found.edge !== this.hovered.edge)
      this.drawing.redraw();
    this.hovered = found;
    showTip(event ? tipOf(this.graph, found) : [], event);
  }

  key(event) {
    const { width, height } = this.size, middle = { x: width / 2, y: height / 2 };
    const actions = {
      "+": () => this.zoom(1.25, middle), "=": () => this.zoom(1.25, middle), "-": () => this.zoom(0.8, middle), 0: () => this.fitAll(),
      Enter: () => this.toggle(this.selected), " ": () => this.toggle(this.selected),
      ArrowDown: () => this.step("outgoing", "to"), ArrowUp: () => this.step("incoming", "from"),
      ArrowRight: () => this.beside(1), ArrowLeft: () => this.beside(-1),
    };
    if (!actions[event.key] || event.ctrlKey || event.metaKey)
      return;
    event.preventDefault();
    actions[event.key]();
  }

  go(group) {
    if (!group)
      return;
    this.select(group);
    this.chosen(group, null);
  }

  step(links, end) {
    const link = this.selected && this.selected[links][0];
    this.go(link ? link[end] : this.selected || this.graph.groups[0]);
  }

  beside(by) {
    const row = this.selected && this.selected.beside;
    this.go(row ? row[row.indexOf(this.selected) + by] : this.graph.groups[0]);
  }
}
