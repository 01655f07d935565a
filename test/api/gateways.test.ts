import { expect } from 'chai';
import type { Caller } from '../support/caller.ts';
import { market } from '../support/orders.ts';
import { type Relay, type Reply, relayTo } from '../support/relay.ts';
import { startService, type TestService } from '../support/service.ts';

const PAGE: Omit<Exclude<Reply, 'lost'>, 'status'> = {
  headers: { 'content-type': 'text/html' },
  body: '<html><h1>No</h1></html>',
};

describe('a page of a gateway instead of the response to what a venue has done', function () {
  this.timeout(90_000);
  let service: TestService;
  let miner: Relay;
  let exchange: Relay;
  before(async () => {
    [miner, exchange] = [await relayTo(), await relayTo()];
    service = await startService({ settings: { NETVENUE_MINER_URL: miner.url, EXVENUE_URL: exchange.url } });
    miner.target = service.miner.minerUrl;
    exchange.target = service.exchange.url;
  });
  after(async () => {
    await service.stop();
    for (const relay of [miner, exchange]) await relay.close();
  });
  afterEach(() => {
    for (const relay of [miner, exchange]) relay.handle = ({ forward }) => forward();
  });

  /** Has the upstream execute the first request to a route, and responds with a page. */
  const respondWith = (relay: Relay, route: string, status: number) => {
    let isOver = false;
    relay.handle = async ({ name, forward }) => {
      const reply = await forward();
      if (isOver || !name.endsWith(route)) return reply;
      isOver = true;
      return { status, ...PAGE };
    };
  };
  /** Submits a write and waits for its end. */
  const ended = async (caller: Caller, path: string, body: object) => {
    const reply = await caller.post(path, body, { prefer: 'wait=0' });
    return caller.pollIntent(reply, 60_000);
  };

  for (const status of [401, 403]) {
    it(`is no rejection of a subaccount that was created: ${status}`, async () => {
      const before = service.miner.ledger.entries().length;
      respondWith(miner, '/api/create-subaccount', status);

      const size = { asset_class: 'crypto', account_size: 10_000 };
      const intent = await ended(await service.partner(), '/v1/register/netvenue', size);

      expect(intent, JSON.stringify(intent)).to.include({ state: 'succeeded', effect: 'done' });
      expect(service.miner.ledger.entries().length - before, 'subaccounts').to.equal(1);
    });

    it(`is no rejection of a network order that was executed: ${status}`, async () => {
      const trader = await service.trader();
      respondWith(miner, '/api/submit-order', status);

      const intent = await ended(trader, '/v1/orders/netvenue', market({ leverage: 0.01 }));

      expect(intent, JSON.stringify(intent)).to.include({ state: 'succeeded', effect: 'done' });
    });
  }

  it('is no rejection of an exchange order that was executed: 429', async () => {
    const trader = await service.wallet();
    respondWith(exchange, '/exchange', 429);

    const order = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
    const intent = await ended(trader, '/v1/orders/exvenue', order);

    expect(intent, JSON.stringify(intent)).to.include({ state: 'succeeded', effect: 'done' });
    expect(intent.result).to.include({ status: 'filled' });
  });
});
