/* A unit test in WebAssembly: node unit.mjs WASM WASI.JS ROOT [ARGUMENT…]. It finds tests/cases of ROOT
 * as /tests/cases. */
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [wasm, wasi, root, ...args] = process.argv.slice(2);
const { Host, WASI, runHost } = await import(pathToFileURL(wasi));
const DIRECTORY_ENTRY = 24;

/* Folders, too, as opendir() and readdir() read them. */
class Folders extends Host {
  path_open(folder, lookup, at, length, how, rights, inherited, flags, fd) {
    const name = "/" + new TextDecoder().decode(this.bytes(at, length));
    const found = path.join(root, name);
    if (name.startsWith("/tests/cases") && fs.existsSync(found)) {
      const folder = fs.statSync(found).isDirectory();
      this.files.set(name, folder ? new Uint8Array() : fs.readFileSync(found));
      const status = super.path_open(folder, lookup, at, length, how & ~2, rights, inherited, flags, fd);
      if (folder) this.open.get(this.view.getUint32(fd, true)).names = fs.readdirSync(found);
      return status;
    }
    return WASI.NOENT;
  }

  fd_readdir(fd, at, room, cookie, used) {
    const { names } = this.open.get(fd);
    let sum = 0;
    for (let i = Number(cookie); i < names.length; i++) {
      const name = new TextEncoder().encode(names[i]), entry = new Uint8Array(DIRECTORY_ENTRY + name.length);
      const view = new DataView(entry.buffer);
      view.setBigUint64(0, BigInt(i + 1), true);
      view.setBigUint64(8, 1n, true);
      view.setUint32(16, name.length, true);
      view.setUint8(20, WASI.REGULAR);
      entry.set(name, DIRECTORY_ENTRY);
      const part = entry.subarray(0, room - sum);
      this.bytes(at + sum, part.length).set(part);
      sum += part.length;
      if (sum === room) break;
    }
    this.view.setUint32(used, sum, true);
    return WASI.OK;
  }
}

const host = new Folders(["test", ...args], {}, "");
const done = runHost(new WebAssembly.Module(fs.readFileSync(wasm)), host);
fs.writeSync(1, done.out);
fs.writeSync(2, done.err);
process.exit(done.code < 0 ? 134 : done.code);
