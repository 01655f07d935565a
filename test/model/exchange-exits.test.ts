import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { sql } from 'slonik';
import { z } from 'zod';
import { readWallets } from '../support/exchange.ts';
import { until } from '../support/processes.ts';
import { compareNow } from '../support/protection.ts';
import type { TestService } from '../support/service.ts';
import { followed, startStreamed } from '../support/streamed.ts';
import { fates, mistold } from './exchange-messages.ts';
import { type Step, steps, take } from './exchange-steps.ts';
import { differences, type Trader } from './exchange-told.ts';

const SEED = Number(process.env.EXITS_SEED ?? 63);
const RUNS = Number(process.env.EXITS_RUNS ?? 3);
const LAG_MS = 300;
const AT_REST_WITHIN_MS = 25_000;
/** Orders that rest let a wallet be followed. */
const RESTING = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: 95_500 };

describe('a wallet with exits, traded here, by hand and by the exchange', function () {
  this.timeout(60_000 + RUNS * 60_000);
  let service: TestService;
  before(async () => {
    service = await startStreamed({ EXVENUE_READ_LAG_MS: String(LAG_MS) });
  });
  after(() => service.stop());

  it('is reported as it is there, in any order of commands, executions, faults, and what is streamed and read of them', async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fates,
        fc.constantFrom(0, 0, 200),
        fc.boolean(),
        async (taken, told, behindMs, isFollowed) => {
          service.exchange.setMid('BTC', '100000');
          service.exchange.setLiquidity('BTC', null);
          const trader = await service.wallet();
          if (isFollowed) {
            await trader.post('/v1/orders/exvenue', RESTING);
            await followed(service, trader);
          }
          service.exchange.setBehind(behindMs, 2);
          service.exchange.stream.alter(mistold(told));
          await takeAll(trader, taken);
          service.exchange.setBehind(0);
          service.exchange.stream.alter(null);
          expect(await differencesAtRest(trader)).to.deep.equal([]);
        },
      ),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  });

  async function takeAll(trader: Trader, taken: readonly Step[]): Promise<void> {
    const begun: Promise<unknown>[] = [];
    for (const { act, together } of taken) {
      const ended = take(service, trader, act);
      begun.push(ended);
      if (!together || act.do === 'read') await ended; // a reading needs a worker, which may be stopped
    }
    await Promise.all(begun);
  }

  /** What is told otherwise once nothing is under way, all has been read and the exits were compared. */
  async function differencesAtRest(trader: Trader): Promise<string[]> {
    const { wallet } = trader;
    const isOpen = () =>
      service.db.exists(sql.type(z.object({}))`
        select from intents where settled_at is null and request ->> 'wallet' = ${wallet}`);
    const endsAt = Date.now() + AT_REST_WITHIN_MS;
    await wait(LAG_MS + 100); // until no read can be behind
    for (;;) {
      await until('nothing is under way', async () => !(await isOpen()) || null, 60_000);
      await service.db.query(sql.type(z.object({}))`
        update exchange_cursors set fills_read_at = fills_read_at - interval '1 hour' where ex_wallet = ${wallet}`);
      await readWallets(service);
      await compareNow(service.db, { wallet });
      await wait(LAG_MS);
      const wrong = (await isOpen()) ? ['something is under way'] : await differences(service, trader);
      if (wrong.length === 0 || Date.now() > endsAt) return wrong;
    }
  }
});
