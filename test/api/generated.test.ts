import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { sql } from 'slonik';
import { document, listOperations, type Operation } from '../../src/contract/document.ts';
import { type ErrorCode, errors } from '../../src/kernel/error-codes.ts';
import { signature } from '../../src/sandbox/processor/notifier.ts';
import { startCast } from '../support/generated/cast.ts';
import { type Generated, requestsOf } from '../support/generated/requests.ts';
import { openWire, type UpstreamResult } from '../support/generated/wire.ts';
import { PROCESSOR } from '../support/money.ts';

const SEED = Number(process.env.GENERATED_SEED ?? 20_240_229);
const EACH = Number(process.env.GENERATED_EACH ?? 36); // requests per operation: more than 5,000 in all
const AT_ONCE = 24;
const REVIVED_EVERY = 50; // requests after which sessions and tokens, ended by some of them, are opened again

describe('requests generated from the contract', function () {
  this.timeout(240_000);
  let service: Awaited<ReturnType<typeof startCast>>;
  const sent: { request: Generated; response: UpstreamResult; ms: number }[] = [];
  const withoutResponse: string[] = [];

  before(async () => {
    service = await startCast();
    const wire = openWire(service.url, AT_ONCE);
    const requests = requestsOf(service.cast, { each: EACH, seed: SEED }).map(signed);
    const startedAt = performance.now();
    let next = 0;
    const ask = async () => {
      for (let n = next++; n < requests.length; n = next++) {
        if (n % REVIVED_EVERY === 0) await revive();
        const request = requests[n] as Generated;
        const begun = performance.now();
        await wire.send(request).then(
          (response) => sent.push({ request, response, ms: performance.now() - begun }),
          (error: Error) => withoutResponse.push(`${reported(request)}: ${error.message}`),
        );
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, ask));
    wire.close();
    report(performance.now() - startedAt);
  });
  after(() => service.stop());

  /** The processor's own signature, computed over the exact bytes. */
  const signed = (request: Generated): Generated =>
    request.headers['Stripe-Signature'] === 'right'
      ? {
          ...request,
          headers: {
            ...request.headers,
            'Stripe-Signature': signature(PROCESSOR.notificationSecret, request.body?.toString() ?? ''),
          },
        }
      : request;

  async function revive(): Promise<void> {
    for (const statement of [
      sql.unsafe`update admin_sessions set revoked_at = null`,
      sql.unsafe`update user_sessions set revoked_at = null`,
      sql.unsafe`update app_secrets set expires_at = null`,
      sql.unsafe`update trader_keys set revoked_at = null where revoked_at is not null`,
    ])
      await service.db.query(statement);
  }

  function report(ms: number): void {
    const counts = new Map<string, number>();
    for (const { response } of sent) {
      const kind = `${Math.floor(response.status / 100)}xx`;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    const data = [...counts].sort().map(([kind, count]) => `${count} × ${kind}`);
    console.log(`      seed ${SEED}: ${sent.length} requests in ${Math.round(ms / 100) / 10} s; ${data.join(', ')}`);
  }

  it('all get a response', () => {
    expectNone(withoutResponse);
    expect(sent.length)
      .to.equal((listOperations().length + 1) * EACH)
      .and.be.greaterThan(EACH < 36 ? 0 : 5_000);
  });

  it('never lead to a 5xx', () => {
    const failed = sent.filter(({ response }) => response.status >= 500);
    const bugs = service.log.lines.filter(({ msg }) => msg === 'bug' || msg === 'task threw');

    expectNone(failed.map(({ request, response }) => `${reported(request)}: ${response.text}`));
    expectNone(bugs.map((line) => JSON.stringify(line)));
  });

  it('are rejected with problem documents that the contract names, under codes of the catalogue', () => {
    const rejected = sent.filter(({ response }) => response.status >= 400);
    const faults = rejected.flatMap(({ request, response }) => faultOf(request, response) ?? []);

    expectNone(faults);
  });

  it('would be detected: a status without its code, an unknown code, a page, a missing request id', () => {
    const { request, response } = sent.find(({ response: { status } }) => status === 422) as (typeof sent)[number];
    const problem = JSON.parse(response.text);
    const spoilt: UpstreamResult[] = [
      { ...response, status: 409 },
      { ...response, headers: {} },
      { ...response, text: JSON.stringify({ ...problem, title: undefined }) },
      { ...response, text: JSON.stringify({ ...problem, error: { ...problem.error, code: 'UNHEARD_OF' } }) },
      { ...response, text: JSON.stringify({ ...problem, error: { ...problem.error, stack: 'at line 1' } }) },
    ];

    expect(faultOf(request, response)).to.equal(undefined);
    for (const wrong of spoilt) expect(faultOf(request, wrong), wrong.text).to.be.a('string');
  });

  it('reach every operation: each one rejected some and accepted some', () => {
    const reached = Map.groupBy(sent, ({ request }) => request.operation?.id);
    const missing = listOperations().flatMap(({ id, security, body, parameters }) => {
      const statuses = new Set((reached.get(id) ?? []).map(({ response }) => response.status));
      const wanted = [...(security.flat().length > 0 ? [401] : []), ...(body || parameters.length > 0 ? [422] : [])];
      return wanted.filter((status) => !statuses.has(status)).map((status) => `${id}: no ${status}`);
    });
    const done = [...reached].filter(([, all]) => all.some(({ response }) => response.status < 300)).map(([id]) => id);

    expect(missing).to.deep.equal([]);
    expect(done.length).to.be.greaterThan(listOperations().length * (2 / 3));
  });
});

const SHOWN = 25;
const expectNone = (faults: string[]) =>
  expect(faults.length, `seed ${SEED}\n${faults.slice(0, SHOWN).join('\n')}\n`).to.equal(0);

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);
ajv.addSchema(document, 'contract');
const checks = new Map<string, ValidateFunction>();
const schemaAt = (pointer: string): ValidateFunction => {
  const known =
    checks.get(pointer) ?? ajv.compile({ $ref: `contract#${pointer.split('/').map(encodeURIComponent).join('/')}` });
  checks.set(pointer, known);
  return known;
};

