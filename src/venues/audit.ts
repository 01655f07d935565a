import type { Db } from '../db/pool.ts';
import { requestBudget } from '../db/request-budget.ts';
import type { NewIntent } from '../intents/accept.ts';
import { type IntentId, newIntentId } from '../kernel/ids.ts';
import type { Bucket } from '../kernel/shared-upstream.ts';
import type { Compared } from './exits.ts';
import { isComparisonDue, listWantedExits, type WantedRow } from './queries.ts';
import {
  compareAgain,
  hasStayedUnseen,
  noteComparison,
  planNextComparison,
  submitUnasked,
  takeTradersDue,
} from './store.ts';

/** The dependencies of `auditExits`. */
export type ExitAuditDeps = { db: Db; config: { PROTECTION_REPAIR: 'tell' | 'repair' } };

/**
 * What a venue contributes to the audit of its wanted exits. `pace`: comparisons of all processes, one per trader. `confirmS`: exits that complete
 * records lack are reported as missing after this time, unless a record shows that they ended. `closedAfterS`: a position that is not shown counts as
 * closed only this long after its order, because the records may be older. `unseenS`: if nothing shows its end, it must also have been absent this
 * long.
 */
export type ExitAudit = {
  venue: 'netvenue' | 'exvenue';
  pace: Bucket;
  confirmS: number;
  closedAfterS: number;
  unseenS?: number;
  /**
   * Compares the pairs of a trader in which exits are wanted. Null for a pair whose records are too old: it is compared again soon.
   * One whose records are not complete is left out until its next turn.
   */
  compare(trader: string, rows: readonly WantedRow[]): Promise<(readonly [WantedRow, Compared | null])[]>;
  /** Whether a verb is under way that may change the exits in a pair. `recent`: one that was accepted a short time ago. */
  findBusy(row: WantedRow): Promise<'recent' | 'long' | null>;
  /** The intent that puts missing exits back; null if none can. */
  repairOf(id: IntentId, row: WantedRow, compared: Compared): Promise<NewIntent | null>;
  /** Corrects the recorded protection of the orders whose exits were compared. */
  recordShown(compared: Compared): Promise<void>;
};

const TRADERS_AT_ONCE = 10;
/** A position is compared again after this time, if nothing ends that may have changed its exits. */
const EVERY_S = 60;
const AGAIN_S = 5;
/** The next turn, unless something asks for one at once. */
const SOONEST_S = 1;
/** One comparison, of the budget that no tenants share. */
const ONE = { weight: 1, keep: 0, tenant: '', spare: 0 };

/**
 * Compares the exits that are wanted with those that a venue holds, of the traders whose turn it is: first those of
 * whom something has ended. A difference is recorded, reported and, if the setting says so, repaired. All processes
 * share one pace.
 */
export async function auditExits(deps: ExitAuditDeps, audit: ExitAudit): Promise<void> {
  const { db } = deps;
  const { venue } = audit;
  if (!(await isComparisonDue(db, venue))) return planNextComparison(db, venue, SOONEST_S); // another run has taken what was due
  const pace = requestBudget(db, `comparisons:${venue}`, audit.pace);
  const { spent, waitMs } = await pace.spend(Array.from({ length: TRADERS_AT_ONCE }, () => ONE));
  const most = spent.length;
  const traders = most > 0 ? await takeTradersDue(db, venue, most) : [];
  if (traders.length < most) await pace.charge(traders.length - most);
  const audited = await Promise.allSettled(traders.map((trader) => auditTrader(trader, deps, audit)));
  await planNextComparison(db, venue, Math.max(waitMs / 1_000, SOONEST_S));
  for (const one of audited) if (one.status === 'rejected') throw one.reason; // after all other traders had their turn
}

async function auditTrader(trader: string, deps: ExitAuditDeps, audit: ExitAudit): Promise<void> {
  const { db } = deps;
  for (const [row, compared] of await audit.compare(trader, await listWantedExits(db, audit.venue, trader)))
    await (compared ? note(row, compared, deps, audit) : compareAgain(db, row, AGAIN_S));
}

/** Records a comparison. It waits for what is under way in the pair and has just been accepted. */
async function note(
  row: WantedRow,
  compared: Compared,
  { db, config }: ExitAuditDeps,
  audit: ExitAudit,
): Promise<void> {
  const busy = await audit.findBusy(row);
  const isEarly = compared.comparison.state === 'closed' && row.wanted_ago_s < audit.closedAfterS;
  if (busy === 'recent' || isEarly) return; // its settlement, or the next turn, compares again
  const { unseenS } = audit;
  const mayBeGap = unseenS !== undefined && isForgetting(row, compared);
  if (mayBeGap && !(await hasStayedUnseen(db, row, { forS: unseenS, againS: AGAIN_S }))) return;
  const mayRepair = config.PROTECTION_REPAIR === 'repair' && busy === null;
  const id = mayRepair ? wantsRepair(row, compared) : null;
  const repair = id && (await audit.repairOf(id, row, compared));
  const isOver = row.is_told && compared.comparison.state !== 'unprotected';
  if (isOver) await audit.recordShown(compared); // first, because no later comparison does it
  const noted = await noteComparison(db, audit.venue, row, compared.comparison, {
    wanted: compared.wanted,
    lacking: compared.missing.map(({ order_uuid }) => order_uuid),
    confirmS: compared.isCertain ? 0 : audit.confirmS,
    nextS: compared.missing.length > 0 ? AGAIN_S : EVERY_S,
    repair: repair?.id ?? null,
  });
  if (noted !== 'told') return;
  await audit.recordShown(compared);
  if (repair) await submitUnasked(db, repair);
}

/** Whether exits would not be wanted any more because nothing shows their position. */
const isForgetting = ({ wanted, is_told }: WantedRow, { comparison, isCertain }: Compared): boolean =>
  comparison.state === 'closed' && !isCertain && (is_told || wanted.some(({ waits }) => !waits));

const MOST_REPAIRS = 3; // per unprotected position: if the venue keeps rejecting the exits, the owner has to decide

/**
 * The id of the intent that puts missing exits back; null for none. An intent that was recorded but never submitted keeps its id. After failed
 * repairs were reported, only those are repeated that the venue did not reject because it could not be reached.
 */
function wantsRepair(
  { repaired_by, repair_state, repairs, is_repair_unheard, is_failure_told }: WantedRow,
  { missing }: Compared,
): IntentId | null {
  if (missing.length === 0) return null;
  if (repaired_by !== null && repair_state === null) return repaired_by;
  const isOpen = repair_state === 'queued' || repair_state === 'running' || repair_state === 'in_doubt';
  const goesOn = repairs < MOST_REPAIRS || (is_repair_unheard && is_failure_told);
  return isOpen || !goesOn ? null : newIntentId();
}
