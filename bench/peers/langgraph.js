// LangGraph.js with its checkpointer for SQLite: a graph of one node that goes round, one
// checkpoint for each step, under FULL.
import Database from "better-sqlite3";
import { Annotation, StateGraph, START, END } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";

const [, folder] = process.argv.slice(2);
const STEPS = 1000;

const State = Annotation.Root({ step: Annotation(), state: Annotation(), retries: Annotation() });
const graph = new StateGraph(State)
  .addNode("move", ({ step }) => ({ step: step + 1, state: `S${step % 12}` }))
  .addEdge(START, "move")
  .addConditionalEdges("move", ({ step }) => (step % STEPS === 0 ? END : "move"));

const db = new Database(`${folder}/langgraph.db`);
const saver = new SqliteSaver(db);
const app = graph.compile({ checkpointer: saver });

async function round(thread) {
  const config = { configurable: { thread_id: thread }, recursionLimit: STEPS + 10 };
  const end = await app.invoke({ step: 0, state: "S0", retries: 0 }, config);
  if (end.step !== STEPS) throw new Error("it is elsewhere");
}

await round("warm");
db.pragma("synchronous = FULL");
const begin = process.hrtime.bigint();
await round("one");
const spent = Number(process.hrtime.bigint() - begin);
console.log(JSON.stringify({
  workload: "peers", figure: "langgraph.js, SQLite, FULL", value: (STEPS * 1e9) / spent,
  unit: "/s", floor: "wfsm/full/1",
}));
db.close();
