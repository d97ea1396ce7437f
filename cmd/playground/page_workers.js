/* The command runs in workers, so the page answers meanwhile. */

/* One worker. A new call ends the one before, if `replaces`; a call that takes too long is ended, too. */
class Runner {
  constructor(seconds, replaces) {
    Object.assign(this, { seconds, replaces, last: 0, worker: null, waiting: new Map() });
  }

  start() {
    this.worker = new Worker(Runner.address ??= URL.createObjectURL(new Blob([part("worker")], { type: "text/javascript" })));
    this.worker.postMessage({ module });
    this.worker.onmessage = ({ data }) => this.finish(data.id, data);
    this.worker.onerror = event => this.stop(`the worker failed: ${event.message}`);
  }

  finish(id, answer) {
    const call = this.waiting.get(id);
    if (!call) return;
    clearTimeout(call.timer);
    this.waiting.delete(id);
    call.done(answer);
  }

  /* Its calls get an answer with the code -2. */
  stop(why) {
    this.worker?.terminate();
    this.worker = null;
    for (const id of [...this.waiting.keys()]) this.finish(id, { code: -2, out: "", err: why });
  }

  run(args, text, input = "") {
    if (this.replaces && this.waiting.size > 0) this.stop("");
    if (!this.worker) this.start();
    const id = ++this.last;
    return new Promise(done => {
      const timer = setTimeout(() => this.stop(`it took longer than ${this.seconds} seconds`), this.seconds * 1000);
      this.waiting.set(id, { done, timer });
      this.worker.postMessage({ id, args, files: { [FILE]: text }, input });
    });
  }
}

/* Apart, so that a long verification delays nothing. */
const quick = new Runner(LIMITS.seconds, false), verifier = new Runner(LIMITS.verifySeconds + 10, true);

async function inflate(bytes, format, most) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format));
  const parts = [], reader = stream.getReader();
  let length = 0;
  for (let one = await reader.read(); !one.done; one = await reader.read()) {
    length += one.value.length;
    if (length > most) {
      await reader.cancel();
      throw new Error(`it is larger than ${most} bytes`);
    }
    parts.push(one.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function fromBase64(text) {
  return Uint8Array.from(atob(text), c => c.charCodeAt(0));
}

async function loadModule() {
  module = await WebAssembly.compile(await inflate(fromBase64(part("wasm")), "gzip", 64 << 20));
}
