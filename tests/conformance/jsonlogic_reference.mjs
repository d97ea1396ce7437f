// Evaluates a line [rule, data] after the other with npm's json-logic-engine, and prints the
// result as JSON or '!' and the error's type. With the third argument "raw" it is the engine as
// it is. Otherwise it is changed where wfsm decides otherwise: each of the changes below has its
// name and its reason in jsonlogic_differences.json.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [, , folder, mode] = process.argv;
const { LogicEngine } = await import(pathToFileURL(folder + '/index.js').href);
const unlimited = { maxDepth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity };
const engine = new LogicEngine(undefined, {
    disableInline: true, disableInterpretedOptimization: true, ...(mode === 'raw' ? {} : unlimited),
});
const INVALID = { type: 'Invalid Arguments' };
const isObject = (value) => value !== null && typeof value === 'object';

function set(name, method, lazy = true) {
    engine.methods[name] = lazy ? { method, lazy } : method;
}

// An operator whose operands are evaluated before, changed by wrapping what it does.
function wrap(name, around) {
    const old = engine.methods[name];
    set(name, (...all) => around((operands) => old(operands, ...all.slice(1)), all[0]), false);
}

const listed = (operands) => (Array.isArray(operands) ? operands : [operands]);

// ---- the same JSON ----

const sorted = (value) =>
    !isObject(value) ? value
        : Array.isArray(value) ? value.map(sorted)
            : Object.keys(value).sort().map((key) => [key, sorted(value[key])]);
const alike = (a, b) => isObject(a) && isObject(b) && Array.isArray(a) === Array.isArray(b) &&
    JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

// ---- members ----

const own = (at, key) => isObject(at) && Object.prototype.hasOwnProperty.call(at, key) &&
    !(Array.isArray(at) && key === 'length');

function descend(at, keys) {
    for (const key of keys) {
        if (!own(at, String(key)))
            return undefined;
        at = at[key];
    }
    return at === undefined ? null : at;
}

function climb(levels, context, above) {
    for (let level = 0; level < levels; level++) {
        if (level % 2 === 0) {
            context = above[0];
        } else {
            context = above[1];
            above = above[2];
        }
    }
    return context;
}

const given = (operands, context, above) => engine.run(operands, context, { above });

// Keys and where they begin.
function keyed(operands, context, above) {
    const scoped = Array.isArray(operands) && Array.isArray(operands[0]);
    const rest = scoped ? operands.slice(1) : operands;
    const start = scoped ? climb(Math.abs(operands[0][0]), context, above) : context;
    const keys = given(rest, context, above);
    const list = Array.isArray(keys) ? keys : [keys];
    if (list.some((key) => typeof key !== 'string' && typeof key !== 'number'))
        return undefined;
    return descend(start, list);
}

function read(path, context) {
    if (path === undefined || path === null || path === '')
        return context;
    return descend(context, String(path).split('.'));
}

// ---- bodies ----

function elements(value) {
    if (value !== null && value !== undefined && !Array.isArray(value))
        throw INVALID;
    return value || [];
}

const visit = (body, list, index, element, context, above) =>
    engine.run(body, element, { above: [{ iterator: list, index }, context, above] });

function found(operands, context, above, wanted) {
    const list = elements(given(operands[0], context, above));
    const at = list.findIndex((element, index) => wanted ===
        Boolean(engine.truthy(visit(operands[1], list, index, element, context, above))));
    return { list, at };
}

