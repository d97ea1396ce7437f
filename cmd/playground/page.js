"use strict";
/* The page. Whatever comes from a document, a fragment or the command is shown as text, and never becomes markup. */
const LIMITS = { fragment: 1 << 20, shared: 4 << 20, lines: 1000, seconds: 20, verifySeconds: 20, memory: 256, shownLength: 20000 };
const FILE = "/document.json";
const byId = id => document.getElementById(id);
const part = id => byId(id).textContent;
const schema = JSON.parse(part("schema")), examples = JSON.parse(part("examples"));
const editor = byId("document");
let module = null; /* of WebAssembly */
let lines = [JSON.stringify({ start: null })]; /* the steps, as `wfsm simulate --by-hand` reads them */
let answers = [], shownStep = 0, checkedText = null, machine = null;

/* Text of others, with control and bidi characters shown as what they are. */
function shown(text) {
  const cut = String(text).slice(0, LIMITS.shownLength);
  return cut.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    c => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`) + (cut.length < String(text).length ? " …" : "");
}

function element(name, text = "", attributes = {}) {
  const made = document.createElement(name);
  made.textContent = shown(text);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function button(text, act, attributes = {}) {
  const made = element("button", text, { type: "button", ...attributes });
  made.addEventListener("click", () => attempt(act));
  return made;
}

function say(id, text) {
  byId(id).textContent = text && shown(text);
  if (byId(id).getAttribute("role") === "alert") byId(id).hidden = !text;
}
