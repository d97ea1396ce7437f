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

/* ---- workers ---- */

/* One worker. A new call ends the one before, if `replaces`; a call that takes too long is ended, too. */
class Runner {
  constructor(seconds, replaces) {
    Object.assign(this, { seconds, replaces, last: 0, worker: null, waiting: new Map() });
  }

  start() {
    this.worker = new Worker(Runner.address ??= URL.createObjectURL(new Blob([part("worker")], { type: "text/javascript" })));
    this.worker.postMessage({ module });
    this.worker.onmessage = ({ data }) => this.finish(data.id, data);
    this.worker.onerror = event => this.stop(`the worker failed: ${event.message}`);
  }

  finish(id, answer) {
    const call = this.waiting.get(id);
    if (!call) return;
    clearTimeout(call.timer);
    this.waiting.delete(id);
    call.done(answer);
  }

  /* Its calls get an answer with the code -2. */
  stop(why) {
    this.worker?.terminate();
    this.worker = null;
    for (const id of [...this.waiting.keys()]) this.finish(id, { code: -2, out: "", err: why });
  }

  run(args, text, input = "") {
    if (this.replaces && this.waiting.size > 0) this.stop("");
    if (!this.worker) this.start();
    const id = ++this.last;
    return new Promise(done => {
      const timer = setTimeout(() => this.stop(`it took longer than ${this.seconds} seconds`), this.seconds * 1000);
      this.waiting.set(id, { done, timer });
      this.worker.postMessage({ id, args, files: { [FILE]: text }, input });
    });
  }
}

/* Apart, so that a long verification delays nothing. */
const quick = new Runner(LIMITS.seconds, false), verifier = new Runner(LIMITS.verifySeconds + 10, true);

