import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import type { OwnerId } from '../../src/kernel/ids.ts';
import { admission } from '../../src/venues/network/orders/admission.ts';
import { newBacklog } from '../../src/venues/network/orders/backlog.ts';
import type { NewNetworkOrder } from '../../src/venues/network/orders/intents.ts';
import { seeded } from '../support/seeded.ts';

const THREADS = 9;
const SETTINGS = { NETVENUE_MINER_THREADS: 12, NETVENUE_EXIT_SLOTS: 2, NETVENUE_SIGNALS_PER_MIN: 10 };
const SERVICE_MS = 50;
const DEADLINE_MS = 60_000;

/** A queue before THREADS servers: orders are served in the order of their arrival, each for SERVICE_MS. */
function simulate(
  arrivalsMs: readonly number[],
  observe: (nowMs: number, actualMs: number, expectedMs: number) => void,
) {
  const backlog = newBacklog(THREADS);
  const freeMs: number[] = Array.from({ length: THREADS }, () => 0);
  const ends: { id: string; atMs: number }[] = [];
  for (const [n, arrivedMs] of arrivalsMs.entries()) {
    while (ends[0] && ends[0].atMs <= arrivedMs) {
      const { id, atMs } = ends.shift() as { id: string; atMs: number };
      backlog.end(id, atMs);
    }
    const expectedMs = backlog.expectedWaitMs('miner', arrivedMs);
    const first = freeMs.indexOf(Math.min(...freeMs));
    const endMs = Math.max(arrivedMs, freeMs[first] ?? 0) + SERVICE_MS;
    freeMs[first] = endMs;
    ends.push({ id: String(n), atMs: endMs });
    backlog.add(String(n), 'miner', arrivedMs, arrivedMs + DEADLINE_MS);
    observe(arrivedMs, endMs - arrivedMs, expectedMs);
  }
  return backlog;
}

const every = (ms: number, forMs: number, fromMs = 0) => Array.from({ length: forMs / ms }, (_, n) => fromMs + n * ms);