const changes = {
    'results that are not finite': () => {
        for (const name of ['+', '-', '*', '/', '%']) {
            wrap(name, (old, operands) => {
                const result = old(operands);
                if (!Number.isFinite(result))
                    throw NaN;
                return result;
            });
        }
    },
    'more than two texts compared': () => {
        for (const name of ['==', '!=', '===', '!==', '<', '<=', '>', '>=']) {
            const old = engine.methods[name].method;
            const pair = (a, b) => old([{ preserve: a }, { preserve: b }], null, [], engine);
            set(name, (operands, context, above) => {
                if (!Array.isArray(operands) || operands.length < 2)
                    throw INVALID;
                let before = given(operands[0], context, above);
                for (const operand of operands.slice(1)) {
                    const next = given(operand, context, above);
                    if (!engine.methods[name].pair(before, next))
                        return false;
                    before = next;
                }
                return true;
            });
            engine.methods[name].pair = pair;
        }
    },
    'containers are compared by their content': () => {
        for (const name of ['===', '!==']) {
            const old = engine.methods[name].pair;
            engine.methods[name].pair = (a, b) => (isObject(a) && isObject(b)
                ? alike(a, b) === (name === '===') : old(a, b));
        }
        wrap('in', (old, operands) => (Array.isArray(operands[1]) && isObject(operands[0])
            ? operands[1].some((item) => alike(item, operands[0])) : old(operands)));
    },
    'members only': () => {
        set('val', (operands, context, above) => {
            const value = keyed(operands, context, above);
            return value === undefined ? null : value;
        });
        set('exists', (operands, context, above) =>
            keyed(operands, context, above) !== undefined);
    },
    'the default of var': () => {
        set('var', (operands, context, above) => {
            const computed = Array.isArray(operands) ? given(operands[0], context, above)
                : given(operands, context, above);
            const spread = !Array.isArray(operands) && Array.isArray(computed);
            if (spread && computed.length > 2)
                throw INVALID;
            const value = read(spread ? computed[0] : computed, context);
            if (value !== undefined)
                return value;
            const rest = spread ? computed[1]
                : Array.isArray(operands) && operands.length > 1
                    ? given(operands[1], context, above) : null;
            return rest === undefined ? null : rest;
        });
    },
    'missing counts null and empty text': () => {
        const missing = (keys, context) => (Array.isArray(keys[0]) ? keys[0] : keys)
            .filter((key) => [undefined, null, ''].includes(read(key, context)));
        set('missing', (operands, context, above) => missing(Array.isArray(operands)
            ? given(operands, context, above) : [given(operands, context, above)], context));
        set('missing_some', ([need, keys], context) => {
            if (isObject(need) || Number.isNaN(Number(need)))
                throw NaN;
            const none = missing([listed(keys)], context);
            return listed(keys).length - none.length >= need ? [] : none;
        }, false);
    },
    'the position of every body': () => {
        set('some', (operands, context, above) => found(operands, context, above, true).at >= 0);
        set('none', (operands, context, above) => found(operands, context, above, true).at < 0);
        set('all', (operands, context, above) => {
            const { list, at } = found(operands, context, above, false);
            return list.length > 0 && at < 0;
        });
        set('reduce', (operands, context, above) => {
            const list = elements(given(operands[0], context, above));
            let from = 0, accumulator;
            if (operands.length > 2) {
                accumulator = given(operands[2], context, above);
            } else {
                if (list.length === 0)
                    throw INVALID;
                accumulator = list[from++];
            }
            for (; from < list.length; from++)
                accumulator = visit(operands[1], list, from,
                    { current: list[from], accumulator }, context, above);
            return accumulator;
        });
    },
    'what is no list': () => {
        for (const name of ['map', 'filter']) {
            const old = engine.methods[name].method;
            set(name, (operands, context, above) => {
                const list = elements(given(operands[0], context, above));
                return old([{ preserve: list }, operands[1]], context, above, engine);
            });
        }
    },
    'one operand of !': () => {
        const truth = (operands, context, above) =>
            Boolean(engine.truthy(given(listed(operands)[0], context, above)));
        set('!!', truth);
        set('!', (...all) => !truth(...all));
    },
    'the error that try shows': () => {
        set('throw', (operands, context, above) => {
            const value = given(listed(operands)[0], context, above);
            const whole = isObject(value) && !Array.isArray(value);
            throw { thrown: whole ? value : { type: value === undefined ? null : value } };
        });
        const shown = (error) => (error && error.thrown) ||
            { type: Number.isNaN(error) ? 'NaN' : (error && error.type) || 'Invalid Arguments' };
        set('try', (operands, context, above) => {
            let last, scope = context, around = above;
            for (const operand of listed(operands)) {
                try {
                    return engine.run(operand, scope, { above: around });
                } catch (error) {
                    last = error;
                    scope = shown(error);
                    around = [null, context, above];
                }
            }
            throw last;
        });
    },
    'a negative length given as text': () => {
        wrap('substr', (old, operands) => old(operands.map((operand, index) =>
            (index === 2 && operand !== null ? Number(operand) : operand))));
    },
    'the length of an empty text': () => {
        const old = engine.methods.length.method;
        set('length', (operands, context, above) =>
            (listed(operands)[0] === '' ? 0 : old(operands, context, above, engine)));
    },
    'log': () => {
        set('log', (operands, context, above) => given(listed(operands)[0], context, above));
    },
    'too few and too many operands': () => {
        for (const [name, most] of [['in', 2], ['substr', 3], ['%', Infinity]]) {
            wrap(name, (old, operands) => {
                if (operands.length < 2 || operands.length > most)
                    throw INVALID;
                return old(operands);
            });
        }
    },
    'parts that can only fail': () => {},
    'keys and scopes that lead nowhere': () => {},
};

