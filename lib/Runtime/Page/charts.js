//===- lib/Runtime/Page/charts.js - The roofline, and memory over steps ---===//
// SPDX-License-Identifier: Apache-2.0

const EDGE = { left: 84, right: 24, top: 24, bottom: 48 };

/** A linear or logarithmic axis: values from `least` to `most` on pixels from `begin` to `end`. */
function axis(least, most, begin, end, isLog) {
  const f = isLog ? Math.log10 : (value) => value, range = f(most) - f(least) || 1;
  return (value) => begin + ((f(value) - f(least)) / range) * (end - begin);
}

/** Powers of ten within; of a linear axis round steps. */
function ticks(least, most, isLog) {
  const list = [];
  if (isLog) {
    for (let power = Math.ceil(Math.log10(least)); power <= Math.log10(most); ++power)
      list.push(10 ** power);
    return list;
  }
  const rough = (most - least) / 6 || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
  for (let value = Math.ceil(least / step) * step; value <= most; value += step)
    list.push(value);
  return list;
}

/** A chart's frame: the lines of its ticks, their texts, the names of its axes. */
function paintAxes(context, width, height, x, y, names) {
  context.lineWidth = 1;
  context.textBaseline = "middle";
  for (const { at, text } of x) {
    context.strokeStyle = theme.line;
    context.beginPath();
    context.moveTo(at, EDGE.top);
    context.lineTo(at, height - EDGE.bottom);
    context.stroke();
    context.fillStyle = theme.faint;
    context.textAlign = "center";
    context.fillText(text, at, height - EDGE.bottom + 14);
  }
  for (const { at, text } of y) {
    context.strokeStyle = theme.line;
    context.beginPath();
    context.moveTo(EDGE.left, at);
    context.lineTo(width - EDGE.right, at);
    context.stroke();
    context.fillStyle = theme.faint;
    context.textAlign = "right";
    context.fillText(text, EDGE.left - 8, at);
  }
  context.fillStyle = theme.ink;
  context.textAlign = "center";
  context.fillText(names[0], (EDGE.left + width - EDGE.right) / 2, height - 12);
  context.textAlign = "left";
  context.fillText(names[1], 8, 12);
}

/** What both charts do with the pointer: the mark under it is described, a click chooses its group. */
class Chart {
  constructor(id, chosen) {
    this.marks = [];
    this.drawing = new Drawing(id, (context, width, height) => this.paint(context, width, height));
    const canvas = this.drawing.canvas;
    canvas.addEventListener("pointermove", (event) => showTip((this.under(event) || { tip: [] }).tip, event));
    canvas.addEventListener("pointerleave", () => showTip([]));
    canvas.addEventListener("click", (event) => {
      const mark = this.under(event);
      if (mark && mark.group)
        chosen(mark.group);
    });
  }

  /** The last painted of those that hold the point. */
  under(event) {
    const { x, y } = this.drawing.place(event);
    return this.marks.findLast(({ left, top, right, bottom }) => x >= left && x <= right && y >= top && y <= bottom);
  }
}

class Roofline extends Chart {
  show(graph, run) {
    this.graph = graph;
    this.ceilings = (run && run.ceilings) || { gb_per_s: 0, gflops: 0 };
    this.points = graph.groups.filter((group) => group.ms > 0 && group.flops > 0 && group.bytes > 0)
        .map((group) => ({ group, x: group.flops / group.bytes, y: group.flops / group.ms / 1e6 }));
    const { gb_per_s: copy, gflops } = this.ceilings;
    byId("roofline-note").textContent = !this.points.length ?
        "No times here: cupola bench MODEL --profile --html makes a report that has them." :
        `${plural(this.points.length, "step")} by arithmetic per byte; the lines are what a copy (${scaled(copy * 1e9, "B/s")})` +
        (gflops ? ` and multiply-adds (${scaled(gflops * 1e9, "FLOP/s")})` : "") + " reach on this device. Area: time.";
    byId("roofline").setAttribute("aria-label", byId("roofline-note").textContent);
    this.drawing.now();
  }

  paint(context, width, height) {
    this.marks = [];
    if (!this.points || !this.points.length)
      return;
    const { gb_per_s: copy, gflops } = this.ceilings, xs = this.points.map((p) => p.x), ys = this.points.map((p) => p.y);
    if (copy && gflops)
      xs.push(gflops / copy);
    if (gflops)
      ys.push(gflops);
    const [x0, x1, y0, y1] = [Math.min(...xs) / 2, Math.max(...xs) * 4, Math.min(...ys) / 2, Math.max(...ys) * 2];
    const px = axis(x0, x1, EDGE.left, width - EDGE.right, true), py = axis(y0, y1, height - EDGE.bottom, EDGE.top, true);
    paintAxes(context, width, height, ticks(x0, x1, true).map((v) => ({ at: px(v), text: String(Number(v.toPrecision(3))) })),
              ticks(y0, y1, true).map((v) => ({ at: py(v), text: scaled(v * 1e9, "") })), ["FLOP per byte", "FLOP/s"]);
    this.paintRoof(context, x0, x1, px, py);
    const most = Math.max(...this.points.map((p) => p.group.ms));
    for (const { group, x, y } of this.points)
      this.paintPoint(context, group, px(x), py(y), 3 + 14 * Math.sqrt(group.ms / most));
  }

