import type { Finding } from '../../../intents/define.ts';
import { absolute, nearest, plus } from '../../../kernel/decimals.ts';
import { accepted, recordedRejection, unknownEffect } from '../../../kernel/upstream-result.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { Exvenue, Fill } from '../adapter/types.ts';
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
  sizeDecimals: number,
): Promise<Finding<Closed>> {
  const status = await exvenue.orderStatus(account, cloid, URGENT);
  if (status.kind === 'unreadable') return unknownEffect(status.why);
  if (status.kind === 'absent' && !expired) return ABSENT;
  const record = status.kind === 'found' ? status.data : null;
  if (record?.state === 'rejected') return recordedRejection(record.rejected ?? REJECTED);
  const fills = await exvenue.fills(account, { fromMs: sinceMs - CLOCK_SKEW_MS }, URGENT);
  if (fills.kind === 'unreadable') return unknownEffect(fills.why);
  const closed = closedBy(
    fills.kind === 'found' ? fills.data : [],
    { coin, cloid, oid: record?.order.oid },
    sizeDecimals,
  );
  if (closed) return accepted(closed);
  if (!record) return ABSENT;
  const hasNone = record.state === 'cancelled' && record.order.size === record.order.originalSize;
  return hasNone ? recordedRejection(NOTHING_MATCHED) : unknownEffect('the executions are not shown yet');
}

/** What a closing did that the exchange has just reported as executed; null while its executions are not shown. */
export async function readClosed(
  exvenue: Exvenue,
  { account, ...order }: ClosingOrder & Pick<OrderSought, 'account'>,
  sizeDecimals: number,
): Promise<Closed | null> {
  const fills = await exvenue.fills(account, { fromMs: epochMs() - CLOCK_SKEW_MS }, URGENT);
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
