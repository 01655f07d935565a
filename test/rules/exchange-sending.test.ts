import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import {
  accepted,
  rejected,
  type UpstreamResult,
  unknownEffect,
  unreachable,
} from '../../src/kernel/upstream-result.ts';
import type { Posted, PostLimits } from '../../src/venues/exchange/adapter/action-types.ts';
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

describe('what came of bodies that were posted to the exchange one after the other', () => {
  const done = accepted({ items: [{ kind: 'done' as const }] });
  const resting = accepted({ items: [{ kind: 'resting' as const, oid: 7 }] });
  const gone = rejected('order_gone', 'The order had ended.');

  /** The result, and how many bodies were posted. */
  async function sent(send: 'order' | 'all', ...results: UpstreamResult<Posted>[]) {
    let count = 0;
    const post = async () => {
      count += 1;
      return results[count - 1];
    };
    const config = { EXVENUE_PATIENCE_MS: PATIENCE_MS, EXVENUE_EXPIRES_MS: EXPIRES_MS };
    const deps = { exvenue: { post }, config } as never; // as: sending uses nothing else
    const posts = results.map((_, n) => ({ body: `${n}`, nonce: n, items: 1 }));
    const payload = { posts, key_id: 'key', account: '0x1', expires_at_ms: Date.now() + EXPIRES_MS } as never; // as: what is sent
    const limits = { notAfter: Date.now() + 2_000, signal: new AbortController().signal };
    const result = await (send === 'order'
      ? sendOrder({ payload } as never, deps, limits)
      : postAll(deps, payload, limits)); // as: what is sent
    return [result.kind, count];
  }

  for (const [what, send, results, finds] of [
    ['an order after its leverage', 'order', [done, resting], ['accepted', 2]],
    ['an order whose leverage was rejected', 'order', [rejected('leverage', 'Too high.'), resting], ['rejected', 1]],
    ['an order whose leverage had no response', 'order', [unknownEffect('lost'), resting], ['unreachable', 1]],
    ['an order without a response', 'order', [done, unknownEffect('lost')], ['unknown', 2]],
    [
      'an order with a result that says nothing',
      'order',
      [done, accepted({ items: [{ kind: 'done' }] })],
      ['unknown', 2],
    ],
    ['cancellations, the first of which came too late', 'all', [gone, done], ['accepted', 2]],
    ['cancellations, the second of which was not sent', 'all', [done, unreachable('away')], ['unknown', 2]],
    ['cancellations, the second of which was rejected', 'all', [done, rejected('x', 'No.')], ['unknown', 2]],
    ['cancellations, the first of which was not sent', 'all', [unreachable('away'), done], ['unreachable', 1]],
    [
      'a cancellation with a result that says nothing',
      'all',
      [accepted({ items: [{ kind: 'unknown' }] }), done],
      ['unknown', 1],
    ],
  ] as [string, 'order' | 'all', UpstreamResult<Posted>[], [string, number]][])
    it(`${what}: ${finds[0]}`, async () => {
      expect(await sent(send, ...results)).to.deep.equal(finds);
    });
});
