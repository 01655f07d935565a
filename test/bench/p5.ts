import { startReceiver } from '../support/receivers.ts';
import { quantile } from '../webhooks/load.ts';
import { type Arena, openArena } from './arena.ts';
import { atLeast, atMost, type Extent, type Figures, ratioOf } from './figures.ts';
import { crowd, emptyLanes, serviceTarget } from './p1.ts';
import { openTrips } from './p2.ts';
import { settledPerS } from './p3.ts';
import { openOutbound } from './p4.ts';

const MARK = 0.9;

type Size = { intents: number; traders: number; rounds: number; seconds: number; orders: number; deliveries: number };
const FULL: Size = { intents: 1_000_000, traders: 10_000, rounds: 5, seconds: 4, orders: 3_000, deliveries: 3_000 };
const SMALL: Size = { intents: 5_000, traders: 500, rounds: 1, seconds: 1, orders: 500, deliveries: 500 };

type Setup = { arena: Arena; url: string; size: Size };
/** Prepares one figure on an arena; the returned function measures it once. */
type Open = (setup: Setup) => Promise<() => Promise<number>>;

/** P5: the figures of P1 to P4 with a million settled intents, and on an empty database, alternately. */
export async function measureP5({ small }: Extent): Promise<Figures> {
  const size = small ? SMALL : FULL;
  const setups = [await openSetup(size, size), await openSetup(size)];
  const workers = setups.map(({ arena }) => arena.startWorker());
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

async function turnByTurn(setups: Setup[], open: Open) {
  const measures: (() => Promise<number>)[] = [];
  for (const setup of setups) measures.push(await open(setup));
  const all = async () => {
    const [filled, empty] = measures;
    return [(await filled?.()) ?? Number.NaN, (await empty?.()) ?? Number.NaN] as const;
  };
  await all(); // warm-up
  const pairs = [];
  for (let round = 0; round < (setups[0]?.size.rounds ?? 1); round++) pairs.push(await all());
  return ratioOf(pairs);
}

const roundTrip: Open = async ({ arena, url, size }) => {
  const trips = await openTrips(arena, url);
  return async () => quantile((await trips(size.seconds)).served, 0.5);
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
