import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import Koa from 'koa';
import { document, listOperations, type Operation } from '../../src/contract/document.ts';
import { readBody, requireUtf8, utf8Of } from '../../src/edge/body.ts';
import { describe as describeFields } from '../../src/edge/faults.ts';
import { requestValidator } from '../../src/edge/validate.ts';
import { ApiError } from '../../src/kernel/errors.ts';
import { examplesOf, nodeAt } from '../support/samples.ts';

type Json = Record<string, unknown>;

const BYTES = 128 * 1024 - 64;
const TIMES_PLAIN = 5;
/** Below this a difference is noise of the measurement, not a cost. */
const NOISE_MS = 0.5;
const RUNS = 7;
/** So many more runs show whether a body is dear or the machine was busy. */
const RUNS_OF_DEAR = 40;

const app = new Koa();
const operations = listOperations().filter(({ body }) => body !== undefined);
const operation = (id: string) => operations.find((one) => one.id === id) as Operation; // as: named in these tests

/** Reads and checks a body as the edge does. Resolves to what was parsed. */
async function check(one: Operation, bytes: Buffer, type = one.body?.contentType, coding = ''): Promise<unknown> {
  const headers = { 'content-type': type, 'content-length': String(bytes.length), 'content-encoding': coding };
  const request = Object.assign(Readable.from([bytes]), { headers, method: 'POST', url: '/' });
  const ctx = app.createContext(request as never, {} as never); // as: a request is what readBody reads of it
  const body = await readBody(ctx, one);
  validators.get(one.id)?.({ path: {}, query: {}, header: {}, body });
  return body;
}

const validators = new Map(operations.map((one) => [one.id, requestValidator({ ...one, parameters: [] })]));

const codeOf = async (one: Operation, body: Buffer | string, type?: string, coding?: string): Promise<string> => {
  const sent = typeof body === 'string' ? Buffer.from(body) : body;
  return check(one, sent, type, coding).then(
    () => 'accepted',
    (error) => (error instanceof ApiError ? error.code : String(error)),
  );
};

