import { atMost, type Extent, type Figures, ratioOf, reported } from './figures.ts';
import { interleaved, pairsOf } from './noise.ts';
import { openSides, type Side, type Trip, tripsOf } from './sides.ts';
import { childrenOf, parentOf, type Scheduled, scheduledFor } from './usage.ts';

const PER_SECOND = 50;
const MARK = 1.5;

type Size = { rounds: number; seconds: number };
const FULL: Size = { rounds: 6, seconds: 6 };
const SMALL: Size = { rounds: 5, seconds: 1 };

/** P9: what the service adds to the venue's own time while a neighbour takes one core, beside the bare chain, and where an order waits. */
export async function measureP9({ small }: Extent): Promise<Figures> {
  const { rounds, seconds } = small ? SMALL : FULL;
  const { service, chain, close } = await openSides();
  try {
    const once = (side: Side) => {
      const own = side.arena.pids(); // without the neighbour, which is started later
      return () => measured(side, own, seconds);
    };
    const sides = { service: once(service), chain: once(chain) };
    await interleaved(1, sides); // warm-up
    await service.arena.run('test/tools/bench/references/neighbour.ts').waitForLine(/is busy/);
    const found = await interleaved(rounds, sides);
    const added = (share: 'p50' | 'p99') => ({
      what: `added, ${share}`,
      unit: 'ms',
      ...ratioOf(pairsOf(found, ['service', 'chain'], (trip) => trip.added[share])),
    });
    const ofAnOrder = (what: string, unit: string, of: keyof Scheduled) =>
      reported({ what, unit, ...ratioOf(pairsOf(found, ['service', 'chain'], ({ scheduled }) => scheduled[of])) });
    return {
      name: 'P9',
      title: `what an order’s way adds to the venue’s time at ${PER_SECOND}/s, one core taken by a neighbour, beside the bare chain`,
      rows: [
        atMost(MARK, added('p50')),
        atMost(MARK, added('p99')),
        ofAnOrder('time of an order on a core, database included', 'ms', 'ranMs'),
        ofAnOrder('time in line for a core', 'ms', 'waitedMs'),
        ofAnOrder('turns on a core', '', 'turns'),
      ],
    };
  } finally {
    await close();
  }
}

/** A trip, and what the scheduler did for an order meanwhile, in web, worker and database. */
async function measured(side: Side, own: number[], seconds: number): Promise<Trip & { scheduled: Scheduled }> {
  const { arena } = side;
  const [backend] = await arena.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pids = async () => [...own, ...(await childrenOf(await parentOf(backend?.pid ?? 0)))];
  const before = await scheduledFor(await pids());
  const trip = await tripsOf(side, PER_SECOND, seconds);
  const after = await scheduledFor(await pids());
  const orders = PER_SECOND * seconds;
  const ofOne = (of: keyof Scheduled) => (after[of] - before[of]) / orders;
  return { ...trip, scheduled: { ranMs: ofOne('ranMs'), waitedMs: ofOne('waitedMs'), turns: ofOne('turns') } };
}
