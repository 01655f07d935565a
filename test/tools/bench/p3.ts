import { setTimeout as sleep } from 'node:timers/promises';
import { newIntentId } from '../../../src/kernel/ids.ts';
import { termsOf } from '../../../src/venues/network/orders/rules.ts';
import { until } from '../../support/processes.ts';
import { ENTITY } from '../../support/service.ts';
import { type Arena, openArena } from './arena.ts';
import { atLeast, type Extent, type Figures, ratioOf, reported } from './figures.ts';
import { interleaved, pairsOf } from './noise.ts';
import { startRedis } from './redis.ts';

/** Queues whose tasks do the same SQL and nothing else. Settings of theirs come from `startRedis`. */
const REFERENCES = {
  graphile: { kind: 'bench/alone', script: 'graphile' },
  boss: { kind: 'bench/boss', script: 'boss' },
  bull: { kind: 'bench/bull', script: 'bull' },
};
type Queue = keyof typeof REFERENCES;

const KIND = 'network/place';
/** More than the worker uses at once: what is measured is the worker, not the line before a miner of ten threads. */
export const MINER_THREADS = '200';
const MARKS = { graphile: 1.1, boss: 1 };
const FLOOR = 0.3;
const SETTLED_WITHIN_MS = 120_000;
const POLL_MS = 200; // polling takes no more than this from the measurement

type Size = { rounds: number; orders: number };
const FULL: Size = { rounds: 5, orders: 3_000 };
const SMALL: Size = { rounds: 5, orders: 300 };

/**
 * P3: intents settled per second by one worker, network orders with their calls at the venue, next to queues whose
 * tasks do the same SQL without the rest of the service. Everything is queued before the first task runs.
 */
export async function measureP3({ small }: Extent): Promise<Figures> {
  const { rounds, orders } = small ? SMALL : FULL;
  const arena = await openArena();
  const redis = await startRedis();
  try {
    const { ids } = await arena.traders(orders);
    arena.startWorker({ NETVENUE_MINER_THREADS: MINER_THREADS });
    const queues = (Object.keys(REFERENCES) as Queue[]).filter((queue) => queue !== 'bull' || redis); // as: its own keys
    const settings: Record<string, string> = redis ? { REDIS_PORT: String(redis.port) } : {};
    const sides: Record<string, () => Promise<number>> = { service: () => settledPerS(arena, ids) };
    for (const queue of queues) {
      const { kind, script } = REFERENCES[queue];
      await arena.query(SAME_KIND, [kind, KIND]);
      await arena.run(`test/tools/bench/references/${script}.ts`, settings).waitForLine(/is working/);
      sides[queue] = () => settledPerS(arena, ids, kind);
    }
    await interleaved(1, sides); // warm-up
    return figures(await interleaved(rounds, sides), redis !== null);
  } finally {
    await arena.close();
    await redis?.stop();
  }
}

/** Queues an order of each trader and returns how many per second were settled in the middle 80 %. */
export async function settledPerS(arena: Arena, ids: number[], kind: string = KIND): Promise<number> {
  const intents = ids.map(() => newIntentId());
  await arena.query(QUEUE, [kind, ENTITY, ids, TERMS, intents]);
  const lastFirst = [intents.toReversed()];
  await until(
    `${intents.length} settled`,
    async () => {
      await sleep(POLL_MS);
      const [row] = await arena.query<{ open: boolean }>(OPEN, lastFirst);
      return row?.open === false;
    },
    SETTLED_WITHIN_MS,
  );
  const [row] = await arena.query<{ seconds: number; succeeded: number }>(SETTLED, lastFirst);
  if (row?.succeeded !== intents.length) throw new Error(`${row?.succeeded} of ${intents.length} ${kind} succeeded`);
  return (intents.length * 0.8) / Number(row?.seconds);
}

/** Each is found by its id: a search of the intents reads a million of them, and its old snapshot slows the workers down. */
const THOSE = `
  from unnest($1::uuid[]) as wanted (id)
  cross join lateral (
    select *
    from intents i
    where i.id = wanted.id
    limit 1
  ) i`;

/** Stops at the first that is open. */
const OPEN = `select exists (select ${THOSE} where i.settled_at is null) as open`;

const SETTLED = `
  select count(*) filter (where i.state = 'succeeded')::integer as succeeded,
    extract(epoch from percentile_disc(0.9) within group (order by i.settled_at)
      - percentile_disc(0.1) within group (order by i.settled_at))::double precision as seconds
  ${THOSE}`;

const TERMS = JSON.stringify(
  termsOf({ trade_pair: 'BTCUSDC', order_type: 'LONG', execution_type: 'MARKET', leverage: 0.001 }),
);

/** A kind of the same venue. */
const SAME_KIND = `
  insert into intent_kinds (kind, upstream, venue, is_exit, retention)
  select $1, k.upstream, k.venue, k.is_exit, k.retention
  from intent_kinds k
  where k.kind = $2`;

/** Accepts an order of a kind for each trader in one transaction. */
const QUEUE = `
  with accepted as materialized (
    select a.verdict
    from accept_network_orders((
      select jsonb_agg(jsonb_build_object('n', s.n, 'id', ($5::uuid[])[s.n], 'kind', $1::text, 'owner', s.owner,
        'trader', s.synthetic_hotkey, 'pair', 'BTCUSDC', 'lane', 'netvenue:' || s.synthetic_hotkey || ':BTCUSDC',
        'terms', $4::jsonb, 'digest', '00', 'deadline_s', 600, 'request',
        jsonb_build_object('trader', s.synthetic_hotkey, 'subaccount_id', s.subaccount_id, 'terms', $4::jsonb)))
      from (
        select row_number() over () n, owner, synthetic_hotkey, subaccount_id
        from subaccounts
        where entity_hotkey = $2 and subaccount_id = any($3::integer[])
      ) s
    )) a
  )
  select from accepted where verdict = 'accepted' having count(*) = cardinality($3::integer[])`;

function figures(rounds: Record<string, number>[], hasRedis: boolean): Figures {
  const beside = (queue: Queue, name: string) => ({
    what: `settled, beside ${name}`,
    unit: '/s',
    ...ratioOf(pairsOf(rounds, ['service', queue], (perSecond) => perSecond)),
  });
  return {
    name: 'P3',
    title: `intents settled by one worker, beside queues whose tasks do the same SQL and no call${hasRedis ? '' : '; BullMQ is not there, without redis-server'}`,
    rows: [
      atLeast(MARKS.graphile, beside('graphile', 'graphile-worker alone'), FLOOR),
      atLeast(MARKS.boss, beside('boss', 'pg-boss')),
      ...(hasRedis ? [reported(beside('bull', 'BullMQ, durable'))] : []),
    ],
  };
}
