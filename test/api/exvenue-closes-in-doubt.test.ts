import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Reply } from '../support/caller.ts';
import { until } from '../support/processes.ts';
import { jsonReply } from '../support/proxy.ts';
import { type AtReplicas, startAtReplicas } from '../support/replicas.ts';

const ORDERS = '/v1/orders/exvenue';
const MARKET = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
const POSITION = ['clearinghouseState', 'userFillsByTime'] as const;
/** No order has this client order id. */
const NO_ORDER = `0x${'1'.repeat(32)}`;

describe('a close that is in doubt', function () {
  this.timeout(60_000);
  let at: AtReplicas;
  before(async () => {
    at = await startAtReplicas({ EXVENUE_READ_LAG_MS: '60000', EXVENUE_PATIENCE_MS: '1000' });
  });
  after(() => at.stop());
  afterEach(() => at.thaw());

  /** A wallet whose owner has closed its position, which reads still show. */
  async function closedElsewhere() {
    const trader = await at.service.wallet();
    await trader.post(ORDERS, MARKET);
    await at.freeze(trader, [...POSITION]);
    await at.trades(trader, 'sell', '0.01');
    return trader;
  }

  const inDoubt = (reply: Reply, lookUps: number) =>
    until('it is in doubt, or has ended', async () => {
      const id = String(reply.headers['intent-id']);
      const reached = await at.service.db.exists(sql.type(z.object({}))`
        select from intents where id = ${id} and (reconcile_attempts >= ${lookUps} or settled_at is not null)`);
      return reached || null;
    });

  it('ends by the record of its rejection', async () => {
    const trader = await closedElsewhere();
    at.onOrders.push(async (_, forward) => {
      await forward();
      return null;
    });

    const reply = await trader.post(`${ORDERS}/close`, { pair: 'BTC' }, { prefer: 'wait=0' });

    const intent = await trader.pollIntent(reply, 15_000);
    expect(intent, JSON.stringify(intent)).to.include({ state: 'failed', effect: 'none' });
    expect(intent.problem).to.include({ code: 'VENUE_REJECTED', reason: 'reduce_only' });
  });

  it('ends by a rejection that arrives late, also if the venue keeps no record of it', async () => {
    const trader = await closedElsewhere();
    await at.freeze(trader, ['orderStatus'], NO_ORDER);
    at.onOrders.push(async (_, forward) => {
      const rejection = await forward();
      await sleep(2_000);
      return rejection;
    });

    const reply = await trader.post(`${ORDERS}/close`, { pair: 'BTC' }, { prefer: 'wait=0' });

    const intent = await trader.pollIntent(reply, 10_000);
    expect(intent, JSON.stringify(intent)).to.include({ state: 'failed', effect: 'none' });
    expect(intent.problem).to.include({ code: 'VENUE_REJECTED', reason: 'reduce_only' });
  });

  it('does not end by the rejection of its earlier attempt, which a replica still shows', async () => {
    const trader = await closedElsewhere();
    const sizes: string[] = [];
    at.onOrders.push(
      async ({ c, s }, forward) => {
        sizes.push(s);
        const rejection = await forward();
        await at.trades(trader, 'buy', '0.01');
        await at.freeze(trader, ['orderStatus'], c);
        return rejection;
      },
      async ({ s }, forward) => {
        sizes.push(s);
        await forward();
        return null;
      },
    );

    const reply = await trader.post(`${ORDERS}/close`, { pair: 'BTC' }, { prefer: 'wait=0' });
    await inDoubt(reply, 3);
    at.thaw();

    const intent = await trader.pollIntent(reply, 15_000);
    expect(intent.result, JSON.stringify(intent)).to.include({ status: 'filled', size: '0.01', filled_size: '0.01' });
    expect(sizes).to.deep.equal(['0.02', '0.02001']);
    expect(await at.held(trader)).to.equal('0');
  });

  it('is found by executions that are older than its sending, as a restored database knows it', async () => {
    const trader = await at.service.wallet();
    await trader.post(ORDERS, MARKET);
    await at.freeze(trader, ['orderStatus'], NO_ORDER);
    at.onOrders.push(async (_, forward) => {
      await forward();
      return null;
    });
    const reply = await trader.post(`${ORDERS}/close`, { pair: 'BTC' }, { prefer: 'wait=0' });
    await inDoubt(reply, 1);
    await at.service.db.query(sql.type(z.object({}))`
      update intents set sending_at = sending_at + interval '1 hour' where id = ${String(reply.headers['intent-id'])}`);
    at.thaw();

    const intent = await trader.pollIntent(reply, 15_000);
    expect(intent.result, JSON.stringify(intent)).to.include({ status: 'filled', filled_size: '0.01' });
  });

  it('ends by a 429 that arrives late, before any look-up could prove it', async () => {
    const trader = await at.service.wallet();
    await trader.post(ORDERS, MARKET);
    at.onOrders.push(async () => {
      await sleep(1_500);
      return jsonReply(null, 429);
    });

    const reply = await trader.post(`${ORDERS}/close`, { pair: 'BTC' }, { prefer: 'wait=0' });

    const intent = await trader.pollIntent(reply, 6_000);
    expect(intent, JSON.stringify(intent)).to.include({ state: 'failed', effect: 'none' });
    expect(intent.problem).to.include({ code: 'VENUE_RATE_LIMITED' });
  });
});
