// Evaluates a line [rule, data] after the other with npm's json-logic-js, changed only where
// doc/jsonlogic.md says that wfsm decides otherwise. A line of '!' is a thrown error.
'use strict';
const logic = require(process.argv[2]);
const write = (text) => process.stdout.write(text);
console.log = () => {};

// What is not finite is null, and there is no -0.
const finite = (value) =>
    typeof value === 'number' ? (Number.isFinite(value) ? value + 0 : null) : value;

// Arrays and objects are equal when they say the same.
const sorted = (value) =>
    value === null || typeof value !== 'object' ? value
        : Array.isArray(value) ? value.map(sorted)
            : Object.keys(value).sort().map((key) => [key, sorted(value[key])]);
const container = (value) => value !== null && typeof value === 'object';
const same = (a, b) => Array.isArray(a) === Array.isArray(b) &&
    JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
const strict = (a, b) => (container(a) && container(b) ? same(a, b) : a === b);
const loose = (a, b) => (container(a) && container(b) ? same(a, b) : a == b);

const parsed = (value) => parseFloat(value);
const operations = {
    '==': loose,
    '===': strict,
    '!=': (a, b) => !loose(a, b),
    '!==': (a, b) => !strict(a, b),
    'in': (a, b) => (Array.isArray(b) ? b.some((item) => strict(a, item))
        : typeof b === 'string' && b !== '' && b.includes(String(a))),
    '+': (...all) => finite(all.reduce((sum, value) => sum + parsed(value), 0)),
    '*': (...all) => (all.length < 2 ? all.length ? all[0] : null
        : finite(all.reduce((product, value) => product * parsed(value), 1))),
    '-': (a, b) => finite(b === undefined ? -a : a - b),
    '/': (a, b) => finite(a / b),
    '%': (a, b) => finite(a % b),
    'min': (...all) => finite(Math.min(...all)),
    'max': (...all) => finite(Math.max(...all)),
};

// By code points; a negative length given as text is a number, too.
operations.substr = (source, start, span) => {
    const points = Array.from(String(source));
    const from = Math.trunc(Number(start)) || 0;
    const rest = points.slice(from);
    const length = span === undefined ? rest.length : Math.trunc(Number(span)) || 0;
    return rest.slice(0, length < 0 ? Math.max(0, rest.length + length) : length).join('');
};
// Without operands these are undefined there.
operations.log = (value) => (value === undefined ? null : value);
for (const [name, run] of Object.entries(operations))
    logic.add_operation(name, run);

// Members only: no length, no characters of strings.
function read(path, fallback) {
    let at = this;
    if (path === undefined || path === null || path === '')
        return at;
    for (const key of String(path).split('.')) {
        if (!container(at) || !Object.prototype.hasOwnProperty.call(at, key) ||
            (Array.isArray(at) && key === 'length'))
            return fallback === undefined ? null : fallback;
        at = at[key];
    }
    return at;
}
logic.add_operation('var', read);

// A key is a path, also when it is a list; there it would be a path and a default.
logic.add_operation('missing', function (...keys) {
    return (Array.isArray(keys[0]) ? keys[0] : keys)
        .filter((key) => ['', null].includes(read.call(this, key)));
});

require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const [rule, data] = JSON.parse(line);
    let result;
    try {
        result = logic.apply(rule, data);
    } catch (error) {
        write('!' + error.message + '\n');
        return;
    }
    write((result === undefined ? 'null' : JSON.stringify(finite(result))) + '\n');
});
