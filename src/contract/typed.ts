/*
 * Generators of clients look for a `type` beside `enum` and `const`. To a part of `allOf` that only states a condition
 * some give the type any, which then is the type of the whole, and some forget the members beside `allOf`. The
 * checked-in YAML is written for readers and the edge; the served document says the same in a form that they know.
 */
type Json = Record<string, unknown>;

/** Keywords whose value is data, not a schema. */
const DATA = ['example', 'examples', 'default', 'enum', 'const'];

/** The document with a type for each enum and constant, null as a variant of its own, and conditions apart from members. */
export const withTypes = (document: Json): Json => typed(document) as Json; // as: an object stays one

function typed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(typed);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([key, value]) => [key, DATA.includes(key) ? value : typed(value)]);
  return withConditionsApart(withType(Object.fromEntries(entries)));
}

function withType(schema: Json): Json {
  const { enum: values, description, ...rest } = schema;
  if (schema.type === undefined && isScalar(schema.const)) return { type: typeof schema.const, ...schema };
  if (schema.type !== undefined || !Array.isArray(values)) return schema;
  const others = values.filter((value) => value !== null);
  const plain = { type: typeof others[0], enum: others, ...rest };
  const described = description === undefined ? {} : { description };
  return others.length === values.length
    ? { ...described, ...plain }
    : { ...described, anyOf: [plain, { type: 'null' }] };
}

/** An object with conditions in `allOf`: under `then` they hold as before, since `if` always does. */
function withConditionsApart(schema: Json): Json {
  const { allOf, ...rest } = schema;
  if (allOf === undefined || schema.properties === undefined) return schema;
  return Object.fromEntries([...Object.entries(rest), ['if', { type: 'object' }], ['then', { allOf }]]);
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
