import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../../../src/db/embedded.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { openPool } from '../../../src/db/pool.ts';
import { prune } from '../../../src/db/retention.ts';
import { makeAdmin } from '../../support/identity.ts';
import { until } from '../../support/processes.ts';
import { startReceiver } from '../../support/receivers.ts';
import { type LocalSite, openSite } from '../stage.ts';
import type { Verdict } from '../verdicts.ts';
import { multiply } from '../year/fill.ts';
import { type Hot, timeHotStatements } from '../year/hot.ts';
import { type Queries, timeOperatorQueries } from '../year/queries.ts';
import { type Bytes, tradeForReal } from '../year/real-orders.ts';

const INTAKE_PER_S = 50;
const TIMES_INTAKE = 20;
const AT_REST_WITHIN_MS = 1_800_000;
/** Nothing that the scene filled is kept: the copies are at least 10 days old. */
const DAYS = { RETAIN_INTENTS_DAYS: 9, RETAIN_ORDERS_DAYS: 9, RETAIN_EVENTS_DAYS: 9, RETAIN_SESSIONS_DAYS: 9 };
/** Bulk rows are not logged while they are filled; a server of its own, whose data is removed afterwards. */
const SERVER = {
  fsync: 'off',
  full_page_writes: 'off',
  jit: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  shared_buffers: '1GB',
  max_wal_size: '4GB',
};

/**
 * `intents`: how many; `orders`: how many of them are real, and run on both databases; `restMs`: how long autovacuum must have had
 * nothing to do before statements are timed; `pruneMs`: how long retention is watched.
 */
export type YearSize = {
  intents: number;
  orders: number;
  restMs: number;
  pruneMs: number;
  /** What is promised; more on a machine that does other things as well. */
  most: { ratio: number; ms: number };
};

/** What was measured; `intents` with everything that belongs to them, of which `bytes` is the size of one. */
export type Year = {
  intents: number;
  rows: number;
  bytes: Bytes;
  hot: Hot;
  queries: Queries;
  pruned: { orders: number; ms: number };
};

/** A database with many settled orders of a year beside a new one: hot statements, operators' queries, and retention. */
export async function liveThroughYear({ intents, orders, restMs, pruneMs }: YearSize): Promise<Year> {
  const dataDir = await mkdtemp(join(tmpdir(), `tps-test-${process.pid}-year-`));
  const server = await startEmbedded({ dataDir, settings: SERVER });
  const open = async (name: string) => {
    await command(server.url, `create database ${name}`);
    const url = server.url.replace(/[^/]+$/, name);
    await migrate(url);
    return openSite({ database: { url, drop: async () => {} }, settings: { THROTTLE_SCALE: '1000' } });
  };
  const receiver = await startReceiver();
  const past = await open('past');
  const none = await open('none');
  const urlOf = ({ settings }: typeof past) => String(settings.DATABASE_URL);
  try {
    const bytes = await tradeForReal(past, receiver, orders);
    await tradeForReal(none, receiver, orders);
    for (const site of [past, none]) await site.stopWorkers();
    await command(urlOf(past), (client) => multiply(client, intents));
    await autovacuumAtRest(past, restMs);
    const [counted] = await past.rows<{ intents: number; rows: number }>(COUNTED);
    const hot = await timeHotStatements({ past: urlOf(past), none: urlOf(none) }, orders * 2);
    const db = await openPool(urlOf(past), 2, () => {});
    const { ask } = await makeAdmin({ db, url: past.web.url });
    const queries = await timeOperatorQueries(past, ask);
    const pruned = await watchRetention(db, pruneMs);
    await db.end();
    return { ...(counted as { intents: number; rows: number }), bytes, hot, queries, pruned }; // as: a count is one row
  } finally {
    await past.close();
    await none.close();
    await receiver.close();
    await server.stop('immediate');
    await rm(dataDir, { recursive: true, force: true });
  }
}

/**
 * Waits until autovacuum has been through what was filled: a year's rows do not come within minutes. Its snapshot would keep
 * the versions of hot rows of one of the two databases.
 */
async function autovacuumAtRest({ rows }: Pick<LocalSite, 'rows'>, restMs: number): Promise<void> {
  let restsSince = performance.now();
  const hasRested = async () => {
    const workers = await rows(`select from pg_stat_activity where backend_type = 'autovacuum worker'`);
    if (workers.length > 0) restsSince = performance.now();
    return performance.now() - restsSince >= restMs || null;
  };
  await until('autovacuum at rest', hasRested, AT_REST_WITHIN_MS);
}

/** How many orders runs of retention delete, with everything that belongs to them: of each kind a batch in turn. */
async function watchRetention(db: Awaited<ReturnType<typeof openPool>>, withinMs: number) {
  let orders = 0;
  let left = true;
  const log = {
    info: ({ pruned }: { pruned: Record<string, number> }) => {
      orders += pruned.orders ?? 0;
      left = (pruned.orders ?? 0) > 0;
    },
  };
  const startedAt = performance.now();
  const ms = () => performance.now() - startedAt;
  while (left && ms() < withinMs) {
    left = false;
    await prune({ db, config: DAYS, stopping: new AbortController().signal, log: log as never }); // as: only this is logged
  }
  return { orders, ms: ms() };
}

async function command(url: string, run: string | ((client: pg.Client) => Promise<void>)): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await (typeof run === 'string' ? client.query(run) : run(client));
  } finally {
    await client.end();
  }
}

const COUNTED = `
  select (select count(*) from intents)::integer as intents,
    (select sum(c.reltuples) from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r')::bigint::integer as rows`;

/** Whether it is as fast as on an empty database, whether operators wait, and whether retention keeps up. */
export function yearVerdicts({ intents, rows, bytes, hot, queries, pruned }: Year, { most }: YearSize): Verdict[] {
  const total = Object.values(bytes).reduce((sum, each) => sum + each, 0);
  const title = `${intents} intents, ${rows} rows, ${total} bytes an intent (${text(Object.entries(bytes))})`;
  const ratios = Object.entries(hot).map(([step, { past, none }]) => [step, past / none] as const);
  const [worst = ['', 0]] = ratios.toSorted(([, a], [, b]) => b - a);
  const [slowest = ['', 0]] = queries;
  const perS = pruned.orders / (pruned.ms / 1_000);
  return [
    {
      promise: 'YEAR',
      text: `hot statements beside ${title}`,
      figure: ratios
        .map(([step, ratio]) => `${step} ${ratio.toFixed(2)} × (${hot[step as keyof Hot].past.toFixed(2)} ms)`)
        .join(', '),
      bound: `at most ${most.ratio} × of an empty database`,
      kept: worst[1] <= most.ratio,
    },
    {
      promise: 'YEAR',
      text: `${queries.length} queries of operators`,
      figure: `slowest ${queries
        .slice(0, 5)
        .map(([name, ms]) => `${name} ${Math.round(ms)} ms`)
        .join(', ')}`,
      bound: `p95 at most ${most.ms} ms each`,
      kept: slowest[1] <= most.ms,
    },
    {
      promise: 'YEAR',
      text: 'retention',
      figure: `${pruned.orders} orders with what belongs to them in ${(pruned.ms / 1_000).toFixed(1)} s, ${Math.round(perS)}/s`,
      bound: `at least ${TIMES_INTAKE} × an intake of ${INTAKE_PER_S}/s`,
      kept: perS >= TIMES_INTAKE * INTAKE_PER_S,
    },
  ];
}

const text = (sizes: [string, number][]) => sizes.map(([name, size]) => `${name} ${size}`).join(', ');