/** What is wrong with an error response; undefined for a good one. */
function faultOf(request: Generated, { status, headers, text }: UpstreamResult): string | undefined {
  const { operation, method, path } = request;
  const fault = (what: string) => `${what}: ${reported(request)}: ${status} ${text.slice(0, 400)}`;
  if (!headers['x-request-id']) return fault('no request id');
  if (status === 401 && !headers['www-authenticate']) return fault('no challenge');
  if (method === 'HEAD') return undefined;
  const pointer = (operation ?? pageAt(method, path))?.responses.get(status);
  if (pointer === null && headers['content-type']?.startsWith('text/html')) return undefined; // a page for people
  const body: Data = JSON.parse(text);
  const { code } = body.detail ?? body.error ?? {};
  if (code === undefined || errors[code]?.[0] !== status) return fault('no code of the catalogue for this status');
  if (operation && !pointer && !OF_THE_EDGE.has(code)) return fault('a status that the contract does not name');
  const check = schemaAt(OF_THE_EDGE.has(code) ? PROBLEM : (pointer ?? PROBLEM));
  return check(body) ? undefined : fault(ajv.errorsText(check.errors));
}

/** The operation that an unknown path reaches after all. */
const pageAt = (method: string, path: string): Operation | undefined =>
  listOperations().find((one) => one.method.toUpperCase() === method && path === one.path.replaceAll(/\{\w+\}/g, 'x'));

type Data = { error?: { code?: ErrorCode }; detail?: { code?: ErrorCode } };

const PROBLEM = '/components/schemas/Problem';
/** Errors that are raised before the operation is known. */
const OF_THE_EDGE = new Set<ErrorCode>([
  'MALFORMED_REQUEST',
  'HEADERS_TOO_LARGE',
  'REQUEST_TIMEOUT',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
]);

/** A readable form of a request, to repeat it. */
const reported = ({ operation, as, how, method, path, headers, body }: Generated) =>
  `${operation?.id ?? 'astray'} as ${as}, ${how}: ${method} ${path.slice(0, 300)} ${JSON.stringify(headers).slice(0, 500)} ${body?.toString().slice(0, 500) ?? ''}`;
