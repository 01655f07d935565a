import { readdirSync, readFileSync } from 'node:fs';
import { listOperations } from '../../contract/document.ts';

type Json = Record<string, unknown>;
/** Examples of an operation that the YAML does not have: a body, and a response by status. They were recorded. */
type Recorded = { request?: unknown; responses?: Record<string, unknown> };
type Media = { schema: Json; example?: unknown; examples?: unknown };
type Body = { $ref?: string; content?: Record<string, Media> };

const folder = new URL('../../contract/examples/', import.meta.url);

const recorded = (): Record<string, Recorded> =>
  Object.assign({}, ...readdirSync(folder).map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'))));

/** The contract with the examples of `src/contract/examples/`. A response with an example is written out in its operation. */
export function withExamples(contract: Json): Json {
  const examples = recorded();
  const paths = contract.paths as Record<string, Record<string, Json>>;
  for (const { id, path, method } of listOperations()) {
    const spec = paths[path]?.[method];
    const { request, responses = {} } = examples[id] ?? {};
    if (!spec) continue;
    if (request !== undefined) spec.requestBody = withExample(contract, spec.requestBody as Body, request);
    const declared = spec.responses as Record<string, Body>;
    for (const [status, example] of Object.entries(responses)) {
      const response = declared[status];
      if (response) declared[status] = withExample(contract, response, example);
    }
  }
  return contract;
}

function withExample(contract: Json, written: Body, example: unknown): Body {
  const body = resolved(contract, written);
  const content = Object.entries(body.content ?? {}).map(([type, media]) => [type, { example, ...media }]);
  return { ...body, content: Object.fromEntries(content) };
}

function resolved(contract: Json, body: Body): Body {
  if (body.$ref === undefined) return body;
  const keys = body.$ref.slice(2).split('/');
  return keys.reduce<unknown>((at, key) => (at as Json)[key], contract) as Body; // as: the contract was checked
}
