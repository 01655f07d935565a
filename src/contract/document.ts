import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { completeDocument } from './complete.ts';
import type { operations } from './types.ts';

/** The id of an operation of the contract. */
export type OperationId = keyof operations & string;
/** Where a parameter is sent. */
export type ParameterPlace = 'path' | 'query' | 'header';
/** A security scheme that must pass, and the scopes or roles it must carry. */
export type Requirement = { scheme: string; roles: string[] };
/** A parameter. `pointer` is the JSON pointer of its schema. */
export type Parameter = { name: string; in: ParameterPlace; required: boolean; pointer: string };

/** One operation of the contract, with the data that the edge needs. Pointers are JSON pointers into the document. */
export type Operation = {
  id: OperationId;
  method: string;
  path: string;
  /** Sets of requirements. One whole set must pass. Without sets, or with an empty set, no credential is required. */
  security: Requirement[][];
  /** Whether unknown callers may call it. Then attempts are counted before any credential is checked. */
  isOpen: boolean;
  /** Whether attempts are counted per network address (`x-throttled` in the contract). */
  throttled: boolean;
  /** Whether it responds with an event stream. */
  streams: boolean;
  /** Whether it responds with CSV to who prefers that. */
  sendsTexts: boolean;
  /** Whether its responses are stored under an Idempotency-Key, because no intent holds them. */
  keepsResponses: boolean;
  /** Whether its stored response contains a secret: only the credential that it was sent with gets it again. */
  keepsSecrets: boolean;
  /** Whether its errors also contain the members of RFC 6749 (`x-oauth-errors`). */
  oauthErrors: boolean;
  parameters: Parameter[];
  body: { pointer: string; contentType: string; required: boolean } | undefined;
  /** Response schemas by status: the pointer of the JSON schema, or null for a response without one. */
  responses: Map<number, string | null>;
};

type Json = Record<string, unknown>;
const refs = (...names: string[]) => names.map((name) => `#/components/parameters/${name}`);
const SECRET_RESPONSE_KEYS = refs('SecretResponseKey', 'RequiredResponseKey');
const STORED_RESPONSE_KEYS = [...refs('StoredResponseKey'), ...SECRET_RESPONSE_KEYS];
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** The contract: the checked-in YAML, read once, completed by the error responses it implies. */
export const document: Json = completeDocument(
  load(readFileSync(new URL('./openapi.yaml', import.meta.url), 'utf8')) as Json, // as: the tests lint it
);

let listed: readonly Operation[] | undefined;

/** All operations of the contract, read once. */
export function listOperations(): readonly Operation[] {
  listed ??= Object.entries(at('/paths') as Json).flatMap(([path, item]) =>
    METHODS.filter((method) => Object.hasOwn(item as Json, method)).map((method) => operation(path, method)),
  );
  return listed;
}

function operation(path: string, method: string): Operation {
  const base = `/paths/${escaped(path)}/${method}`;
  const spec = at(base) as Json;
  const security = (spec.security ?? document.security ?? []) as Json[];
  return {
    id: spec.operationId as OperationId,
    method,
    path,
    security: security.map((set) =>
      Object.entries(set).map(([scheme, roles]) => ({ scheme, roles: roles as string[] })),
    ),
    isOpen: security.length === 0 || security.some((set) => Object.keys(set).length === 0),
    streams: respondsWith(spec, 'text/event-stream'),
    sendsTexts: respondsWith(spec, 'text/csv'),
    throttled: spec['x-throttled'] === true,
    oauthErrors: spec['x-oauth-errors'] === true,
    keepsResponses: takesOneOf(spec, STORED_RESPONSE_KEYS),
    keepsSecrets: takesOneOf(spec, SECRET_RESPONSE_KEYS),
    parameters: ((spec.parameters ?? []) as Json[]).map((_, n) => parameter(`${base}/parameters/${n}`)),
    body: spec.requestBody ? body(`${base}/requestBody`) : undefined,
    responses: new Map(
      Object.keys(spec.responses as Json).map((status) => [Number(status), response(`${base}/responses/${status}`)]),
    ),
  };
}

const takesOneOf = ({ parameters = [] }: Json, references: string[]): boolean =>
  (parameters as Json[]).some(({ $ref }) => references.includes($ref as string));

const respondsWith = ({ responses }: Json, type: string): boolean =>
  Object.values(responses as Json).some((each) => type in Object((each as Json).content));

function parameter(pointer: string): Parameter {
  const resolved = resolve(pointer);
  const spec = at(resolved) as Json;
  return {
    name: spec.name as string,
    in: spec.in as ParameterPlace,
    required: spec.required === true,
    pointer: `${resolved}/schema`,
  };
}

function body(pointer: string): Operation['body'] {
  const resolved = resolve(pointer);
  const spec = at(resolved) as Json;
  const contentType = Object.keys(spec.content as Json)[0] as string; // as: the document check requires at least one
  return {
    pointer: `${resolved}/content/${escaped(contentType)}/schema`,
    contentType,
    required: spec.required === true,
  };
}

/** The members of an operation's body that nobody is shown (`writeOnly` in the contract), by their names. */
export function listSecretMembers(id: OperationId): string[] {
  const pointer = listOperations().find((one) => one.id === id)?.body?.pointer;
  return pointer === undefined ? [] : secretsAt(pointer);
}

function secretsAt(pointer: string): string[] {
  const schema = resolve(pointer);
  const node = nodeAt(schema);
  const names = Object.keys((node.properties ?? {}) as Json);
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((key) =>
    ((node[key] ?? []) as Json[]).map((_, n) => `${schema}/${key}/${n}`),
  );
  return [...names.filter((name) => isWriteOnly(`${schema}/properties/${escaped(name)}`)), ...parts.flatMap(secretsAt)];
}

const isWriteOnly = (pointer: string): boolean =>
  [pointer, resolve(pointer)].some((each) => nodeAt(each).writeOnly === true);

function response(pointer: string): string | null {
  const resolved = resolve(pointer);
  const contentType = Object.keys(((at(resolved) as Json).content ?? {}) as Json)[0];
  return contentType?.includes('json') ? `${resolved}/content/${escaped(contentType)}/schema` : null;
}

function resolve(pointer: string): string {
  const ref = (at(pointer) as Json).$ref;
  return typeof ref === 'string' ? resolve(ref.slice(1)) : pointer;
}

/** The node of the document under a JSON pointer. */
export const nodeAt = (pointer: string): Json => at(pointer) as Json;

const at = (pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((node, key) => (node as Json)[unescaped(key)], document);

const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');
const unescaped = (key: string) => key.replaceAll('~1', '/').replaceAll('~0', '~');
