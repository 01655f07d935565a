import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { cloidOf } from '../../src/kernel/exchange-names.ts';
import { effectsOn, readWallets } from '../support/exchange.ts';
import { until } from '../support/processes.ts';
import type { TestService } from '../support/service.ts';
import { followed, freezeReads, startStreamed, TOLD_WITHIN_MS } from '../support/streamed.ts';

type Trader = Awaited<ReturnType<TestService['wallet']>>;

const ORDERS = '/v1/orders/exvenue';
const LIMIT = { pair: 'ETH', side: 'long', size: '0.1', order_type: 'limit', price: 2_500 };
/** The sandbox fills half of this size at once. */
const HALF_FILLED = { ...LIMIT, pair: 'BTC', size: '0.0505', price: 100_000, stop_loss: 90_000 };
/** The patience of the service, the choice of the wallet, and what the stream tells of it. */
const KNOWN_WITHIN_MS = 8_000;

describe('a verb in doubt at an exchange whose stream is followed, although every read is 25 s behind', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startStreamed();
  });
  after(() => service.stop());
  afterEach(() => {
    service.exchange.faults.clear();
    service.exchange.setBehind(0);
  });

  /** A wallet that nobody follows yet: it has no order and no position, and its ledger is read. */
  async function quietWallet(): Promise<Trader> {
    const trader = await service.wallet();
    const isRead = sql.type(z.object({}))`
      select from exchange_cursors where ex_wallet = ${trader.wallet} and fills_read_at is not null`;
    await until('its ledger is read', async () => {
      await readWallets(service);
      return (await service.db.exists(isRead)) || null;
    });
    await freezeReads(service, trader);
    return trader;
  }
  const loseResponse = () =>
    service.exchange.faults.add({ kind: 'accept_then_drop', route: 'POST /exchange', times: 1 });

  it('is settled by what the stream reports of an order that rests', async () => {
    const trader = await quietWallet();
    loseResponse();

    const intent = await trader.pollIntent(await trader.post(ORDERS, LIMIT, { prefer: 'wait=0' }), KNOWN_WITHIN_MS);

    expect(intent).to.include({ state: 'succeeded', effect: 'done' });
  });

  it('is settled by an order that was filled in half, and ended by the venue: new exits follow at once', async () => {
    const trader = await quietWallet();
    loseResponse();
    const reply = await trader.post(ORDERS, HALF_FILLED, { prefer: 'wait=0' });
    const id = String(reply.headers['intent-id']);
    await followed(service, trader);
    const endedAt = Date.now();
    expect(service.exchange.endOrder(trader.wallet, cloidOf(id), 'marginCanceled')).to.equal(true);

    // the order, its stop, and the new stop
    const { at } = await until('new exits', async () => effectsOn(service, trader, 'placed')[2] ?? null, 20_000);

    expect(at - endedAt).to.be.at.most(TOLD_WITHIN_MS);
    expect(await trader.pollIntent(reply, KNOWN_WITHIN_MS)).to.include({ state: 'succeeded', effect: 'done' });
  });

  it('ends exits that no read shows yet, when others replace them', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, { ...LIMIT, order_type: 'market', price: undefined });
    await followed(service, trader);
    await freezeReads(service, trader);
    const cancelled = () => effectsOn(service, trader, 'cancelled').length;

    for (const stop_loss of [2_000, 2_100, 2_200]) await trader.post(`${ORDERS}/tp-sl`, { pair: 'ETH', stop_loss });

    await until('the first two are cancelled', async () => cancelled() === 2 || null, KNOWN_WITHIN_MS);
  });
});
