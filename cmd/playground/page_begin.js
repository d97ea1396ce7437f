/* The page begins. */

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
