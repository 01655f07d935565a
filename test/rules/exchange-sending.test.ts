import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { accepted } from '../../src/kernel/upstream-result.ts';
import type { PostLimits } from '../../src/venues/exchange/adapter/action-types.ts';
import { postAll } from '../../src/venues/exchange/orders/calls.ts';
import { sendOrder } from '../../src/venues/exchange/orders/order.ts';

const EXPIRES_MS = 10_000;
const PATIENCE_MS = 5_000;
/** A position may be without exits for so long. */
const EXIT_PATIENCE_MS = 1_500;

describe('the bodies of one sending to the exchange', () => {
  /** Posts two bodies, the first of which takes a while, from now or since a time. */
  async function posted(send: 'order' | 'all', since = Date.now()) {
    const asked: PostLimits[] = [];
    const post = async (_: string, limits: PostLimits) => {
      asked.push(limits);
      await sleep(30);
      return accepted({ items: [{ kind: 'done' as const }] });
    };
    const config = { EXVENUE_PATIENCE_MS: PATIENCE_MS, EXVENUE_EXPIRES_MS: EXPIRES_MS };
    const deps = { exvenue: { post }, config } as never; // as: sending uses nothing else
    const posts = [1, 2].map((nonce) => ({ body: `${nonce}`, nonce, items: 1 }));
    const payload = { posts, key_id: 'key', account: '0x1', expires_at_ms: since + EXPIRES_MS } as never; // as: what is sent
    const limits = { notAfter: since + 2_000, signal: new AbortController().signal };
    await (send === 'order' ? sendOrder({ payload } as never, deps, limits) : postAll(deps, payload, limits)); // as: what is sent
    return { asked, since };
  }

  it('all wait for the budget until the same moment, within the patience of an order', async () => {
    const { asked, since } = await posted('order');

    const [leverage, order] = asked.map(({ notAfter = 0 }) => notAfter - since);
    expect(leverage).to.be.within(1_000, PATIENCE_MS);
    expect(order).to.equal(leverage);
  });

  it('of exits end with their own patience if the first waits; the others are posted as long as they hold', async () => {
    const { asked, since } = await posted('all');

    const [first = 0, second] = asked.map(({ notAfter = 0 }) => notAfter - since);
    expect(first).to.be.within(1_000, EXIT_PATIENCE_MS); // else one that waits for the budget is in doubt, and never was sent
    expect(second).to.equal(EXPIRES_MS);
  });

  it('are not sent when the sending begins too late', async () => {
    for (const send of ['order', 'all'] as const) {
      const { asked } = await posted(send, Date.now() - 3_000);
      expect(asked[0]?.notAfter).to.be.below(Date.now());
    }
  });
});
