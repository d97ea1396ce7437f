/* JSON that is being typed: what is there so far, and where the cursor is in it. */

/* {path, keys, key, value, from, to}: path, the keys and indexes from the root to the object or list that the cursor is in;
 * here, what that holds; at, "key" or "value"; name, the key of the value; typed, the text before the
 * cursor, without its quotation mark; from and to, the range that a completion replaces. null: no completion fits. */
export function placeIn(text, cursor) {
  const root = { type: "root", items: [] };
  let open = root, at = 0, found = null;
  const stack = [root];
  const add = value => {
    if (open.type === "object") {
      if (open.key !== null) open.value[open.key] = value;
      open.key = open.key === null && typeof value === "string" ? value : null;
    } else if (open.type === "array") {
      open.value.push(value);
    } else {
      open.items.push(value);
    }
  };
  const note = (from, to, quoted) => {
    if (found || cursor < from + (quoted ? 1 : 0) || cursor > to) return;
    found = { stack: [...stack], isKey: open.type === "object" && open.key === null, name: open.key, index: open.value?.length,
              from, to, quoted, typed: text.slice(from + (quoted ? 1 : 0), cursor) };
  };
  const enter = (type, value) => {
    add(value);
    const name = open.type === "array" ? open.value.length - 1 : open.lastKey;
    open = { type, value, key: null, name };
    stack.push(open);
  };
  while (at < text.length) {
    const c = text[at];
    if (c === "\"") {
      let end = at + 1;
      while (end < text.length && text[end] !== "\"" && text[end] !== "\n") end += text[end] === "\\" ? 2 : 1;
      let closed = text[end] === "\"";
      /* What is being typed may have no end yet: then the next quotation mark begins another text. */
      if (cursor > at && cursor <= end && !/^"\s*([,:}\]]|$)/.test(text.slice(end, end + 200))) {
        closed = false;
        for (end = cursor; /[\w$.#*-]/.test(text[end] ?? ""); end++);
      }
      note(at, Math.min(end, text.length), true);
      if (found && found.from === at) found.to = Math.min(closed ? end + 1 : end, text.length);
      let word = text.slice(at + 1, end);
      try { word = JSON.parse(`"${word}"`); } catch { /* as it is typed */ }
      if (open.type === "object" && open.key === null) {
        if (!(found && found.from === at)) {
          open.key = word;
          open.lastKey = word;
          open.value[word] ??= null;
        }
      } else if (!(found && found.from === at)) {
        add(word);
      } else if (open.type === "object") {
        open.key = null;
      }
      at = closed ? end + 1 : Math.max(end, at + 1);
    } else if (c === "{" || c === "[") {
      note(at, at, false);
      enter(c === "{" ? "object" : "array", c === "{" ? Object.create(null) : []);
      at++;
    } else if (c === "}" || c === "]") {
      note(at, at, false);
      if (stack.length > 1) stack.pop();
      open = stack[stack.length - 1];
      open.key = null;
      at++;
    } else if (/[-\w.+]/.test(c)) {
      let end = at;
      while (end < text.length && /[-\w.+]/.test(text[end])) end++;
      note(at, end, false);
      const word = text.slice(at, end);
      if (!(found && found.from === at)) add({ true: true, false: false, null: null }[word] ?? (isNaN(word) ? word : Number(word)));
      else if (open.type === "object") open.key = null;
      at = end;
    } else {
      if (c === ",") {
        note(at, at, false);
        open.key = null;
      } else if (cursor === at) {
        note(at, at, false);
      }
      at++;
    }
  }
  note(text.length, text.length, false);
  if (!found || found.stack.length < 2) return null;
  const holders = found.stack.slice(1), here = holders[holders.length - 1];
  return { root: holders[0].value, holders: holders.map(one => one.value), path: holders.slice(1).map(one => one.name), here: here.value,
           at: here.type === "object" && found.isKey ? "key" : "value", name: here.type === "array" ? found.index : found.name,
           typed: found.typed, quoted: found.quoted, from: found.from, to: found.to };
}
