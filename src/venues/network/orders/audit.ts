import type { Logger } from 'pino';
import { comparisonPace } from '../../../capacity/network.ts';
import type { Db } from '../../../db/pool.ts';
import { requestBudget } from '../../../db/request-budget.ts';
import type { NewIntent } from '../../../intents/accept.ts';
import type { Hotkey, OrderUuid } from '../../../kernel/ids.ts';
import { listWantedExits, type WantedRow } from '../../queries.ts';
import { noteComparison, planNextComparison, submitRepair, takeTradersDue } from '../../store.ts';
import type { Netvenue } from '../adapter/types.ts';
import { recordEndedOrders } from './commands.ts';
import { type Compared, compareExits } from './comparison.ts';
import { isWatched, noteFilledAgain } from './filled-again.ts';
import { findBusy, findIdentity, listOrdersWithExits, listResting } from './queries.ts';
import { repairOf, wantsRepair } from './repair.ts';
import { PLACED, type Protection } from './rules.ts';
import { recordProtectionShown } from './store.ts';
import { readRecords } from './venue-records.ts';

/** The dependencies of `auditExits`. */
export type AuditDeps = {
  db: Db;
  venues: { netvenue: Netvenue };
  log: Pick<Logger, 'error'>;
  config: { PROTECTION_REPAIR: 'tell' | 'repair'; NETVENUE_IN_FLIGHT_MS: number };
};

const VENUE = 'netvenue';
const TRADERS_AT_ONCE = 10;
/** A position is compared again after this time, if nothing ends that may have changed its exits. */
const EVERY_S = 60;
/** Exits that complete records lack are told after this time: the network creates them after the fill, and has gaps when it restarts. See venues/network-validator.md#exits. */
const CONFIRM_S = 10;
const AGAIN_S = 5;
/** One comparison, of the budget that no tenants share. */
const ONE = { weight: 1, keep: 0, tenant: '', spare: 0 };

/**
 * Compares the exits that are wanted with those that the network holds, of the traders whose turn it is: first those of whom something
 * has ended. A difference is recorded, told and, if the setting says so, repaired. All processes share one pace.
 */
export async function auditExits(deps: AuditDeps): Promise<void> {
  const { db } = deps;
  const pace = requestBudget(db, `comparisons:${VENUE}`, comparisonPace);
  const { spent, waitMs } = await pace.spend(Array.from({ length: TRADERS_AT_ONCE }, () => ONE));
  const most = spent.length;
  const traders = most > 0 ? await takeTradersDue(db, VENUE, most) : [];
  if (traders.length < most) await pace.charge(traders.length - most);
  await Promise.all(traders.map((trader) => auditTrader(trader, deps)));
  await planNextComparison(db, VENUE, Math.max(waitMs / 1_000, 1));
}

/** Compares every pair of a trader in which exits are wanted, after noting which of its orders were filled or ended. */
async function auditTrader(trader: Hotkey, deps: AuditDeps): Promise<void> {
  const { db, venues } = deps;
  const records = await readRecords({ venue: venues.netvenue, trader });
  await recordEndedOrders(db, await listResting(db, trader), records);
  const rows = await listWantedExits(db, VENUE, trader);
  const orders = new Map(
    (
      await listOrdersWithExits(
        db,
        trader,
        rows.flatMap(({ wanted }) => wanted.map(({ order_uuid }) => order_uuid)),
      )
    ).map((order) => [order.id, order]),
  );
  for (const row of rows) {
    await noteFilledAgain(row, orders, records, deps);
    const compared = compareExits({ pair: row.pair, entries: row.wanted, orders }, records);
    if (!compared) continue;
    const isOver = row.wanted_ago_s * 1_000 > deps.config.NETVENUE_IN_FLIGHT_MS;
    const wanted = compared.wanted.filter(
      ({ waits, order_uuid }) => !(isOver && waits && isWatched(orders.get(order_uuid))),
    );
    await note(row, { ...compared, wanted }, deps);
  }
}

/**
 * Records a comparison. It waits for what is under way in the pair and has just been accepted. A position that is not shown is taken
 * for closed only some time after its order: the records may be older.
 */
async function note(row: WantedRow, compared: Compared, { db, config }: AuditDeps): Promise<void> {
  const busy = await findBusy(db, row.trader, row.pair);
  const isEarly = compared.comparison.state === 'closed' && row.wanted_ago_s < CONFIRM_S;
  if (busy === 'recent' || isEarly) return; // its settlement, or the next turn, compares again
  const mayRepair = config.PROTECTION_REPAIR === 'repair' && busy === null;
  const repair = mayRepair ? await nextRepair(db, row, compared) : null;
  const noted = await noteComparison(db, VENUE, row, compared.comparison, {
    wanted: compared.wanted,
    confirmS: compared.isCertain ? 0 : CONFIRM_S,
    nextS: compared.missing.length > 0 ? AGAIN_S : EVERY_S,
    repair: repair?.id ?? null,
  });
  if (noted === 'overtaken') return;
  if (noted === 'told' || row.is_told) await recordProtectionShown(db, protectionOf(compared));
  if (noted === 'told' && repair) await submitRepair(db, repair);
}

/** The intent that is to put missing exits back; null if none is to. */
async function nextRepair(db: Db, row: WantedRow, compared: Compared): Promise<NewIntent | null> {
  const id = wantsRepair(row, compared);
  const identity = id && (await findIdentity(db, row.trader));
  return id && identity ? repairOf(id, row, compared, identity) : null;
}

/** What is told of the protection of the orders whose exits are wanted. */
const protectionOf = ({ wanted, missing, comparison }: Compared): Map<OrderUuid, Protection> =>
  new Map([
    ...wanted.filter(({ waits }) => !waits).map(({ order_uuid }) => [order_uuid, PLACED] as const),
    ...missing.map(({ order_uuid }) => [order_uuid, { state: 'failed', error: comparison.message } as const] as const),
  ]);
