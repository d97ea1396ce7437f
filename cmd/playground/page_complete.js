/* What may stand at the cursor is offered. */

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
