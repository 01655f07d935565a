import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { document, nodeAt, type Operation, type ParameterPlace } from '../contract/document.ts';
import { nullRemover } from '../contract/nullable.ts';
import { ApiError, type FieldError } from '../kernel/errors.ts';
import { isUuid } from '../kernel/ids.ts';
import { isStorable } from './body.ts';
import { fieldErrors, MESSAGE_KEYWORD } from './faults.ts';

const DOCUMENT_ID = 'https://contract.invalid/openapi.json'; // ajv requires an absolute https URL; nothing is fetched
const ROOT_KEYWORDS = ['openapi', 'info', 'servers', 'tags', 'security', 'paths', 'webhooks', 'components'];
const SCHEMA_KEYWORDS = ['example', 'discriminator', 'xml', 'externalDocs', MESSAGE_KEYWORD];
const MAX_FIELDS = 20; // an error lists at most this many faults
const MAX_VALUES_IN_FULL = 200; // of a body whose faults are all listed
const MAX_COMPARED = 5 * MAX_FIELDS; // each is compared with all others, so their number is limited first

const options = {
  allErrors: true,
  verbose: true, // errors carry their schema, for its message
  strict: true,
  strictTuples: false,
  strictRequired: false,
  strictTypes: false,
  // the tests check the document; compiling what checks it would take a sixth of the start of web
  meta: false,
  validateSchema: false,
} as const;
/** The times that PostgreSQL takes: not those of the year 0, with a fraction of a leap second, or 16 hours or more from UTC. */
const STORABLE_TIME = /^(?!0000).{10}[T ]\d\d:\d\d:([0-5]\d(\.\d{1,30})?|60)(Z|[+-](0\d|1[0-5])(:?\d\d)?)$/i;
const { validate: isTime } = formats.default.get('date-time') as { validate(text: string): boolean }; // as: not a pattern alone

const bodies = withDocument(new Ajv2020({ ...options, useDefaults: true }));
/** Stops at the first fault: what a body of many values costs is bounded by the schema, not by the body. */
const firstFault = withDocument(new Ajv2020({ ...options, allErrors: false, useDefaults: true }));
/** Texts are coerced, also to infinite numbers, which ajv's strict numbers would except from minimum and maximum. */
const parameters = withDocument(
  new Ajv2020({ ...options, useDefaults: true, coerceTypes: 'array', strictNumbers: false }),
);
let responseAjv: Ajv2020 | undefined;

function withDocument(ajv: Ajv2020): Ajv2020 {
  formats.default(ajv);
  // ajv-formats also accepts what PostgreSQL does not: the URN form of a UUID, and some times
  ajv.addFormat('uuid', isUuid);
  ajv.addFormat('date-time', (text: string) => STORABLE_TIME.test(text) && isTime(text));
  ajv.addVocabulary([...ROOT_KEYWORDS, ...SCHEMA_KEYWORDS]);
  return ajv.addSchema(document, DOCUMENT_ID);
}

function responses(): Ajv2020 {
  responseAjv ??= withDocument(new Ajv2020({ ...options, allErrors: false }));
  return responseAjv;
}

/** The validator of a schema in the document, compiled once and shared. Throws if the pointer does not exist. */
const compile = (ajv: Ajv2020, pointer: string): ValidateFunction =>
  ajv.getSchema(address(pointer)) ?? ajv.compile({ $ref: address(pointer) });

/** The parts of a request, by place. */
export type RequestParts = Record<ParameterPlace, Record<string, unknown>> & { body: unknown };
/** Checks the parts of a request; see `requestValidator`. */
export type Validator = (parts: RequestParts) => void;

const validators = new WeakMap<Operation, Validator>();

/**
 * The request checks of an operation, compiled once. The validator fills in defaults, removes null members that may be absent
 * and coerces parameters, in place. It throws INVALID_REQUEST with up to 20 faults.
 */
