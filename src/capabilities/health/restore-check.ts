import type { Logger } from 'pino';
import type { Db } from '../../db/pool.ts';
import { intentIdOf } from '../../kernel/exchange-names.ts';
import { intentIdTimeMs, isUuid } from '../../kernel/ids.ts';
import { epochMs } from '../../kernel/work.ts';
import type { Fill, OrderRecord, OrderView } from '../../venues/exchange/adapter/types.ts';
import type { Dashboard, DashboardOrder, OrderBook } from '../../venues/network/adapter/types.ts';
import { recordRestoreEvidence } from './commands.ts';

const EVERY_MS = 15_000;
const DAY_MS = 86_400_000;
/** Intents are kept at least this long, or as RETAIN_INTENTS_DAYS says: an older one may have been pruned. */
const NOT_PRUNED_DAYS = 7;
const MOST_IDS = 2_000; // at a time: a look-up by primary key
const FORGET_AFTER = 8; // a standby that took over may lack what was known before

/** The latest reads of orders at venues, by call and trader: see `watched`. */
type CallStates = Map<string, { call: string; data: unknown }>;
type Sources = {
  db: Db;
  log: Pick<Logger, 'error' | 'warn'>;
  config: { RETAIN_INTENTS_DAYS: number };
  shown: CallStates;
};

/** Compares what venues show with the database. */
export type BehindWatch = { compare(): Promise<void>; stop(): void };

/**
 * Notices that the database is behind its upstreams, from a sample of what is read at venues anyway: every 15 s, the
 * ids of the orders shown since are looked for in it. An order with a row is not lost: the row is committed before the
 * order is sent. Ids that other software created are ignored: they lack this service's mark, and no intent has them.
 */
export function watchBehind({ db, log, config, shown }: Sources): BehindWatch {
  const seen = new Set<string>(); // compared within two minutes
  let comparisons = 0;

  async function compare(): Promise<void> {
    const reads = [...shown.values()];
    shown.clear();
    comparisons += 1;
    if (comparisons % FORGET_AFTER === 0) seen.clear();
    const ids = [...new Set(reads.flatMap(idsIn))].filter((id) => !seen.has(id)).slice(0, MOST_IDS);
    if (ids.length === 0) return;
    const oldestMs = epochMs() - Math.min(NOT_PRUNED_DAYS, config.RETAIN_INTENTS_DAYS - 1) * DAY_MS;
    const made = ids.filter((id) => (intentIdTimeMs(id) ?? 0) > oldestMs);
    const noticed = await recordRestoreEvidence(db, ids, made);
    for (const id of ids) seen.add(id);
    if (noticed.length === 0) return;
    const orders = noticed.map(({ id, kind }) => `${kind} ${id}`);
    log.error({ alert: 'database_behind', orders }, 'venues have orders that this database has lost: recover it');
  }

  const timer = setInterval(
    () => void compare().catch((err) => log.warn({ err }, 'not compared with the venues')),
    EVERY_MS,
  );
  timer.unref();
  return { compare, stop: () => clearInterval(timer) };
}

/** The ids of the orders that a read shows. A bracket begins with the id of its order. */
function idsIn({ call, data }: { call: string; data: unknown }): string[] {
  const names = namesIn[call]?.(data as never) ?? []; // as: each call has data of one shape
  return names.map((name) => name.slice(0, UUID_LENGTH).toLowerCase()).filter(isUuid);
}

const UUID_LENGTH = 36;

const uuidsOf = (orders: readonly DashboardOrder[]) => orders.map(({ uuid }) => uuid);
const namesOf = (cloids: readonly (string | null)[]) =>
  cloids.flatMap((cloid) => (cloid === null ? [] : intentIdOf(cloid)));
const inDashboard = ({ positions, openOrders, closedOrders }: Dashboard) => [
  ...positions.flatMap(({ uuid, filledOrders }) => [uuid, ...uuidsOf(filledOrders)]),
  ...uuidsOf(openOrders),
  ...closedOrders,
];

const namesIn: Record<string, (data: never) => string[]> = {
  dashboard: inDashboard,
  walletDashboard: inDashboard,
  orders: ({ unfilled, filled, cancelled }: OrderBook) => uuidsOf([...unfilled, ...filled, ...cancelled]),
  openOrders: (orders: OrderView[]) => namesOf(orders.map(({ cloid }) => cloid)),
  historicalOrders: (records: OrderRecord[]) => namesOf(records.map(({ order }) => order.cloid)),
  fills: (fills: Fill[]) => namesOf(fills.map(({ cloid }) => cloid)),
};
