import type { components } from '../../../../contract/types.ts';
import type { Db } from '../../../../db/pool.ts';
import { waitMember } from '../../../../intents/follow.ts';
import { waitOf } from '../../../../intents/waits.ts';
import { compare, isPositive } from '../../../../kernel/decimals.ts';
import { cloidOf, dexOf, intentIdOf } from '../../../../kernel/exchange-names.ts';
import { type IntentId, isUuid, type OwnerId, type WalletAddress } from '../../../../kernel/ids.ts';
import type { ReadResult } from '../../../../kernel/upstream-result.ts';
import { epochMs } from '../../../../kernel/work.ts';
import { foundOrNull, requireFound } from '../../../found.ts';
import type { VenueReads } from '../../../reads.ts';
import type { Fill, OrderRecord } from '../../adapter/types.ts';
import { averagePriceOf, sizeOf } from '../../filled.ts';
import { CLOCK_SKEW_MS } from '../evidence.ts';
import type { ExecutionReport } from '../rules.ts';
import { openOrder, shownOrder } from '../views.ts';
import { readExits, waitingExits } from './exits.ts';
import { findRecordedLife, isEnrolled, listFillsOf, type RecordedLife, type ShownFill } from './queries.ts';
import { stateNow } from './state.ts';

type Order = components['schemas']['Order'];
type Deps = { db: Db; reads: Pick<VenueReads, 'exchangeOrder' | 'exchangeOrders' | 'fills' | 'fillsNow'> };

/** An order of a wallet, named by the id of this service or the exchange's number. */
export type OrderName = { owner: OwnerId; wallet: WalletAddress; name: string };

/**
 * One order from its acceptance to its end: its state, its executions and its exits. What is recorded of an order of ours
 * counts once it has ended; until then the exchange is read, and a read that shows less than the record does not count.
 * An order of other software is shown for an enrolled wallet; throws VENUE_UNREADABLE if it cannot be read. Null if there is
 * none of this name.
 */
export async function readOrder(deps: Deps, { owner, wallet, name }: OrderName): Promise<Order | null> {
  const id = isUuid(name) ? name.toLowerCase() : null;
  const recorded = await findRecordedLife(deps.db, { owner, wallet, id, oid: id === null ? name : null });
  if (recorded) return lifeOf(deps, wallet, recorded);
  if (id !== null || !(await isEnrolled(deps.db, owner, wallet))) return null;
  const record = foundOrNull(await deps.reads.exchangeOrder(wallet, Number(name)));
  if (!record) return null;
  const { cloid } = record.order;
  const ours =
    cloid === null ? null : await findRecordedLife(deps.db, { owner, wallet, id: intentIdOf(cloid), oid: null });
  return ours ? lifeOf(deps, wallet, ours) : lifeElsewhere(deps, wallet, record);
}

/** The life of an order that this service placed, or of one that closed a position. */
async function lifeOf(deps: Deps, wallet: WalletAddress, recorded: RecordedLife): Promise<Order> {
  const { order } = recorded;
  const isResting = order?.lifecycle === 'resting';
  const record = isResting ? await deps.reads.exchangeOrder(wallet, cloidOf(recorded.id)) : null;
  const { report, terms, message, isRead } = stateNow(recorded, record);
  const isPlaced = recorded.state === 'succeeded' && order !== null;
  const isOpen = report.status === 'open' || report.status === 'partial';
  const [fills, exits] = await Promise.all([
    fillsOf(deps, { wallet, id: recorded.id, report, sinceMs: Date.parse(recorded.created_at) }),
    isPlaced
      ? readExits(deps, {
          ...{ id: recorded.id, wallet, pair: order.terms.pair, isOpen: isOpen && isResting, prices: order.terms },
          ...{ report: order.executed ?? report, acceptedAt: recorded.created_at },
        })
      : [],
  ]);
  return {
    ...shownOrder(recorded, terms, { ...report, fill_price: priceOf(report, fills) }),
    ...(recorded.settled_at === null && waitMember({ wait: await waitOf(deps.db, recorded.id) })),
    message,
    fills,
    exits,
    as_of: isRead || !isResting ? new Date(epochMs()).toISOString() : recordedAt(recorded, record),
  };
}

/**
 * When the exchange last confirmed the recorded state of a resting order: at its placement or at the last read of its wallet. While the exchange does
 * not show the order, only reads count that it has responded to.
 */
