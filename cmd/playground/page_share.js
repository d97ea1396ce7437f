/* A document travels in the fragment of the address. */

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
