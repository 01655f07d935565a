import type { Finding } from '../../../intents/define.ts';
import { compare } from '../../../kernel/decimals.ts';
import { dexOf } from '../../../kernel/exchange-names.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import {
  type Accepted,
  accepted,
  type RecordedRejection,
  recordedRejection,
  type UnknownEffect,
  unknownEffect,
} from '../../../kernel/upstream-result.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { Exvenue, Fill, OrderRecord } from '../adapter/types.ts';
import { averagePriceOf, filledSizeOf, sizeOf } from '../filled.ts';

/**
 * The outcome of an order at the exchange, from its response or from later reads. `averagePrice` is null if it is not
 * available.
 */
export type OrderOutcome =
  | { kind: 'resting'; oid: number }
  | { kind: 'filled'; oid: number; filledSize: string; averagePrice: string | null }
  | { kind: 'cancelled'; oid: number };

/**
 * An order to find. `sinceMs` (epoch ms): when it was sent. `expired`: its signed body can no longer take effect. `reduceOnly`: it can only reduce
 * a position, which the record of it does not always say.
 */
export type OrderSought = {
  account: WalletAddress;
  cloid: string;
  coin: string;
  sinceMs: number;
  expired: boolean;
  reduceOnly?: boolean;
};

/** The finding that the exchange has no such order or action. */
export const ABSENT = { kind: 'absent' } as const;

/** The rejection of an order that could not stay open and matched nothing. */
export const NOTHING_MATCHED = { slug: 'no_match', message: 'Nothing in the book matched the order at its price.' };
/** A rejection without a reason. */
export const REJECTED = { slug: 'rejected_by_venue', message: 'The venue rejected the order.' };
/** An order in doubt goes before the reads of callers. */
const LIMITS = { priority: 'entry' } as const;
/** See venues/exchange.md#delayed-reads. */
export const READS_BEHIND_MS = 60_000;
/** How far the venue's clock may differ from ours. */
export const CLOCK_SKEW_MS = 60_000;

/**
 * Finds an order by its cloid in the venue's order history; after its body has expired, also among fills and open
 * orders. Then `absent` means that all of them could be read and none contains the order: the history of a busy account
 * alone is too short to prove it. Before expiry those expensive reads would prove nothing, and `absent` only means that
 * the order is not there yet.
 */
export async function findOrder(exvenue: Exvenue, sought: OrderSought): Promise<Finding<OrderOutcome>> {
  const { account, cloid, sinceMs, expired, reduceOnly = false } = sought;
  const status = await exvenue.orderStatus(account, cloid, LIMITS);
  if (status.kind === 'unreadable') return unknownEffect(status.why);
  if (status.kind === 'found' && status.data.state === 'unknown') return findListed(exvenue, sought, status.data.word);
  if (status.kind === 'found' && !mayHaveFilled(status.data)) return outcomeOf(status.data, [], reduceOnly);
  if (status.kind === 'absent' && !expired) return ABSENT;
  const fills = await exvenue.fills(account, { fromMs: sinceMs - CLOCK_SKEW_MS }, LIMITS);
  if (fills.kind === 'unreadable') return unknownEffect(fills.why);
  const all = fills.kind === 'found' ? fills.data : [];
  if (status.kind === 'absent') return findUnrecorded(exvenue, sought, all);
  return outcomeOf(
    status.data,
    all.filter(({ oid }) => oid === status.data.order.oid),
    reduceOnly,
  );
}

/** Finds an order that is missing in the order history: filled, resting, or provably absent. */
async function findUnrecorded(
  exvenue: Exvenue,
  { account, cloid, coin }: OrderSought,
  all: Fill[],
): Promise<Finding<OrderOutcome>> {
  const fills = all.filter((fill) => fill.cloid === cloid);
  const [fill] = fills;
  if (fill) return filledBy(fill.oid, fills);
  return findAmongOpen(exvenue, { account, cloid, coin });
}

/** Finds an order among the open ones. */
async function findAmongOpen(
  exvenue: Exvenue,
  { account, cloid, coin }: Pick<OrderSought, 'account' | 'cloid' | 'coin'>,
): Promise<Finding<OrderOutcome>> {
  const open = await exvenue.openOrderNames(account, dexOf(coin), LIMITS);
  if (open.kind === 'unreadable') return unknownEffect(open.why);
  const order = open.data.find((candidate) => candidate.cloid === cloid);
  return order ? accepted({ kind: 'resting', oid: order.oid }) : ABSENT;
}

/** Finds an order whose record has a status that is unknown here: it may rest, or have ended in any way. Only the list of open orders decides. */
async function findListed(exvenue: Exvenue, sought: OrderSought, word: string): Promise<Finding<OrderOutcome>> {
  const finding = await findAmongOpen(exvenue, sought);
  return finding.kind === 'absent' ? unknownEffect(`the exchange's status of the order is ${word}`) : finding;
}

const mayHaveFilled = ({ state }: OrderRecord) => state === 'filled' || state === 'cancelled';

/**
 * The outcome of a record and the order's executions. Reads of executions may be behind the record: the part that it shows as filled beyond them is
 * filled at a price that is not known yet. For an order that the exchange may have shrunk only executions show what was filled. If it never rests,
 * all of them happen in one block and so are shown together.
 */
function outcomeOf(
  { order, state, statusMs, rejected: rejection }: OrderRecord,
  fills: Fill[],
  reduceOnly: boolean,
): Accepted<OrderOutcome> | RecordedRejection | UnknownEffect {
  const { oid, timeInForce } = order;
  if (state === 'rejected') return recordedRejection(rejection ?? REJECTED);
  if (state === 'open' || state === 'triggered') return accepted({ kind: 'resting', oid });
  const seen = filledBy(oid, fills);
  const filledSize = filledSizeOf({ ...order, reduceOnly: order.reduceOnly || reduceOnly }, state);
  const isShown = timeInForce === 'ioc' && fills.length > 0;
  if (
    filledSize === null &&
    !isShown &&
    (epochMs() - statusMs < READS_BEHIND_MS || (state === 'filled' && fills.length === 0))
  )
    return unknownEffect('the executions are not shown yet');
  if (filledSize !== null && compare(filledSize, seen.data.filledSize) > 0)
    return accepted({ kind: 'filled', oid, filledSize, averagePrice: null });
  if (fills.length > 0) return seen;
  return timeInForce === 'ioc' ? recordedRejection(NOTHING_MATCHED) : accepted({ kind: 'cancelled', oid });
}

/** What an order's executions say about it. */
export const filledBy = (oid: number, fills: Fill[]): Accepted<OrderOutcome & { kind: 'filled' }> =>
  accepted({ kind: 'filled', oid, filledSize: sizeOf(fills), averagePrice: averagePriceOf(fills) });
