/* One of these answers the page: {id, args, files, input} → {id, code, out, err}. The page ends a worker
 * that takes too long, and starts another. */
let module = null;
onmessage = ({ data }) => {
  if (data.module) {
    module = data.module;
    return;
  }
  postMessage({ id: data.id, ...runCommand(module, data.args, data.files, data.input) });
};
