//===- lib/Runtime/Page/layout.js - Where groups stand ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Rows from top to bottom: a group stands below all that it reads. Within a row groups stand near what they are linked
// to. Every position is a function of the graph and of which groups are open.

const BOX = { width: 248, height: 46, gapX: 28, gapY: 40, gapColumn: 110, line: 17, head: 50, most: 60 };

const heightOf = (group) => (group.open ? BOX.head + Math.min(group.nodes.length, BOX.most + 1) * BOX.line + 8 : BOX.height);

/** Steps are in an order in which every link leads forward, but for inputs and bodies: hence the queue. */
function assignRows(graph) {
  const waiting = new Map(), ready = [];
  for (const group of graph.groups) {
    group.row = 0;
    waiting.set(group, group.incoming.length);
    if (!group.incoming.length)
      ready.push(group);
  }
  for (let i = 0; i < ready.length; ++i)
    for (const link of ready[i].outgoing) {
      link.to.row = Math.max(link.to.row, ready[i].row + 1);
      waiting.set(link.to, waiting.get(link.to) - 1);
      if (waiting.get(link.to) === 0)
        ready.push(link.to);
    }
  // What feeds a late row alone stands just above it.
  for (const group of graph.groups)
    if (!group.incoming.length && group.outgoing.length)
      group.row = Math.min(...group.outgoing.map((link) => link.to.row)) - 1;
  const first = Math.min(...graph.groups.map((group) => group.row));
  graph.rows = [];
  for (const group of graph.groups)
    (graph.rows[group.row - first] = graph.rows[group.row - first] || []).push(group);
  graph.rows = Array.from(graph.rows, (row) => row || []);
}

/** Near the mean of what a group is linked to above (or below), side by side, around the row's own mean. */
function placeRow(row, links, end) {
  const step = BOX.width + BOX.gapX;
  const wanted = new Map(row.map((group) => {
    const others = group[links].map((link) => link[end].x);
    return [group, others.length ? others.reduce((a, b) => a + b) / others.length : group.x];
  }));
  row.sort((a, b) => wanted.get(a) - wanted.get(b) || a.id - b.id);
  let shift = 0;
  row.forEach((group, i) => {
    group.x = i ? Math.max(wanted.get(group), row[i - 1].x + step) : wanted.get(group);
    shift += wanted.get(group) - group.x;
  });
  for (const group of row)
    group.x += shift / row.length;
}

function arrange(graph) {
  assignRows(graph);
  for (const row of graph.rows)
    row.forEach((group, i) => { group.x = i * (BOX.width + BOX.gapX); });
  for (let pass = 0; pass < 3; ++pass) {
    for (const row of graph.rows)
      placeRow(row, "incoming", "from");
    if (pass < 2)
      for (const row of [...graph.rows].reverse())
        placeRow(row, "outgoing", "to");
  }
  fold(graph);
  stack(graph);
}

/** A long graph continues in the next column, so that the whole is about as wide as high. */
function fold(graph) {
  const { rows } = graph, wide = Math.max(1, ...rows.map((row) => row.length)) * (BOX.width + BOX.gapX) + BOX.gapColumn;
  const count = Math.max(1, Math.min(rows.length, Math.round(Math.sqrt((1.3 * rows.length * (BOX.height + BOX.gapY)) / wide))));
  const each = Math.ceil(rows.length / count);
  let left = 0;
  graph.columns = [];
  for (let first = 0; first < rows.length; first += each) {
    const column = { rows: rows.slice(first, first + each), left };
    const groups = column.rows.flat(), shift = left - Math.min(...groups.map((group) => group.x));
    for (const group of groups) {
      group.x += shift;
      group.column = column;
    }
    column.right = Math.max(...groups.map((group) => group.x)) + BOX.width;
    left = column.right + BOX.gapColumn;
    graph.columns.push(column);
  }
}

/** The heights of rows, also after groups were opened or closed. */
function stack(graph) {
  let bottom = 0;
  for (const column of graph.columns) {
    let y = 0;
    column.tops = column.rows.map((row) => {
      const top = y;
      for (const group of row)
        Object.assign(group, { y: top, height: heightOf(group), beside: row });
      y += Math.max(BOX.height, ...row.map((group) => group.height)) + BOX.gapY;
      return top;
    });
    bottom = Math.max(bottom, y - BOX.gapY);
  }
  const last = graph.columns[graph.columns.length - 1];
  graph.bounds = { left: 0, top: 0, right: last ? last.right : 0, bottom };
  for (const link of graph.links)
    link.curve = curveOf(link);
}

/** Of a link: two ends and the two points between that bend it. Within a column it leads down, else to the side. */
function curveOf({ from, to }) {
  if (from.column === to.column) {
    const x1 = from.x + BOX.width / 2, y1 = from.y + from.height, x2 = to.x + BOX.width / 2, y2 = to.y, bend = (y2 - y1) / 2;
    return [x1, y1, x1, y1 + bend, x2, y2 - bend, x2, y2];
  }
  const x1 = from.x + BOX.width, y1 = from.y + BOX.height / 2, x2 = to.x, y2 = to.y + BOX.height / 2, bend = Math.min(400, (x2 - x1) / 2);
  return [x1, y1, x1 + bend, y1, x2 - bend, y2, x2, y2];
}

/** The last row of a column that begins at or above `y`. */
function rowAt({ tops }, y) {
  let low = 0, high = tops.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tops[middle] <= y)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}
