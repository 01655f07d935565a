import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { createPartner, mintKey, revokeKey } from '../../src/capabilities/partners/commands.ts';
import type { Parameter } from '../../src/contract/document.ts';
import type { ErrorCode } from '../../src/kernel/error-codes.ts';
import type { Reply } from '../support/caller.ts';
import { limit, market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { nodeAt, type Sample, samples, UUID } from '../support/samples.ts';
import { ENTITY, startService, type TestService } from '../support/service.ts';

const isUuid = ({ pointer }: Parameter) => (nodeAt(pointer) as { format?: string }).format === 'uuid';
const TRADER = '7'; // the name in the contract's example
const WALLET = `0x${'a'.repeat(40)}`;
const all = samples();
const withBody = all.filter(({ body, operation }) => body !== undefined && operation.body?.required);
const ofTrader = all.filter(({ headers }) => 'Trader-ID' in headers);
/** Values that no member of a body accepts; members of network orders are no flags, no such texts, and not below 0. */
const wrongFor = ({ path }: Sample) => [{ unheard: 1 }, [[]], ...(path.includes('netvenue') ? [true, ' ', -1] : [])];
const sampleOf = (id: string) => all.find(({ operation }) => operation.id === id) as Sample;

describe('bad input', () => {
  let service: TestService;
  let key: string;
  let partnerId: string;
  let before_: Record<string, number>;

  before(async () => {
    service = await startService({ worker: false });
    ({ key, partner_id: partnerId } = await createPartner(service.db, 'Careless partner'));
    await service.db.query(sql.unsafe`
      insert into subaccounts (synthetic_hotkey, entity_hotkey, subaccount_id, owner, intent_id, asset_class, account_size, status)
      values (${`${ENTITY}_${TRADER}`}, ${ENTITY}, ${Number(TRADER)}, ${partnerId}, ${UUID}, 'crypto', 10000, 'active')`);
  });
  after(() => service.stop());

  beforeEach(async () => {
    before_ = await rows();
  });
  afterEach('nothing was written', async () => {
    expect(await rows()).to.deep.equal(before_);
  });

  const rows = () =>
    service.db.one(sql.type(z.record(z.string(), z.number()))`
      select (select count(*) from intents) intents, (select count(*) from orders) orders,
        (select count(*) from idempotency_keys) keys, (select count(*) from lanes) lanes,
        (select count(*) from subaccounts) subaccounts, (select count(*) from graphile_worker.jobs) jobs`);

  type Requested = {
    method: string;
    path: string;
    headers?: Record<string, string>;
    body?: string | object | undefined;
  };

  /** Sends exactly this, by default as JSON and with the partner's key. */
  async function ask({ method, path, headers = {}, body }: Requested): Promise<Reply> {
    const reads = method !== 'GET' && method !== 'HEAD' && body !== undefined;
    const response = await fetch(service.url + path, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        'X-Request-Id': 'my-request.1',
        ...(reads && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(reads && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: Object.fromEntries(response.headers), body: text && JSON.parse(text) };
  }

  const send = ({ method, path, headers, operation, body }: Sample, more: Partial<Requested> = {}) =>
    ask({ method, path, headers, ...(operation.body && { body }), ...more });

  /** Expects a problem that the contract names for this operation, under the caller's request id. */
  function expectNamedProblem({ operation }: Sample, reply: Reply, code: ErrorCode, members: object = {}): void {
    expectProblem(reply, code, { request_id: 'my-request.1', ...members });
    expect([...operation.responses.keys()]).to.include(reply.status);
    expect(reply.headers).not.to.have.property('intent-id');
  }

  for (const sample of all) {
    it(`${sample.operation.id} without a valid key is 401`, async () => {
      const revoked = await mintKey(service.db, partnerId, null);
      await revokeKey(service.db, revoked.key_id);
      const { key: disabled, partner_id } = await createPartner(service.db, 'Gone');
      await service.db.query(sql.unsafe`update partners set disabled_at = now() where id = ${partner_id}`);

      const wrong = ['', 'Bearer', 'Bearer tpk_unknown', `Basic ${key}`, `Bearer ${revoked.key}`, `Bearer ${disabled}`];
      const replies = await Promise.all(wrong.map((Authorization) => send(sample, { headers: { Authorization } })));

      for (const reply of replies) {
        expectNamedProblem(sample, reply, 'V1_KEY_INVALID', { retryable: false });
        expect(reply.headers['www-authenticate']).to.match(/^Bearer /);
      }
    });
  }

  for (const sample of withBody) {
    it(`${sample.operation.id} rejects bodies of the wrong shape`, async () => {
      const bodies = [{ ...sample.body, unheard_of: 1 }, { ...sample.body, __proto_: {} }, {}, [], [sample.body]];
      const replies = await Promise.all(bodies.map((body) => send(sample, { body })));

      for (const reply of replies) {
        expectNamedProblem(sample, reply, 'INVALID_REQUEST', { effect: 'none', retryable: false });
        expect(reply.body.error.fields[0].loc[0]).to.equal('body');
      }
    });

    it(`${sample.operation.id} rejects wrong types of every member`, async () => {
      const bodies = Object.keys(sample.body ?? {}).flatMap((name) =>
        wrongFor(sample).map((value) => ({ ...sample.body, [name]: value })),
      );
      const replies = await Promise.all(bodies.map((body) => send(sample, { body })));

      for (const reply of replies) expectNamedProblem(sample, reply, 'INVALID_REQUEST', { effect: 'none' });
    });

    it(`${sample.operation.id} rejects invalid JSON`, async () => {
      const texts = ['{', '{"a":}', 'null', '"text"', '12', "{'a': 1}", `${JSON.stringify(sample.body)}x`];
      const replies = await Promise.all(texts.map((body) => send(sample, { body })));

      for (const reply of replies) expectNamedProblem(sample, reply, 'INVALID_REQUEST', { effect: 'none' });
    });

    it(`${sample.operation.id} rejects texts that cannot be stored, and members that stand twice`, async () => {
      const texts = ['{"label":"a\\u0000b"}', '{"label":"\\ud800"}', '{"a":1,"a":1}', '{"b":{"a":1,"\\u0061":2}}'];
      const replies = await Promise.all(texts.map((body) => send(sample, { body })));

      for (const reply of replies) expectNamedProblem(sample, reply, 'MALFORMED_BODY', { effect: 'none' });
    });

    it(`${sample.operation.id} rejects other content types, and none`, async () => {
      const types = ['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data', ''];
      const replies = await Promise.all(
        types.map((type) => send(sample, { headers: { ...sample.headers, 'Content-Type': type } })),
      );

      for (const reply of replies) expectNamedProblem(sample, reply, 'UNSUPPORTED_MEDIA_TYPE', { effect: 'none' });
    });

    it(`${sample.operation.id} rejects huge bodies`, async () => {
      const pad = 'x'.repeat(200 * 1024);
      const reply = await send(sample, { body: { ...sample.body, pad } });

      expectNamedProblem(sample, reply, 'BODY_TOO_LARGE', { effect: 'none', retryable: false });
    });

    it(`${sample.operation.id} rejects a missing body`, async () => {
      const reply = await ask({ method: sample.method, path: sample.path, headers: sample.headers });

      expectNamedProblem(sample, reply, 'INVALID_REQUEST', { effect: 'none' });
    });
  }

  for (const sample of ofTrader) {
    it(`${sample.operation.id} rejects an invalid Trader-ID`, async () => {
      const onlyNetwork = sample.path.includes('netvenue');
      const wrong = [...(onlyNetwork ? [WALLET] : []), '', 'abc', '-1', '1.5', '1e3', '0x1', '1234567890', '7, 8'];
      const replies = await Promise.all(wrong.map((id) => send(sample, { headers: { 'Trader-ID': id } })));

      for (const reply of replies) {
        expectNamedProblem(sample, reply, 'INVALID_REQUEST', { effect: 'none' });
        const locs = reply.body.error.fields.map(({ loc }: { loc: unknown[] }) => loc);
        expect(locs).to.deep.include(['header', 'Trader-ID']);
      }
    });
  }

  for (const sample of all.filter(({ operation }) => operation.parameters.some(isUuid))) {
    it(`${sample.operation.id} rejects malformed ids`, async () => {
      const wrong = [
        '7',
        'not-a-uuid',
        '%00',
        '..%2F..%2Fetc',
        `urn:uuid:${UUID}`,
        `{${UUID}}`,
        UUID.replaceAll('-', ''),
      ];
      const replies = await Promise.all(wrong.map((id) => send(sample, { path: sample.path.replace(UUID, id) })));

      for (const reply of replies) expectNamedProblem(sample, reply, 'INVALID_REQUEST', { effect: 'none' });
    });
  }

  for (const sample of all.filter(({ operation: { parameters } }) =>
    parameters.some(({ name }) => name === 'Idempotency-Key'),
  )) {
    it(`${sample.operation.id} rejects an invalid Idempotency-Key`, async () => {
      const wrong = ['with space', 'x'.repeat(256), Buffer.from('caf\u00e9').toString('latin1')]; // in UTF-8
      const replies = await Promise.all(
        wrong.map((bad) => send(sample, { headers: { ...sample.headers, 'Idempotency-Key': bad } })),
      );

      for (const reply of replies) expectNamedProblem(sample, reply, 'INVALID_REQUEST', { effect: 'none' });
    });
  }

  for (const [what, order] of [
    ['two sizes', market({ leverage: 0.1, value: 100 })],
    ['three sizes', market({ leverage: 0.1, value: 100, quantity: 1 })],
    ['no size', market({ leverage: undefined })],
    ['a size of zero', market({ leverage: 0 })],
    ['a size as text', market({ leverage: '0.1' })],
    ['a size beyond all numbers', '{"trade_pair":"BTCUSDC","order_type":"LONG","leverage":1e999}'],
    ['an execution type of another route', market({ execution_type: 'FLAT_ALL' })],
    ['LIMIT_CANCEL', market({ execution_type: 'LIMIT_CANCEL' })],
    ['LIMIT_EDIT', market({ execution_type: 'LIMIT_EDIT' })],
    ['a limit without a price', limit({ limit_price: undefined })],
    ['a limit that is FLAT', limit({ order_type: 'FLAT' })],
    ['a stop-limit without a stop', limit({ execution_type: 'STOP_LIMIT' })],
    ['a stop for a limit', limit({ stop_price: 80_000 })],
    ['a bracket without prices', { trade_pair: 'BTCUSDC', order_type: 'FLAT', execution_type: 'BRACKET' }],
    ['two trailing stops', market({ trailing_stop: { trailing_percent: 0.1, trailing_value: 5 } })],
    ['a trailing stop of 100 %', market({ trailing_stop: { trailing_percent: 1 } })],
    ['an empty list of brackets', market({ bracket_orders: [] })],
    ['an empty bracket', market({ bracket_orders: [{ quantity: 1 }] })],
    ['a pair that is a path', market({ trade_pair: '../BTC' })],
    ['an invalid uuid', market({ order_uuid: '../../etc/passwd' })],
    ['a uuid in its URN form', market({ order_uuid: `urn:uuid:${UUID}` })],
  ] as const) {
    it(`submitNetvenueOrder rejects ${what}`, async () => {
      const reply = await send(sampleOf('submitNetvenueOrder'), { body: order });

      expectNamedProblem(sampleOf('submitNetvenueOrder'), reply, 'INVALID_REQUEST', { effect: 'none' });
    });
  }

  for (const [id, what, body] of [
    ['setNetvenueTpSl', 'no price', { trade_pair: 'BTCUSDC' }],
    ['setNetvenueTpSl', 'two sizes', { trade_pair: 'BTCUSDC', stop_loss: 1, value: 1, quantity: 1 }],
    ['editNetvenueOrder', 'no change', { trade_pair: 'BTCUSDC' }],
    ['editNetvenueOrder', 'two sizes', { trade_pair: 'BTCUSDC', value: 1, quantity: 1 }],
    ['editNetvenueOrder', 'another execution type', { trade_pair: 'BTCUSDC', execution_type: 'MARKET' }],
    ['registerNetvenueTrader', 'half a standard account', { asset_class: 'crypto' }],
    ['registerNetvenueTrader', 'both kinds at once', { asset_class: 'crypto', account_size: 1, ex_address: WALLET }],
    ['registerNetvenueTrader', 'more than the network accepts', { asset_class: 'crypto', account_size: 100_001 }],
    ['registerNetvenueTrader', 'an invalid wallet', { ex_address: '0x12' }],
  ] as const) {
    it(`${id} rejects ${what}`, async () => {
      const reply = await send(sampleOf(id), { body });

      expectNamedProblem(sampleOf(id), reply, 'INVALID_REQUEST', { effect: 'none' });
    });
  }
});
