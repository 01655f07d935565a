import { expect } from 'chai';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { cloidOf } from '../../src/kernel/exchange-names.ts';
import { effectsOn, readWallets } from '../support/exchange.ts';
import { until } from '../support/processes.ts';
import type { TestService } from '../support/service.ts';
import { followed, freezeReads, startStreamed, TOLD_WITHIN_MS } from '../support/streamed.ts';

const ORDERS = '/v1/orders/exvenue';
/** The sandbox fills half of this size at once. */
const HALF_FILLED = {
  ...{ pair: 'BTC', side: 'long', size: '0.0505', order_type: 'limit', price: 100_000 },
  stop_loss: 90_000,
};
const LIMIT = { pair: 'ETH', side: 'long', size: '0.1', order_type: 'limit', price: 2_500 };
const HELD_MS = 8_000;

describe('wallets of several partners on the stream of an exchange', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startStreamed();
  });
  after(() => service.stop());

  /** Holds a lock, as an operator may, while `work` runs. */
  async function holding<Result>(lock: FragmentSqlToken, work: () => Promise<Result>): Promise<Result> {
    const { promise: isDone, resolve: done } = Promise.withResolvers<void>();
    const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
    const transaction = service.db.transaction(async (tx) => {
      await tx.query(sql.unsafe`select ${lock}::text`);
      held();
      await Promise.race([isDone, new Promise((resolve) => setTimeout(resolve, HELD_MS))]);
    });
    await isHeld;
    return work().finally(async () => {
      done();
      await transaction;
    });
  }

  for (const [what, lockOf] of [
    ['log', ({ owner }: { owner: string }) => sql.fragment`record_event(${owner}, 'x', '{}')`],
    ['trader', ({ wallet }: { wallet: string }) => sql.fragment`lock_trader('exvenue', ${wallet})`],
  ] as const)
    it(`do not wait for one whose ${what} is locked: positions get new exits within 2 s after the venue has ended theirs`, async () => {
      const [held, trader] = [await service.wallet(), await service.wallet()];
      for (let n = 0; n < 6; n += 1) await held.post(ORDERS, LIMIT);
      const { body } = await trader.post(ORDERS, HALF_FILLED);
      const isKnown = sql.type(z.object({}))`
        select from orders where id = ${body.order_id} and executed ->> 'status' = 'partial'`;
      for (const each of [held, trader]) await followed(service, each);
      await until('what is filled is known', async () => (await service.db.exists(isKnown)) || null, 10_000);
      await freezeReads(service, trader);
      const before = effectsOn(service, trader, 'placed').length;

      const tookMs = await holding(lockOf(held), async () => {
        service.exchange.setMid('ETH', '2500');
        await new Promise((resolve) => setTimeout(resolve, 300)); // those that wait for the lock have begun
        const endedAt = Date.now();
        expect(service.exchange.endOrder(trader.wallet, cloidOf(body.order_id), 'marginCanceled')).to.equal(true);
        const exits = await until(
          'new exits',
          async () => effectsOn(service, trader, 'placed')[before] ?? null,
          20_000,
        );
        return exits.at - endedAt;
      });

      expect(tookMs).to.be.at.most(TOLD_WITHIN_MS);
      const fills = sql.type(z.object({ n: z.number() }))`
        select count(*) n from exchange_fills where ex_wallet = ${held.wallet}`;
      service.exchange.setBehind(0);
      await until(
        'what was held up is recorded',
        async () => {
          await readWallets(service);
          return (await service.db.oneFirst(fills)) === 6 || null;
        },
        15_000,
      );
      service.exchange.setMid('ETH', '3000');
    });
});
