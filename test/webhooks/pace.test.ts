import { expect } from 'chai';
import { openPace } from '../../src/webhooks/pace.ts';

const PER_S = 20;

describe('the pace of deliveries', () => {
  it('is as fast as can be where no intent is carried out', async () => {
    const { next } = openPace(PER_S);
    expect(await msOf(() => Promise.all(Array.from({ length: 1_000 }, next)))).to.be.below(100);
  });

  it('is even beside intents: so many a second, the first at once', async () => {
    const pace = openPace(PER_S);
    pace.makeRoom();
    expect(await msOf(() => pace.next())).to.be.below(40);
    const took = await msOf(() => Promise.all(Array.from({ length: 10 }, pace.next)));
    expect(took).to.be.within(480, 800);
  });

  it('saves nothing up: after a pause they are as evenly spaced as before', async () => {
    const pace = openPace(PER_S);
    pace.makeRoom();
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