describe('the text of a body', () => {
  const sign = operation('signAgreement');
  const named = (name: Buffer) =>
    Buffer.concat([Buffer.from('{"agreement_version":"1","signature_name":"'), name, Buffer.from('"}')]);

  it('is UTF-8: other bytes are rejected instead of replaced', async () => {
    expect(await codeOf(sign, named(Buffer.from('José')))).to.equal('accepted');
    expect(await codeOf(sign, named(Buffer.from('José', 'latin1')))).to.equal('MALFORMED_BODY');
    expect(await codeOf(sign, named(Buffer.from([0xed, 0xa0, 0x80])))).to.equal('MALFORMED_BODY');
    expect(await codeOf(sign, named(Buffer.from([0xc0, 0xaf])))).to.equal('MALFORMED_BODY');
  });

  it('has no other charset', async () => {
    const body = named(Buffer.from('Ada'));

    expect(await codeOf(sign, body, 'application/json; charset=iso-8859-1')).to.equal('UNSUPPORTED_MEDIA_TYPE');
    expect(await codeOf(sign, body, 'application/json; charset="UTF-8"')).to.equal('accepted');
  });

  it('of a form has no other charset, under the code that its operations list', async () => {
    const forms = operations.filter(({ responses }) => !responses.has(415));
    const found: string[] = [];
    for (const one of forms) found.push(await codeOf(one, 'a=b', `${one.body?.contentType}; charset=iso-8859-1`));

    expect(forms.map(({ id }) => id)).to.deep.equal(['issueAccessToken', 'revokeAccessToken']);
    expect(found).to.deep.equal(['INVALID_REQUEST', 'INVALID_REQUEST']);
  });

  it('has no coding that is not decoded, and says so', async () => {
    const body = named(Buffer.from('Ada'));

    expect(await codeOf(sign, body, undefined, 'zstd')).to.equal('UNSUPPORTED_MEDIA_TYPE');
    expect(await codeOf(operation('issueAccessToken'), 'a=b', undefined, 'zstd')).to.equal('INVALID_REQUEST');
    expect(await codeOf(sign, gzipSync(body), undefined, 'gzip')).to.equal('accepted');
    expect(await codeOf(sign, body, undefined, 'identity')).to.equal('accepted');
  });

  it('names a member once, however it is written', async () => {
    for (const twice of ['{"a":1,"a":1}', '{"a":1,"\\u0061":2}', '[{"b":{"x":":","x":0}}]', '{"__proto__":{}}'])
      expect(await codeOf(sign, twice), twice).to.equal('MALFORMED_BODY');
  });

  it('is rejected with the member whose text cannot be stored, a member that is there twice, or the number that would be another one', async () => {
    const messageOf = (text: string) =>
      check(sign, Buffer.from(text)).catch((error) => describeFields(error.details.fields));

    expect(await messageOf('{"a":1,"signature_name":"A\\u0000"}')).to.equal(
      'signature_name must be text that can be stored.',
    );
    expect(await messageOf('{"a":["b",{"c":"\\ud800"}]}')).to.equal('a.1.c must be text that can be stored.');
    expect(await messageOf('{"a":{"__proto__":1}}')).to.equal('a.__proto__ must be text that can be stored.');
    expect(await messageOf('{"a":1,"a":1}')).to.equal('body must have no member twice.');
    expect(await messageOf('{"a":1,"b":[1e400]}')).to.match(/; not 1e400\.$/);
  });

  it('has no number that would be read as another one', async () => {
    const notify = operation('sendNotification');
    const sent = (value: string) => `{"subject":"s","html":"h","fanout_event":"e","payload":{"a":[${value}]}}`;

    for (const changed of ['9007199254740993', '-9007199254740993', '1234567890123456789', '1e309', '-1E+400'])
      expect(await codeOf(notify, sent(changed)), changed).to.equal('INVALID_REQUEST');
    const same = [
      '9007199254740992',
      '9007199254740991',
      '1e22',
      '1e-400',
      '0.1000000000000000055',
      '"9007199254740993"',
      '"\\"1e999"',
    ];
    for (const kept of same) expect(await codeOf(notify, sent(kept)), kept).to.equal('accepted');
  });

  it('may contain every mark of JSON within a string', async () => {
    const sent = { agreement_version: '1', signature_name: '"a\\":[{,]}\\' };
    const body = await check(sign, Buffer.from(JSON.stringify(sent)));

    expect(body).to.deep.include(sent);
  });

  it('is a form with each member once, and valid escapes', async () => {
    const token = operation('issueAccessToken');

    expect(await check(token, Buffer.from('grant_type=client_credentials&scope=a+b%2Bc'))).to.deep.include({
      scope: 'a b+c',
    });
    for (const form of ['grant_type=a&grant_type=b', 'grant_type=%E9', 'grant_type=%00', 'grant_type=%ED%A0%80'])
      expect(await codeOf(token, form), form).to.equal('MALFORMED_BODY');
  });
});

describe('the text of headers and of the address', () => {
  const outcome = (run: () => unknown) => {
    try {
      return run() ?? 'accepted';
    } catch (error) {
      return error instanceof ApiError ? error.code : String(error);
    }
  };
  const header = (bytes: Buffer) => outcome(() => utf8Of(bytes.toString('latin1')));

  it('is UTF-8: other bytes are rejected instead of replaced', () => {
    expect(header(Buffer.from('plain'))).to.equal('plain');
    expect(header(Buffer.from('José'))).to.equal('José');
    for (const bytes of [[0xe9], [0xed, 0xa0, 0x80], [0xc0, 0xaf]])
      expect(header(Buffer.from(bytes))).to.equal('MALFORMED_BODY');
    for (const url of ['/v1/events', '/v1/events?after=a%20b', '/v1/x?a=100%', '/v1/%C3%A9?b=%zz'])
      expect(
        outcome(() => requireUtf8({ url })),
        url,
      ).to.equal('accepted');
    for (const url of ['/v1/x?a=%E9', '/v1/%ff', '/v1/x?a=%ED%A0%80', '/v1/x?a=%C0%AF%'])
      expect(
        outcome(() => requireUtf8({ url })),
        url,
      ).to.equal('MALFORMED_BODY');
  });
});

/** A text of at most `BYTES` made of as many units as fit. */
function filled(open: string, unit: (n: number) => string, close: string): string {
  const units: string[] = [];
  for (let size = open.length + close.length; ; ) {
    const next = unit(units.length);
    size += next.length + 1;
    if (size > BYTES) return open + units.join(',') + close;
    units.push(next);
  }
}

