import { expect } from 'chai';
import { saveTier } from '../../../src/capabilities/payments/commands.ts';
import { bearer, fresh } from '../../support/identity.ts';
import { eventually, tierDemo } from '../../support/money.ts';
import { effectsOf, limit, market } from '../../support/orders.ts';
import { expectRejected } from '../../support/rejected.ts';
import { readStream } from '../../support/stream.ts';
import { startTrading, type TestTrader, TRADING, type Trading } from '../../support/trading.ts';

const ORDERS = `${TRADING}/orders`;
const another = { ...tierDemo, tier_id: 'tier_another' };

describe('orders of a user who has opened another account since and names none', () => {
  let service: Trading;
  let trader: TestTrader;
  before(async () => {
    service = await startTrading();
    await saveTier(service.db, { ...another, market: 'crypto', amount_cents: 0, currency: 'usd', active: true });
  });
  after(() => service.stop());
  beforeEach(async () => {
    trader = await service.propTrader();
  });

  const openAnother = async () => {
    await trader.ask('POST', '/v2/payments/free', { json: another });
    await eventually(async () => {
      const [newest] = (await trader.ask('GET', '/v2/payments/prop-accounts')).body;
      return newest.tier_id === another.tier_id && newest.status === 'evaluation';
    });
  };

  it('are polled where their 202 said, with the same credentials', async () => {
    const resting = await trader.ask('POST', ORDERS, { json: limit() });
    const place = await trader.ask('POST', ORDERS, { json: market(), headers: { Prefer: 'wait=0' } });
    const changes = { trade_pair: 'BTCUSDC', limit_price: 91_000 };
    const edit = await trader.ask('POST', `${ORDERS}/${resting.body.order_uuid}/edit`, {
      json: changes,
      headers: { Prefer: 'wait=0' },
    });
    await openAnother();

    const polled = await Promise.all(
      [place, edit].map(({ headers }) => trader.ask('GET', headers.get('location') ?? '')),
    );

    expect([place.status, edit.status]).to.deep.equal([202, 202]);
    expect(polled.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(polled[0]?.body).to.include({ order_uuid: place.body.order_uuid });
  });

  it('are edited and cancelled by their id, and a repeated cancellation gets its first response', async () => {
    const [one, two] = [
      await trader.ask('POST', ORDERS, { json: limit() }),
      await trader.ask('POST', ORDERS, { json: limit() }),
    ];
    const once = { headers: { 'Idempotency-Key': fresh('once') } };
    const first = await trader.ask('DELETE', `${ORDERS}/${one.body.order_uuid}`, once);
    await openAnother();

    const again = await trader.ask('DELETE', `${ORDERS}/${one.body.order_uuid}`, once);
    const edited = await trader.ask('POST', `${ORDERS}/${two.body.order_uuid}/edit`, {
      json: { trade_pair: 'BTCUSDC', limit_price: 91_000 },
    });
    const cancelled = await trader.ask('DELETE', `${ORDERS}/${two.body.order_uuid}`);

    expect([first, again, edited, cancelled].map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    expect(effectsOf(service, trader)).to.deep.equal(['limit', 'limit', 'cancel', 'edit', 'cancel']);
  });

  it('are closed by the ids of their positions', async () => {
    await trader.ask('POST', ORDERS, { json: market() });
    const [position] = (await trader.ask('GET', `${TRADING}/positions`)).body;
    await openAnother();

    const closed = await trader.ask('POST', `${ORDERS}/bulk-close`, {
      json: { position_uuids: ['nobody', position.position_uuid] },
    });

    expect(closed.body.results.map(({ status }: { status: string }) => status)).to.deep.equal(['not_found', 'closed']);
    expect(effectsOf(service, trader)).to.deep.equal(['market', 'flat_all']);
  });

  it('are in the stream that is resumed', async () => {
    const { session, token } = { session: trader.user.session, token: service.tenant.token };
    const credentials = { ...bearer(token), 'X-Session-Token': session };
    const first = await readStream(`${service.url}${TRADING}/stream`, credentials);
    const seen = await eventually(async () => first.events[0]);
    first.drop();
    const placed = await trader.ask('POST', ORDERS, { json: limit() });
    await openAnother();

    const resumed = await readStream(`${service.url}${TRADING}/stream`, {
      ...credentials,
      'Last-Event-ID': seen.id ?? '',
    });
    const next = await eventually(async () => resumed.events[0]);
    resumed.drop();

    expect(next.type).to.equal('order');
    expect(next.data).to.include({ order_uuid: placed.body.order_uuid });
  });

  it('are unknown to another user, and at an account that the request names', async () => {
    const placed = await trader.ask('POST', ORDERS, { json: limit() });
    const order = `${ORDERS}/${placed.body.order_uuid}`;
    await openAnother();
    const [newest] = (await trader.ask('GET', '/v2/payments/prop-accounts')).body;
    const other = await service.propTrader();

    expectRejected(await other.ask('GET', order), 'V2_ORDER_UNKNOWN');
    expectRejected(await other.ask('DELETE', order), 'V2_ORDER_UNKNOWN');
    expectRejected(await trader.ask('GET', order, { headers: { 'X-Prop-Account': newest.id } }), 'V2_ORDER_UNKNOWN');
  });
});
