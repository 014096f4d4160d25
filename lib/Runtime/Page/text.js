//===- lib/Runtime/Page/text.js - Texts of a report, and elements that hold them ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Names come from models, which may be anybody's. They reach the document by textContent and a canvas by fillText alone.

const LONGEST = 160;

/** Control and formatting characters (marks of direction, separators of lines) as \u202e, cut after `most` characters. */
function visible(text, most = LONGEST) {
  const shown = String(text).slice(0, most).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return text.length > most ? `${shown}.. (${text.length} characters)` : shown;
}

/** The end of a path, which tells nodes apart, in at most `most` characters. */
function tail(name, most) {
  const shown = visible(name.length > LONGEST ? name.slice(-LONGEST) : name);
  return shown.length > most ? `..${shown.slice(2 - most)}` : shown;
}

/** An element; attributes of our own, children are elements or texts. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name.startsWith("on"))
      made.addEventListener(name.slice(2), value);
    else
      made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

const byId = (id) => document.getElementById(id);

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

/** In four digits with a prefix of 1000: 1.234 M. */
function scaled(value, unit) {
  if (!isNumber(value))
    return value === null || value === undefined || value === "" ? "unknown" : `${visible(String(value))} ${unit}`;
  const prefixes = ["", "k", "M", "G", "T", "P"];
  let power = 0;
  for (; Math.abs(value) >= 1000 && power < prefixes.length - 1; ++power)
    value /= 1000;
  return `${Number(value.toPrecision(4))} ${prefixes[power]}${unit}`;
}

const milliseconds = (value) => (value < 1 ? `${Number((value * 1000).toPrecision(4))} us` : `${Number(value.toPrecision(4))} ms`);

/** Of a difference: null stands for NaN and infinity. */
function figure(value) {
  if (!isNumber(value))
    return "not finite";
  return value && Math.abs(value) < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(3)));
}

const plural = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
