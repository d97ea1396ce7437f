/* Runs the command in WebAssembly: arguments, files in memory and the standard input go in, what it
 * prints and its exit code come out. Each call has a memory of its own, so that nothing is left of
 * the call before, however it ended.
 *
 * This is the part of WASI preview 1 that the command uses. There is one folder, "/", with files
 * that can only be read; no other folder, no network, no randomness. */
export const WASI = { OK: 0, BADF: 8, INVAL: 28, NOENT: 44, NOTSUP: 58, SPIPE: 70, ROFS: 69, REGULAR: 4 };
const OPEN_WRITES = 0x1 | 0x8; /* creates, truncates */

class Exit extends Error {
  constructor(code) {
    super(`exit ${code}`);
    this.code = code;
  }
}

class Output {
  constructor() {
    this.parts = [];
  }

  add(bytes) {
    this.parts.push(bytes.slice());
  }

  text() {
    const all = new Uint8Array(this.parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of this.parts) {
      all.set(part, at);
      at += part.length;
    }
    return new TextDecoder().decode(all);
  }
}

export class Host {
  constructor(args, files, input) {
    const encode = text => typeof text === "string" ? new TextEncoder().encode(text) : text;
    this.args = args.map(one => encode(one + "\0"));
    this.files = new Map(Object.entries(files).map(([path, data]) => [path, encode(data)]));
    this.out = [null, new Output(), new Output()];
    this.open = new Map([[0, { data: encode(input), at: 0 }]]);
  }

  get view() {
    return new DataView(this.memory.buffer);
  }

  bytes(at, length) {
    return new Uint8Array(this.memory.buffer, at, length);
  }

  /* Arguments. */
  args_sizes_get(count, size) {
    this.view.setUint32(count, this.args.length, true);
    this.view.setUint32(size, this.args.reduce((sum, one) => sum + one.length, 0), true);
    return WASI.OK;
  }

  args_get(list, room) {
    for (const one of this.args) {
      this.view.setUint32(list, room, true);
      this.bytes(room, one.length).set(one);
      list += 4;
      room += one.length;
    }
    return WASI.OK;
  }

  /* There is no environment. */
  environ_sizes_get(count, size) {
    this.view.setUint32(count, 0, true);
    this.view.setUint32(size, 0, true);
    return WASI.OK;
  }

  environ_get() {
    return WASI.OK;
  }

  /* Files. */
  fd_prestat_get(fd, at) {
    if (fd !== 3) return WASI.BADF;
    this.view.setUint32(at, 0, true);
    this.view.setUint32(at + 4, 1, true);
    return WASI.OK;
  }

  fd_prestat_dir_name(fd, at, length) {
    if (fd !== 3 || length < 1) return WASI.BADF;
    this.bytes(at, 1)[0] = "/".charCodeAt(0);
    return WASI.OK;
  }

  path_open(folder, lookup, path, length, how, rights, inherited, flags, fd) {
    const data = this.files.get("/" + new TextDecoder().decode(this.bytes(path, length)));
    if (how & OPEN_WRITES) return WASI.ROFS;
    if (!data) return WASI.NOENT;
    let number = 4;
    while (this.open.has(number)) number++;
    this.open.set(number, { data, at: 0 });
    this.view.setUint32(fd, number, true);
    return WASI.OK;
  }

  fd_close(fd) {
    this.open.delete(fd);
    return WASI.OK;
  }

  fd_read(fd, list, count, read) {
    const file = this.open.get(fd);
    if (!file) return WASI.BADF;
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const at = this.view.getUint32(list + 8 * i, true), room = this.view.getUint32(list + 8 * i + 4, true);
      const part = file.data.subarray(file.at, file.at + room);
      this.bytes(at, part.length).set(part);
      file.at += part.length;
      sum += part.length;
    }
    this.view.setUint32(read, sum, true);
    return WASI.OK;
  }

  fd_write(fd, list, count, written) {
    if (fd !== 1 && fd !== 2) return WASI.BADF;
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const at = this.view.getUint32(list + 8 * i, true), length = this.view.getUint32(list + 8 * i + 4, true);
      this.out[fd].add(this.bytes(at, length));
      sum += length;
    }
    this.view.setUint32(written, sum, true);
    return WASI.OK;
  }

  fd_seek(fd, offset, whence, result) {
    const file = this.open.get(fd);
    if (!file || fd === 0) return WASI.SPIPE;
    const to = Number(offset) + [0, file.at, file.data.length][whence];
    if (!(to >= 0)) return WASI.INVAL;
    file.at = to;
    this.view.setBigUint64(result, BigInt(to), true);
    return WASI.OK;
  }

  fd_fdstat_get(fd, at) {
    this.bytes(at, 24).fill(0);
    this.view.setUint8(at, this.open.has(fd) && fd > 0 ? WASI.REGULAR : 0);
    this.view.setBigUint64(at + 8, ~0n & 0x1fffffffn, true);
    return WASI.OK;
  }

  fd_fdstat_set_flags() {
    return WASI.OK;
  }

  path_create_directory() {
    return WASI.ROFS;
  }

  path_unlink_file() {
    return WASI.ROFS;
  }

  /* For the time limit of a verification. */
  clock_time_get(clock, precision, at) {
    this.view.setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
    return WASI.OK;
  }

  proc_exit(code) {
    throw new Exit(code);
  }
}

/* {code, out, err}. What traps, as an overflow of the stack does, has the code -1. */
export function runCommand(module, args, files = {}, input = "") {
  return runHost(module, new Host(["wfsm", ...args], files, input));
}

export function runHost(module, host) {
  const imports = {};
  for (const { name } of WebAssembly.Module.imports(module))
    imports[name] = typeof host[name] === "function" ? host[name].bind(host) : () => WASI.NOTSUP;
  let code = 0;
  try {
    const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports });
    host.memory = instance.exports.memory;
    instance.exports._start();
  } catch (error) {
    code = error instanceof Exit ? error.code : -1;
    if (code === -1) host.out[2].add(new TextEncoder().encode(`it ended: ${error.message}\n`));
  }
  return { code, out: host.out[1].text(), err: host.out[2].text() };
}
