import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { streamLimit } from '../../src/capabilities/streams/limit.ts';
import { canTakeMore, newListener, type StreamRequest } from '../../src/capabilities/streams/listener.ts';
import { endText, eventText, HEARTBEAT, positionOf, retryText } from '../../src/capabilities/streams/rules.ts';
import type { ApiError } from '../../src/kernel/errors.ts';

describe('streams', () => {
  describe('have a limit', () => {
    /** The result of taking a slot: its release, or the code and delay of the rejection. */
    const take = (limit: ReturnType<typeof streamLimit>, owner: string, caller = owner) => {
      try {
        return limit.take(owner, caller);
      } catch (error) {
        const { code, details } = error as ApiError; // as: it throws no other
        return `${code} ${details.retryAfterS}`;
      }
    };
    const taken = (limit: ReturnType<typeof streamLimit>, times: number, owner: string, caller?: string) =>
      Array.from({ length: times }, () => take(limit, owner, caller));

    it('for each caller: 10, and one more as one ends', () => {
      const limit = streamLimit(1_000, 60_000);
      const slots = taken(limit, 11, 'app', 'ann');
      const of = (caller: string) => typeof take(limit, 'app', caller);

      expect(slots.map((slot) => typeof slot)).to.deep.equal([...Array(10).fill('function'), 'string']);
      expect(slots[10]).to.equal('V1_STREAM_LIMIT 10');
      expect([of('bob'), limit.count()]).to.deep.equal(['function', 11]);
      (slots[0] as () => void)(); // as: the first ten are releases
      expect([limit.count(), of('ann'), of('ann')]).to.deep.equal([10, 'function', 'string']);
    });

    it('for each caller whose ten are new; else the oldest one that can be ended is closed, once', async () => {
      const limit = streamLimit(1_000, 1);
      const ended: number[] = [];
      const release = limit.take('app', 'ann'); // such as a statement
      for (let n = 1; n < 10; n += 1) limit.take('app', 'ann', () => void ended.push(n));
      const first = limit.take('app', 'bob', () => void ended.push(0));
      await sleep(20);

      const next = [limit.take('app', 'ann', () => {}), limit.take('app', 'ann', () => {})];
      release();
      first();
      first();

      expect(next.map((slot) => typeof slot)).to.deep.equal(['function', 'function']);
      expect(ended).to.deep.equal([1, 2]);
      expect(limit.count()).to.equal(9);
    });

    it('for all callers of an owner: its oldest is closed for another caller, and none of another owner', async () => {
      const limit = streamLimit(3, 50);
      const ended: string[] = [];
      const open = (owner: string, caller: string) => limit.take(owner, caller, () => void ended.push(caller));
      for (const [owner, caller] of [
        ['other', 'eve'],
        ['app', 'ann'],
        ['app', 'bob'],
        ['app', 'cat'],
      ] as const)
        open(owner, caller);
      const early = take(limit, 'app', 'dan');
      await sleep(450);

      open('app', 'dan');

      expect(early).to.equal('V1_STREAM_LIMIT 10');
      expect(ended).to.deep.equal(['ann']);
      expect(limit.count()).to.equal(4);
    });

    it('for each caller whose ten are new, before another one of its owner gives way: who is rejected ends nobody', async () => {
      const limit = streamLimit(11, 50);
      const ended: string[] = [];
      const open = (caller: string) => limit.take('app', caller, () => void ended.push(caller));
      open('bob');
      await sleep(450);
      for (let n = 0; n < 10; n += 1) open('ann');

      const more = take(limit, 'app', 'ann');

      expect(more).to.equal('V1_STREAM_LIMIT 10');
      expect(ended).to.deep.equal([]);
      expect(limit.count()).to.equal(11);
    });

    it('for all callers of an owner, and not of another', () => {
      const limit = streamLimit(2, 60_000);
      const first = take(limit, 'app', 'ann');
      const rest = [take(limit, 'app', 'bob'), take(limit, 'app', 'eve'), take(limit, 'other', 'eve')];

      expect(rest.map((slot) => typeof slot)).to.deep.equal(['function', 'string', 'function']);
      (first as () => void)(); // as: it is a release
      expect(typeof take(limit, 'app', 'eve')).to.equal('function');
      expect(typeof take(limit, 'app', 'eve')).to.equal('string');
    });

    it('for all of a process: 10,000', () => {
      const limit = streamLimit(20_000, 60_000);
      for (let n = 0; n < 10_000; n += 1) limit.take('app', `caller ${n}`);

      expect(limit.count()).to.equal(10_000);
      expect(take(limit, 'app', 'late')).to.equal('SERVICE_UNAVAILABLE 10');
      expect(limit.count()).to.equal(10_000);
    });
  });

  it('resume after the id of an event of their own log, and after no other text', () => {
    expect(positionOf('prop_a', 'prop_a:42')).to.equal(42);
    for (const other of [
      undefined,
      '',
      'prop_b:42',
      'prop_a42',
      'prop_a:',
      'prop_a:x',
      'prop_a:4x',
      'prop_a:x4',
      'prop_a:-1',
      'x prop_a:42',
      `prop_a:${'1'.repeat(16)}`,
    ])
      expect(positionOf('prop_a', other), other).to.equal(null);
    expect(positionOf('prop_a', `prop_a:${'1'.repeat(15)}`)).to.equal(111_111_111_111_111);
  });

  it('send texts of the event stream format', () => {
    expect(eventText('a', { position: 1, type: 'order', data: '{}' })).to.equal('id: a:1\nevent: order\ndata: {}\n\n');
    expect(endText('revoked')).to.equal('event: closed\ndata: {"reason":"revoked"}\n\n');
    expect(HEARTBEAT).to.equal(':\n\n');
    expect([retryText(0), retryText(0.5), retryText(1)]).to.deep.equal([
      ...['retry: 500\n\n', 'retry: 1250\n\n', 'retry: 2000\n\n'],
    ]);
  });

  it('are written to once they have started, until they end or their reader is behind', () => {
    const request = { credentials: ['c'], intervalMs: 100, owner: 'app', subject: 's', caller: 'c', after: 7 };
    const before = performance.now();
    const listener = newListener({ ...request, snapshot: async () => null } as StreamRequest); // as: ids are texts
    const { openedAt, ...rest } = listener;
    const writer = { write: () => true, end: () => {}, cut: () => {} };

    expect(rest).to.deep.equal({
      ...{ credentials: ['c'], intervalMs: 100, position: 0, writer: null },
      ...{ notBefore: 0, endedAt: null, fullSince: null },
    });
    expect(openedAt).to.be.within(before, performance.now());
    expect(canTakeMore(listener)).to.equal(false);
    expect(canTakeMore({ ...listener, writer })).to.equal(true);
    expect(canTakeMore({ ...listener, writer, endedAt: 1 })).to.equal(false);
    expect(canTakeMore({ ...listener, writer, fullSince: 1 })).to.equal(false);
  });
});
