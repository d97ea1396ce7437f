/* The document is verified while it is typed. */

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