  paintRoof(context, x0, x1, px, py) {
    const { gb_per_s: copy, gflops } = this.ceilings;
    if (!copy)
      return;
    const roof = (x) => (gflops ? Math.min(copy * x, gflops) : copy * x), ridge = gflops ? gflops / copy : x1;
    context.strokeStyle = theme.bad;
    context.lineWidth = 2;
    context.beginPath();
    for (const x of [x0, Math.min(Math.max(ridge, x0), x1), x1])
      context.lineTo(px(x), py(roof(x)));
    context.stroke();
  }

  paintPoint(context, group, x, y, radius) {
    context.globalAlpha = 0.8;
    context.fillStyle = group.colour;
    context.strokeStyle = theme.ink;
    context.lineWidth = 1;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
    context.globalAlpha = 1;
    const perSecond = (amount, unit) => scaled((amount / group.ms) * 1e3, unit);
    const tip = [headOf(group), labelOf(this.graph, group), `${perSecond(group.flops, "FLOP/s")}, ${perSecond(group.bytes, "B/s")}`,
                 group.roofline ? `${(100 * group.roofline).toFixed(1)} % of the roofline` : "no ceiling is known"];
    this.marks.push({ left: x - radius, right: x + radius, top: y - radius, bottom: y + radius, group, tip });
  }
}

class MemoryChart extends Chart {
  show(graph, report) {
    const { variant } = graph, own = variant.steps.filter((step) => step.body === undefined).length;
    this.hasBodies = own < variant.steps.length;
    this.graph = graph;
    this.arena = arenaOf(report, variant);
    this.alive = aliveBytes(this.arena, own);
    this.bound = Math.max(0, ...this.alive);
    this.peak = report.run && report.run.arena ? report.run.memory.arena_bytes : variant.memory.peak_bytes;
    this.writers = new Map();
    variant.steps.forEach((step, i) => step.writes.forEach((place) => this.writers.has(place) || this.writers.set(place, i)));
    byId("memory-note").textContent = this.note(variant, own);
    byId("memory").setAttribute("aria-label", byId("memory-note").textContent);
    this.drawing.now();
  }

  note({ memory }, steps) {
    const weights = `weights take ${scaled(memory.weight_bytes, "B")}`;
    if (!this.arena.length)
      return isNumber(memory.peak_bytes) ? `No buffer lies between steps; ${weights}.` :
          "Sizes depend on shapes: fix them with --shape, or measure with cupola bench --profile --html.";
    const most = `the most alive at one step is ${scaled(this.bound, "B")}`;
    return `${plural(this.arena.length, "buffer")} over ${plural(steps, "step")}: the arena takes ${scaled(this.peak, "B")}, ` +
        (this.hasBodies ? `with those of branches and loops, which are not drawn; ${most}` : `${most} (lower bound)`) + `; ${weights}.`;
  }

  paint(context, width, height) {
    this.marks = [];
    if (!this.arena || !this.arena.length)
      return;
    const steps = this.alive.length, top = Math.max(this.bound, this.peak) * 1.05;
    const px = axis(0, steps, EDGE.left, width - EDGE.right, false), py = axis(0, top, height - EDGE.bottom, EDGE.top, false);
    paintAxes(context, width, height, ticks(0, steps, false).filter(Number.isInteger).map((v) => ({ at: px(v), text: String(v) })),
              ticks(0, top, false).map((v) => ({ at: py(v), text: scaled(v, "B") })), ["step", "bytes of the arena"]);
    for (const buffer of this.arena)
      this.paintBuffer(context, buffer, px, py);
    this.paintAlive(context, px, py);
    this.paintLevel(context, this.bound, this.hasBodies ? "most alive" : "lower bound", theme.good, width, py);
    if (this.peak > this.bound)
      this.paintLevel(context, this.peak, "arena", theme.bad, width, py);
  }

  paintBuffer(context, { buffer, offset, bytes, first, last }, px, py) {
    const left = px(first), right = px(last + 1), top = py(offset + bytes), bottom = py(offset);
    const group = this.graph.groups[this.writers.get(buffer)] || null;
    context.fillStyle = group ? group.colour : theme.box;
    context.fillRect(left, top, Math.max(1, right - left - 0.5), Math.max(1, bottom - top - 0.5));
    const by = group ? [`written by ${headOf(group)}`, labelOf(this.graph, group)] : [];
    const tip = [`${scaled(bytes, "B")} at ${offset}, steps ${first} to ${last}`, ...by];
    this.marks.push({ left, right, top, bottom, group, tip });
  }

  paintAlive(context, px, py) {
    context.strokeStyle = theme.ink;
    context.lineWidth = 1.5;
    context.beginPath();
    this.alive.forEach((bytes, i) => {
      context.lineTo(px(i), py(bytes));
      context.lineTo(px(i + 1), py(bytes));
    });
    context.stroke();
  }

  paintLevel(context, bytes, name, colour, width, py) {
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = 1.5;
    context.setLineDash([6, 4]);
    context.beginPath();
    context.moveTo(EDGE.left, py(bytes));
    context.lineTo(width - EDGE.right, py(bytes));
    context.stroke();
    context.setLineDash([]);
    context.textAlign = "right";
    context.textBaseline = "bottom";
    context.fillText(`${name} ${scaled(bytes, "B")}`, width - EDGE.right - 4, py(bytes) - 2);
  }
}
