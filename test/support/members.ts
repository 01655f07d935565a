import { nodeAt, type Operation } from '../../src/contract/document.ts';

type Json = Record<string, unknown>;

/** A member of a request: where it is sent, and its name, with the names of the members around it. */
export type Member = { place: string; name: string };

/** Every member that a request of an operation may have, however deep. */
export const listMembers = ({ parameters, body }: Operation): Member[] => [
  ...parameters.map(({ name, in: place }) => ({ place: String(place), name })),
  ...(body ? [...new Set(membersOf(nodeAt(body.pointer), ''))].map((name) => ({ place: 'body', name })) : []),
];

function membersOf(schema: Json, before: string): string[] {
  const { properties, items, allOf, oneOf, anyOf } = resolved(schema);
  const parts = [allOf, oneOf, anyOf].flatMap((each) => (Array.isArray(each) ? each : []));
  return [
    ...parts.flatMap((part) => membersOf(part, before)),
    ...(items ? membersOf(items as Json, `${before.slice(0, -1)}[].`) : []),
    ...Object.entries(Object(properties)).flatMap(([name, inner]) => [
      before + name,
      ...membersOf(inner as Json, `${before}${name}.`),
    ]),
  ];
}

const resolved = (schema: Json): Json =>
  typeof schema.$ref === 'string' ? resolved(nodeAt(schema.$ref.slice(1))) : schema;
