/* What can stand at the cursor, as the JSON Schema of documents has it. */
const MOST_OFFERS = 100;

/* As far as the conditions (`if`) of the schema need it. */
export function conforms(schema, value) {
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  if (schema.type === "object" && !isObject) return false;
  if ("const" in schema && value !== schema.const) return false;
  if (schema.enum && !schema.enum.includes(value)) return false;
  if (!isObject) return true;
  return (schema.required ?? []).every(key => key in value) && Object.keys(value).length >= (schema.minProperties ?? 0) &&
    Object.entries(schema.properties ?? {}).every(([key, part]) => part === true || !(key in value) || conforms(part, value[key]));
}

const resolve = (reference, root) => reference?.split("/").slice(1).reduce((at, key) => at?.[key], root);

/* The schema and what it refers to, without alternatives: a list. */
export function expand(schema, value, root, depth = 0) {
  if (!schema || typeof schema !== "object" || depth > 30) return [];
  const all = [schema], add = part => all.push(...expand(part, value, root, depth + 1));
  if (schema.$ref) add(resolve(schema.$ref, root));
  for (const key of ["anyOf", "oneOf", "allOf"]) for (const part of schema[key] ?? []) add(part);
  if (schema.if) add(conforms(schema.if, value) ? schema.then : schema.else);
  return all;
}

/* The schemas of a member or an item. */
function inside(schemas, name) {
  return schemas.flatMap(schema => {
    if (typeof name === "number") return schema.items ? [schema.items] : [];
    const own = schema.properties?.[name];
    if (own && own !== true) return [own];
    return own === undefined && typeof schema.additionalProperties === "object" ? [schema.additionalProperties] : [];
  });
}

function schemasAt(place, root) {
  let schemas = expand(root, place.holders[0], root);
  place.path.forEach((name, i) => {
    schemas = inside(schemas, name).flatMap(schema => expand(schema, place.holders[i + 1], root));
  });
  return schemas;
}

function stateNames(machine, found = [], prefix = "") {
  const states = machine?.states;
  if (!states || typeof states !== "object" || Array.isArray(states) || found.length > 1000) return found;
  for (const key of Object.keys(states)) {
    found.push(prefix + key);
    stateNames(states[key], found, `${prefix}${key}.`);
  }
  return found;
}

function keyOffers(place, schemas) {
  const offers = new Map();
  for (const schema of schemas)
    for (const [key, part] of Object.entries(schema.properties ?? {}))
      if (!(key in place.here) && part !== false && !offers.has(key)) offers.set(key, part);
  return [...offers].map(([key, part]) => ({ text: JSON.stringify(key), label: key, part }));
}

function valueOffers(place, schemas, root) {
  const all = inside(schemas, place.name).flatMap(schema => expand(schema, undefined, root));
  const values = all.flatMap(schema => schema.enum ?? ("const" in schema ? [schema.const] : []));
  values.push(...schemas.flatMap(schema => schema.if?.properties?.[place.name]?.const ?? []));
  if (all.some(schema => schema.type === "boolean")) values.push(true, false);
  if (all.some(schema => schema.$ref === "#/$defs/target" || schema.$ref === "#/$defs/stateName")) {
    values.push(...(place.path.at(-1) === "states" ? [] : stateNames(place.root)));
  } else if (all.some(schema => schema.$ref === "#/$defs/initial") || place.name === "initial") {
    values.push(...Object.keys(place.here?.states ?? {}));
  }
  return [...new Set(values.map(value => JSON.stringify(value)))].map(text => ({ text, label: text.replace(/^"|"$/g, ""), part: null }));
}

/* [{text, label, detail}], those that begin with what is typed first. `place` is of placeIn(). */
export function offersAt(place, root) {
  const schemas = schemasAt(place, root);
  const offers = place.at === "key" ? keyOffers(place, schemas) : valueOffers(place, schemas, root);
  const typed = place.typed.toLowerCase();
  const rank = offer => offer.label.toLowerCase().startsWith(typed) ? 0 : 1;
  return offers.filter(offer => offer.label.toLowerCase().includes(typed))
    .sort((a, b) => rank(a) - rank(b)).slice(0, MOST_OFFERS)
    .map(({ text, label, part }) => ({ text, label, detail: part?.description ?? resolve(part?.$ref, root)?.description ?? "" }));
}
