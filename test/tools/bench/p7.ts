import { atMost, type Extent, type Figures, ratioOf } from './figures.ts';
import { interleaved, pairsOf } from './noise.ts';
import { openSides, type Side, tripsOf } from './sides.ts';
import { cpuMs, residentMb, total } from './usage.ts';

const PER_SECOND = 100;
const MARK = 1.5;
const PER_ORDERS = 1_000;

type Size = { rounds: number; seconds: number };
const FULL: Size = { rounds: 5, seconds: 10 };
const SMALL: Size = { rounds: 5, seconds: 1 };

/** P7: what orders cost in web and worker, beside the bare chain: CPU time, and memory at the end of a round. */
export async function measureP7({ small }: Extent): Promise<Figures> {
  const { rounds, seconds } = small ? SMALL : FULL;
  const { service, chain, close } = await openSides();
  try {
    const sides = { service: () => cost(service, seconds), chain: () => cost(chain, seconds) };
    await interleaved(1, sides); // warm-up
    const found = await interleaved(rounds, sides);
    const held = (of: keyof Cost) => ratioOf(pairsOf(found, ['service', 'chain'], (each) => each[of]));
    return {
      name: 'P7',
      title: `web and worker together, ${PER_SECOND} orders/s, beside the bare chain`,
      rows: [
        atMost(MARK, { what: `CPU time of ${PER_ORDERS} orders`, unit: 's', ...held('cpuS') }),
        atMost(MARK, { what: 'resident memory', unit: 'MB', ...held('memoryMb') }),
      ],
    };
  } finally {
    await close();
  }
}

type Cost = { cpuS: number; memoryMb: number };

async function cost(side: Side, seconds: number): Promise<Cost> {
  const pids = side.arena.pids();
  const before = await total(pids, cpuMs);
  await tripsOf(side, PER_SECOND, seconds);
  const cpuS = ((await total(pids, cpuMs)) - before) / 1_000;
  return { cpuS: (cpuS * PER_ORDERS) / (PER_SECOND * seconds), memoryMb: await total(pids, residentMb) };
}
