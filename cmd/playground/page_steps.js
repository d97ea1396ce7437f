/* An instance of the document takes steps. */

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
