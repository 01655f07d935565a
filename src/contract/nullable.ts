/*
 * In requests, null equals absent: clients in many languages send null for a member they leave out. The checked-in YAML
 * does not repeat this for each member. The served document says it; the edge removes such members before it validates.
 */
type Json = Record<string, unknown>;
type Schema = Json & { $ref?: string; properties?: Record<string, Schema>; required?: string[]; items?: Schema };

const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const variantsOf = (schema: Schema): Schema[] =>
  ['allOf', 'anyOf', 'oneOf'].flatMap((key) => (schema[key] ?? []) as Schema[]);

/** Removes the members of a request body that are null where they may be absent. Its own nulls stay. */
export function nullRemover(document: Json, body: Json): (value: unknown) => unknown {
  const at = reader(document);
  const parts = (schemas: (Schema | undefined)[]) => schemas.flatMap((schema) => (schema ? whole(at, schema) : []));

  function removed(schemas: Schema[], value: unknown): unknown {
    if (Array.isArray(value)) {
      const items = parts(schemas.map((schema) => schema.items));
      return value.map((item) => removed(items, item));
    }
    if (!isObject(value)) return value;
    const required = new Set(schemas[0]?.required);
    const kept = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      const known = parts(schemas.map(({ properties }) => properties?.[name]));
      if (member !== null) return [[name, removed(known, member)]];
      return known.length > 0 && !required.has(name) && !known.some(takesNull) ? [] : [[name, null]];
    });
    return Object.fromEntries(kept);
  }

  const schemas = whole(at, body);
  return (value) => (hasNull(value) ? removed(schemas, value) : value);
}

const hasNull = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.values(value).some(hasNull));

/** The document as it is served: every optional member of a request body also takes null. */
export function withNullableRequests(document: Json): Json {
  const served = structuredClone(document);
  const at = reader(served);
  const done = new Set<Schema>();

  function widen(schema: Schema): void {
    if (done.has(schema)) return;
    done.add(schema);
    const required = new Set(schema.required);
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      for (const part of whole(at, member)) widen(part);
      const isWide = required.has(name) || whole(at, member).some(takesNull);
      if (!isWide && schema.properties) schema.properties[name] = nullable(member);
    }
    if (schema.items) for (const part of whole(at, schema.items)) widen(part);
  }

  for (const item of Object.values(served.paths as Record<string, Json>))
    for (const operation of Object.values(item))
      for (const { schema } of Object.values(contentOf(operation))) for (const part of whole(at, schema)) widen(part);
  return served;
}

function contentOf(operation: unknown): Record<string, { schema: Schema }> {
  const body = isObject(operation) ? operation.requestBody : undefined;
  return isObject(body) && isObject(body.content) ? (body.content as Record<string, { schema: Schema }>) : {};
}

/**
 * A schema that also takes null; its description stays on the member. Its default does not: generators take a member with
 * one for a member that is always present.
 */
function nullable(member: Schema): Schema {
  const { description, ...schema } = member;
  return { ...(description !== undefined && { description }), anyOf: [schema, { type: 'null' }] };
}

const takesNull = ({ type, enum: values }: Schema): boolean =>
  type === 'null' || (Array.isArray(type) && type.includes('null')) || (Array.isArray(values) && values.includes(null));

type Reader = (schema: Schema) => Schema;

/** Follows a reference to the schema that it names. */
const reader =
  (document: Json): Reader =>
  (schema) => {
    if (schema.$ref === undefined) return schema;
    const keys = schema.$ref.slice(2).split('/');
    const named = keys.reduce<unknown>((node, key) => (node as Json)[key], document); // as: the document was checked
    return reader(document)(named as Schema);
  };

/** A schema with all its variants, references followed; the schema itself is the first. */
const whole = (at: Reader, schema: Schema): Schema[] => {
  const resolved = at(schema);
  return [resolved, ...variantsOf(resolved).flatMap((variant) => whole(at, variant))];
};