async function inflate(bytes, format, most) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format));
  const parts = [], reader = stream.getReader();
  let length = 0;
  for (let one = await reader.read(); !one.done; one = await reader.read()) {
    length += one.value.length;
    if (length > most) {
      await reader.cancel();
      throw new Error(`it is larger than ${most} bytes`);
    }
    parts.push(one.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function fromBase64(text) {
  return Uint8Array.from(atob(text), c => c.charCodeAt(0));
}

async function loadModule() {
  module = await WebAssembly.compile(await inflate(fromBase64(part("wasm")), "gzip", 64 << 20));
}

/* ---- checking and drawing ---- */

function selectPlace(line, column) {
  const before = editor.value.split("\n").slice(0, line - 1);
  /* The column counts bytes. */
  const rest = new TextEncoder().encode(editor.value.split("\n")[line - 1] ?? "").slice(0, column - 1);
  const at = before.reduce((sum, one) => sum + one.length + 1, 0) + new TextDecoder().decode(rest).length;
  editor.focus();
  editor.setSelectionRange(at, Math.min(at + 1, editor.value.length));
  editor.scrollTop = Math.max(0, (line - 5) * 18);
}

function showDiagnostics(list) {
  const errors = list.filter(one => one.severity === "error").length;
  say("checked", list.length === 0 ? "The document has no errors and no warnings."
    : `${errors} ${errors === 1 ? "error" : "errors"}, ${list.length - errors} ${list.length - errors === 1 ? "warning" : "warnings"}`);
  byId("checked").className = errors ? "bad" : "";
  byId("diagnostics").replaceChildren(...list.slice(0, 200).map(one => {
    const item = element("li", "", { class: one.severity });
    item.append(button(`${one.line}:${one.column}: ${one.severity}: ${one.message} [${one.rule}]`, () => selectPlace(one.line, one.column)));
    return item;
  }));
  return errors === 0;
}

/* The command has escaped the chart; and nothing but these is taken from it. */
const DRAWN = { svg: ["width", "height", "viewBox", "role", "aria-label"], rect: ["class", "x", "y", "width", "height", "rx", "data-state"],
                text: ["class", "x", "y", "text-anchor", "data-edge"], path: ["class", "d", "data-edge"], title: [] };

function copyDrawing(from) {
  const name = from.localName;
  if (!Object.hasOwn(DRAWN, name)) return null;
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key of DRAWN[name]) if (from.hasAttribute(key)) made.setAttribute(key, from.getAttribute(key));
  for (const child of from.childNodes) {
    const copy = child.nodeType === Node.TEXT_NODE ? document.createTextNode(child.data) : child.nodeType === Node.ELEMENT_NODE && copyDrawing(child);
    if (copy) made.append(copy);
  }
  return made;
}

function showChart(text) {
  const svg = new DOMParser().parseFromString(text, "text/html").querySelector("svg");
  byId("chart").replaceChildren(...(svg ? [copyDrawing(svg)] : []));
}

function markChart(configuration) {
  const inside = state => configuration.some(path => path === state || path.startsWith(state + "."));
  let last = null;
  for (const box of byId("chart").querySelectorAll("[data-state]")) {
    const now = inside(box.dataset.state);
    box.classList.toggle("now", now);
    if (now) last = box;
  }
  if (last) byId("chart").scrollTop = last.y.baseVal.value - byId("chart").clientHeight / 2;
}

async function change() {
  const text = editor.value;
  if (text === checkedText) return;
  checkedText = text;
  verifier.stop("");
  const done = await quick.run(["check", "--json", FILE], text);
  if (text !== checkedText) return;
  let list = null;
  try { list = JSON.parse(done.out); } catch { say("checked", `It could not be checked: ${done.err}`); }
  const fine = list !== null && showDiagnostics(list) && done.code === 0;
  byId("stepping").setAttribute("aria-disabled", String(!fine));
  if (!fine) {
    say("verdict", "The document has errors, so it is not verified.");
    for (const id of ["properties", "found", "notes"]) byId(id).replaceChildren();
    return;
  }
  machine = JSON.parse(text);
  const drawn = await quick.run(["chart", FILE], text);
  if (text !== checkedText) return;
  showChart(drawn.out);
  if (drawn.code !== 0) byId("chart").replaceChildren(element("p", `It cannot be drawn: ${drawn.err}`, { class: "bad" }));
  await step(() => lines);
  await verify();
}

/* ---- stepping ---- */

const clock = list => list.reduce((sum, line) => sum + (JSON.parse(line).advance ?? 0), 0);

let turn = Promise.resolve();

/* One after another, however fast buttons are pressed: each begins with the lines that the one before has left. */
function step(linesWanted) {
  turn = turn.then(() => play(linesWanted())).catch(error => say("refused", error.message));
  return turn;
}

/* Plays all lines again: the machine is the same, so the steps are. */
async function play(wanted) {
  const text = checkedText;
  say("refused", "");
  const done = await quick.run(["simulate", "--by-hand", "--properties", FILE], text, wanted.join("\n") + "\n");
  if (text !== checkedText) return;
  let heard = done.out.split("\n").filter(Boolean);
  try { heard = heard.map(line => JSON.parse(line)); } catch { heard = []; }
  if (done.code !== 0 && done.code !== 3) say("refused", done.err.replace(/^wfsm: /, "") || `it ended: ${done.code}`);
  if (heard.length === 0 && wanted.length > 1) return play([wanted[0]]);
  const played = wanted.slice(0, Math.max(heard.length, 1));
  const possible = await quick.run(["state", FILE], text, played.join("\n") + "\n");
  if (text !== checkedText) return;
  lines = played;
  answers = heard;
  let now = { events: [], invocations: [], timers: [], host: [] };
  try { now = JSON.parse(possible.out); } catch { /* it has ended, or could not start */ }
  showSteps();
  showPossible(now);
}

/* The last of the new lines has the answers of the host. */
function add(...more) {
  const host = byId("answering").hidden ? undefined : jsonOf(byId("host"), undefined);
  if (host !== undefined) more.push({ ...more.pop(), host });
  return step(() => [...lines, ...more.map(one => JSON.stringify(one))]);
}

function showState(number) {
  shownStep = number;
  const answer = answers[number];
  if (!answer) {
    say("state", "The machine could not start.");
    markChart([]);
    return say("context", "");
  }
  const now = clock(lines.slice(0, number + 1));
  const wrong = answer.properties?.violated ?? [];
  say("state", `${answer.configuration.join(", ") || "–"}${answer.done ? " (it has ended)" : ""}; ${now} ms` +
    (["started", "taken", "ended"].includes(answer.result) ? "" : `; ${answer.result}`) +
    (answer.error ? `; ${answer.error.status}: ${answer.error.message}` : "") + (wrong.length ? `; violated: ${wrong.join(", ")}` : ""));
  byId("state").className = answer.error || wrong.length ? "bad" : "";
  say("context", JSON.stringify(answer.context, null, 2));
  markChart(answer.configuration);
  [...byId("steps").children].forEach((one, i) => one.toggleAttribute("aria-current", i === number));
}

function showSteps() {
  byId("steps").replaceChildren(...answers.map((answer, i) => {
    const item = element("li"), extra = [...answer.effects.map(one => `emits ${one.event}`), ...answer.log.map(one => `logs ${JSON.stringify(one)}`)];
    item.append(button([`${lines[i]}: ${answer.result} → ${answer.configuration.join(", ")}`, ...extra].join("; "), () => showState(i)));
    return item;
  }));
  byId("undo").disabled = lines.length < 2;
  showState(answers.length - 1);
}

/* What active states and their ancestors handle. */
function handledEvents(configuration) {
  const names = new Set(), take = node => Object.keys(node?.on ?? {}).forEach(name => names.add(name));
  take(machine);
  for (const path of configuration) {
    let node = machine;
    for (const key of path.split(".")) {
      node = node?.states?.[key];
      take(node);
    }
  }
  return [...names].filter(name => !/^(done|error|after|wfsm)\./.test(name)).slice(0, 50);
}

function showPossible(now) {
  const last = answers.at(-1), ended = !last || last.done;
  byId("events").replaceChildren(...(ended ? [] : handledEvents(last.configuration)).map(name => {
    const enabled = now.events.includes(name);
    return button(name, () => {
      if (!name.includes("*")) return add({ event: name });
      byId("event").value = name.replace("*", "");
      byId("event").focus();
    }, enabled ? { class: "enabled", title: "A transition is enabled" } : { title: "No transition is enabled without data" });
  }));
  if (byId("events").children.length === 0) byId("events").append(element("span", "none", { class: "dim" }));
  byId("agents").replaceChildren(...(ended ? [] : now.invocations).filter(one => ["pending", "running"].includes(one.status)).map(showAgent));
  if (byId("agents").children.length === 0) byId("agents").append(element("span", "none at work", { class: "dim" }));
  byId("answering").hidden = ended || now.host.length === 0;
  say("asked", now.host.join(", "));
  const wait = last?.deadline == null ? null : Math.max(0, last.deadline - clock(lines));
  byId("fire").disabled = wait === null || ended;
  byId("fire").textContent = wait === null ? "No timer is set" : `Fire the next timer (in ${wait} ms)`;
  byId("fire").onclick = () => attempt(() => wait > 0 ? add({ advance: wait }, { fire: true }) : add({ fire: true }));
  for (const id of ["send", "wait", "other"]) for (const one of byId(id).elements) one.disabled = ended;
}

/* An id without its incarnation, as scripts have it. */
const shortId = id => id.replace(/-[^-/]*$/, "");

function labeled(text, control) {
  const made = element("label", text + " ");
  made.append(control);
  return made;
}

function jsonOf(field, otherwise) {
  const text = field.value.trim();
  try {
    field.removeAttribute("aria-invalid");
    return text === "" ? otherwise : JSON.parse(text);
  } catch (error) {
    field.setAttribute("aria-invalid", "true");
    say("refused", `This is not JSON: ${error.message}`);
    throw new Refused();
  }
}

/* Of what was written in a field, which has been told. */
class Refused extends Error {}

function attempt(act) {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}

function showAgent(invocation) {
  const box = element("fieldset"), id = shortId(invocation.id), row = element("div", "", { class: "row" });
  box.append(element("legend", `${invocation.src} in ${invocation.state}, ${id}`));
  if (invocation.input !== undefined) box.append(element("pre", JSON.stringify(invocation.input)));
  if (invocation.digest) row.append(...voteControls(id, invocation));
  else row.append(...answerControls(id));
  box.append(row);
  return box;
}

function voteControls(id, invocation) {
  const by = element("input", "", { size: "10" });
  by.value = invocation.input?.people?.[0] ?? "ada";
  const vote = decision => () => add({ approve: { invocation: id, by: by.value, decision, digest: invocation.digest } });
  return [labeled("By", by), button("Approve", vote("approve")), button("Reject", vote("reject"))];
}

function answerControls(id) {
  const output = element("input", "", { size: "16", placeholder: "null" }), kind = element("select");
  for (const name of ["network", "timeout", "auth", "schema", "exit", "canceled", "limit", "other"]) kind.append(element("option", name));
  return [labeled("Output", output), button("Done", () => add({ done: id, output: jsonOf(output, null) })),
          labeled("Class", kind), button("Failed", () => add({ failed: id, class: kind.value }))];
}

/* ---- verification ---- */

async function verify() {
  const text = checkedText, states = byId("states").value;
  say("verdict", "Verifying …");
  byId("verdict").className = "";
  const done = await verifier.run(["verify", "--json", "--max-states", states, "--max-memory", String(LIMITS.memory),
                                   "--time", String(LIMITS.verifySeconds), FILE], text);
  if (text !== checkedText || (done.code === -2 && done.err === "")) return;
  let report = null;
  try { report = JSON.parse(done.out); } catch { return say("verdict", `Not verified: ${done.err}`); }
  showReport(report);
}

function showReport(report) {
  const bound = report.bound ? ` Not everything was tried: ${report.bound}.` : "";
  say("verdict", `${report.verdict}: ${report.states} states, ${report.moves} moves.${bound}`);
  byId("verdict").className = report.verdict;
  byId("properties").replaceChildren(...report.properties.map(one => {
    const item = element("li", `${one.kind}: ${one.name}: `);
    item.append(element("strong", one.verdict + (one.vacuous ? ", vacuously" : ""), { class: one.verdict }));
    return item;
  }));
  byId("found").replaceChildren(...report.diagnostics.slice(0, 100).map(one => {
    const item = element("li", `${one.line}:${one.column}: ${one.severity}: ${one.message} [${one.rule}] `, { class: one.severity });
    if (one.trace) item.append(element("pre", one.trace));
    if (one.script) item.append(button("Step through it", () => step(() => one.script.trim().split("\n"))));
    return item;
  }));
  byId("notes").replaceChildren(...report.notes.slice(0, 100).map(one => element("li", one, { class: "note" })));
}

/* ---- completion ---- */

let offers = [], chosen = 0, place = null;

function closeOffers() {
  offers = [];
  byId("offers").hidden = true;
  editor.removeAttribute("aria-activedescendant");
}

function chooseOffer(number) {
  chosen = (number + offers.length) % offers.length;
  [...byId("offers").children].forEach((one, i) => one.setAttribute("aria-selected", String(i === chosen)));
  byId("offers").children[chosen].scrollIntoView({ block: "nearest" });
  editor.setAttribute("aria-activedescendant", `offer-${chosen}`);
}

/* Beside the cursor; the editor does not wrap lines, and its letters have one width. */
function placeOffers() {
  const before = editor.value.slice(0, place.from).split("\n"), list = byId("offers");
  const style = getComputedStyle(editor), context = document.createElement("canvas").getContext("2d");
  context.font = style.font;
  const x = 8 + context.measureText(before.at(-1)).width - editor.scrollLeft, y = 8 + before.length * 18 - editor.scrollTop;
  list.style.left = `${Math.max(0, Math.min(x, editor.clientWidth - list.offsetWidth))}px`;
  list.style.top = `${Math.max(0, Math.min(y + 2, editor.clientHeight))}px`;
}

function showOffers() {
  place = editor.selectionStart === editor.selectionEnd ? placeIn(editor.value, editor.selectionStart) : null;
  offers = place ? offersAt(place, schema) : [];
  if (offers.length === 0) return closeOffers();
  byId("offers").replaceChildren(...offers.map((offer, i) => {
    const item = element("li", offer.label, { role: "option", id: `offer-${i}` });
    if (offer.detail) item.append(element("small", offer.detail));
    item.addEventListener("mousedown", event => { event.preventDefault(); takeOffer(i); });
    return item;
  }));
  byId("offers").hidden = false;
  placeOffers();
  chooseOffer(0);
}

function takeOffer(number) {
  const offer = offers[number], key = place.at === "key" && !/^\s*:/.test(editor.value.slice(place.to));
  editor.setRangeText(offer.text + (key ? ": " : ""), place.from, place.to, "end");
  closeOffers();
  edited();
}

/* Typing in quotation marks, at the end of what is typed. */
function offersAreWanted(event) {
  return event.inputType === "insertText" && /["\w$.#-]/.test(event.data ?? "") && placeIn(editor.value, editor.selectionStart)?.quoted;
}

function pressKey(event) {
  if (event.key === " " && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    showOffers();
  } else if (offers.length > 0 && Object.hasOwn(PRESSED, event.key)) {
    event.preventDefault();
    PRESSED[event.key]();
  } else if (offers.length > 0 && ["ArrowLeft", "ArrowRight", "Home", "End", "Tab"].includes(event.key)) {
    closeOffers();
  }
}

const PRESSED = { ArrowDown: () => chooseOffer(chosen + 1), ArrowUp: () => chooseOffer(chosen - 1), Enter: () => takeOffer(chosen),
                  Escape: closeOffers };

/* ---- sharing ---- */

const toBase64Url = bytes => btoa(Array.from(bytes, b => String.fromCharCode(b)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

async function share() {
  const text = JSON.stringify({ document: editor.value, lines });
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  history.replaceState(null, "", "#1" + toBase64Url(new Uint8Array(await new Response(stream).arrayBuffer())));
  const address = location.href;
  try {
    await navigator.clipboard.writeText(address);
    say("shared", `Copied: ${address.length} characters.`);
  } catch {
    say("shared", "The address of this page has it now. Copy it.");
  }
}

/* Throws what is wrong. */
async function readFragment(fragment) {
  if (fragment.length > LIMITS.fragment) throw new Error(`it has more than ${LIMITS.fragment} characters`);
  if (!/^1[A-Za-z0-9_-]+$/.test(fragment)) throw new Error("it is not one that Share makes");
  const bytes = fromBase64(fragment.slice(1).replace(/-/g, "+").replace(/_/g, "/"));
  const found = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await inflate(bytes, "deflate-raw", LIMITS.shared)));
  const isText = one => typeof one === "string";
  if (!isText(found?.document) || !Array.isArray(found.lines) || !found.lines.every(isText)) throw new Error("it has no document and steps");
  if (found.lines.length < 1 || found.lines.length > LIMITS.lines) throw new Error(`it has no step, or more than ${LIMITS.lines}`);
  for (const line of found.lines) {
    const value = JSON.parse(line);
    if (line.includes("\n") || value === null || typeof value !== "object" || !Number.isFinite(value.advance ?? 0)) throw new Error("a step is not a JSON object");
  }
  return found;
}

async function open() {
  const fragment = location.hash.slice(1);
  say("wrong", "");
  let found = { document: Object.values(examples)[0], lines: [JSON.stringify({ start: null })] };
  try {
    if (fragment !== "") found = await readFragment(fragment);
  } catch (error) {
    say("wrong", `What is behind the # of the address cannot be read: ${error.message}. This is an example instead.`);
  }
  editor.value = found.document;
  lines = found.lines;
  checkedText = null;
  await change();
}

/* ---- putting it together ---- */

let pause = 0;

function edited() {
  clearTimeout(pause);
  pause = setTimeout(change, 300);
  say("shared", "");
}

function submit(id, act) {
  byId(id).addEventListener("submit", event => {
    event.preventDefault();
    attempt(act);
  });
}

function listen() {
  editor.addEventListener("input", event => {
    if (offersAreWanted(event)) showOffers();
    else if (offers.length > 0 && event.inputType?.startsWith("delete")) showOffers();
    else closeOffers();
    edited();
  });
  editor.addEventListener("keydown", pressKey);
  editor.addEventListener("blur", closeOffers);
  editor.addEventListener("click", closeOffers);
  byId("share").addEventListener("click", share);
  byId("verify").addEventListener("click", verify);
  byId("states").addEventListener("change", verify);
  byId("undo").addEventListener("click", () => step(() => lines.slice(0, Math.max(1, lines.length - 1))));
  byId("restart").addEventListener("click", () => attempt(() => {
    const start = JSON.stringify({ start: jsonOf(byId("input"), null) });
    return step(() => [start]);
  }));
  submit("send", () => add({ event: byId("event").value, data: jsonOf(byId("data"), null) }));
  submit("wait", () => add({ advance: Number(byId("ms").value) }));
  submit("other", () => add(jsonOf(byId("line"), {})));
  byId("example").addEventListener("change", event => {
    if (!Object.hasOwn(examples, event.target.value)) return;
    editor.value = examples[event.target.value];
    checkedText = null;
    lines = [JSON.stringify({ start: null })];
    change();
  });
  for (const name of Object.keys(examples)) byId("example").append(element("option", name, { value: name }));
  addEventListener("hashchange", open);
}

async function begin() {
  listen();
  try {
    await loadModule();
    await open();
  } catch (error) {
    say("wrong", `This browser cannot run the page: ${error.message}`);
  }
  document.documentElement.dataset.ready = "true";
}

begin();
