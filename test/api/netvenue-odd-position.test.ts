import { expect } from 'chai';
import type { Reply } from '../support/caller.ts';
import { effectsOf, market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { until } from '../support/processes.ts';
import { type Relay, relayTo } from '../support/relay.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';

describe('an account of which the network shows one position without its pair', () => {
  let relay: Relay;
  let service: TestService;
  before(async () => {
    relay = await relayTo();
    service = await startService({ settings: { NETVENUE_VALIDATOR_URL: relay.url } });
    relay.target = service.miner.validatorUrl;
  });
  after(async () => {
    await service.stop();
    await relay.close();
  });

  /** From now on, the positions that begin so come without their pair. */
  const withoutPair = (shown: string) => show((text) => text.replaceAll(shown, shown.replace(/"tp":"[^"]*",/, '')));

  /** From now on, dashboards come so. */
  const show = (changed: (text: string) => string) => {
    relay.handle = async ({ name, forward }) => {
      const reply = await forward();
      if (reply === 'lost' || !name.includes('/v2/entity/subaccount/')) return reply;
      const body = changed(String(reply.body));
      const { 'content-length': _, ...headers } = reply.headers;
      return { ...reply, headers, body };
    };
  };

  it('lets the others be protected and closed, and is not listed in part', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market());
    await trader.post(ORDERS, market({ trade_pair: 'ETHUSDC' }));
    withoutPair('"tp":"ETH/USDC","t"');

    expectProblem(await trader.get('/v1/positions/netvenue'), 'VENUE_UNREADABLE', { retryable: true });
    const guarded = await trader.post(`${ORDERS}/tp-sl`, { trade_pair: 'BTCUSDC', stop_loss: 90_000 });
    const closed = await trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' });

    expect([guarded.status, closed.status], JSON.stringify([guarded.body, closed.body])).to.deep.equal([200, 200]);
    expect(closed.body.executed).to.include({ quantity: -0.01 });
    expect(effectsOf(service, trader).slice(0, 2)).to.deep.equal(['market', 'market']);
    relay.handle = ({ forward }) => forward();
    expect((await trader.get('/v1/positions/netvenue')).body).to.have.length(1);
  });

  it('lets it be closed if only its end cannot be read', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market());
    withoutPair('"tp":"BTC/USDC","t":"FLAT"');

    const { status, body } = await trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' });

    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.executed).to.include({ quantity: -0.01 });
    relay.handle = ({ forward }) => forward();
  });

  it('is listed although a closed position cannot be read: only the list of closed positions is unavailable', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market());
    await trader.post(ORDERS, market({ trade_pair: 'ETHUSDC' }));
    withoutPair('"tp":"BTC/USDC","t":"FLAT"');
    await trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' });

    const open = await trader.get('/v1/positions/netvenue');
    const validated = await trader.post('/v1/rules/validate', {
      ...{ venue: 'netvenue', pair: 'BTCUSDC', side: 'long', size: '0.01', order_type: 'market' },
    });

    expect(open.status, JSON.stringify(open.body)).to.equal(200);
    expect(open.body.map(({ trade_pair }: { trade_pair: string }) => trade_pair)).to.deep.equal(['ETHUSDC']);
    expect(validated.status, JSON.stringify(validated.body)).to.equal(200);
    expectProblem(await trader.get('/v1/history/positions'), 'VENUE_UNREADABLE', { retryable: true });
    relay.handle = ({ forward }) => forward();
    await until('the closed one', async () => (await trader.get('/v1/history/positions')).body.length === 1);
  });

  it('is closed by itself if the orders of other pairs cannot be read: a close of all would cancel their exits', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market());
    await trader.post(ORDERS, market({ trade_pair: 'ETHUSDC', stop_loss: 1_000 }));
    relay.handle = async ({ name, forward }) => {
      const reply = await forward();
      if (reply === 'lost' || !name.includes('/v2/entity/subaccount/')) return reply;
      const body = JSON.parse(String(reply.body));
      const resting = body.dashboard.limit_orders?.open_orders ?? {};
      for (const uuid of Object.keys(resting)) resting[uuid] = null;
      const { 'content-length': _, ...headers } = reply.headers;
      return { ...reply, headers, body: JSON.stringify(body) };
    };

    const { status, body } = await trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' });

    expect(status, JSON.stringify(body)).to.equal(200);
    expect(effectsOf(service, trader)).to.not.include('flat_all');
    relay.handle = ({ forward }) => forward();
  });

  it('is shown without impossible times', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market());
    await trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' });
    await trader.post(ORDERS, market({ trade_pair: 'ETHUSDC' }));
    show((text) => text.replace(/"(timestamp|o|c|p)":[1-9]\d{11,}/g, '"$1":1.8e18'));

    const [account, open, closed] = await Promise.all(
      ['/v1/balance', '/v1/positions/netvenue', '/v1/history/positions'].map((path) => trader.get(path)),
    );

    expect([account?.status, open?.status], JSON.stringify([account?.body, open?.body])).to.deep.equal([200, 200]);
    expect(
      open?.body.map((position: Record<string, unknown>) => [position.trade_pair, position.open_time]),
    ).to.deep.equal([['ETHUSDC', null]]);
    expectProblem(closed as Reply, 'VENUE_UNREADABLE', { retryable: true });
    relay.handle = ({ forward }) => forward();
  });
});