// ---- what wfsm refuses when the document is loaded ----

const COUNTS = {
    'var': [0, 2], 'missing_some': [2, 2], '==': [2], '===': [2], '!=': [2], '!==': [2],
    '<': [2], '<=': [2], '>': [2], '>=': [2], '!': [0, 1], '!!': [0, 1], 'try': [1],
    'throw': [0, 1], 'max': [1], 'min': [1], '-': [1], '/': [1], '%': [2], 'map': [2, 2],
    'filter': [2, 2], 'all': [2, 2], 'some': [2, 2], 'none': [2, 2], 'reduce': [2, 3],
    'in': [2, 2], 'substr': [2, 3], 'log': [1, 1], 'length': [1, 1],
};
const LISTED = new Set(['missing_some', 'if', '?:', '==', '===', '!=', '!==', '<', '<=', '>',
    '>=', 'and', 'or', '??', 'map', 'filter', 'all', 'some', 'none', 'reduce']);
const SPREADS = new Set(['max', 'min', '+', '-', '*', '/', '%', 'merge', 'in', 'cat',
    'substr']);
const BODIES = new Set(['map', 'filter', 'all', 'some', 'none', 'reduce']);

function checkCount(name, operand) {
    const list = Array.isArray(operand);
    if (!list && LISTED.has(name))
        throw INVALID;
    if (!list && SPREADS.has(name) && isObject(operand))
        return;
    const [least, most = Infinity] = COUNTS[name] || [0];
    const count = list ? operand.length : 1;
    if (count < least || count > most)
        throw INVALID;
}

function checkScope(operand, depth) {
    if (!Array.isArray(operand) || !Array.isArray(operand[0]))
        return 0;
    const [scope, ...rest] = operand[0];
    if (!Number.isInteger(scope) || rest.length > 0 || Math.abs(scope) > 2 * depth)
        throw INVALID;
    if (scope % 2 && operand.length > 1 && !['index', 'iterator'].includes(operand[1]))
        throw INVALID;
    return scope;
}

// Keys that are known are texts or numbers.
function checkKeys(keys, single) {
    let values;
    try {
        values = keys.map((key) => engine.run(key, null));
    } catch {
        return; // it is caught around them
    }
    for (const value of single && Array.isArray(values[0]) ? values[0] : values)
        if (typeof value !== 'string' && typeof value !== 'number')
            throw INVALID;
}

// What keeps a part from being constant. Throws when it is refused.
function check(rule, depth, trying) {
    let reads = false, stays = false;
    const join = (part, body) => {
        reads ||= part.reads && !body;
        stays ||= part.stays;
    };
    if (Array.isArray(rule)) {
        rule.forEach((part) => join(check(part, depth, trying), false));
        return { reads, stays };
    }
    if (!isObject(rule))
        return { reads, stays };
    const [name] = Object.keys(rule);
    const operand = rule[name];
    if (name === 'preserve')
        return { reads, stays };
    checkCount(name, operand);
    const keyed = name === 'val' || name === 'exists';
    const climbs = keyed && checkScope(operand, depth) !== 0;
    const inner = trying || name === 'try';
    const parts = keyed && Array.isArray(operand) && Array.isArray(operand[0])
        ? operand.slice(1) : listed(operand);
    parts.forEach((part, index) => {
        const body = (BODIES.has(name) && index === 1) || (name === 'try' && index > 0);
        join(check(part, depth + body, inner), body);
    });
    if (keyed && !reads && !stays)
        checkKeys(parts, !Array.isArray(operand));
    reads ||= ['var', 'val', 'exists', 'missing', 'missing_some'].includes(name);
    stays ||= name === 'throw' || climbs;
    if (!reads && !stays && !trying)
        engine.run(rule, null);
    return { reads, stays };
}

if (mode === 'names') {
    console.log(JSON.stringify(Object.keys(changes)));
    process.exit(0);
}
if (mode !== 'raw')
    Object.values(changes).forEach((change) => change());

const finite = (value) => (typeof value === 'number' ? value + 0 : value);
const typeOf = (error) => (Number.isNaN(error) ? 'NaN' : (error && error.type) || 'error');

createInterface({ input: process.stdin }).on('line', (line) => {
    const [rule, data] = JSON.parse(line);
    let result;
    try {
        if (mode !== 'raw')
            check(rule, 0, false);
        result = engine.run(rule, data);
    } catch (error) {
        process.stdout.write('!' + typeOf(error) + '\n');
        return;
    }
    process.stdout.write((result === undefined ? 'null' : JSON.stringify(finite(result))) +
        '\n');
});
