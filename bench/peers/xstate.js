// XState: an actor of cycle.json, its rules as functions, in memory; and with its snapshot in
// SQLite after each transition.
import { readFileSync } from "node:fs";
import { createActor, setup, assign } from "xstate";
import Database from "better-sqlite3";

const CYCLE = [
  "START", "ANALYSIS_COMPLETE", "SPAWN_AGENT", "AGENT_DONE", "ENTER_TEST_PHASE",
  "TESTS_FAILED", "START_FIX", "FIX_COMPLETE", "ALL_TESTS_PASS", "TESTS_PASSED_CONTINUE",
  "WORKFLOW_COMPLETE", "FINALIZE",
];
const [file, folder] = process.argv.slice(2);

const print = (figure, value, unit, floor) =>
  console.log(JSON.stringify({ workload: "peers", figure, value, unit, floor }));

// The rules that occur in the document.
function rule(expression) {
  if (expression === null || typeof expression !== "object") return () => expression;
  const [operator, given] = Object.entries(expression)[0];
  if (operator === "var") {
    const key = given.split(".")[1];
    return (context) => context[key];
  }
  const operands = (Array.isArray(given) ? given : [given]).map(rule);
  const [a, b] = operands;
  switch (operator) {
    case "or": return (context) => operands.some((one) => one(context));
    case "and": return (context) => operands.every((one) => one(context));
    case "!": return (context) => !a(context);
    case ">": return (context) => a(context) > b(context);
    case ">=": return (context) => a(context) >= b(context);
    case "<": return (context) => a(context) < b(context);
    case "===": return (context) => a(context) === b(context);
    case "+": return (context) => a(context) + b(context);
    default: throw new Error(`an operator that is not known here: ${operator}`);
  }
}

function transition(given) {
  if (typeof given === "string") return { target: given };
  const made = { ...given };
  if (given.guard) {
    const test = rule(given.guard);
    made.guard = ({ context }) => Boolean(test(context));
  }
  if (given.actions) {
    const values = Object.entries(given.actions.params).map(([key, value]) => [key, rule(value)]);
    made.actions = assign(({ context }) =>
      Object.fromEntries(values.map(([key, value]) => [key, value(context)])));
  }
  return made;
}

const handlers = (on) =>
  Object.fromEntries(Object.entries(on ?? {}).map(([name, one]) => [name, transition(one)]));

function machine() {
  const { id, initial, context, on, states } = JSON.parse(readFileSync(file, "utf8"));
  const made = {};
  for (const [name, state] of Object.entries(states)) made[name] = { tags: state.tags, on: handlers(state.on) };
  return setup({}).createMachine({ id, initial, context, on: handlers(on), states: made });
}

function cycle(actor, after = () => {}) {
  for (const type of CYCLE) {
    actor.send({ type });
    after(actor);
  }
}

function memory(actor) {
  for (let i = 0; i < 2000; i++) cycle(actor);
  const begin = process.hrtime.bigint();
  const cycles = 10000;
  for (let i = 0; i < cycles; i++) cycle(actor);
  const spent = Number(process.hrtime.bigint() - begin);
  if (actor.getSnapshot().value !== "COMPLETED") throw new Error("it is elsewhere");
  print("xstate actor", spent / cycles / CYCLE.length, "ns", "name+time+entry/hot");
}

function durable(actor) {
  const db = new Database(`${folder}/xstate.db`);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.exec("CREATE TABLE snapshot (id TEXT PRIMARY KEY, snapshot TEXT) STRICT");
  const put = db.prepare("INSERT OR REPLACE INTO snapshot VALUES ('one', ?)");
  const save = () => put.run(JSON.stringify(actor.getPersistedSnapshot()));
  cycle(actor, save);
  const begin = process.hrtime.bigint();
  const cycles = 60;
  for (let i = 0; i < cycles; i++) cycle(actor, save);
  const spent = Number(process.hrtime.bigint() - begin);
  print("xstate, snapshot in SQLite, FULL", (cycles * CYCLE.length * 1e9) / spent, "/s", "wfsm/full/1");
  db.close();
}

const actor = createActor(machine()).start();
memory(actor);
durable(actor);
