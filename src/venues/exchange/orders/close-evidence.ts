import type { Finding } from '../../../intents/define.ts';
import { absolute, compare, nearest, plus } from '../../../kernel/decimals.ts';
import { accepted, recordedRejection, unknownEffect } from '../../../kernel/upstream-result.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { Exvenue, Fill, OrderRecord } from '../adapter/types.ts';
import { chained, positionAfter } from '../chain.ts';
import { ABSENT, CLOCK_SKEW_MS, filledBy, NOTHING_MATCHED, type OrderSought, REJECTED } from './evidence.ts';
import { URGENT } from './market.ts';

/** What a closing did. `size`: the position before it; what is left of it is `size` less `filledSize`. */
export type Closed = { oid: number; size: string; filledSize: string; averagePrice: string | null };

/**
 * Finds a closing in the venue's records and proves by its own executions what it left: their `startPosition` is the
 * position as the venue knew it, whatever other reads show. While the record is there and the executions are not, nothing is
 * decided. The executions of an order that never rests happen in one block, so one of them stands for all being shown.
 */
export async function findClosed(
  exvenue: Exvenue,
  { account, cloid, coin, sinceMs, expired }: OrderSought,
  { size, size_decimals: sizeDecimals }: SentClosing,
): Promise<Finding<Closed>> {
  const status = await exvenue.orderStatus(account, cloid, URGENT);
  if (status.kind === 'unreadable') return unknownEffect(status.why);
  const record = status.kind === 'found' && mayBeOf(status.data, size) ? status.data : null;
  if (!record && !expired) return ABSENT;
  if (record?.state === 'rejected') return recordedRejection(record.rejected ?? REJECTED);
  const placedMs = Math.min(sinceMs, record?.order.placedMs ?? sinceMs); // of a restored database, it was sent earlier
  const fills = await exvenue.fills(account, { fromMs: placedMs - CLOCK_SKEW_MS }, URGENT);
  if (fills.kind === 'unreadable') return unknownEffect(fills.why);
  const closed = closedBy(
    fills.kind === 'found' ? fills.data : [],
    { coin, cloid, oid: record?.order.oid },
    sizeDecimals,
  );
  if (closed) return accepted(closed);
  if (!record) return ABSENT;
  return didNothing(record) ? recordedRejection(NOTHING_MATCHED) : unknownEffect('the executions are not shown yet');
}

/** The size that was sent, and the decimals of sizes of its asset. */
type SentClosing = { size: string; size_decimals: number };

/**
 * Whether a record may be of the order of this size. Earlier attempts under the same client order id did nothing, and were
 * smaller. See venues/exchange.md#reduce-only.
 */
const mayBeOf = (record: OrderRecord, size: string): boolean =>
  !didNothing(record) || compare(record.order.originalSize, size) === 0;

const didNothing = ({ state, order: { size, originalSize } }: OrderRecord): boolean =>
  state === 'rejected' || (state === 'cancelled' && size === originalSize);

/** Of the patience of a closing that the exchange has accepted: reconciliation reads on. */
const READ_WITHIN_MS = 500;

/** What a closing did that the exchange has just reported as executed; null while its executions are not shown, or not at once. */
export async function readClosed(
  exvenue: Exvenue,
  { account, ...order }: ClosingOrder & Pick<OrderSought, 'account'>,
  sizeDecimals: number,
): Promise<Closed | null> {
  const limits = { ...URGENT, timeoutMs: READ_WITHIN_MS };
  const fills = await exvenue.fills(account, { fromMs: epochMs() - CLOCK_SKEW_MS }, limits);
  return closedBy(fills.kind === 'found' ? fills.data : [], order, sizeDecimals);
}

type ClosingOrder = { coin: string; cloid: string; oid: number | undefined };

function closedBy(fills: Fill[], { coin, cloid, oid }: ClosingOrder, sizeDecimals: number): Closed | null {
  const own = chained(fills.filter((fill) => fill.coin === coin)).filter(
    (fill) => fill.cloid === cloid || fill.oid === oid,
  );
  const last = own.at(-1);
  if (!last) return null;
  const { filledSize, averagePrice } = filledBy(last.oid, own).data;
  const left = absolute(nearest(positionAfter(last), sizeDecimals));
  return { oid: last.oid, size: plus(filledSize, left), filledSize, averagePrice };
}
