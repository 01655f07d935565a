import { comparisonPace } from '../../../capacity/exchange.ts';
import type { NewIntent } from '../../../intents/accept.ts';
import { compare } from '../../../kernel/decimals.ts';
import { type IntentId, idSchema, type OrderUuid, type WalletAddress } from '../../../kernel/ids.ts';
import { auditExits, type ExitAuditDeps } from '../../audit.ts';
import type { Compared, WantedEntry } from '../../exits.ts';
import type { WantedRow } from '../../queries.ts';
import type { Exvenue } from '../adapter/types.ts';
import { compareExits } from './comparison.ts';
import { laneOf } from './follow-up.ts';
import { protect } from './protect.ts';
import { legsOf } from './rules.ts';
import { correctExits, type ShownExits } from './store.ts';
import { findBusy } from './under-way/queries.ts';
import { isAlone } from './wanted.ts';

/** The dependencies of `auditExchangeExits`. */
export type AuditDeps = ExitAuditDeps & { exvenue: Exvenue; config: { EXVENUE_READ_LAG_MS: number } };

const DEADLINE_S = 60;

/** Compares the exits that are wanted with those that the exchange holds, of the wallets whose turn it is. */
export const auditExchangeExits = (deps: AuditDeps): Promise<void> =>
  auditExits(deps, {
    venue: 'exvenue',
    pace: comparisonPace,
    confirmS: deps.config.EXVENUE_READ_LAG_MS / 1_000,
    closedAfterS: deps.config.EXVENUE_READ_LAG_MS / 1_000, // the time of an account's state is of another clock
    compare: (trader, rows) => compareWallet(idSchema.wallet.parse(trader), rows, deps),
    findBusy: (row) => busyOf(deps, row),
    repairOf: async (id, row, compared) => repairOf(id, row, compared),
    recordShown: (compared) => correctExits(deps.db, statusesOf(compared)),
  });

async function compareWallet(wallet: WalletAddress, rows: readonly WantedRow[], deps: AuditDeps) {
  const all: (readonly [WantedRow, Compared | null])[] = [];
  for (const row of rows) {
    const compared = await compareExits(deps, wallet, row);
    if (compared) all.push([row, compared === 'behind' ? null : compared]);
  }
  return all;
}

function busyOf({ db, config }: AuditDeps, { trader, pair, owner, wanted_ago_s: wantedAgoS }: WantedRow) {
  const wallet = idSchema.wallet.parse(trader);
  return findBusy(db, { owner, wallet, lane: laneOf(wallet), pair, wantedAgoS, lagMs: config.EXVENUE_READ_LAG_MS });
}

/**
 * The intent that puts missing exits back, for the whole position. Null if the exits of several orders are wanted of it, or exits of a
 * part.
 */
function repairOf(id: IntentId, { trader, pair, owner }: WantedRow, compared: Compared): NewIntent | null {
  const { missing, wanted, comparison } = compared;
  const [entry] = missing;
  if (!entry || !isAlone(entry, wanted) || !isWhole(entry, comparison.size)) return null;
  const wallet = idSchema.wallet.parse(trader);
  const { order_uuid, version, take_profit, stop_loss, owner: by = owner } = entry;
  return {
    id,
    kind: protect.kind,
    owner: by,
    lane: laneOf(wallet),
    request: { wallet, pair, take_profit, stop_loss, repairs: { order_uuid, version } },
    digest: '',
    deadline_s: DEADLINE_S,
  };
}

/** Whether exits of this size close a position of this one. */
const isWhole = ({ size: exitSize }: WantedEntry, size: string | null): boolean =>
  exitSize === null || (size !== null && compare(exitSize, size) >= 0);

/** The status to record for the exits of the orders that want them. */
function statusesOf({ wanted, missing, comparison: { message } }: Compared): Map<OrderUuid, ShownExits> {
  const lacking = new Map(missing.map((entry) => [entry.order_uuid, legsOf(entry).length]));
  const statusOf = (entry: WantedEntry): ShownExits => {
    const lost = lacking.get(entry.order_uuid) ?? 0;
    if (lost === 0) return { trigger_status: 'placed', trigger_error: null };
    return { trigger_status: lost < legsOf(entry).length ? 'partial_failure' : 'failed', trigger_error: message };
  };
  return new Map(wanted.filter(({ waits }) => !waits).map((entry) => [entry.order_uuid, statusOf(entry)]));
}