const recordedAt = (
  { seen_at, fills_seen_at, settled_at }: RecordedLife,
  record: ReadResult<OrderRecord> | null,
): string =>
  [record?.kind === 'found' ? seen_at : fills_seen_at, settled_at].reduce<string>(
    (last, at) => (at !== null && at > last ? at : last),
    '',
  );

/**
 * An order of other software, as the exchange shows it. How much of an open order is filled is only in the list of open orders: see
 * venues/exchange.md#rows.
 */
async function lifeElsewhere(deps: Deps, wallet: WalletAddress, record: OrderRecord): Promise<Order> {
  const open =
    record.state === 'open' ? requireFound(await deps.reads.exchangeOrders(wallet, dexOf(record.order.coin))) : [];
  const shown = openOrder(open.find(({ oid }) => oid === record.order.oid) ?? record.order, undefined);
  const isOpen = record.state === 'open' || record.state === 'triggered' || record.state === 'unknown';
  const status = isOpen ? shown.status : record.state;
  const ofOrder = { ex_order_id: shown.ex_order_id, filled_size: shown.filled_size };
  const { placedMs } = record.order;
  const fills =
    shown.filled_size === null
      ? await listedOf(deps, wallet, String(record.order.oid), placedMs)
      : await fillsOf(deps, { wallet, id: null, report: ofOrder, sinceMs: placedMs });
  const report = { ...ofOrder, filled_size: shown.filled_size ?? (fills.length > 0 ? sizeOf(fills) : null) };
  return {
    ...shown,
    filled_size: report.filled_size,
    status: status === 'open' || status === 'triggered' || status === 'unknown' ? 'open' : status,
    fill_price: priceOf(report, fills),
    message:
      record.rejected?.message ??
      (record.state === 'unknown' ? `The exchange's status of it is ${record.word}.` : null),
    fills,
    exits: waitingExits(record.order),
    as_of: new Date(epochMs()).toISOString(),
  };
}

type Filled = Pick<ExecutionReport, 'ex_order_id' | 'filled_size'>;

/** An order with its report; its id if it is one of ours: then its executions under other numbers belong to it too. */
type FilledOrder = { wallet: WalletAddress; id: IntentId | null; report: Filled; sinceMs: number };

/** The executions of an order: the recorded ones if they are all, else those that the exchange lists since a time. */
async function fillsOf({ db, reads }: Deps, { wallet, id, report, sinceMs }: FilledOrder): Promise<ShownFill[]> {
  const { ex_order_id: oid, filled_size: filled } = report;
  if (oid === null || filled === null || !isPositive(filled)) return [];
  const recorded = await listFillsOf(db, wallet, oid, id);
  if (compare(sizeOf(recorded), filled) >= 0) return [...recorded];
  const fromMs = sinceMs - CLOCK_SKEW_MS;
  const cloid = id && cloidOf(id);
  const isOf = (fill: Fill) => String(fill.oid) === oid || (cloid !== null && fill.cloid === cloid);
  const ofOrder = (all: Fill[]) => all.filter(isOf).map(shownFill);
  const listed = ofOrder(requireFound(await reads.fills({ wallet, fromMs, toMs: null })));
  return compare(sizeOf(listed), filled) >= 0 ? listed : ofOrder(requireFound(await reads.fillsNow(wallet, fromMs)));
}

/** The executions that the exchange lists of an order, where only they show what was filled. */
async function listedOf({ reads }: Deps, wallet: WalletAddress, oid: string, sinceMs: number): Promise<ShownFill[]> {
  const all = requireFound(await reads.fills({ wallet, fromMs: sinceMs - CLOCK_SKEW_MS, toMs: null }));
  return all.filter((fill) => String(fill.oid) === oid).map(shownFill);
}

const shownFill = ({ tradeId, price, size, fee, feeToken, closedPnl, isLiquidation, timeMs }: Fill): ShownFill => ({
  trade_id: tradeId === null ? null : String(tradeId),
  price,
  size,
  fee,
  fee_token: feeToken,
  realized_pnl: closedPnl,
  is_liquidation: isLiquidation,
  time: new Date(timeMs).toISOString(),
});

/** The average price of an order's executions; the reported one if they do not show all that is filled. */
function priceOf(
  { filled_size, fill_price }: Filled & { fill_price?: string | null },
  fills: ShownFill[],
): string | null {
  if (compare(sizeOf(fills), filled_size ?? '0') < 0) return fill_price ?? null;
  return averagePriceOf(fills) ?? fill_price ?? null;
}
