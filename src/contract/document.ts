import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { operations } from './types.ts';

export type OperationId = keyof operations & string;
export type ParameterPlace = 'path' | 'query' | 'header';
/** A security scheme that must pass, and the scopes or roles it must carry. */
export type Requirement = { scheme: string; roles: string[] };
export type Parameter = { name: string; in: ParameterPlace; required: boolean; pointer: string };

/** One operation of the contract, as the edge needs it. Pointers are JSON pointers into the document. */
export type Operation = {
  id: OperationId;
  method: string;
  path: string;
  /** Sets of requirements of which one must pass whole; no set, or an empty one, lets anyone in. */
  security: Requirement[][];
  /** Whether tries are counted per address of the net (`x-throttled` in the contract). */
  throttled: boolean;
  /** Whether refusals speak RFC 6749 as well (`x-oauth-errors`). */
  /** Whether its answers are kept under an Idempotency-Key, having no intent to answer from. */
  keepsAnswers: boolean;
  oauthErrors: boolean;
  parameters: Parameter[];
  body: { pointer: string; contentType: string; required: boolean } | undefined;
  /** Response schemas by status: the pointer of the JSON schema, or null for an answer without one. */
  responses: Map<number, string | null>;
};

type Json = Record<string, unknown>;
const ANSWER_KEY = '#/components/parameters/AnswerKey';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** The one contract, read once from the checked-in YAML. */
export const document: Json = parse(readFileSync(new URL('./openapi.yaml', import.meta.url), 'utf8'), { merge: true });

/** Every operation of the contract. */
export const listOperations = (): Operation[] =>
  Object.entries(at('/paths') as Json).flatMap(([path, item]) =>
    METHODS.filter((method) => Object.hasOwn(item as Json, method)).map((method) => operation(path, method)),
  );

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
    throttled: spec['x-throttled'] === true,
    oauthErrors: spec['x-oauth-errors'] === true,
    keepsAnswers: ((spec.parameters ?? []) as Json[]).some(({ $ref }) => $ref === ANSWER_KEY),
    parameters: ((spec.parameters ?? []) as Json[]).map((_, n) => parameter(`${base}/parameters/${n}`)),
    body: spec.requestBody ? body(`${base}/requestBody`) : undefined,
    responses: new Map(
      Object.keys(spec.responses as Json).map((status) => [Number(status), response(`${base}/responses/${status}`)]),
    ),
  };
}

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
  const contentType = Object.keys(spec.content as Json)[0] as string; // the document check wants at least one
  return {
    pointer: `${resolved}/content/${escaped(contentType)}/schema`,
    contentType,
    required: spec.required === true,
  };
}

function response(pointer: string): string | null {
  const resolved = resolve(pointer);
  const contentType = Object.keys(((at(resolved) as Json).content ?? {}) as Json)[0];
  return contentType?.includes('json') ? `${resolved}/content/${escaped(contentType)}/schema` : null;
}

function resolve(pointer: string): string {
  const ref = (at(pointer) as Json).$ref;
  return typeof ref === 'string' ? resolve(ref.slice(1)) : pointer;
}

const at = (pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((node, key) => (node as Json)[unescaped(key)], document);

const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');
const unescaped = (key: string) => key.replaceAll('~1', '/').replaceAll('~0', '~');
