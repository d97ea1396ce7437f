/* The command wfsm in WebAssembly, many times: node serve.mjs WASM WASI.JS. A line of JSON for each run:
 * {args, input}, answered by {code, out, err}. Files that the arguments name are read; nothing is written.
 * It uses what the page uses. */
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const [wasm, wasi] = process.argv.slice(2);
const { runCommand } = await import(pathToFileURL(wasi));
const module = new WebAssembly.Module(fs.readFileSync(wasm));

function run({ args, input }) {
  const files = {};
  for (const one of args)
    if (path.isAbsolute(one) && fs.existsSync(one)) files[one] = fs.readFileSync(one);
  return runCommand(module, args, files, input);
}

for await (const line of readline.createInterface({ input: process.stdin }))
  process.stdout.write(JSON.stringify(run(JSON.parse(line))) + "\n");