/** What the heap holds after a full collection. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

describe('the expected wait at an upstream', () => {
  it('is what a queue of that many threads makes orders wait, once it has been busy', () => {
    const judged: { actualMs: number; expectedMs: number }[] = [];

    simulate(every(2, 3_000), (nowMs, actualMs, expectedMs) => {
      if (nowMs > 500) judged.push({ actualMs, expectedMs });
    });

    expect(judged).to.have.length.above(1_000);
    for (const { actualMs, expectedMs } of judged) expect(expectedMs / actualMs).to.be.within(0.75, 1.25);
  });

  it('is hardly ever longer than the real one, however few orders have ended: ends at random, 4 to 200 per second', () => {
    const OPEN = 200;
    for (const perS of [4, 20, 200]) {
      const random = seeded(perS);
      let judged = 0;
      let tooLong = 0;
      for (let run = 0; run < 400; run++) {
        const backlog = newBacklog(THREADS);
        for (let n = 0; n < OPEN; n++) backlog.add(String(n), 'miner', 0, DEADLINE_MS);
        for (let n = 0, nowMs = 0; n < OPEN / 2 && nowMs < 5_000; n++) {
          nowMs += (-Math.log(1 - random()) / perS) * 1_000;
          backlog.end(String(n), nowMs);
          judged += 1;
          if (backlog.expectedWaitMs('miner', nowMs) > ((OPEN - n - 1) / perS) * 1_000) tooLong += 1;
        }
      }
      expect(tooLong / judged, `at ${perS} per second`).to.be.below(0.05);
    }
  });

  it('holds no more of past lanes than the last ten thousand', () => {
    const backlog = newBacklog(1);
    const before = heapBytes();

    for (let n = 0; n < 200_000; n++) {
      backlog.add(String(n), `lane ${n}`, n, n + DEADLINE_MS);
      backlog.end(String(n), n);
    }

    expect(heapBytes() - before).to.be.below(12e6);
    expect(backlog.has('0')).to.equal(false);
  });

  it('is 0 while threads are free, however slowly orders end', () => {
    simulate(every(SERVICE_MS, 10_000), (_, actualMs, expectedMs) => {
      expect([actualMs, expectedMs]).to.deep.equal([SERVICE_MS, 0]);
    });
  });

  it('is not concluded from a time with few orders: a burst after it is admitted', () => {
    simulate([...every(1_000, 20_000), ...every(1, 100, 20_000)], (_, __, expectedMs) =>
      expect(expectedMs).to.equal(0),
    );
  });

  it('remembers the pace of the last busy time for the next', () => {
    const judged: number[] = [];

    simulate([...every(2, 1_000), ...every(1, 400, 20_000)], (nowMs, actualMs, expectedMs) => {
      if (nowMs > 20_100) judged.push(expectedMs / actualMs);
    });

    for (const ratio of judged) expect(ratio).to.be.within(0.7, 1.4);
  });

  it('is 0 while nothing ends: of an upstream that is silent no pace is known', () => {
    const backlog = newBacklog(THREADS);
    for (let n = 0; n < 500; n++) backlog.add(String(n), 'miner', n, n + DEADLINE_MS);

    expect(backlog.expectedWaitMs('miner', 5_000)).to.equal(0);
  });

  it('counts no order that has passed its deadline, was not accepted, or is for another upstream', () => {
    const backlog = simulate(every(2, 2_000), () => {});
    const waitMs = backlog.expectedWaitMs('miner', 2_000);
    for (let n = 0; n < 300; n++) backlog.add(`other ${n}`, 'other', 2_000, 2_000 + DEADLINE_MS);
    for (let n = 0; n < 300; n++) {
      backlog.add(`not accepted ${n}`, 'miner', 2_000, 2_000 + DEADLINE_MS);
      backlog.remove(`not accepted ${n}`);
    }

    expect(waitMs).to.be.above(1_000);
    expect(backlog.expectedWaitMs('miner', 2_000)).to.equal(waitMs);
    expect(backlog.expectedWaitMs('miner', 2_000 + DEADLINE_MS)).to.equal(0);
  });
});

describe('the orders of which a process awaits the end', () => {
  it('are those that it accepted: none that was rejected, and no repeat, whose order may have ended long ago', async () => {
    const awaited = new Set<string>();
    const settlements = { once: (id: string) => void awaited.add(id), forget: (id: string) => void awaited.delete(id) };
    const accepting = admission(
      SETTINGS,
      settlements,
      async () => null,
    )(async (order) => {
      if (order.id === 'rejected') throw new Error('rejected');
      return order.id === 'new' ? { id: 'new', replayed: false } : { id: order.id, replayed: true };
    });
    const order = { trader: 'entity_1', deadline_s: 15, terms: { order_type: 'LONG' } } as NewNetworkOrder; // as: what is read of it

    for (const id of ['new', 'repeated', 'rejected']) await accepting({ ...order, id }).catch(() => {});

    expect([...awaited]).to.deep.equal(['new']);
  });
});

describe('a miner with more orders than it can execute in time', () => {
  const settled = new Map<string, (id: string) => void>();
  const settlements = {
    once: (id: string, ended: (id: string) => void) => void settled.set(id, ended),
    forget: (id: string) => void settled.delete(id),
  };
  const accept = admission(
    SETTINGS,
    settlements,
    async () => null,
  )(async ({ id }: NewNetworkOrder) => ({ id, replayed: false }));
  type Place = { id: string; lane?: string; owner?: OwnerId };
  const verdictOf = ({ id, lane = id, owner = 'ptn_many' }: Place) =>
    accept({
      id,
      lane,
      owner,
      trader: 'entity_1',
      deadline_s: 4,
      terms: { order_type: 'LONG' },
    } as NewNetworkOrder).then(
      () => 'accepted', // as: what is read of it
      ({ code }) => code as string,
    );
  const endSome = async (names: (n: number) => string) => {
    for (let n = 0; n < 4; n++) {
      await new Promise((resolve) => setTimeout(resolve, 150)); // the pace: an order in 150 ms
      settled.get(names(n))?.(names(n));
    }
  };

  it('rejects a long lane for itself, and not the lanes of others', async function () {
    this.timeout(10_000);
    for (let n = 0; n < 60; n++) await verdictOf({ lane: 'long', id: `long ${n}` });
    await endSome((n) => `long ${n}`);

    expect(await verdictOf({ lane: 'long', id: 'one more' })).to.equal('RATE_LIMITED');
    expect(await verdictOf({ lane: 'other', id: 'another' })).to.equal('accepted');
  });

  it('rejects a tenant for its own orders, and not another tenant, which has its turn after a few of them', async function () {
    this.timeout(10_000);
    for (let n = 0; n < 90; n++) await verdictOf({ id: `many ${n}` });
    await endSome((n) => `many ${n}`);

    expect(await verdictOf({ id: 'one more of many' })).to.equal('SERVICE_UNAVAILABLE');
    expect(await verdictOf({ id: 'one of few', owner: 'ptn_few' })).to.equal('accepted');
  });
});
