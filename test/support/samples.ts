import { document, listOperations, type Operation } from '../../src/contract/document.ts';

type Json = Record<string, unknown>;

/** A request that the contract allows: the path filled in, required headers and queries, and the body of an example. */
export type Sample = {
  operation: Operation;
  method: string;
  path: string;
  headers: Record<string, string>;
  /** Undefined when the operation reads none, or when the contract gives no example. */
  body: Json | undefined;
};

const NAMED: Record<string, string> = { trade_pair: 'BTCUSDC' };
/** The value of every id without an example in the contract. */
export const UUID = '01890a5d-ac96-774b-bcce-b302099a8057';

/** A sample of every operation of v1: a partner key is valid for all of them. */
export const samples = (): Sample[] =>
  listOperations()
    .filter(({ path }) => path.startsWith('/v1/'))
    .map(sampleOf);

/** A sample of one operation. */
export function sampleOf(operation: Operation): Sample {
  const required = operation.parameters.filter((parameter) => parameter.required);
  const valueFor = (name: string) => String(NAMED[name] ?? exampleAt(operation, name) ?? UUID);
  const query = required.filter((parameter) => parameter.in === 'query').map(({ name }) => `${name}=${valueFor(name)}`);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => valueFor(name));
  return {
    operation,
    method: operation.method.toUpperCase(),
    path: query.length > 0 ? `${path}?${query.join('&')}` : path,
    headers: Object.fromEntries(
      required.filter(({ in: at }) => at === 'header').map(({ name }) => [name, valueFor(name)]),
    ),
    body: operation.body && exampleBody(operation.body.pointer),
  };
}

const exampleBody = (pointer: string) => examplesOf(pointer.replace(/\/schema$/, ''))[0] as Json | undefined;

function exampleAt({ parameters }: Operation, name: string): unknown {
  const pointer = parameters.find((parameter) => parameter.name === name)?.pointer.replace(/\/schema$/, '');
  return pointer === undefined ? undefined : (nodeAt(pointer) as Json).example;
}

/** The examples that a media type of the contract gives, by its JSON pointer. */
export function examplesOf(pointer: string): unknown[] {
  const media = nodeAt(pointer) as { example?: unknown; examples?: Record<string, { value: unknown }> };
  const named = Object.values(media.examples ?? {}).map(({ value }) => value);
  return media.example === undefined ? named : [media.example, ...named];
}

/** The node of the contract under a JSON pointer. */
export const nodeAt = (pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, key) => (node as Json)[key], document);
