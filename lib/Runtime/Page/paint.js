//===- lib/Runtime/Page/paint.js - The graph, drawn ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Only what is in sight is drawn, and the less of it the smaller it is: boxes and lines, then names, then what is in an
// open group. `state` is the GraphView.

const READABLE = 0.42, CURVED = 0.22, STROKED = 96, FAR = 900;

function paintGraph(context, state) {
  const { scale, x, y } = state.view, sight = state.inSight();
  context.translate(-x * scale, -y * scale);
  context.scale(scale, scale);
  paintLinks(context, state, sight);
  for (const column of state.graph.columns) {
    if (column.left > sight.right || column.right < sight.left)
      continue;
    for (let row = rowAt(column, sight.top), end = rowAt(column, sight.bottom); row <= end; ++row)
      for (const group of column.rows[row])
        if (group.x <= sight.right && group.x + BOX.width >= sight.left)
          paintGroup(context, state, group);
  }
}

//===--- Links ---===//

/** Those that lead far are faint: a mask that every layer reads would hide all else. */
function paintLinks(context, state, sight) {
  const { scale } = state.view, near = [], far = [], strong = [];
  for (const link of state.graph.links) {
    const [x1, y1, , , , , x2, y2] = link.curve;
    if (Math.max(y1, y2) < sight.top || Math.min(y1, y2) > sight.bottom || Math.max(x1, x2) < sight.left || Math.min(x1, x2) > sight.right)
      continue;
    const isStrong = link === state.hovered.link || link.from === state.selected || link.to === state.selected;
    (isStrong ? strong : Math.abs(y2 - y1) + Math.abs(x2 - x1) > FAR ? far : near).push(link);
  }
  context.strokeStyle = theme.faint;
  context.lineWidth = Math.max(1, 0.7 / scale);
  context.globalAlpha = 0.18;
  stroke(context, far, scale);
  context.globalAlpha = 0.6;
  stroke(context, near, scale);
  context.globalAlpha = 1;
  context.strokeStyle = theme.accent;
  context.lineWidth = Math.max(2, 1.6 / scale);
  stroke(context, strong, scale);
}

/** Many short paths are faster than a long one. */
function stroke(context, links, scale) {
  for (let i = 0; i < links.length; i += STROKED) {
    context.beginPath();
    for (const { curve } of links.slice(i, i + STROKED)) {
      context.moveTo(curve[0], curve[1]);
      if (scale >= CURVED)
        context.bezierCurveTo(...curve.slice(2));
      else
        context.lineTo(curve[6], curve[7]);
    }
    context.stroke();
  }
}

/** Whether a point lies on a link, which is sampled. */
function liesNear([x1, y1, a1, b1, a2, b2, x2, y2], point, near) {
  const isWithin = (value, a, b) => value >= Math.min(a, b) - near && value <= Math.max(a, b) + near;
  if (!isWithin(point.x, x1, x2) || !isWithin(point.y, y1, y2))
    return false;
  let [px, py] = [x1, y1];
  for (let i = 1; i <= 16; ++i) {
    const t = i / 16, u = 1 - t, weights = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t];
    const x = weights[0] * x1 + weights[1] * a1 + weights[2] * a2 + weights[3] * x2;
    const y = weights[0] * y1 + weights[1] * b1 + weights[2] * b2 + weights[3] * y2;
    const along = ((point.x - px) * (x - px) + (point.y - py) * (y - py)) / ((x - px) ** 2 + (y - py) ** 2 || 1);
    const s = Math.max(0, Math.min(1, along));
    if (Math.hypot(point.x - px - s * (x - px), point.y - py - s * (y - py)) < near)
      return true;
    [px, py] = [x, y];
  }
  return false;
}

//===--- Groups ---===//

function paintGroup(context, state, group) {
  const { scale } = state.view, { x, y, height } = group, isDim = state.marked && !state.marked.has(group.id);
  context.globalAlpha = isDim ? 0.25 : 1;
  context.fillStyle = group.colour;
  context.fillRect(x, y, BOX.width, group.open ? BOX.height : height);
  if (group.open) {
    context.fillStyle = theme.box;
    context.fillRect(x, y + BOX.height, BOX.width, height - BOX.height);
  }
  const isStrong = group === state.selected, isOver = group === state.hovered.group || (state.marked && !isDim);
  if (isStrong || isOver || scale >= READABLE) {
    context.strokeStyle = isStrong || isOver ? theme.accent : theme.line;
    context.lineWidth = (isStrong ? 3 : isOver ? 2 : 1) / Math.min(1, scale * 1.5);
    context.strokeRect(x, y, BOX.width, height);
  }
  if (scale >= READABLE)
    paintNames(context, state, group);
  context.globalAlpha = 1;
}

function paintNames(context, state, group) {
  const { x, y } = group, letters = Math.floor((BOX.width - 18) / letterWidth(context));
  context.fillStyle = inkOn(group.colour);
  context.font = `600 ${FONT}`;
  context.fillText(headOf(group).slice(0, letters), x + 9, y + 18);
  context.font = FONT;
  context.fillText(tail(labelOf(state.graph, group), letters), x + 9, y + 36);
  if (!group.open)
    return;
  const line = (i) => y + BOX.head + i * BOX.line + 12;
  group.nodes.slice(0, BOX.most).forEach((node, i) => {
    context.fillStyle = node === state.node ? theme.accent : theme.ink;
    context.fillText(tail(state.graph.nodes[node].name, letters - 4), x + 38, line(i));
  });
  context.fillStyle = theme.faint;
  if (group.nodes.length > BOX.most)
    context.fillText(`${group.nodes.length - BOX.most} more`, x + 38, line(BOX.most));
  paintInnerEdges(context, state, group, line);
}

function paintInnerEdges(context, state, group, line) {
  context.lineWidth = 1;
  for (const { from, to, depth, edge } of innerEdges(state.graph, group)) {
    const right = group.x + 34, left = right - depth;
    context.strokeStyle = edge === state.hovered.edge ? theme.accent : theme.line;
    context.beginPath();
    context.moveTo(right, line(from) - 4);
    context.lineTo(left, line(from) - 4);
    context.lineTo(left, line(to) - 4);
    context.lineTo(right, line(to) - 4);
    context.stroke();
  }
}

const letterWidth = (context) => (letterWidth.known = letterWidth.known || context.measureText("0").width);
