import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { tokenBucket } from '../../src/adapters/exchange/bucket.ts';
import { type Budget, budgetFrom, type Priority, shareOfBudget } from '../../src/adapters/exchange/budget.ts';

const soon = (ms = 2_000) => Date.now() + ms;
const ask = (budget: Budget, weight: number, priority: Priority = 'write', untilMs = soon()) =>
  budget.take({ weight, priority, untilMs });

describe('a share of the request budget', () => {
  it('is spent at once up to its burst, then at its refill rate', async () => {
    const budget = budgetFrom(tokenBucket({ burst: 10, perSecond: 100 }));
    const from = Date.now();

    await ask(budget, 10);
    const burstMs = Date.now() - from;
    await ask(budget, 20);

    expect(burstMs).to.be.below(90);
    expect(Date.now() - from).to.be.within(90, 300);
  });

  it('is the same fraction of the burst, whatever the venue grants', async () => {
    const atOnce = async (budget: Budget, weight: number) =>
      [await ask(budget, weight, 'write', soon(20)), await ask(budget, 5, 'write', soon(20))] as const;

    expect(await atOnce(shareOfBudget(0.5), 100)).to.deep.equal([true, false]);
    expect(await atOnce(shareOfBudget(0.5, 600), 50)).to.deep.equal([true, false]);
  });

  it('serves cancels before writes and writes before reads, each in order of arrival', async () => {
    const budget = budgetFrom(tokenBucket({ burst: 1, perSecond: 200 }));
    const served: string[] = [];
    const line = async (name: string, priority: Priority) => {
      await ask(budget, 1, priority);
      served.push(name);
    };

    await Promise.all([
      line('first', 'read'),
      line('read', 'read'),
      line('write 1', 'write'),
      line('cancel 1', 'cancel'),
      line('write 2', 'write'),
      line('cancel 2', 'cancel'),
    ]);

    expect(served).to.deep.equal(['first', 'cancel 1', 'cancel 2', 'write 1', 'write 2', 'read']);
  });

  it('is not granted past the deadline, and then not spent', async () => {
    const budget = budgetFrom(tokenBucket({ burst: 1, perSecond: 10 }));
    await ask(budget, 1);

    const granted = [await ask(budget, 1, 'write', soon(20)), await ask(budget, 1, 'write', soon(-1))];
    const from = Date.now();
    await ask(budget, 1);

    expect(granted).to.deep.equal([false, false]);
    expect(Date.now() - from).to.be.below(190);
  });

  it('is not granted to an aborted call, and lets the next one through', async () => {
    const budget = budgetFrom(tokenBucket({ burst: 1, perSecond: 5 }));
    const abandon = new AbortController();
    await ask(budget, 1);
    const head = budget.take({ weight: 1, priority: 'cancel', untilMs: soon(), signal: abandon.signal });
    const next = ask(budget, 1);

    abandon.abort();

    expect(await head).to.equal(false);
    expect(await next).to.equal(true);
  });

  it('deducts costs known only from the response from the later refill', async () => {
    const budget = budgetFrom(tokenBucket({ burst: 10, perSecond: 100 }));
    budget.charge(20);
    const from = Date.now();

    await ask(budget, 1);

    expect(Date.now() - from).to.be.within(90, 300);
  });

  it('lets a call through that is larger than its burst once it is full', async () => {
    const budget = budgetFrom(tokenBucket({ burst: 2, perSecond: 100 }));

    expect(await ask(budget, 12)).to.equal(true);
    expect(await ask(budget, 1, 'write', soon(20))).to.equal(false);
  });

  it('can be halted, also for waiting calls, and starts empty afterwards', async () => {
    const budget = budgetFrom(tokenBucket({ burst: 10, perSecond: 20 }));
    const from = Date.now();
    budget.halt(100);

    const granted = await Promise.all([ask(budget, 1, 'cancel', soon(50)), ask(budget, 1)]);

    expect(granted).to.deep.equal([false, true]);
    expect(Date.now() - from).to.be.within(140, 400);
  });

  it('never grants more in a time span than its burst and its refill', async () => {
    const bucket = { burst: 20, perSecond: 300 };
    const budget = budgetFrom(tokenBucket(bucket));
    const from = Date.now();
    let granted = 0;
    const worker = async () => {
      while (Date.now() - from < 300) {
        if (await ask(budget, 3, 'write', from + 300)) granted += 3;
        else await wait(1);
      }
    };

    await Promise.all(Array.from({ length: 8 }, worker));

    const spanMs = Date.now() - from;
    expect(granted).to.be.within(20, bucket.burst + (bucket.perSecond * spanMs) / 1_000);
  });
});
