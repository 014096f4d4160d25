//===- lib/Runtime/Page/list.js - A list of which only the rows in sight exist ---===//
// SPDX-License-Identifier: Apache-2.0

const ROW = 24;

/** A share of 1 as a bar. */
function barOf(share) {
  const bar = element("span", { class: "share" }, element("i"));
  bar.firstChild.style.width = `${100 * Math.max(0, Math.min(1, share))}%`;
  return bar;
}

/** In the element `id`: rows of `cells(item)`, [class, text] or [class, "", share] each; `chosen(item, byKey)` when one is clicked or reached
 * by a key. */
class List {
  constructor(id, cells, chosen) {
    this.root = byId(id);
    this.cells = cells;
    this.chosen = chosen;
    this.items = [];
    this.current = -1;
    this.body = element("div", { class: "rows" });
    this.root.append(this.body);
    this.root.tabIndex = 0;
    this.root.setAttribute("role", "listbox");
    this.root.addEventListener("scroll", () => this.draw());
    this.root.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.root);
  }

  show(items, current = -1) {
    this.items = items;
    this.current = current;
    this.body.style.height = `${items.length * ROW}px`;
    this.root.scrollTop = 0;
    this.draw();
  }

  /** Marks the item for which `is` holds, and brings it into sight. */
  mark(is) {
    this.current = this.items.findIndex(is);
    const top = this.current * ROW, height = this.root.clientHeight;
    if (this.current >= 0 && height > 0 && (top < this.root.scrollTop || top + ROW > this.root.scrollTop + height))
      this.root.scrollTop = top - height / 2;
    this.draw();
  }

  draw() {
    const first = Math.floor(this.root.scrollTop / ROW), count = Math.ceil(this.root.clientHeight / ROW) + 1;
    const rows = this.items.slice(first, first + count).map((item, i) => this.rowOf(item, first + i));
    this.body.replaceChildren(...rows);
  }

  rowOf(item, index) {
    const row = element("div", { class: index === this.current ? "row current" : "row", role: "option",
                                 "aria-selected": String(index === this.current) });
    row.style.top = `${index * ROW}px`;
    for (const [kind, text, share] of this.cells(item, index))
      row.append(share === undefined ? element("span", { class: kind, title: text }, text) : barOf(share));
    row.addEventListener("click", () => this.choose(index, false));
    return row;
  }

  choose(index, byKey) {
    if (index < 0 || index >= this.items.length)
      return;
    this.current = index;
    this.mark((item) => item === this.items[index]);
    this.chosen(this.items[index], byKey);
  }

  key(event) {
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -this.items.length, End: this.items.length };
    if (!(event.key in moves))
      return;
    event.preventDefault();
    this.choose(Math.max(0, Math.min(this.items.length - 1, this.current + moves[event.key])), true);
  }
}
