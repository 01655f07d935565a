import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { IntentWait } from '../../src/intents/waits.ts';
import { ApiError } from '../../src/kernel/errors.ts';
import { hotkeyOf, type IntentId, newIntentId } from '../../src/kernel/ids.ts';
import { admission } from '../../src/venues/network/orders/admission.ts';
import type { NewNetworkOrder } from '../../src/venues/network/orders/intents.ts';

const SETTINGS = { NETVENUE_MINER_THREADS: 4, NETVENUE_SIGNALS_PER_MIN: 10 };
const ORDERS = 60;
/** Orders end about once in this time while they are offered. */
const PACE_MS = 100;
const ENDED = 4;
const DEADLINE_S = 2;

describe('orders that would wait for too long', () => {
  /** Offers orders until one is rejected, while a few end. `lanes`: how many lanes they are in. `ownerOf`: whose each is; the last one is `ptn_a`'s. */
  async function rejected(
    lanes: number,
    why: (first: IntentId) => IntentWait | null,
    ownerOf = (_: number) => 'ptn_a',
  ) {
    const ending: ((id: IntentId) => void)[] = [];
    const asked: IntentId[] = [];
    const settlements = { once: (_: string, then: (id: IntentId) => void) => void ending.push(then), forget: () => {} };
    const admit = admission(SETTINGS, settlements as never, async (id) => {
      asked.push(id);
      return why(id);
    })(async ({ id }) => ({ id, replayed: false }) as never); // as: only what is read of an accepted order
    const orders = Array.from({ length: ORDERS }, (_, n) => orderIn(`lane ${n % lanes}`, n % lanes, ownerOf(n)));
    for (const order of orders) await admit(order);
    const offer = () => admit(orderIn('lane 0', 0));
    for (let n = 0; n < ENDED; n++) {
      await sleep(PACE_MS);
      ending[n]?.(orders[n]?.id as IntentId);
    }
    const error = await offer().then(
      () => expect.fail('It was accepted'),
      (thrown: unknown) => thrown as ApiError,
    );
    await Promise.allSettled([offer(), offer()]);
    return { error, asked, first: orders[ENDED]?.id };
  }
  const orderIn = (lane: string, n: number, owner = 'ptn_a') =>
    ({
      ...{ id: newIntentId(), owner, lane, deadline_s: DEADLINE_S },
      trader: hotkeyOf('entity', n),
      terms: { trade_pair: 'BTCUSDC', order_type: 'LONG', execution_type: 'MARKET' },
    }) as unknown as NewNetworkOrder; // as: only what admission reads
  const waits = (reason: IntentWait['reason'], again_s: number) => (id: IntentId) => ({
    ...{ id, reason, again_s },
    until: null,
    behind: null,
  });

  for (const [name, lanes, code] of [
    ['in a lane', 1, 'RATE_LIMITED'],
    ['for the miner', ORDERS, 'SERVICE_UNAVAILABLE'],
  ] as const)
    it(`${name} are rejected with what the first of those before them waits for, and not to come again before that one`, async () => {
      const { error, asked, first } = await rejected(lanes, waits('doubts', 17));

      expect(error).to.be.instanceOf(ApiError);
      expect(error.code).to.equal(code);
      expect(asked, 'read once for many').to.deep.equal([first]);
      expect(error.message).to.include('the outcome of some of them is unknown');
      expect(error.retryAfterS).to.equal(17);
    });

  it('for the miner behind those of other tenants only do not learn what these wait for, and need not wait for it', async () => {
    const { error, asked } = await rejected(ORDERS, waits('stopped', 17), (n) => `ptn_${n}`);

    expect(error.code).to.equal('SERVICE_UNAVAILABLE');
    expect(error.message).to.not.include('Of the first');
    expect(error.retryAfterS).to.equal(1);
    expect(asked).to.deep.equal([]);
  });

  it('are rejected for as long as the line takes where that is longer, or nothing is known of the first', async () => {
    const { error } = await rejected(1, waits('response', 0.1));
    const unknown = await rejected(1, () => null);

    for (const { retryAfterS } of [error, unknown.error]) expect(retryAfterS).to.equal(1);
    expect(unknown.error.message).to.not.include('Of the first');
  });
});
