import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { effectsOf, market } from '../../support/orders.ts';
import { expectRejected } from '../../support/rejected.ts';
import { type Relay, relayTo } from '../../support/relay.ts';
import { startTrading, type TestTrader, TRADING, type Trading } from '../../support/trading.ts';

const ORDERS = `${TRADING}/orders`;
const FRESH_MS = 1_100; // reads are shared for a second

describe('several positions of which the network shows one without its pair', () => {
  let relay: Relay;
  let service: Trading;
  let trader: TestTrader;
  let uuids: string[];
  before(async () => {
    relay = await relayTo();
    service = await startTrading({ settings: { NETVENUE_VALIDATOR_URL: relay.url } });
    relay.target = service.miner.validatorUrl;
    trader = await service.propTrader();
    const pairs = ['BTCUSDC', 'ETHUSDC'];
    for (const trade_pair of pairs) await trader.ask('POST', ORDERS, { json: market({ trade_pair }) });
    const open = (await trader.ask('GET', `${TRADING}/positions`)).body as { position_uuid: string }[];
    uuids = open.map(({ position_uuid }) => position_uuid);
    relay.handle = async ({ name, forward }) => {
      const reply = await forward();
      if (reply === 'lost' || !name.includes('/v2/entity/subaccount/')) return reply;
      const body = String(reply.body).replaceAll('"tp":"ETH/USDC","t"', '"t"');
      const { 'content-length': _, ...headers } = reply.headers;
      return { ...reply, headers, body };
    };
    await sleep(FRESH_MS);
  });
  after(async () => {
    await service.stop();
    await relay.close();
  });

  it('are closed together but for that one, which is said to be unreadable and not to be closed', async () => {
    const { status, body } = await trader.ask('POST', `${ORDERS}/bulk-close`, { json: { position_uuids: uuids } });

    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.include({ success: false, message: '1 of 2 closed.' });
    expect(body.results.map((one: { status: string; code: string }) => [one.status, one.code])).to.deep.equal([
      ['closed', null],
      ['failed', 'VENUE_UNREADABLE'],
    ]);
    expect(body.results[1]).to.include({ position_uuid: uuids[1], order_uuid: null });
    expect(effectsOf(service, trader).slice(2)).to.have.length(1);
  });

  it('are not said to be unknown if none that is named can be read', async () => {
    const request = { json: { position_uuids: [uuids[1] ?? ''] } };

    const unread = await trader.ask('POST', `${ORDERS}/bulk-close`, request);
    relay.handle = ({ forward }) => forward();
    await sleep(FRESH_MS);
    const closed = await trader.ask('POST', `${ORDERS}/bulk-close`, request);

    expectRejected(unread, 'VENUE_UNREADABLE', { effect: 'none', retryable: true });
    expect(closed.body, JSON.stringify(closed.body)).to.include({ success: true, message: '1 of 1 closed.' });
  });
});
