import { expect } from 'chai';
import { eventually } from '../../support/money.ts';
import { limit, market } from '../../support/orders.ts';
import { cancelExits, comparedUntil } from '../../support/protection.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { type Reader, readStream } from '../../support/stream.ts';
import { faultOf, faultOfProtection } from '../../support/stream-schemas.ts';
import { startTrading, type TestTrader, TRADING, type Trading } from '../../support/trading.ts';

const ORDERS = `${TRADING}/orders`;
const BTC = 'BTCUSDC';

type Logged = { id: string; type: string; data: Record<string, unknown> };

describe('the exits that a user wants of a position', function () {
  this.timeout(60_000);
  let service: Trading;
  let cooling: Trading;
  let receiver: Receiver;
  const readers: Reader[] = [];
  before(async () => {
    const upstream = { style: '2026' } as const;
    [service, cooling] = await Promise.all([
      startTrading({ upstream }),
      startTrading({ upstream: { ...upstream, cooldownMs: 600_000 } }),
    ]);
    receiver = await startReceiver();
    for (const { tenant } of [service, cooling])
      await tenant.ask('POST', '/v2/webhook-endpoints', { json: { url: receiver.url, events: ['*'] } });
  });
  after(async () => {
    for (const reader of readers) reader.drop();
    await receiver.close();
    await Promise.all([service.stop(), cooling.stop()]);
  });
  afterEach(() => service.miner.setPrice(BTC, 100_000));

  /** A user with a long position, whose account is followed. */
  async function holder(at: Trading, more: object = { stop_loss: 90_000 }) {
    const trader = await at.propTrader();
    const key = await trader.key();
    const stream = await readStream(`${at.url}${TRADING}/stream`, { 'X-Api-Key': key.api_key });
    readers.push(stream);
    const { body } = await trader.ask('POST', ORDERS, { json: market(more) });
    return { trader, stream, uuid: String(body.order_uuid) };
  }
  const streamed = ({ events }: Reader, is: (event: Reader['events'][number]) => boolean) => events.find(is);
  /** The event of the account's stream is that of the app's log and of its webhook. */
  async function expectToldToApp(at: Trading, data: object, type: string) {
    const log: Logged[] = (await at.tenant.ask('GET', `/v2/events?type=${type}`)).body;
    const event = log.find((one) => JSON.stringify(one.data) === JSON.stringify(data)) as Logged;
    const sent = await eventually(async () => receiver.ledger.find(({ body }) => JSON.parse(body).id === event.id));
    expect(faultOf(type, event), JSON.stringify(event)).to.equal(null);
    expect(JSON.parse(sent.body)).to.deep.equal(event);
  }
  const expectOf = (trader: TestTrader, data: Record<string, unknown>) => {
    expect(faultOfProtection(data), JSON.stringify(data)).to.equal(null);
    expect(data).to.deep.include({
      ...{ prop_account_id: trader.account.id, trader_id: trader.traderId, pair: BTC },
    });
    expect(data.user_id).to.match(/^usr_/);
  };

  it('are reported missing, and present again, in the stream of the account, to the app and by its webhook', async () => {
    const { trader, stream, uuid } = await holder(service);
    await cancelExits(service, trader);

    const lost = await comparedUntil(service.db, async () =>
      streamed(stream, ({ type }) => type === 'position.unprotected'),
    );
    const status = await trader.ask('GET', `${ORDERS}/${uuid}`);
    await trader.ask('POST', `${ORDERS}/tp-sl`, { json: { trade_pair: BTC, stop_loss: 91_000 } });
    const again = await comparedUntil(service.db, async () =>
      streamed(stream, ({ type }) => type === 'position.protected'),
    );

    expectOf(trader, lost.data);
    expect(lost.data).to.deep.include({ reason: 'exits_cancelled', live: [], side: 'long' });
    expect(status.body).to.include({ protection: 'failed' });
    expect(again.data).to.deep.include({ reason: 'exits_live' });
    await expectToldToApp(service, lost.data, 'position.unprotected');
    await expectToldToApp(service, again.data, 'position.protected');
  });

  it('are reported missing when a tp-sl at a price that was reached has cancelled them', async () => {
    const { trader, stream } = await holder(cooling);

    const reply = await trader.ask('POST', `${ORDERS}/tp-sl`, { json: { trade_pair: BTC, stop_loss: 110_000 } });
    const lost = await eventually(async () => streamed(stream, ({ type }) => type === 'position.unprotected'));
    const order = streamed(stream, ({ type, data }) => type === 'order' && data.action === 'protect');

    expect(reply.body).to.include({ success: false, lifecycle: 'cancelled', protection: 'failed' });
    expectOf(trader, lost.data);
    expect(lost.data).to.deep.include({ reason: 'exits_cancelled' });
    expect(order?.data).to.include({ lifecycle: 'cancelled', order_uuid: reply.body.order_uuid });
    await expectToldToApp(cooling, lost.data, 'position.unprotected');
  });

  it('are no longer wanted after an elimination, which is reported of the order that it cancels', async () => {
    const { trader, stream } = await holder(service);
    const { body } = await trader.ask('POST', `${ORDERS}/tp-sl`, { json: { trade_pair: BTC, stop_loss: 91_000 } });
    await service.network({ subaccount_id: Number(trader.traderId), elimination: 'MAX_TOTAL_DRAWDOWN' });

    const ended = await comparedUntil(service.db, async () =>
      streamed(stream, ({ type, data }) => type === 'order' && data.action === 'lifecycle'),
    );
    await eventually(async () => streamed(stream, ({ type }) => type === 'account'));

    expect(ended.data).to.include({ order_uuid: body.order_uuid, lifecycle: 'cancelled', status: 'completed' });
    expect(streamed(stream, ({ type }) => type === 'position.unprotected')).to.equal(undefined);
  });

  it('of a triggered order whose child was refused end with it', async () => {
    const { trader, stream } = await holder(service, {});
    const stop = { execution_type: 'STOP_LIMIT', stop_price: 105_000, limit_price: 120_000, quantity: 0.01 };
    const { body } = await trader.ask('POST', ORDERS, { json: limit({ ...stop, stop_loss: 80_000 }) });
    await trader.ask('POST', ORDERS, { json: market({ leverage: 1.4 }) }); // no room is left for the child
    service.miner.setPrice(BTC, 106_000);

    const ended = await comparedUntil(service.db, async () =>
      streamed(stream, ({ type, data }) => type === 'order' && data.action === 'lifecycle'),
    );

    expect(ended.data).to.include({ order_uuid: body.order_uuid, lifecycle: 'ended' });
    expect(streamed(stream, ({ type }) => type === 'position.unprotected')).to.equal(undefined);
  });
});