const memberOf = (n: number) => `"m${n.toString(36)}":0`;
const BARE: Record<string, string> = {
  'unknown members': filled('{', memberOf, '}'),
  'the most values, all unknown': `{${Array.from({ length: 999 }, (_, n) => memberOf(n)).join(',')}}`,
  'one member again and again': filled('{', () => '"a":0', '}'),
  numbers: filled('[', () => '0', ']'),
  objects: filled('[', () => '{}', ']'),
  'deep arrays': `${'['.repeat(BYTES / 2)}${']'.repeat(BYTES / 2)}`,
  'deep objects': `${'{"a":'.repeat(BYTES / 7)}0${'}'.repeat(BYTES / 7)}`,
  backslashes: `{"a":"${'\\\\'.repeat(BYTES / 2 - 8)}"}`,
  'escaped quotes': `{"a":"${'\\"'.repeat(BYTES / 2 - 8)}"}`,
  'no end': `{"a":"${'\\'.repeat(BYTES - 8)}`,
};

/** Attacks on each member that the schema knows: a long text, many wrong entries, many unknown members. */
function inMembers(names: string[]): Record<string, string> {
  const few = (unit: (n: number) => string) => Array.from({ length: 900 }, (_, n) => unit(n)).join(',');
  const values = {
    'long text': `"${'a'.repeat(BYTES - 200)}"`,
    'long text of separators': `"${'a@-.:/'.repeat((BYTES - 200) / 6)}"`,
    'many texts': `[${few((n) => `"${n}"`)}]`,
    'many objects': `[${few((n) => (n % 2 ? '{}' : '[]'))}]`,
    'many members': `{${few(memberOf)}}`,
  };
  const entries = names.flatMap((name) =>
    Object.entries(values).map(([what, value]) => [`${name}: ${what}`, `{"${name}":${value}}`]),
  );
  return Object.fromEntries(entries);
}

const propertiesOf = (schema: Json): string[] => {
  const { $ref, properties, ...more } = schema as { $ref?: string; properties?: Json };
  const composed = Object.entries(more).filter(([key]) => ['allOf', 'anyOf', 'oneOf'].includes(key));
  const inside = composed.flatMap(([, schemas]) => (schemas as Json[]).flatMap(propertiesOf));
  return [...($ref ? propertiesOf(nodeAt($ref.slice(1)) as Json) : []), ...Object.keys(properties ?? {}), ...inside];
};

/** The least time of several runs: what the code costs, without what else the machine did. Goes on while it is above `limit`. */
async function costOf(one: Operation, text: string, limit = Number.POSITIVE_INFINITY): Promise<number> {
  const bytes = Buffer.from(text);
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS || (least > limit && run < RUNS_OF_DEAR); run += 1) {
    const startedAt = performance.now();
    await check(one, bytes).catch(() => {});
    least = Math.min(least, performance.now() - startedAt);
  }
  return least;
}

describe(`a body costs at most ${TIMES_PLAIN} times a plain one of its size`, function () {
  this.timeout(120_000);

  for (const one of operations.filter(({ body }) => body?.contentType === 'application/json'))
    it(one.id, async () => {
      const pointer = one.body?.pointer ?? '';
      const example = JSON.stringify(examplesOf(pointer.replace(/\/schema$/, ''))[0] ?? {});
      const plain = await costOf(one, example.replace('{', `{${' '.repeat(BYTES - example.length)}`));
      const attacks = { ...BARE, ...inMembers([...new Set(propertiesOf(nodeAt(pointer) as Json))]) };
      const dear: string[] = [];

      for (const [what, text] of Object.entries(attacks)) {
        const limit = TIMES_PLAIN * plain + NOISE_MS;
        const cost = await costOf(one, text, limit);
        if (cost > limit) dear.push(`${what}: ${cost.toFixed(1)} ms, plain ${plain.toFixed(1)} ms`);
      }

      expect(dear).to.deep.equal([]);
    });

  it('for every operation of the contract that reads JSON', () => {
    expect(operations.length).to.be.above(40);
    expect(document).to.have.property('paths');
  });
});
