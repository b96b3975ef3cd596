// Elements created from data and updated in place, so that focus, selection and typed text survive.

/** @import { About, Child, ElementOf, Handlers, Json } from "../types/page.d.ts" */
// Text only ever becomes text: nothing here parses markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element of index.html.
 * @param {string} id
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no #${id}`);
  return found;
}

const SVG_TAGS = new Set(["svg", "path", "circle", "rect", "line", "g", "text", "title", "defs", "marker", "polyline"]);

/**
 * An element. `about` may have attributes, and
 *   class    a string, or a list in which false and null are skipped
 *   key      a name among its siblings, by which updates find it again
 *   on       {click: handler, …}
 *   data     {name: value} as data-name attributes
 *   keep     true: updates leave its content alone and call the element's `renew(state)` instead
 *   state    what `renew` is given
 * Children are elements, texts, numbers, or lists of them; booleans, null and undefined are skipped.
 * @template {string} T
 * @param {T} tag
 * @param {About | null} about
 * @param {Child[]} children
 * @returns {ElementOf<T>}
 */
export function h(tag, about = {}, ...children) {
  const made = /** @type {ElementOf<T>} */ (
    SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag)
  );
  for (const [name, value] of Object.entries(about ?? {})) set(made, name, value);
  append(made, children);
  if (made.__keep) made.renew?.(made.__state);
  return made;
}

/** @param {Json} element @param {string} name @param {Json} value */
function set(element, name, value) {
  if (value === undefined || value === null || value === false) return;
  if (name === "class") element.setAttribute("class", [value].flat(9).filter(Boolean).join(" "));
  else if (name === "key") element.__key = value;
  else if (name === "keep") element.__keep = true;
  else if (name === "state") element.__state = value;
  else if (name === "on") listen(element, value);
  else if (name === "data") for (const [key, one] of Object.entries(value)) element.dataset[key] = one;
  else if (name === "value" && "value" in element) {
    element.value = value;
    element.defaultValue = value;
  } else if (name === "style")
    throw new Error("Styles belong in style sheets: use a class, or `css` for a custom property.");
  else if (name === "css") for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
  else element.setAttribute(name, value === true ? "" : String(value));
}

/** @param {Node} element @param {Handlers} handlers */
function listen(element, handlers) {
  element.__on ??= {};
  const known = element.__on;
  for (const [type, handler] of Object.entries(handlers)) {
    if (!handler) continue;
    if (!(type in known)) element.addEventListener(type, (event) => known[type]?.call(element, event));
    known[type] = handler;
  }
}

/** @param {Element} parent @param {Child[]} children */
function append(parent, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(parent, child);
    else if (child instanceof Node) parent.append(child);
    else if (typeof child !== "boolean" && child !== null && child !== undefined)
      parent.append(isolated(parent, String(child)));
  }
}

// Right-to-left letters, and characters that set, override or isolate a direction.
const DIRECTED =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802\ud803\ud83a\ud83b]/;
// Isolates within a text can end the isolation around it too early.
const ISOLATING = /[\u2066-\u2069]/;
const UNMARKED = new Set(["bdi", "option", "textarea", "title", "style"]);

/**
 * A text that could reorder its neighbours gets an element of its own; the text itself is unchanged.
 * @param {Element} parent
 * @param {string} text
 */
function isolated(parent, text) {
  if (!DIRECTED.test(text) || UNMARKED.has(parent.localName) || parent.namespaceURI === SVG) return text;
  const apart = document.createElement("bdi");
  if (ISOLATING.test(text)) apart.className = "apart";
  apart.append(text);
  return apart;
}

/**
 * A sentence with user text in it, as separate children, so that no part can reorder another.
 * @param {TemplateStringsArray | string[]} words
 * @param {Child[]} written
 * @returns {Child[]}
 */
export const phrase = (words, ...written) =>
  words.flatMap((word, index) => [word, written[index] ?? ""]).filter((part) => part !== "");

/**
 * Make `live` look like `fresh`. The element stays, and so do focus, selection, scroll position and typed text.
 * @param {Element} live
 * @param {Element} fresh
 */
export function morph(live, fresh) {
  if (live.__keep && fresh.__keep) {
    live.__state = fresh.__state;
    live.renew?.(fresh.__state);
    return live;
  }
  attributes(live, fresh);
  if (fresh.__on || live.__on) {
    for (const type of Object.keys(live.__on ?? {})) /** @type {Handlers} */ (live.__on)[type] = null;
    listen(live, fresh.__on ?? {});
  }
  if (live instanceof HTMLTextAreaElement || live instanceof HTMLInputElement) return live; // typed text belongs to the reader
  children(live, [...fresh.childNodes]);
  return live;
}

/** @param {Element} live @param {Element} fresh */
function attributes(live, fresh) {
  for (const { name } of [...live.attributes]) {
    if (!fresh.hasAttribute(name) && !isReaders(live, name)) live.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (live.getAttribute(name) !== value && !isReaders(live, name)) live.setAttribute(name, value);
  }
  // The content security policy forbids the attribute, not the properties. A text area's size belongs to the reader.
  if (!(live instanceof HTMLElement && fresh instanceof HTMLElement) || live instanceof HTMLTextAreaElement) return;
  if (live.style.cssText !== fresh.style.cssText) live.style.cssText = fresh.style.cssText;
}

// What the reader opened stays open; styles are handled separately.
/** @param {Element} element @param {string} name */
const isReaders = (element, name) =>
  name === "style" || (name === "open" && (element.localName === "details" || element.localName === "dialog"));

/** @param {Element} live @param {ChildNode[]} wanted */
function children(live, wanted) {
  const keyed = new Map();
  for (const child of live.childNodes) if (child.__key !== undefined) keyed.set(child.__key, child);
  const staying = new Set(wanted.map((fresh) => fresh.__key));
  for (const [key, child] of keyed) if (!staying.has(key)) child.remove(); // otherwise everything after it would move and lose focus
  let at = live.firstChild;
  for (const fresh of wanted) {
    /** @type {ChildNode | null} */
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
    if (fresh instanceof Text && match instanceof Text) {
      if (match.data !== fresh.data) match.data = fresh.data;
    } else if (fresh instanceof Element && match instanceof Element) morph(match, fresh);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/** @param {Node} one @param {Node} other */
const isAlike = (one, other) => one.nodeType === other.nodeType && one.nodeName === other.nodeName;

/**
 * Show these children in a place, changing only what differs.
 * @param {Element} place
 * @param {Child[]} content
 */
export function show(place, ...content) {
  const fresh = document.createElement(place.localName);
  append(fresh, content);
  const held = document.activeElement;
  children(place, [...fresh.childNodes]);
  // A moved element loses its focus.
  if (held instanceof HTMLElement && held !== document.activeElement && place.contains(held))
    held.focus({ preventScroll: true });
}
