import { startReceiver } from '../../support/receivers.ts';
import { type Arena, openArena } from './arena.ts';
import { atLeast, atMost, type Extent, type Figures, ratioOf } from './figures.ts';
import { interleaved, pairsOf } from './noise.ts';
import { crowd, emptyLanes, serviceTarget } from './p1.ts';
import { MINER_THREADS, settledPerS } from './p3.ts';
import { openOutbound } from './p4.ts';
import { serviceSide, tripsOf } from './sides.ts';

const MARK = 0.9;
const ORDERS_PER_S = 50;

type Size = { intents: number; traders: number; rounds: number; seconds: number; orders: number; deliveries: number };
const FULL: Size = { intents: 1_000_000, traders: 10_000, rounds: 5, seconds: 4, orders: 3_000, deliveries: 3_000 };
const SMALL: Size = { intents: 5_000, traders: 500, rounds: 5, seconds: 0.5, orders: 200, deliveries: 300 };

type Setups = [past: Setup, none: Setup];
type Setup = { arena: Arena; url: string; size: Size };
/** Prepares one figure on an arena; the returned function measures it once. */
type Open = (setup: Setup) => Promise<() => Promise<number>>;

/** P5: the figures of P1 to P4 with a million settled intents, and on an empty database, alternately. */
export async function measureP5({ small }: Extent): Promise<Figures> {
  const size = small ? SMALL : FULL;
  const setups: Setups = [await openSetup(size, size), await openSetup(size)];
  const workers = setups.map(({ arena }) => arena.startWorker({ NETVENUE_MINER_THREADS: MINER_THREADS }));
  try {
    const trips = await turnByTurn(setups, roundTrip);
    const settlements = await turnByTurn(setups, settled);
    const deliveries = await turnByTurn(setups, delivered);
    for (const worker of workers) worker.kill('SIGKILL'); // what is accepted from now on stays
    const acceptances = await turnByTurn(setups, accepted);
    return {
      name: 'P5',
      title: `beside ${size.intents} settled intents and ${size.traders} traders, and on an empty database`,
      rows: [
        atLeast(MARK, { what: 'P1 accepted', unit: '/s', ...acceptances }),
        atMost(1 / MARK, { what: 'P2 round trip, p50', unit: 'ms', ...trips }),
        atLeast(MARK, { what: 'P3 settled', unit: '/s', ...settlements }),
        atLeast(MARK, { what: 'P4 delivered', unit: '/s', ...deliveries }),
      ],
    };
  } finally {
    for (const { arena } of setups) await arena.close();
  }
}

async function openSetup(size: Size, filled?: Size): Promise<Setup> {
  const arena = await openArena({}, filled);
  return { arena, url: await arena.serve(), size };
}

async function turnByTurn([past, none]: Setups, open: Open) {
  const sides = { past: await open(past), none: await open(none) };
  await interleaved(1, sides); // warm-up
  return ratioOf(pairsOf(await interleaved(past.size.rounds, sides), ['past', 'none'], (found) => found));
}

const roundTrip: Open = async ({ arena, url, size }) => {
  const side = await serviceSide(arena, url);
  return async () => (await tripsOf(side, ORDERS_PER_S, size.seconds)).trip;
};

const settled: Open = async ({ arena, size }) => {
  const { ids } = await arena.traders(size.orders);
  return () => settledPerS(arena, ids);
};

const delivered: Open = async ({ arena, size }) => {
  const outbound = await openOutbound(arena, await startReceiver());
  return () => outbound.perS(size.deliveries);
};

const accepted: Open = async ({ arena, url, size }) => {
  const target = await serviceTarget(arena, url);
  return async () => {
    const { perSecond } = await crowd(target, size.seconds * 1_000);
    await emptyLanes(arena);
    return perSecond;
  };
};
