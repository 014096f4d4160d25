//===- lib/Runtime/Page/draw.js - Canvases and colours ---===//
// SPDX-License-Identifier: Apache-2.0

const FONT = "12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";

/** The colours of page.css, by name; read anew when the scheme changes. */
const theme = {};

function readTheme() {
  const style = getComputedStyle(document.documentElement), read = (name) => style.getPropertyValue(`--${name}`).trim();
  for (const name of ["paper", "ink", "faint", "line", "box", "accent", "bad", "good"])
    theme[name] = read(name);
  theme.ramp = [0, 1, 2, 3, 4, 5, 6].map((i) => read(`heat-${i}`));
  theme.kinds = [..."0123456789ab"].map((i) => read(`kind-${i}`));
}

/** Black or white, whichever is read better on #rrggbb. */
function inkOn(colour) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#15181c" : "#ffffff";
}

/** A canvas as large as the element is, redrawn at most once a frame. `paint(context, width, height)` in CSS pixels. */
class Drawing {
  constructor(id, paint) {
    this.canvas = byId(id);
    this.context = this.canvas.getContext("2d", { alpha: false });
    this.paint = paint;
    this.waits = false;
    new ResizeObserver(() => this.fit()).observe(this.canvas);
  }

  fit() {
    const ratio = window.devicePixelRatio || 1, { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height)
      return;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.now();
  }

  redraw() {
    if (this.waits)
      return;
    this.waits = true;
    requestAnimationFrame(() => this.now());
  }

  now() {
    this.waits = false;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height)
      return;
    const ratio = this.canvas.width / width;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.fillStyle = theme.paper;
    this.context.fillRect(0, 0, width, height);
    this.context.font = FONT;
    this.paint(this.context, width, height);
  }

  /** The pointer's place in CSS pixels of the canvas. */
  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}

/** Lines of text at the pointer; none: nothing. */
function showTip(lines, event) {
  const tip = byId("tip");
  tip.hidden = !lines.length;
  if (!lines.length)
    return;
  tip.replaceChildren(...lines.map((line) => element("div", {}, line)));
  const { offsetWidth: width, offsetHeight: height } = tip;
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, window.innerWidth - width - 8))}px`;
  tip.style.top = `${event.clientY + 18 + height > window.innerHeight ? Math.max(4, event.clientY - height - 10) : event.clientY + 18}px`;
}

/** How groups are coloured: a value in words and where it lies between the least and the most, or in a list of kinds. */
const COLOURINGS = {
  kind: { title: "kind of kernel", kind: (group) => group.what },
  time: { title: "time", value: (group) => group.ms, text: milliseconds },
  bytes: { title: "bytes", value: (group) => group.bytes, text: (bytes) => scaled(bytes, "B") },
  precision: { title: "precision", kind: (group) => group.precision },
  difference: { title: "difference", value: (group) => group.difference && (isNumber(group.difference.max_rel) ? group.difference.max_rel : 1),
                text: (value) => `${figure(value)} relative` },
};

/** Those that tell groups of this graph apart. */
function coloursOf(graph) {
  return Object.keys(COLOURINGS).filter((name) => {
    const { kind, value } = COLOURINGS[name];
    return graph.groups.some((group) => (kind ? kind(group) !== undefined : isNumber(value(group))));
  });
}

/** Sets the colour of every group; returns the legend, [colour, text] each. */
function colourGroups(graph, name) {
  const { kind, value, text } = COLOURINGS[name];
  if (kind) {
    const kinds = [...new Set(graph.groups.map(kind))].filter((found) => found !== undefined);
    const colourOf = (group) => theme.kinds[kinds.indexOf(kind(group)) % theme.kinds.length] || theme.box;
    for (const group of graph.groups)
      group.colour = colourOf(group);
    return kinds.slice(0, 12).map((found, i) => [theme.kinds[i % theme.kinds.length], visible(String(found))]);
  }
  // By rank would hide how far apart they are; by logarithm the few that matter stand out from the many.
  const values = graph.groups.map(value).filter((found) => isNumber(found) && found > 0);
  const least = Math.min(...values), most = Math.max(...values), range = Math.log(most / least) || 1;
  const last = theme.ramp.length - 1;
  for (const group of graph.groups) {
    const found = value(group);
    group.colour = !isNumber(found) ? theme.box : theme.ramp[found > 0 ? Math.round((Math.log(found / least) / range) * last) : 0];
  }
  return values.length ? [[theme.ramp[0], text(least)], [theme.ramp[last], text(most)]] : [];
}
