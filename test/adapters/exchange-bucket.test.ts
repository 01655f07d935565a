import { expect } from 'chai';
import fc from 'fast-check';
import { bucketOf, type Priority } from '../../src/capacity/exchange.ts';
import { tokenBucket } from '../../src/venues/exchange/adapter/bucket.ts';
import { budgetFrom } from '../../src/venues/exchange/adapter/budget.ts';

const ANYONE = { tenant: '', spare: 0 };

describe('the bucket that keeps a limit per minute', () => {
  it('never grants more than the limit in a minute, with 2 s between a grant and its arrival', () => {
    fc.assert(
      fc.property(fc.integer({ min: 60, max: 200_000 }), (limit) => {
        const { burst, perSecond } = bucketOf(limit);

        expect(burst + 62 * perSecond).to.be.closeTo(limit, limit * 1e-9);
      }),
    );
  });

  for (const [priority, most] of [
    ['entry', 90], // three quarters of the burst, although its part is not used up
    ['exit', 78], // all but what is kept for exits, and what entries of others need
  ] as const satisfies [Priority, number][])
    it(`leaves a part to entries of other tenants, once a tenant has had more than its share of calls: ${priority}`, async () => {
      const budget = budgetFrom(tokenBucket(bucketOf(400)), 400); // 120 at once, of which 22 are for exits
      const within = (ms: number, tenant: string, weight: number, of: Priority) =>
        budget.take({ tenant, weight, priority: of, untilMs: Date.now() + ms });

      const many = await Promise.all(Array.from({ length: 130 }, () => within(300, 'many', 1, priority)));
      const few = await within(300, 'few', 7, 'entry');

      expect(many.filter(Boolean).length).to.be.within(most, most + 4); // it is refilled meanwhile
      expect(few).to.equal(true);
    });

  it('leaves the exits of a tenant what is kept for exits, however much it has spent on other calls', async () => {
    const budget = budgetFrom(tokenBucket({ ...bucketOf(400), perSecond: 0.001 }), 400);
    const within = (priority: Priority, weight: number) =>
      budget.take({ tenant: 'many', weight, priority, untilMs: Date.now() + 300 });
    await Promise.all(Array.from({ length: 130 }, () => within('entry', 1)));

    expect([await within('exit', 20), await within('exit', 10)]).to.deep.equal([true, true]);
  });

  it('leaves the exits of a tenant that has spent much on exits more than reads of anybody take', async () => {
    const budget = budgetFrom(tokenBucket({ ...bucketOf(1_200), perSecond: 0.001 }), 1_200);
    const within = (tenant: string, priority: Priority, weight: number) =>
      budget.take({ tenant, weight, priority, untilMs: Date.now() + 300 });
    await Promise.all(Array.from({ length: 7 }, () => within('many', 'exit', 20)));
    await Promise.all(Array.from({ length: 130 }, () => within('few', 'read', 2)));

    expect([await within('few', 'read', 2), await within('many', 'exit', 20)]).to.deep.equal([false, true]);
  });

  it('covers a call larger than its capacity once it is full, and nothing after it', async () => {
    const bucket = tokenBucket({ burst: 2, perSecond: 0.001 });

    expect(await bucket.spend([{ weight: 12, keep: 1, ...ANYONE }])).to.deep.equal({ spent: [0], waitMs: 0 });
    expect(await bucket.spend([{ weight: 1, keep: 0, ...ANYONE }])).to.deep.include({ spent: [] });
  });

  it('is empty after a halt, and says for how long', async () => {
    const bucket = tokenBucket({ burst: 10, perSecond: 1_000 });
    await bucket.halt(60_000);

    const { spent, waitMs } = await bucket.spend([{ weight: 1, keep: 0, ...ANYONE }]);

    expect(spent).to.deep.equal([]);
    expect(waitMs).to.be.within(1, 60_001);
  });
});
