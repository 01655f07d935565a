import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { document, type Operation, type ParameterPlace } from '../contract/document.ts';
import { isUuid } from '../kernel/ids.ts';
import { isStorable } from '../kernel/json.ts';
import { type FieldError, Refusal } from '../kernel/refusals.ts';

const DOCUMENT_ID = 'https://contract.invalid/openapi.json'; // ajv wants an absolute https address; nothing is fetched
const ROOT_WORDS = ['openapi', 'info', 'servers', 'tags', 'security', 'paths', 'components'];
const SCHEMA_WORDS = ['example', 'discriminator', 'xml', 'externalDocs'];
const MOST_FIELDS = 20; // refusals name this many faults at most

const options = {
  allErrors: true,
  strict: true,
  strictTuples: false,
  strictRequired: false,
  strictTypes: false,
} as const;
const bodies = withDocument(new Ajv2020({ ...options, useDefaults: true }));
const parameters = withDocument(new Ajv2020({ ...options, useDefaults: true, coerceTypes: 'array' }));
const answers = withDocument(new Ajv2020({ ...options, allErrors: false }));

function withDocument(ajv: Ajv2020): Ajv2020 {
  formats.default(ajv);
  ajv.addFormat('uuid', isUuid); // ajv-formats takes the URN form too, which PostgreSQL does not read
  ajv.addVocabulary([...ROOT_WORDS, ...SCHEMA_WORDS]);
  return ajv.addSchema(document, DOCUMENT_ID);
}

/** The check of a place in the document, made once however many operations share it; throws for a place that is not there. */
const compile = (ajv: Ajv2020, pointer: string): ValidateFunction =>
  ajv.getSchema(address(pointer)) ?? ajv.compile({ $ref: address(pointer) });

export type RequestParts = Record<ParameterPlace, Record<string, unknown>> & { body: unknown };
export type Validator = (parts: RequestParts) => void;

/** Compiles an operation's checks. The validator fills in defaults, coerces parameters, and refuses with every fault named. */
export function requestValidator(operation: Operation): Validator {
  const places = (['path', 'query', 'header'] as const).map((place) => ({
    place,
    check: placeCheck(operation, place),
  }));
  const bodyCheck = operation.body && compile(bodies, operation.body.pointer);

  return (parts) => {
    const fields = places.flatMap(({ place, check }) => [
      ...faults(check, parts[place], place),
      ...unstorable(parts[place], place),
    ]);
    const isBodyAbsent = parts.body === undefined && !operation.body?.required;
    if (bodyCheck && !isBodyAbsent) fields.push(...faults(bodyCheck, parts.body, 'body'));
    if (fields.length > 0)
      throw new Refusal('INVALID_REQUEST', { effect: 'none', fields: fields.slice(0, MOST_FIELDS) });
  };
}

function placeCheck(operation: Operation, place: ParameterPlace): ValidateFunction {
  const own = operation.parameters.filter((parameter) => parameter.in === place);
  return parameters.compile({
    type: 'object',
    properties: Object.fromEntries(own.map(({ name, pointer }) => [name, { $ref: address(pointer) }])),
    required: own.filter(({ required }) => required).map(({ name }) => name),
    ...(place === 'query' && { additionalProperties: false }),
  });
}

/** A pointer into the document as the address ajv knows it by. */
const address = (pointer: string) => `${DOCUMENT_ID}#${pointer.split('/').map(encodeURIComponent).join('/')}`;

function faults(check: ValidateFunction, value: unknown, place: string): FieldError[] {
  if (check(value)) return [];
  return (check.errors ?? []).filter(tellsSomething).map((error) => fieldError(error, place));
}

/** Values that PostgreSQL cannot hold, whatever their schema says of them; bodies are checked as they are read. */
const unstorable = (values: Record<string, unknown>, place: string): FieldError[] =>
  Object.entries(values)
    .filter(([, value]) => !isStorable(value))
    .map(([name]) => ({ loc: [place, name], msg: 'must be text that can be stored', type: 'storable' }));

/** A failed `if` only repeats what its branch has said. */
const tellsSomething = ({ keyword }: ErrorObject) => keyword !== 'if';

function fieldError({ instancePath, params, message = '', keyword }: ErrorObject, place: string): FieldError {
  const member = params.missingProperty ?? params.additionalProperty;
  const path = instancePath
    .split('/')
    .slice(1)
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key));
  return { loc: [place, ...path, ...(member === undefined ? [] : [member])], msg: message, type: keyword };
}

export type AnswerCheck = (status: number, body: unknown) => void;

/** Compiles an operation's promises. The check throws when an answer's status or body is not in the contract. */
export function answerCheck(operation: Operation): AnswerCheck {
  const checks = new Map(
    [...operation.responses].map(([status, pointer]) => [status, pointer && compile(answers, pointer)]),
  );
  return (status, body) => {
    const check = checks.get(status);
    if (check === undefined) throw new Error(`${operation.id} answered ${status}, which the contract does not name`);
    if (check && !check(body)) throw new Error(`${operation.id} ${status}: ${answers.errorsText(check.errors)}`);
  };
}
