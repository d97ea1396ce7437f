// LangGraph.js with its checkpointer for SQLite: 1,000 workflows of five steps in flight, FULL.
import Database from "better-sqlite3";
import { Annotation, StateGraph, START, END } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";

const [, , folder] = process.argv;
const STEPS = 5, FLIGHT = 1000;

const State = Annotation.Root({ step: Annotation(), state: Annotation() });
const graph = new StateGraph(State)
  .addNode("move", ({ step }) => ({ step: step + 1, state: `S${step}` }))
  .addEdge(START, "move")
  .addConditionalEdges("move", ({ step }) => (step === STEPS ? END : "move"));

const db = new Database(`${folder}/langgraph.db`);
const app = graph.compile({ checkpointer: new SqliteSaver(db) });

async function fly(thread) {
  const end = await app.invoke({ step: 0, state: "" }, { configurable: { thread_id: thread } });
  if (end.step !== STEPS) throw new Error("it is elsewhere");
}

await fly("warm");
db.pragma("synchronous = FULL");
const begin = process.hrtime.bigint();
await Promise.all(Array.from({ length: FLIGHT }, (_, i) => fly(`flow-${i}`)));
const spent = Number(process.hrtime.bigint() - begin);
console.log(JSON.stringify({
  workload: "peers", figure: "langgraph.js, FULL: steps", value: (STEPS * FLIGHT * 1e9) / spent,
  unit: "/s",
}));
db.close();
