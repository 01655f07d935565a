import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { fresh } from '../support/identity.ts';
import { expectApiError } from '../support/operator.ts';
import { effectsOf, limit, market } from '../support/orders.ts';
import { startTrading, TRADING, type Trading } from '../support/trading.ts';

const ORDERS = `${TRADING}/orders`;

describe('callers who share a key or a name', function () {
  this.timeout(30_000);
  let service: Trading;
  before(async () => {
    service = await startTrading({ settings: { TRUSTED_PROXIES: '1' } });
  });
  after(() => service.stop());

  it('of unknown callers’ keys, those of another network are other keys', async () => {
    const from = (address: string, slug: string) =>
      service.ask('POST', '/v2/app-requests', {
        json: { company_name: 'Company', slug, contact_email: `${slug}@example.com`, use_case: 'Trading' },
        headers: { 'Idempotency-Key': 'the-same', 'X-Forwarded-For': address },
      });
    const [one, two] = [fresh('one'), fresh('two')];

    const first = await from('198.51.100.7', one);
    const other = await from('203.0.113.9', two);
    const repeated = await from('198.51.100.7', one);
    const reused = await from('198.51.100.7', two);

    expect([first.status, other.status]).to.deep.equal([200, 200]);
    expect(other.body.request_id).not.to.equal(first.body.request_id);
    expect(repeated.body).to.deep.equal(first.body);
    expectApiError(reused, 'IDEMPOTENCY_KEY_REUSED');
  });

  it('of users of one app, the same order under the same name is no repeat of the other’s', async () => {
    const [ann, bob] = [await service.propTrader(), await service.propTrader()];
    const order_uuid = randomUUID();
    const placed = await ann.ask('POST', ORDERS, { json: market({ order_uuid }) });

    const taken = await bob.ask('POST', ORDERS, { json: market({ order_uuid }) });

    expect(placed.status).to.equal(200);
    expectApiError(taken, 'V2_ORDER_UUID_REUSED');
    expect(taken.headers.get('intent-id')).to.equal(null);
    expect(effectsOf(service, bob)).to.deep.equal([]);
    expectApiError(await bob.ask('GET', `${ORDERS}/${order_uuid}`), 'V2_ORDER_UNKNOWN');
  });

  it('of one caller, a key is of one request: another operation, path, query, body or account is another request', async () => {
    const admin = await service.admin();
    const [one, two] = [(await service.app()).appId, (await service.app()).appId];
    const [ann, bob] = [await service.propTrader(), await service.propTrader()];
    const order = `${ORDERS}/${randomUUID()}`;
    const app = (json: object, account: string) =>
      ann.app('POST', ORDERS, { json, headers: { 'Idempotency-Key': 'orders', 'X-Prop-Account': account } });
    const pairs: [what: string, ask: () => ReturnType<typeof ann.ask>][] = [
      [
        'operation',
        () => admin.ask('POST', `/v2/admin/apps/${one}/enable`, { headers: { 'Idempotency-Key': 'apps' } }),
      ],
      ['path', () => admin.ask('POST', `/v2/admin/apps/${two}/disable`, { headers: { 'Idempotency-Key': 'apps' } })],
      ['query', () => ann.ask('DELETE', `${order}?trade_pair=BTCUSDC`, { headers: { 'Idempotency-Key': 'cancel' } })],
      ['body', () => app(market({ leverage: 0.2 }), ann.account.id)],
      ['account', () => app(market(), bob.account.id)],
    ];
    const first = [
      await admin.ask('POST', `/v2/admin/apps/${one}/disable`, { headers: { 'Idempotency-Key': 'apps' } }),
      await app(market(), ann.account.id),
    ];
    await ann.ask('POST', ORDERS, { json: limit({ order_uuid: order.split('/').at(-1) }) });
    await ann.ask('DELETE', order, { headers: { 'Idempotency-Key': 'cancel' } });

    const others = [];
    for (const [what, ask] of pairs) others.push([what, (await ask()).body.error?.code]);

    expect(first.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(others).to.deep.equal(pairs.map(([what]) => [what, 'IDEMPOTENCY_KEY_REUSED']));
  });

  it('of a trader’s program, a key of several closes is no order’s, and the other way round; another trader’s is another key', async () => {
    const [ann, bob] = [await service.propTrader(), await service.propTrader()];
    const keys = [(await ann.key()).api_key, (await bob.key()).api_key];
    const send = (nth: number, path: string, json: object, key: string) =>
      service.ask('POST', path, { json, headers: { 'X-Api-Key': keys[nth] ?? '', 'Idempotency-Key': key } });
    const closeAll = (nth: number, key: string) =>
      send(nth, `${ORDERS}/bulk-close`, { position_uuids: [randomUUID()] }, key);
    const place = (nth: number, key: string) => send(nth, ORDERS, market(), key);

    const first = [await place(0, 'order'), await closeAll(0, 'closes')];
    const reused = [await closeAll(0, 'order'), await place(0, 'closes')];
    const others = [await closeAll(1, 'order'), await place(1, 'closes')];

    expect([...first, ...others].map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    for (const each of reused) expectApiError(each, 'IDEMPOTENCY_KEY_REUSED');
    expect([effectsOf(service, ann), effectsOf(service, bob)]).to.deep.equal([['market'], ['market']]);
  });

  it('of one app, an order for another account is another request, also beside a header that no operation of v2 reads', async () => {
    const [ann, bob] = [await service.propTrader(), await service.propTrader()];
    const place = (account: string) =>
      ann.app('POST', ORDERS, {
        json: market(),
        headers: { 'Idempotency-Key': 'trader', 'X-Prop-Account': account, 'Trader-ID': '7' },
      });

    const first = await place(ann.account.id);
    const other = await place(bob.account.id);

    expect(first.status).to.equal(200);
    expectApiError(other, 'IDEMPOTENCY_KEY_REUSED');
    expect(effectsOf(service, bob)).to.deep.equal([]);
  });
});
