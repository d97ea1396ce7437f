// The graphs of langgraph/*.json on npm's @langchain/langgraph: CASES.json; prints a report as JSON.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const from = createRequire(process.argv[2] + "/");
const { Annotation, Command, END, MemorySaver, Send, START, StateGraph, interrupt } =
  await import(pathToFileURL(from.resolve("@langchain/langgraph")).href);
const cases = JSON.parse(readFileSync(process.argv[3], "utf8"));

const State = Annotation.Root({
  log: Annotation({ reducer: (left, right) => left.concat(right), default: () => [] }),
  n: Annotation(),
});
const named = (name) => ({ START, END })[name] ?? name;
const packet = (one) => (typeof one === "string" ? named(one) : new Send(one.node, one.arg));

function work(spec) {
  return (state) => {
    const update = {};
    if (spec.log !== undefined) update.log = spec.log;
    if (spec.plus !== undefined) update.n = (state.n ?? 0) + spec.plus;
    if (spec.set !== undefined) update.n = spec.set;
    if (spec.tell) update.log = [`${state.n}`];
    for (const question of spec.ask ?? []) update.log = (update.log ?? []).concat([interrupt(question)]);
    if (spec.goto === undefined) return update;
    const goto = spec.goto.map(packet);
    return new Command({ update, goto, ...(spec.parent ? { graph: Command.PARENT } : {}) });
  };
}

function choose(spec) {
  return (state) => {
    if (spec.each) return Array.from({ length: state.n }, (_, n) => new Send(spec.each, { n }));
    return ((state.n ?? 0) < spec.below ? spec.then : spec.else).map(packet);
  };
}

function build(graph) {
  const builder = new StateGraph(State);
  for (const [name, spec] of Object.entries(graph.nodes)) {
    const node = spec.graph ? build(spec.graph) : work(spec);
    builder.addNode(name, node, { ends: spec.ends ?? [], defer: spec.defer ?? false });
  }
  for (const [start, end] of graph.edges) {
    builder.addEdge(Array.isArray(start) ? start : named(start), named(end));
  }
  for (const spec of graph.branches ?? []) builder.addConditionalEdges(named(spec.from), choose(spec));
  return builder.compile({ checkpointer: graph.inner ? undefined : new MemorySaver(), ...graph.options });
}

async function past(graph, config, wanted) {
  for await (const one of graph.getStateHistory(config)) {
    if (one.metadata.step === wanted) return one.config;
  }
  throw new Error(`no step ${wanted}`);
}

async function given(graph, call, config) {
  if (call.resume !== undefined) return new Command({ resume: await answers(graph, call.resume, config) });
  if (call.command) return new Command({ ...call.command, goto: (call.command.goto ?? []).map(packet) });
  return call.input ?? null;
}

async function answers(graph, resume, config) {
  if (!resume?.by) return resume;
  const asked = (await graph.getState(config)).tasks.flatMap((task) => task.interrupts);
  return Object.fromEntries(asked.filter((one) => one.value in resume.by)
    .map((one) => [one.id, resume.by[one.value]]));
}

async function play(graph, call, thread) {
  let config = { configurable: { thread_id: thread } };
  if (call.at !== undefined) config = await past(graph, config, call.at);
  if (call.update !== undefined) {
    await graph.updateState(config, call.update, call.as);
    return null;
  }
  const options = { ...config, streamMode: ["updates", "values"] };
  if (call.limit) options.recursionLimit = call.limit;
  const chunks = [];
  const input = await given(graph, call, config);
  for await (const [mode, chunk] of await graph.stream(input, options)) {
    if (mode === "updates") chunks.push(clean(chunk));
  }
  return chunks.map((one) => JSON.stringify(one)).sort().map((one) => JSON.parse(one));
}

const clean = (chunk) => (chunk.__interrupt__ ? { asked: chunk.__interrupt__.map((one) => one.value) } : chunk);

const shown = (state) => ({
  values: state.values, next: [...state.next].sort(),
  asked: state.tasks.flatMap((task) => task.interrupts.map((one) => one.value)) });

// null: the reference shows no state after writes that it has refused.
async function state(graph) {
  try {
    return shown(await graph.getState({ configurable: { thread_id: "t" } }));
  } catch (problem) {
    return null;
  }
}

async function report(spec) {
  const graph = build(spec.graph);
  const found = [];
  for (const call of spec.calls) {
    let chunks = null, error = null;
    try {
      chunks = await play(graph, call, "t");
    } catch (problem) {
      error = problem.name;
    }
    found.push({ chunks, error, state: await state(graph) });
  }
  return { calls: found, history: await history(graph) };
}

// null: as for the state.
async function history(graph) {
  const found = [];
  try {
    for await (const one of graph.getStateHistory({ configurable: { thread_id: "t" } })) {
      found.push({ step: one.metadata.step, source: one.metadata.source, next: [...one.next].sort(), values: one.values });
    }
  } catch (problem) {
    return null;
  }
  return found;
}

const all = {};
for (const [name, spec] of Object.entries(cases)) all[name] = await report(spec);
console.log(JSON.stringify(all));
