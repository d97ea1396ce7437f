// A client of the protocol's own SDK talks to `wfsm mcp`; it prints what it has seen, as JSON.
// usage: node mcp_client.mjs SDK WFSM STORE DOCUMENT
const [sdk, command, store, document] = process.argv.slice(2);
const { Client } = await import(`${sdk}/dist/esm/client/index.js`);
const { StdioClientTransport } = await import(`${sdk}/dist/esm/client/stdio.js`);
const { ElicitRequestSchema } = await import(`${sdk}/dist/esm/types.js`);

const transport = new StdioClientTransport({
  command, args: ['mcp', '--machines', document, '--as', 'ada', store], env: process.env });
const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} } } });
const seen = { asked: [] };
client.setRequestHandler(ElicitRequestSchema, async request => {
  seen.asked.push(request.params.message);
  return { action: 'accept', content: { decision: 'approve', reason: 'fine' } };
});
await client.connect(transport);
seen.server = client.getServerVersion().name;
seen.tools = (await client.listTools()).tools.map(tool => tool.name).sort();
const started = await client.callTool({ name: 'start_ship', arguments: { id: 'one', input: { n: 3 } } });
seen.started = started.structuredContent.configuration;
seen.voted = (await client.callTool({ name: 'ask', arguments: { id: 'one' } })).content[0].text;
seen.resources = (await client.listResources()).resources.map(one => one.uri);
seen.read = JSON.parse((await client.readResource({ uri: 'wfsm://state/one' })).contents[0].text).id;
const tasks = client.experimental.tasks;
for await (const message of tasks.callToolStream(
    { name: 'start_ship', arguments: { id: 'two' } }, undefined, { task: { ttl: 60000 } })) {
  seen.created = message.task.taskId;
  break;
}
seen.status = (await tasks.getTask('two')).status;
seen.tasks = (await tasks.listTasks()).tasks.map(task => task.taskId);
await client.close();
console.log(JSON.stringify(seen));
