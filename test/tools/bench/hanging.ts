import { runWith } from '../../webhooks/hanging.ts';
import { type Extent, type Figures, reported, within } from './figures.ts';

const NOISE_MS = 15; // 2 cores, shared with the receivers: differences below this occur between identical runs

/** HANGING: the effect on healthy receivers of 10 out of 50 that never respond. */
export async function measureHanging({ small }: Extent): Promise<Figures> {
  const load = { endpoints: 50, hanging: 10, perS: 60, forS: small ? 1 : 4, seed: 7 };
  const baseline = await runWith(load, false);
  const beside = await runWith(load, true);
  const most = Math.max(2 * baseline.p95, baseline.p95 + NOISE_MS);
  return {
    name: 'HANGING',
    title: `deliveries to healthy receivers next to ${load.hanging} of ${load.endpoints} that never respond`,
    rows: [
      within(most, { what: 'event to first byte, p95', figure: beside.p95, reference: baseline.p95, unit: 'ms' }),
      reported({ what: 'delivered to the healthy', figure: beside.delivered, reference: baseline.delivered, unit: '' }),
    ],
  };
}
