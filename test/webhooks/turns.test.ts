import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type DeliverDeps, deliverLane } from '../../src/capabilities/webhooks/deliver.ts';
import type { StepLane } from '../../src/capabilities/webhooks/store.ts';

const HELD = {
  delivery_id: 'whd_1',
  fence: 1,
  retry_step: 0,
  url: 'https://x.test',
  event_type: 'a',
  body: '{}',
  secrets: [],
};
const SENDS_MS = 20;
const TURN_MS = 1_000;

describe('a lane for which there is always something due', () => {
  it('leaves the rest to a new job after a second, so that it has none of a worker’s for good', async () => {
    const steps: Parameters<StepLane>[0][] = [];
    const deps = {
      db: { maybeOneFirst: async () => 'app_1' },
      activity: { lanes: 0, lastIntentMs: 0 },
      config: { OUTBOUND_CONCURRENCY: 10 },
      pace: { next: async () => {} },
      async stepLane(step: (typeof steps)[number]) {
        steps.push(step);
        return { n: 0, verdict: step.parting ? 'separated' : 'send', held: step.parting ? null : HELD };
      },
      webhooks: {
        async send() {
          await sleep(SENDS_MS);
          return { kind: 'response', status: 200, text: '', retryAfterS: null, durationMs: SENDS_MS };
        },
      },
    } as unknown as DeliverDeps; // as: what a lane uses while its receiver responds
    const begunAt = performance.now();

    await Promise.race([deliverLane({ endpoint_id: 'whe_1', lane: 0 }, deps), sleep(3 * TURN_MS)]);

    expect(performance.now() - begunAt).to.be.within(TURN_MS, 2 * TURN_MS);
    expect(steps.length).to.be.above(5);
    expect(steps.at(-1)).to.include({ parting: true });
    expect(deps.activity.lanes).to.equal(0);
  });
});
