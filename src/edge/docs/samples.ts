import { listOperations, nodeAt, type Operation } from '../../contract/document.ts';
import { languages, type SampledCall } from './assets/samples.js';
import type { Json } from './schemas.ts';

/** A content of a request or response, with its examples. */
export type Media = { example?: unknown; examples?: Record<string, { summary?: string; value: unknown }> };

/** The examples of a content, in its order. */
export const valuesOf = ({ example, examples = {} }: Media): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
];

/** The requests that show an operation: one for each example of its body, or one without a body. */
export function sampledCalls(operation: Operation, spec: Json): SampledCall[] {
  const { content = {} } = Object(spec.requestBody) as { content?: Record<string, Media> };
  const bodies = Object.entries(content).flatMap(([type, media]) => valuesOf(media).map((value) => ({ type, value })));
  const plain = callOf(operation);
  return bodies.length > 0 ? bodies.map((body) => withBody(plain, body)) : [plain];
}

/** Credentials in the body are not sent a second time in a header (RFC 6749, section 2.3). */
const withBody = (call: SampledCall, body: { type: string; value: unknown }): SampledCall => ({
  ...{ ...call, body },
  schemes: 'client_secret' in Object(body.value) ? [] : call.schemes,
});

function callOf({ method, path, security, parameters, streams }: Operation): SampledCall {
  const isKey = ({ name }: Operation['parameters'][number]) => name === 'Idempotency-Key';
  const required = parameters.filter((parameter) => parameter.required && !isKey(parameter));
  const valuesIn = (place: string) =>
    Object.fromEntries(required.filter((each) => each.in === place).map((each) => [each.name, valueFor(each.pointer)]));
  const sets = security.map((set) => set.map(({ scheme }) => scheme));
  return {
    ...{ method, path, streams },
    schemes: sets.find((set) => !set.includes('adminCookie')) ?? [],
    members: valuesIn('path'),
    query: valuesIn('query'),
    headers: valuesIn('header'),
    takesKey: parameters.some(isKey),
    ...(parameters.some((each) => isKey(each) && each.required) && { needsKey: true }),
  };
}

/** A value where the reader's own would not do: of a list, or a number. Empty: the reader's own. */
function valueFor(pointer: string): string {
  const { enum: values, type, example } = nodeAt(pointer) as { enum?: unknown[]; type?: string; example?: unknown };
  return String(example ?? values?.[0] ?? (type === 'integer' ? 1 : ''));
}

/** The contract with `x-codeSamples` of each operation: its first example in every language. */
export function withSamples(contract: Json): Json {
  const paths = contract.paths as Record<string, Record<string, Json>>;
  for (const operation of listOperations()) {
    const spec = paths[operation.path]?.[operation.method];
    const [call] = spec ? sampledCalls(operation, spec) : [];
    if (!spec || !call) continue;
    spec['x-codeSamples'] = languages.map(({ lang, label, write }) => ({ lang, label, source: write(call) }));
  }
  return contract;
}
