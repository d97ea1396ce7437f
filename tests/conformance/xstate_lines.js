// One case on each line, {machine, guards, script}: what npm's xstate does, as a line of JSON: for the
// start and each element of the script, the active states without children and the names of the actions.
const {createMachine, createActor, fromCallback, SimulatedClock} = require(process.argv[2]);

function leaves(value, path) {
    if (typeof value === 'string')
        return [[...path, value].join('.')];
    const found = Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
    return found.length ? found : [path.join('.')];
}

function collect(node, key, found) {
    for (const [name, value] of Object.entries(node ?? {})) {
        if (key.includes(name))
            for (const one of [value].flat())
                found.add(one.type ?? one);
        if (typeof value === 'object')
            collect(value, key, found);
    }
    return found;
}

function implementations(one, done) {
    const every = (keys, make) =>
        Object.fromEntries([...collect(one.machine, keys, new Set())].map((name) => [name, make(name)]));
    return {
        actions: every(['actions', 'entry', 'exit'], (name) => () => done.push(name)),
        guards: every(['guard'], (name) => () => one.guards?.[name] ?? false),
        actors: every(['src'], () => fromCallback(() => {})),
    };
}

function play(one) {
    const done = [], clock = new SimulatedClock(), report = [];
    const actor = createActor(createMachine(one.machine, implementations(one, done)), {clock});
    const note = () => report.push([leaves(actor.getSnapshot().value, []).sort(), done.splice(0)]);
    actor.start();
    note();
    for (const step of one.script) {
        if (step.after)
            clock.increment(step.after);
        else if (step.done)
            actor.send({type: `xstate.done.actor.${step.done}`});
        else if (step.fail)
            actor.send({type: `xstate.error.actor.${step.fail}`, error: {}});
        else
            actor.send({type: step});
        note();
    }
    return report;
}

require('readline').createInterface({input: process.stdin}).on('line', (line) => {
    process.stdout.write(JSON.stringify(play(JSON.parse(line))) + '\n');
});
