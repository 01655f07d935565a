import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { sql } from 'slonik';
import { z } from 'zod';
import { control, market } from '../support/orders.ts';
import { compareNow } from '../support/protection.ts';
import { type Life, type Living, lives, take } from './network-steps.ts';
import { BASES } from './network-terms.ts';
import { differences } from './network-told.ts';
import { LAG_MS, startWired, type Wire } from './network-wire.ts';

const SEED = Number(process.env.NETWORK_SEED ?? 64);
const RUNS = Number(process.env.NETWORK_RUNS ?? 3);
/** Traders beside each other, each with two pairs of its own. */
const CROWD = 3;
const AT_REST_WITHIN_MS = 40_000;
const ORDERS = '/v1/orders/netvenue';

describe('traders of the network, by this service, by hand and by the market', function () {
  this.timeout(60_000 + RUNS * 60_000);
  let wire: Wire;
  before(async () => {
    wire = await startWired();
  });
  after(() => wire.stop());

  it('get what is true there, in any order of commands, executions, lost responses and reads that fail', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(lives, { minLength: CROWD, maxLength: CROWD }), async (all) => {
        const wrong = await Promise.all(all.map((life, n) => live(life, n)));
        expect(wrong.flat()).to.deep.equal([]);
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  });

  async function live({ steps, looks }: Life, n: number): Promise<string[]> {
    const [first = '', second = ''] = Object.keys(BASES).slice(2 * n);
    const pairs = [first, second] as const;
    for (const pair of pairs) await control(wire.service, 'price', { pair, price: BASES[pair], open: true });
    const trader = await wire.service.trader();
    const prices = new Map(Object.entries(BASES));
    const living: Living = { trader, pairs, prices, orders: [], last: null, faults: [] };
    wire.blur(trader.traderId, looks);
    const begun: Promise<unknown>[] = [];
    for (const { act, together } of steps) {
      const ended = take(wire, living, act);
      begun.push(ended);
      if (!together) await ended;
    }
    await goesOn();
    await Promise.all(begun);
    wire.blur(trader.traderId, []);
    return differencesAtRest(living);
  }

  /** Another trader's orders are served meanwhile. */
  async function goesOn(): Promise<void> {
    const other = await wire.service.trader();
    const placed = await other.post(ORDERS, market({ trade_pair: 'HYPEUSDC', leverage: 0.01 }));
    expect(placed.status, JSON.stringify(placed.body)).to.equal(200);
  }

  /** What is told otherwise once nothing is under way, and what is wanted was compared. */
  async function differencesAtRest(living: Living): Promise<string[]> {
    const { db } = wire.service;
    const { traderId } = living.trader;
    const isOpen = () =>
      db.exists(sql.type(z.object({}))`
        select from intents where settled_at is null and request ->> 'subaccount_id' = ${traderId}`);
    const endsAt = Date.now() + AT_REST_WITHIN_MS;
    for (;;) {
      await living.trader.get(ORDERS);
      await compareNow(db, { traderId });
      await wait(LAG_MS);
      const wrong = (await isOpen()) ? ['something is under way'] : await differences(wire, living);
      if (wrong.length === 0 || Date.now() > endsAt) return wrong;
    }
  }
});
