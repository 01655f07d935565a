import { expect } from 'chai';
import { openPace } from '../../src/capabilities/webhooks/deliver.ts';

const PER_S = 20;

describe('the pace of deliveries', () => {
  it('is unlimited when no intent is being executed', async () => {
    const { next } = openPace(PER_S, { lastIntentMs: Number.NEGATIVE_INFINITY });
    expect(await msOf(() => Promise.all(Array.from({ length: 1_000 }, next)))).to.be.below(100);
  });

  it('is even next to intents: a fixed rate per second, the first at once', async () => {
    const pace = openPace(PER_S, { lastIntentMs: performance.now() });
    expect(await msOf(() => pace.next())).to.be.below(40);
    const took = await msOf(() => Promise.all(Array.from({ length: 10 }, pace.next)));
    expect(took).to.be.within(480, 800);
  });

  it('accumulates nothing: after a pause deliveries are as evenly spaced as before', async () => {
    const pace = openPace(PER_S, { lastIntentMs: performance.now() });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const took = await msOf(() => Promise.all(Array.from({ length: 6 }, pace.next)));
    expect(took).to.be.within(240, 500);
  });
});

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