export function requestValidator(operation: Operation): Validator {
  const validator = validators.get(operation) ?? compileValidator(operation);
  validators.set(operation, validator);
  return validator;
}

function compileValidator(operation: Operation): Validator {
  const places = (['path', 'query', 'header'] as const).map((place) => ({
    place,
    check: placeCheck(operation, place),
  }));
  const bodyCheck = operation.body && compile(firstFault, operation.body.pointer);
  const withoutNulls = operation.body && nullRemover(document, nodeAt(operation.body.pointer));

  return (parts) => {
    const fields = places.flatMap(({ place, check }) => [
      ...faults(check, parts[place], place),
      ...unstorable(parts[place], place),
    ]);
    const isBodyAbsent = parts.body === undefined && !operation.body?.required;
    if (bodyCheck && withoutNulls && !isBodyAbsent) {
      if (!bodyCheck(parts.body)) {
        parts.body = withoutNulls(parts.body);
        if (!bodyCheck(parts.body)) fields.push(...bodyFaults(bodyCheck, operation, parts.body));
      }
    }
    if (fields.length > 0)
      throw new ApiError('INVALID_REQUEST', { effect: 'none', fields: fields.slice(0, MAX_FIELDS) });
  };
}

/** Every fault of a body of few values; of another one the first. Compiled when a body first fails. */
function bodyFaults(first: ValidateFunction, operation: Operation, body: unknown): FieldError[] {
  const pointer = operation.body?.pointer;
  if (!pointer || hasMoreValues(body, MAX_VALUES_IN_FULL)) return fieldErrors(first.errors ?? [], 'body');
  return faults(compile(bodies, pointer), body, 'body');
}

function placeCheck(operation: Operation, place: ParameterPlace): ValidateFunction {
  const declared = operation.parameters.filter((parameter) => parameter.in === place);
  return parameters.compile({
    type: 'object',
    properties: Object.fromEntries(declared.map(({ name, pointer }) => [name, { $ref: address(pointer) }])),
    required: declared.filter(({ required }) => required).map(({ name }) => name),
    ...(place === 'query' && { additionalProperties: false }),
  });
}

/** The URL by which ajv resolves a pointer into the document. */
const address = (pointer: string) => `${DOCUMENT_ID}#${pointer.split('/').map(encodeURIComponent).join('/')}`;

const faults = (check: ValidateFunction, value: unknown, place: string): FieldError[] =>
  check(value) ? [] : fieldErrors((check.errors ?? []).slice(0, MAX_COMPARED), place);

/**
 * Faults for values that PostgreSQL cannot store, regardless of their schema. Bodies are checked when they are read.
 */
const unstorable = (values: Record<string, unknown>, place: string): FieldError[] =>
  Object.entries(values)
    .filter(([, value]) => [value].flat().some((text) => typeof text === 'string' && !isStorable(text)))
    .map(([name]) => ({ loc: [place, name], msg: 'must be text that can be stored', type: 'storable' }));

/** Throws if a response does not match the contract. */
export type ResponseCheck = (status: number, body: unknown) => void;

/** Compiles the response checks of an operation. The check throws if status or body do not match the contract. */
export function responseCheck(operation: Operation): ResponseCheck {
  const checks = new Map(
    [...operation.responses].map(([status, pointer]) => [status, pointer && compile(responses(), pointer)]),
  );
  return (status, body) => {
    const check = checks.get(status);
    if (check === undefined)
      throw new Error(`${operation.id} responded with ${status}, which the contract does not list`);
    if (check && !check(body)) throw new Error(`${operation.id} ${status}: ${responses().errorsText(check.errors)}`);
  };
}

/** Whether a parsed value has more than `most` members and entries, at all depths together. */
function hasMoreValues(value: unknown, most: number): boolean {
  const left: unknown[] = [value];
  for (let seen = 0; left.length > 0; seen += 1) {
    if (seen > most) return true;
    const next = left.pop();
    if (next !== null && typeof next === 'object') left.push(...Object.values(next));
  }
  return false;
}
