import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, below, type Extent, type Figures, ratioOf, reported } from './figures.ts';
import { interleaved, pairsOf } from './noise.ts';
import { CHAINS, type Chain, openSides, type Side, tripsOf } from './sides.ts';
import { cpuMs, residentMb, total } from './usage.ts';

const PER_SECOND = 100;
const MARK = 1.5;
const MOST_TRANSACTIONS = 4.5;
const MOST_WAL_KB = 4;
const PER_ORDERS = 1_000;

type Size = { rounds: number; seconds: number };
const FULL: Size = { rounds: 5, seconds: 10 };
const SMALL: Size = { rounds: 5, seconds: 1 };

/** P7: what orders cost in web and worker, beside the bare chain: CPU time, memory at the end of a round, and what the database commits and logs. */
export async function measureP7({ small }: Extent): Promise<Figures> {
  const { rounds, seconds } = small ? SMALL : FULL;
  const { service, chain, honest, close } = await openSides();
  try {
    const sides = {
      service: () => cost(service, seconds),
      chain: () => cost(chain, seconds),
      honest: () => cost(honest, seconds),
    };
    await interleaved(1, sides); // warm-up
    const found = await interleaved(rounds, sides);
    const held = (of: keyof Cost, beside: Chain = 'chain') =>
      ratioOf(pairsOf(found, ['service', beside], (each) => each[of]));
    const besideHonest = (of: keyof Cost, unit: string) =>
      reported({ what: `the same beside ${CHAINS.honest}`, unit, ...held(of, 'honest') });
    return {
      name: 'P7',
      title: `web and worker together, ${PER_SECOND} orders/s, beside the bare chain`,
      rows: [
        atMost(MARK, { what: `CPU time of ${PER_ORDERS} orders`, unit: 's', ...held('cpuS') }),
        besideHonest('cpuS', 's'),
        atMost(MARK, { what: 'resident memory', unit: 'MB', ...held('memoryMb') }),
        below(MOST_TRANSACTIONS, { what: 'transactions of an order', unit: '', ...held('transactions') }),
        besideHonest('transactions', ''),
        below(MOST_WAL_KB, { what: 'write-ahead log of an order', unit: 'kB', ...held('walKb') }),
        besideHonest('walKb', 'kB'),
      ],
    };
  } finally {
    await close();
  }
}

type Cost = { cpuS: number; memoryMb: number; transactions: number; walKb: number };

async function cost(side: Side, seconds: number): Promise<Cost> {
  const pids = side.arena.pids();
  const orders = PER_SECOND * seconds;
  const [before, database] = [await total(pids, cpuMs), await databaseDid(side)];
  await tripsOf(side, PER_SECOND, seconds);
  const cpuS = ((await total(pids, cpuMs)) - before) / 1_000;
  const after = await databaseDid(side);
  return {
    cpuS: (cpuS * PER_ORDERS) / orders,
    memoryMb: await total(pids, residentMb),
    transactions: (after.transactions - database.transactions) / orders,
    walKb: (after.walBytes - database.walBytes) / 1_024 / orders,
  };
}

const REPORTED_MS = 1_100; // a backend reports its statistics at most once a second

/** The transactions that the database has ended so far, and the bytes of its write-ahead log. */
async function databaseDid({ arena }: Side): Promise<{ transactions: number; walBytes: number }> {
  await sleep(REPORTED_MS);
  const [did] = await arena.query<{ transactions: number; walBytes: number }>(`
    select (xact_commit + xact_rollback)::double precision as transactions,
      (pg_current_wal_insert_lsn() - '0/0')::double precision as "walBytes"
    from pg_stat_database
    where datname = current_database()`);
  if (!did) throw new Error('No statistics of the database');
  return did;
}
