import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { cloidOf } from '../../src/kernel/exchange-names.ts';
import { exchangeOf, readWallets, whenActing } from '../support/exchange.ts';
import { expectProblem } from '../support/problem.ts';
import { until } from '../support/processes.ts';
import { type AtReplicas, startAtReplicas } from '../support/replicas.ts';
import type { TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const MARKET = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };

describe('closing a position at an exchange whose replicas are behind', () => {
  let at: AtReplicas;
  let service: TestService;
  before(async () => {
    at = await startAtReplicas({ EXVENUE_READ_LAG_MS: '60000' });
    ({ service } = at);
  });
  after(() => at.stop());
  afterEach(() => {
    at.thaw();
    service.exchange.setLiquidity('BTC', null);
  });

  it('closes all of it although the account is read from a replica that misses the last fill', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, MARKET);
    await at.freeze(trader, ['clearinghouseState']);
    await trader.post(ORDERS, { ...MARKET, size: '0.02' });

    const { body } = await trader.post(`${ORDERS}/close`, { pair: 'BTC' });

    expect(body, JSON.stringify(body)).to.include({ status: 'filled', size: '0.03', filled_size: '0.03' });
    expect(await at.held(trader)).to.equal('0');
  });

  it('does not say that there is no position because one replica shows none', async () => {
    const trader = await service.wallet();
    await at.freeze(trader, ['clearinghouseState']);
    await trader.post(ORDERS, MARKET);

    const { body } = await trader.post(`${ORDERS}/close`, { pair: 'BTC' });

    expect(body, JSON.stringify(body)).to.include({ status: 'filled', filled_size: '0.01' });
    expect(await at.held(trader)).to.equal('0');
  });

  it('does not say so either about a position that only the executions of other software show', async () => {
    const trader = await service.wallet();
    await at.freeze(trader, ['clearinghouseState']);
    await at.trades(trader, 'sell', '0.03');

    const { body } = await trader.post(`${ORDERS}/close`, { pair: 'BTC' });

    expect(body, JSON.stringify(body)).to.include({ status: 'filled', side: 'long', filled_size: '0.03' });
    expect(await at.held(trader)).to.equal('0');
  });

  it('closes what the ledger knows, of which an account that is behind shows the opposite', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, MARKET);
    await at.freeze(trader, ['clearinghouseState']);
    await at.trades(trader, 'sell', '0.03');
    await service.db.query(sql.type(z.object({}))`
      update intents set settled_at = settled_at - interval '2 minutes' where lane = ${`exvenue:${trader.wallet}`}`);
    await service.db.query(
      sql.type(z.object({}))`update exchange_cursors set fills_read_at = now() - interval '2 minutes'`,
    );
    await readWallets(service);

    const exits = await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 110_000 });
    const { body } = await trader.post(`${ORDERS}/close`, { pair: 'BTC' });

    expect(exits.body, JSON.stringify(exits.body)).to.include({ trigger_status: 'placed' });
    expect(body, JSON.stringify(body)).to.include({ status: 'filled', filled_size: '0.02' });
    expect(await at.held(trader)).to.equal('0');
  });

  it('closes what was opened beside a close that was in doubt, once reads show both', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, MARKET);
    at.onOrders.push(async (_, forward) => {
      await forward();
      await at.freeze(trader, ['userFillsByTime']);
      return null;
    });
    const first = await trader.post(`${ORDERS}/close`, { pair: 'BTC' }, { prefer: 'wait=0' });
    await until('it was sent', async () => (await at.held(trader)) === '0' || null);
    await trader.post(ORDERS, { ...MARKET, size: '0.02' });
    await trader.pollIntent(first, 15_000);

    const second = await trader.post(`${ORDERS}/close`, { pair: 'BTC' }, { prefer: 'wait=1' });
    at.thaw();

    const { result } = await trader.pollIntent(second, 15_000);
    expect(result, JSON.stringify(result)).to.include({ status: 'filled', filled_size: '0.02' });
    expect(await at.held(trader)).to.equal('0');
  }).timeout(60_000);

  it('does not say so while an order is in doubt that may have opened one', async () => {
    const trader = await service.wallet();
    await at.freeze(trader, ['clearinghouseState', 'userFillsByTime']);
    const restore = whenActing(service, (before) => (before === 0 ? 'accept_then_drop' : undefined));
    const [order, close] = await Promise.all([
      trader.post(ORDERS, MARKET, { prefer: 'wait=0' }),
      trader.post(`${ORDERS}/close`, { pair: 'BTC' }, { prefer: 'wait=0' }),
    ]);
    const intent = String(close.headers['intent-id']);
    const attempts = () =>
      service.db.maybeOneFirst(sql.type(z.object({ n: z.number() }))`
        select attempts n from intents where id = ${intent} and attempts > 0 and state <> 'running'`);
    await until('the close was tried', attempts, 20_000);
    restore();
    at.thaw();

    const closed = async () => {
      const { body } = await trader.get(`/v1/intents/${intent}`);
      return body.settled_at === null ? null : body;
    };
    const ended = await until('the close has ended', closed, 30_000);
    expect(order.status).to.equal(202);
    expect(ended.result, JSON.stringify(ended)).to.include({ status: 'filled', filled_size: '0.01' });
    expect(await at.held(trader)).to.equal('0');
  }).timeout(60_000);

  it('places exits again for a part that replicas do not show yet: the order has it', async () => {
    const trader = await service.wallet();
    await at.freeze(trader, ['clearinghouseState', 'userFillsByTime']);
    const bracket = { ...MARKET, size: '0.0505', order_type: 'limit', price: 100_000, stop_loss: 90_000 }; // half of it is filled
    const { body } = await trader.post(ORDERS, bracket);
    expect(service.exchange.endOrder(trader.wallet, cloidOf(body.order_id), 'marginCanceled')).to.equal(true);

    await readWallets(service);
    const waits = () =>
      service.db.exists(sql.type(z.object({}))`
        select from intents where kind = 'exchange/protect' and lane = ${`exvenue:${trader.wallet}`} and state = 'queued' and attempts > 0`);
    await until('the new exits wait for reads', async () => (await waits()) || null, 20_000);
    at.thaw();

    const exits = async () => {
      const open = await exchangeOf(service).openOrders(trader.wallet, '');
      return open.kind === 'found' && open.data.length > 0 ? open.data : null;
    };
    expect((await until('the exits rest', exits, 30_000))[0]).to.include({ exit: 'sl', triggerPrice: '90000' });
  }).timeout(60_000);

  it('covers what was added since the read, and reports what is left of more', async () => {
    const [doubled, tripled] = [await service.wallet(), await service.wallet()];
    const replies: Record<string, unknown>[] = [];
    for (const [trader, added] of [
      [doubled, '0.01'],
      [tripled, '0.02'],
    ] as const) {
      await trader.post(ORDERS, MARKET);
      await at.freeze(trader, ['clearinghouseState', 'userFillsByTime']);
      await at.trades(trader, 'buy', added);
      const reply = await trader.post(`${ORDERS}/close`, { pair: 'BTC' }, { prefer: 'wait=0' });
      while ((await at.held(trader)) === (added === '0.01' ? '0.02' : '0.03'))
        await new Promise((resolve) => setTimeout(resolve, 20));
      at.thaw();
      replies.push((await trader.pollIntent(reply, 20_000)).result);
    }

    const [all, part] = replies;
    expect(all, JSON.stringify(all)).to.include({ status: 'filled', size: '0.02', filled_size: '0.02' });
    expect(part, JSON.stringify(part)).to.include({ status: 'partial', size: '0.03', filled_size: '0.02' });
    expect(await at.held(doubled)).to.equal('0');
    expect(await at.held(tripled)).to.equal('0.01');
  });

  it('reports what is left if the book could not take all of it', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, { ...MARKET, size: '0.03' });
    service.exchange.setLiquidity('BTC', '0.02');

    const { body } = await trader.post(`${ORDERS}/close`, { pair: 'BTC' });

    expect(body, JSON.stringify(body)).to.include({ status: 'partial', size: '0.03', filled_size: '0.02' });
    expect(await at.held(trader)).to.equal('0.01');
  });

  it('finds nothing to close after a close, also while the account still shows the position', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, MARKET);
    await at.freeze(trader, ['clearinghouseState']);
    await trader.post(`${ORDERS}/close`, { pair: 'BTC' });

    const again = await trader.post(`${ORDERS}/close`, { pair: 'BTC' });

    expectProblem(again, 'V1_NO_POSITION', { effect: 'none' });
  });

  it('finds nothing to close if the venue finds nothing to reduce, once reads agree', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, MARKET);
    await at.freeze(trader, ['clearinghouseState', 'userFillsByTime']);
    await at.trades(trader, 'sell', '0.01');
    const reply = await trader.post(`${ORDERS}/close`, { pair: 'BTC' }, { prefer: 'wait=0' });
    await new Promise((resolve) => setTimeout(resolve, 500));
    at.thaw();

    const intent = await trader.pollIntent(reply, 20_000);

    expect(intent).to.include({ state: 'failed', effect: 'none' });
    expect(intent.problem.code).to.equal('V1_NO_POSITION');
  });
});
