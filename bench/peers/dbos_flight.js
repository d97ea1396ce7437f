// DBOS with PostgreSQL: workflows with four steps in flight. node dbos_flight.js URL COUNT
import { DBOS } from "@dbos-inc/dbos-sdk";

const [, , systemDatabaseUrl, count] = process.argv;
const STEPS = 4;

const flow = DBOS.registerWorkflow(async () => {
  let steps = 0;
  for (let i = 0; i < STEPS; i++) {
    steps = await DBOS.runStep(async () => steps + 1, { name: `step-${i}` });
  }
  return steps;
}, { name: "flow" });

async function fly(number) {
  const ends = await Promise.all(Array.from({ length: number }, () => flow()));
  if (ends.some((end) => end !== STEPS)) throw new Error("it is elsewhere");
}

DBOS.setConfig({ name: "bench", systemDatabaseUrl, logLevel: "error" });
await DBOS.launch();
await fly(50);
const begin = process.hrtime.bigint();
await fly(Number(count));
const spent = Number(process.hrtime.bigint() - begin);
console.log(JSON.stringify({ workflows: Number(count), ns: spent }));
await DBOS.shutdown();
