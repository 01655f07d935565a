import fc, { type Arbitrary } from 'fast-check';
import { nodeAt } from '../samples.ts';

export type Json = Record<string, unknown>;

const LONGEST = 40; // of generated texts, where the contract allows more
const MOST_ITEMS = 4;
const FAR = 1_000_000_000;

/**
 * Values that a schema of the contract allows, by its keywords; conditions between members are left to the examples.
 */
export function allowedBy(schema: Json): Arbitrary<unknown> {
  if (typeof schema.$ref === 'string') return allowedBy(nodeAt(schema.$ref.slice(1)) as Json);
  const choices = (schema.oneOf ?? schema.anyOf) as Json[] | undefined;
  if (choices) return fc.oneof(...choices.map((choice) => allowedBy(joined(without(schema), choice))));
  if (schema.allOf) return allowedBy((schema.allOf as Json[]).reduce(joined, { ...schema, allOf: undefined }));
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...(schema.enum as unknown[]));
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => allowedBy({ ...schema, type })));
  return ofType(schema);
}

const without = ({ oneOf: _, anyOf: __, ...rest }: Json): Json => rest;

/** Two schemas that both hold. */
function joined(one: Json, other: Json): Json {
  const more = typeof other.$ref === 'string' ? (nodeAt(other.$ref.slice(1)) as Json) : other;
  return {
    ...one,
    ...more,
    properties: { ...(one.properties as Json), ...(more.properties as Json) },
    required: [...((one.required as string[]) ?? []), ...((more.required as string[]) ?? [])],
  };
}

function ofType(schema: Json): Arbitrary<unknown> {
  if (schema.type === 'null') return fc.constant(null);
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'integer') return fc.integer(range(schema, 1));
  if (schema.type === 'number') return numbers(schema);
  if (schema.type === 'array') return items(schema);
  if (schema.type === 'string' || schema.pattern || schema.format) return texts(schema);
  if (schema.type === 'object' || schema.properties) return objects(schema);
  return fc.jsonValue();
}

function range(schema: Json, step: number): { min: number; max: number } {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = schema as Record<string, number | undefined>;
  const min = minimum ?? (exclusiveMinimum === undefined ? -FAR : exclusiveMinimum + step);
  const max = maximum ?? (exclusiveMaximum === undefined ? FAR : exclusiveMaximum - step);
  return { min, max: Math.max(min, max) };
}

function numbers(schema: Json): Arbitrary<number> {
  const { min, max } = range(schema, 0.000_001);
  return fc.oneof(fc.double({ min, max, noNaN: true }), fc.constantFrom(min, max, Math.min(max, Math.max(min, 1))));
}

function items(schema: Json): Arbitrary<unknown[]> {
  const { minItems = 0, maxItems = MOST_ITEMS } = schema as Record<string, number | undefined>;
  return fc.array(allowedBy((schema.items ?? {}) as Json), {
    minLength: minItems,
    maxLength: Math.max(minItems, Math.min(maxItems, MOST_ITEMS)),
  });
}

function objects(schema: Json): Arbitrary<Json> {
  const named = Object.entries((schema.properties ?? {}) as Record<string, Json | boolean>);
  // `false` forbids a member
  const properties = named.filter((pair): pair is [string, Json] => typeof pair[1] === 'object');
  const known = new Set(properties.map(([name]) => name));
  return fc.record(Object.fromEntries(properties.map(([name, member]) => [name, allowedBy(member)])), {
    requiredKeys: ((schema.required ?? []) as string[]).filter((name) => known.has(name)),
  });
}

const FORMATS: Record<string, Arbitrary<string>> = {
  uuid: fc.uuid(),
  email: fc.integer({ min: 1, max: 50 }).map((n) => `somebody.${n}@example.com`),
  uri: fc.constantFrom('https://hooks.example.com/in', 'https://example.com/a?b=c#d', 'https://xn--bcher-kva.example'),
  'date-time': fc
    .date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  ipv4: fc.ipV4(),
  ipv6: fc.ipV6(),
};

function texts({ pattern, format, minLength = 0, maxLength = LONGEST }: Json): Arbitrary<string> {
  const known = typeof format === 'string' ? FORMATS[format] : undefined;
  if (known) return known;
  const [min, max] = [Number(minLength), Math.max(Number(minLength), Math.min(Number(maxLength), LONGEST))];
  if (typeof pattern !== 'string') return fc.string({ unit: 'grapheme', minLength: min, maxLength: max });
  return fc.stringMatching(new RegExp(pattern)).map((text) => (text.length < min ? text.padEnd(min, 'a') : text));
}
