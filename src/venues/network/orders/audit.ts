import type { Logger } from 'pino';
import { comparisonPace } from '../../../capacity/network.ts';
import type { Db } from '../../../db/pool.ts';
import type { OrderUuid } from '../../../kernel/ids.ts';
import { auditExits, type ExitAuditDeps } from '../../audit.ts';
import type { Compared } from '../../exits.ts';
import type { WantedRow } from '../../queries.ts';
import type { Netvenue } from '../adapter/types.ts';
import { recordEndedOrders } from './commands.ts';
import { compareExits } from './comparison.ts';
import { showsNewest } from './positions.ts';
import { executedBy } from './protection.ts';
import { findBusy, findIdentity, listOrdersWithExits, listResting, type OrderWithExits } from './queries.ts';
import { repairOf } from './repair.ts';
import { PLACED, type Protection } from './rules.ts';
import { recordFilledAgain, recordProtectionShown } from './store.ts';
import { findProven, isShown, type Records, readRecords } from './venue-records.ts';

/** The dependencies of `auditNetworkExits`. */
export type AuditDeps = ExitAuditDeps & {
  venues: { netvenue: Netvenue };
  log: Pick<Logger, 'error'>;
  config: { NETVENUE_IN_FLIGHT_MS: number };
};

/**
 * Exits that complete records lack are reported missing after this time, and a position that they lack is taken for closed:
 * the network creates exits after the fill, and has gaps when it restarts. See venues/network-validator.md#exits.
 */
const CONFIRM_S = 10;

/** Compares the exits that are wanted with those that the network holds, of the traders whose turn it is. */
export const auditNetworkExits = (deps: AuditDeps): Promise<void> =>
  auditExits(deps, {
    venue: 'netvenue',
    pace: comparisonPace,
    confirmS: CONFIRM_S,
    closedAfterS: CONFIRM_S,
    unseenS: CONFIRM_S,
    compare: (trader, rows) => compareTrader(trader, rows, deps),
    findBusy: ({ trader, pair }) => findBusy(deps.db, trader, pair),
    async repairOf(id, row, compared) {
      const identity = await findIdentity(deps.db, row.trader);
      return identity && repairOf(id, row, compared, identity);
    },
    recordShown: (compared) => recordProtectionShown(deps.db, protectionOf(compared)),
  });

/** Compares every pair of a trader in which exits are wanted, after noting which of its orders were filled or ended. */
async function compareTrader(trader: string, rows: readonly WantedRow[], deps: AuditDeps) {
  const { db, venues } = deps;
  const records = await readRecords({ venue: venues.netvenue, trader });
  await recordEndedOrders(db, await listResting(db, trader), records);
  const orders = await ordersOf(db, trader, rows);
  const showsLast = async (row: WantedRow) =>
    records.dashboard.kind === 'found' && showsNewest(db, records.dashboard.data, row);
  const all: (readonly [WantedRow, Compared])[] = [];
  for (const row of rows) {
    await noteFilledAgain(row, orders, records, deps);
    const compared = compareExits({ pair: row.pair, entries: row.wanted, orders }, records);
    if (!compared) continue;
    const isOver = row.wanted_ago_s * 1_000 > deps.config.NETVENUE_IN_FLIGHT_MS;
    const wanted = compared.wanted.filter(
      ({ waits, order_uuid }) => !(isOver && waits && isWatched(orders.get(order_uuid))),
    );
    const isCertain = compared.isCertain && (compared.comparison.state !== 'closed' || (await showsLast(row)));
    all.push([row, { ...compared, wanted, isCertain }]);
  }
  return all;
}

async function ordersOf(db: Db, trader: string, rows: readonly WantedRow[]) {
  const ids = rows.flatMap(({ wanted }) => wanted.map(({ order_uuid }) => order_uuid));
  return new Map((await listOrdersWithExits(db, trader, ids)).map((order) => [order.id, order]));
}

/** The protection to record for the orders whose exits are wanted. */
const protectionOf = ({ wanted, missing, comparison }: Compared): Map<OrderUuid, Protection> =>
  new Map([
    ...wanted.filter(({ waits }) => !waits).map(({ order_uuid }) => [order_uuid, PLACED] as const),
    ...missing.map(({ order_uuid }) => [order_uuid, { state: 'failed', error: comparison.message } as const] as const),
  ]);

/** Whether a waiting entry's order was filled: it is watched because the miner may fill it once more. */
const isWatched = (order: OrderWithExits | undefined): order is OrderWithExits => order?.lifecycle === 'filled';

/**
 * Records and reports what was executed of orders that were filled once more after their fill was reported: an attempt
 * of the miner whose acknowledgement was lost is repeated while nobody waits for the response any more. See
 * venues/network.md#retries.
 */
async function noteFilledAgain(
  { wanted }: Pick<WantedRow, 'wanted'>,
  orders: ReadonlyMap<string, OrderWithExits>,
  records: Records,
  { db, log }: Pick<AuditDeps, 'db' | 'log'>,
): Promise<void> {
  for (const { waits, order_uuid } of wanted) {
    const order = orders.get(order_uuid);
    if (!waits || !isWatched(order)) continue;
    const shown = findProven(records, order.handle);
    if (!isShown(shown) || shown.fills < 2 || !shown.order) continue;
    const executed = executedBy(shown.order);
    if (executed.quantity === order.executed?.quantity) continue;
    await recordFilledAgain(db, order.id, executed);
    log.error({ alert: 'order_filled_again', intent_id: order.id }, 'one order was filled more than once');
  }
}
