import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { document, listOperations, type Operation } from '../../src/contract/document.ts';
import { describe as describeFields } from '../../src/edge/faults.ts';
import { type RequestParts, requestValidator } from '../../src/edge/validate.ts';
import { codeOfV2 } from '../../src/kernel/codes-of-v2.ts';
import type { ErrorCode } from '../../src/kernel/error-codes.ts';
import { ApiError } from '../../src/kernel/errors.ts';
import { examplesOf, nodeAt } from '../support/samples.ts';

type Json = Record<string, unknown>;
type Schema = Json & { $ref?: string; properties?: Record<string, Schema>; required?: string[] };

/** A request with one mistake: the member that is wrong, and the numbers or words that its message must contain. */
type Mistake = { what: string; parts: RequestParts; field: string; says: string[] };

const LIMITS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'maxLength', 'minLength'] as const;

const resolve = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : resolve(nodeAt(schema.$ref.slice(1)) as Schema);

/** A value just beyond a limit of a schema. */
const BEYOND: Record<(typeof LIMITS)[number], (limit: number) => unknown> = {
  minimum: (limit) => limit - 1,
  maximum: (limit) => limit + 1,
  exclusiveMinimum: (limit) => limit,
  exclusiveMaximum: (limit) => limit,
  maxLength: (limit) => 'x'.repeat(limit + 1),
  minLength: () => '',
};

/** The typical mistakes with one member: wrong type, beyond each limit, none of its values, a text of another form. */
function mistakesWith(name: string, member: Schema, put: (value: unknown) => RequestParts, inText: boolean): Mistake[] {
  const schema = resolve(member);
  const wrong = (what: string, value: unknown, ...says: string[]) => ({
    what: `${name} ${what}`,
    parts: put(inText ? String(value) : value),
    field: name,
    says,
  });
  const values = schema.enum as unknown[] | undefined;
  return [
    ...(inText || schema.type === 'object' ? [] : [wrong('of another type', { an: 'object' })]),
    ...LIMITS.filter((limit) => typeof schema[limit] === 'number' && !(inText && limit === 'minLength')).map((limit) =>
      wrong(`beyond ${limit}`, BEYOND[limit](Number(schema[limit])), String(schema[limit])),
    ),
    ...(values
      ? [wrong('of none of its values', 'none_of_these', ...values.filter((v) => v !== null).map(String))]
      : []),
    ...(schema.pattern !== undefined || schema.format !== undefined ? [wrong('of another form', ' \u00a0 ')] : []),
  ];
}

const empty = (operation: Operation): RequestParts => ({
  path: {},
  query: {},
  header: {},
  body: operation.body && structuredClone(examplesOf(operation.body.pointer.replace(/\/schema$/, ''))[0]),
});

function mistakesOf(operation: Operation): Mistake[] {
  const ofParameters = operation.parameters.flatMap(({ name, in: place, pointer }) =>
    mistakesWith(
      name,
      nodeAt(pointer) as Schema,
      (value) => ({ ...empty(operation), [place]: { [name]: value } }),
      true,
    ),
  );
  const example = empty(operation).body as Json | undefined;
  if (!operation.body || example === undefined) return ofParameters;
  const { properties = {}, required = [], additionalProperties } = resolve(nodeAt(operation.body.pointer) as Schema);
  const withBody = (body: Json): RequestParts => ({ ...empty(operation), body });
  const without = required.map((name) => {
    const { [name]: _, ...rest } = example;
    return { what: `without ${name}`, parts: withBody(rest), field: name, says: ['must be given'] };
  });
  const isClosed = additionalProperties === false;
  return [
    ...ofParameters,
    ...without,
    ...(isClosed
      ? [{ what: 'an unknown member', parts: withBody({ ...example, unheard_of: 1 }), field: 'unheard_of', says: [] }]
      : []),
    ...Object.entries(properties).flatMap(([name, member]) =>
      mistakesWith(name, member, (value) => withBody({ ...example, [name]: value }), false),
    ),
  ];
}

/** What a message never says: words of the validator, or nothing at all. */
const JARGON = /must NOT|schema|oneOf|anyOf|allOf|undefined|\[object|does not match the contract/;

/** The message of a request with one mistake; a parameter that is missing besides is not mentioned. */
function messageFor(validate: (parts: RequestParts) => void, { parts, field }: Mistake): string {
  try {
    validate(parts);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'INVALID_REQUEST') throw error;
    const { fields = [] } = error.details;
    return describeFields(
      fields.filter(({ loc, type }) => type !== 'required' || loc[0] === 'body' || loc[1] === field),
    );
  }
  return 'accepted';
}

describe('the message of a typical mistake names the field and the rule', () => {
  for (const operation of listOperations()) {
    it(operation.id, () => {
      const validate = requestValidator(operation);
      const poor = mistakesOf(operation).flatMap((mistake) => {
        const { what, field, says } = mistake;
        const message = messageFor(validate, mistake);
        const isClear =
          message.includes(field) && says.every((each) => message.includes(each)) && !JARGON.test(message);
        return isClear ? [] : [`${what}: ${message}`];
      });

      expect(poor).to.deep.equal([]);
    });
  }
});

describe('null equals absent in every optional member of a request', () => {
  for (const operation of listOperations().filter(({ body }) => body)) {
    it(operation.id, () => {
      const validate = requestValidator(operation);
      const { properties = {} } = resolve(nodeAt(String(operation.body?.pointer)) as Schema);
      const parts = empty(operation);
      const example = (parts.body ?? {}) as Json;
      const absent = Object.keys(properties).filter((name) => !Object.hasOwn(example, name));
      parts.body = { ...Object.fromEntries(absent.map((name) => [name, null])), ...example };

      expect(bodyFaults(validate, parts)).to.deep.equal([]);
    });
  }
});

/** The faults of the body of a request; parameters are not looked at. */
function bodyFaults(validate: (parts: RequestParts) => void, parts: RequestParts): string[] {
  try {
    validate(parts);
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return (error.details.fields ?? []).filter(({ loc }) => loc[0] === 'body').map(({ loc, msg }) => `${loc} ${msg}`);
  }
}

describe('error codes on routes of v2', () => {
  it('are never of v1: what orders of both generations throw has a name of v2', async () => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const shared =
      'src/{venues/network/orders,capabilities/{portfolio/network,portfolio/trades,trading,kyc,payouts,payments,users,apps,admin}}/**/*.ts';
    const files = await Array.fromAsync(glob(shared, { cwd: root }));
    const texts = await Promise.all(files.map((file) => readFile(`${root}/${file}`, 'utf8')));
    const codes = new Set(texts.flatMap((text) => [...text.matchAll(/'(V1_[A-Z_]+)'/g)].map(([, code]) => code)));
    const ofExchange = ['V1_NO_PRICE']; // no route of v2 is about an exchange order

    const left = [...codes].filter(
      (code) => codeOfV2(code as ErrorCode).startsWith('V1_') && !ofExchange.includes(String(code)),
    );

    expect(codes.size).to.be.above(8);
    expect(left).to.deep.equal([]);
  });

  it('are none of v1 in the contract either', () => {
    const v2 = Object.entries(document.paths as Json).filter(([path]) => path.startsWith('/v2/'));

    expect(JSON.stringify(v2)).not.to.match(/V1_/);
  });
});
