/* A document is checked and drawn while it is typed. */

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
