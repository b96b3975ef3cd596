// Elements, made from data and brought up to date in place: whoever reads or types is not disturbed.
// Text only ever becomes text: nothing here parses markup.

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "path", "circle", "rect", "line", "g", "text", "title", "defs", "marker", "polyline"]);

/**
 * An element. `about` may have attributes, and
 *   class    a string, or a list in which false and null are passed over
 *   key      a name among its siblings, by which it is found again when its surroundings change
 *   on       {click: handler, …}
 *   data     {name: value} as data-name attributes
 *   value, checked, disabled, hidden … as properties where the platform has them so
 *   keep     true: its inside is its own; `renew(state)` of the element is called with `state` instead
 *   state    what `renew` is given
 * Children are elements, texts, numbers, lists of them; false, null and undefined are passed over.
 */
export function h(tag, about = {}, ...children) {
  const made = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(about ?? {})) set(made, name, value);
  append(made, children);
  if (made.__keep) made.renew?.(made.__state);
  return made;
}

function set(element, name, value) {
  if (value === undefined || value === null || value === false) return;
  if (name === "class") element.setAttribute("class", [value].flat(9).filter(Boolean).join(" "));
  else if (name === "key") element.__key = value;
  else if (name === "keep") element.__keep = true;
  else if (name === "state") element.__state = value;
  else if (name === "on") listen(element, value);
  else if (name === "data") for (const [key, one] of Object.entries(value)) element.dataset[key] = one;
  else if (name === "value" && "value" in element) { element.value = value; element.defaultValue = value; }
  else if (name === "style") throw new Error("styles are for style sheets; use a class or the `css` of a custom property");
  else if (name === "css") for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
  else element.setAttribute(name, value === true ? "" : String(value));
}

function listen(element, handlers) {
  element.__on ??= {};
  for (const [type, handler] of Object.entries(handlers)) {
    if (!handler) continue;
    if (!(type in element.__on)) element.addEventListener(type, (event) => element.__on[type]?.call(element, event));
    element.__on[type] = handler;
  }
}

function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === false || child === null || child === undefined) continue;
    parent.append(child instanceof Node ? child : isolated(parent, String(child)));
  }
}

// Letters that run from right to left, and the characters that set, override or isolate a direction.
const DIRECTED = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802\ud803\ud83a\ud83b]/;
// What isolates within a text can end the isolation around it too early, or take its end for its own.
const ISOLATING = /[\u2066-\u2069]/;
const UNMARKED = new Set(["bdi", "option", "textarea", "title", "style"]);

/** A text that would rearrange what stands beside it goes into an element of its own; the text stays what it is. */
function isolated(parent, text) {
  if (!DIRECTED.test(text) || UNMARKED.has(parent.localName) || parent.namespaceURI === SVG) return text;
  const apart = document.createElement("bdi");
  if (ISOLATING.test(text)) apart.className = "apart";
  apart.append(text);
  return apart;
}

/** Words with what somebody wrote among them, as children: each part by itself, so that none rearranges another. */
export const phrase = (words, ...written) => words.flatMap((word, index) => [word, written[index] ?? ""]).filter((part) => part !== "");

/** Let what is shown be what `fresh` is: `live` stays, and so do focus, selection, scroll and half-typed text in it. */
export function morph(live, fresh) {
  if (live.__keep && fresh.__keep) {
    live.__state = fresh.__state;
    live.renew?.(fresh.__state);
    return live;
  }
  attributes(live, fresh);
  if (fresh.__on || live.__on) {
    for (const type of Object.keys(live.__on ?? {})) live.__on[type] = null;
    listen(live, fresh.__on ?? {});
  }
  if (live instanceof HTMLTextAreaElement || live instanceof HTMLInputElement) return live; // what is typed is the reader's
  children(live, [...fresh.childNodes]);
  return live;
}

function attributes(live, fresh) {
  for (const { name } of [...live.attributes]) {
    if (!fresh.hasAttribute(name) && !isReaders(live, name)) live.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (live.getAttribute(name) !== value && !isReaders(live, name)) live.setAttribute(name, value);
  }
  // The policy for content forbids the attribute, not the properties. How large a field was drawn is the reader's.
  const drawn = live instanceof HTMLTextAreaElement;
  if (!drawn && live.style && live.style.cssText !== fresh.style.cssText) live.style.cssText = fresh.style.cssText;
}

// What the reader has opened stays open; styles are set apart.
const isReaders = (element, name) => name === "style" || (name === "open" && (element.localName === "details" || element.localName === "dialog"));

function children(live, wanted) {
  const keyed = new Map();
  for (const child of live.childNodes) if (child.__key !== undefined) keyed.set(child.__key, child);
  const staying = new Set(wanted.map((fresh) => fresh.__key));
  for (const [key, child] of keyed) if (!staying.has(key)) child.remove(); // else all after it would be moved, and lose their focus
  let at = live.firstChild;
  for (const fresh of wanted) {
    let match = null;
    if (fresh.__key !== undefined) {
      match = keyed.get(fresh.__key) ?? null;
      if (match && !isAlike(match, fresh)) match = null;
      keyed.delete(fresh.__key);
    } else if (at && at.__key === undefined && isAlike(at, fresh)) match = at;
    if (!match) {
      live.insertBefore(fresh, at);
      continue;
    }
    if (match === at) at = at.nextSibling;
    else live.insertBefore(match, at);
    if (fresh.nodeType === Node.TEXT_NODE) {
      if (match.data !== fresh.data) match.data = fresh.data;
    } else morph(match, fresh);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

const isAlike = (one, other) => one.nodeType === other.nodeType && one.nodeName === other.nodeName;

/** Show a list of elements in a place, changing only what differs. */
export function show(place, ...content) {
  const fresh = document.createElement(place.localName);
  append(fresh, content);
  const held = document.activeElement;
  children(place, [...fresh.childNodes]);
  if (held !== document.activeElement && held?.isConnected && place.contains(held)) held.focus({ preventScroll: true }); // it was moved
}
