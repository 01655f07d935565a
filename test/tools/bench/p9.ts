import { atMost, type Extent, type Figures, ratioOf } from './figures.ts';
import { interleaved, pairsOf } from './noise.ts';
import { openSides, type Side, tripsOf } from './sides.ts';

const PER_SECOND = 50;
const MARK = 1.5;

type Size = { rounds: number; seconds: number };
const FULL: Size = { rounds: 6, seconds: 6 };
const SMALL: Size = { rounds: 5, seconds: 1 };

/** P9: what the service adds to the venue's own time while a neighbour takes one core, beside the bare chain. */
export async function measureP9({ small }: Extent): Promise<Figures> {
  const { rounds, seconds } = small ? SMALL : FULL;
  const { service, chain, close } = await openSides();
  try {
    const once = (side: Side) => () => tripsOf(side, PER_SECOND, seconds);
    const sides = { service: once(service), chain: once(chain) };
    await interleaved(1, sides); // warm-up
    await service.arena.run('test/tools/bench/references/neighbour.ts').waitForLine(/is busy/);
    const found = await interleaved(rounds, sides);
    const added = (share: 'p50' | 'p99') => ({
      what: `added, ${share}`,
      unit: 'ms',
      ...ratioOf(pairsOf(found, ['service', 'chain'], (trip) => trip.added[share])),
    });
    return {
      name: 'P9',
      title: `what an order’s way adds to the venue’s time at ${PER_SECOND}/s, one core taken by a neighbour, beside the bare chain`,
      rows: [atMost(MARK, added('p50')), atMost(MARK, added('p99'))],
    };
  } finally {
    await close();
  }
}
