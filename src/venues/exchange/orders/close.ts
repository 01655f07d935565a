import { z } from 'zod';
import { nextAttemptMs } from '../../../intents/backoff.ts';
import { defineIntent, type Finding, isNotReady } from '../../../intents/define.ts';
import type { Problem } from '../../../intents/intent.ts';
import { retry, succeed } from '../../../intents/settle.ts';
import { absolute, compare, dividedBy, isPositive, nearest, ofNumber, plus, times } from '../../../kernel/decimals.ts';
import { cloidOf } from '../../../kernel/exchange-names.ts';
import { marketPrice, type Side } from '../../../kernel/grid.ts';
import type { IntentId } from '../../../kernel/ids.ts';
import {
  accepted,
  acknowledged,
  recordedRejection,
  type UpstreamResult,
  unknownEffect,
} from '../../../kernel/upstream-result.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { OrderTerms } from '../adapter/action-types.ts';
import type { Exvenue, Fill, OrderRecord } from '../adapter/types.ts';
import { chained, positionAfter } from '../chain.ts';
import { sign } from '../signing/sign.ts';
import { type ExchangeDeps, exchangeTiming, recordOtherwise, walletMembers } from './calls.ts';
import { ABSENT, CLOCK_SKEW_MS, filledBy, NOTHING_MATCHED, type OrderSought, REJECTED } from './evidence.ts';
import { type Market, readMarket, readPosition, URGENT } from './market.ts';
import { invalidOrder, orderPayload, payloadOf, reconcileBy, reportOf, sendOrder } from './order.ts';
import { endExits } from './store.ts';
import { closingTerms, shownOrder } from './views.ts';

/**
 * Closes the position that is open in a pair when the order arrives, with a reduce-only market order. Its executions prove
 * what it did: `filled` if the position is flat after them, else `partial`. The exits end with a position that is flat.
 */
export const close = defineIntent({
  kind: 'exchange/close',
  retention: 'alone',
  claimed: 'to_send',
  isExit: true,
  request: z.object({ ...walletMembers, pair: z.string(), max_slippage: z.string() }),
  payload: z.object({ ...orderPayload, side: z.enum(['long', 'short']), size_decimals: z.number() }),
  timing: exchangeTiming,

  async prepare({ id, owner, sent_payload, request: { wallet, pair, max_slippage } }, deps: ExchangeDeps) {
    const market = await readMarket(deps.exvenue, pair);
    if (isNotReady(market)) return market;
    const position = await readPosition(deps, { owner, wallet }, market.asset);
    if (isNotReady(position)) return position;
    const earlier = sentSize.nullable().parse(sent_payload)?.size ?? null;
    const order = closingOrder(id, position.size, market, { slippage: max_slippage, earlier });
    if (isNotReady(order)) return order;
    const signed = await sign(deps, { owner, wallet }, [{ kind: 'place', orders: [order], grouping: 'none' }]);
    if (isNotReady(signed)) return signed;
    const side = order.side === 'sell' ? ('short' as const) : ('long' as const);
    const { coin, sizeDecimals: size_decimals } = market.asset;
    return { send: { ...payloadOf(signed, { intentId: id, coin, order }), side, size_decimals } };
  },

  async send(sent, deps, limits): Promise<UpstreamResult<Closed>> {
    const result = await sendOrder(sent, deps, limits);
    if (result.kind !== 'accepted') return result;
    const closed = await readClosed(
      deps.exvenue,
      { ...sent.payload, oid: result.data.order.oid },
      sent.payload.size_decimals,
    );
    return closed ? accepted(closed) : acknowledged('the position after it is not known yet');
  },

  reconcile: (sent, deps) => reconcileBy(sent, deps, (sought) => findClosed(deps.exvenue, sought, sent.payload)),

  /**
   * If the venue finds nothing to reduce, the position that was read is gone, or has become the opposite one: it is read
   * again until the deadline. A close that was in doubt ends instead: later commands have not waited for it.
   */
  async record({ intent, payload }, result, deps) {
    if (result.kind === 'rejected' && result.slug === 'reduce_only')
      return (
        (await retry(deps.db, intent, nextAttemptMs(intent.attempts), { code: 'V1_NO_POSITION' })) ||
        recordOtherwise(deps, intent, result)
      );
    if (result.kind !== 'accepted') return recordOtherwise(deps, intent, result);
    const { wallet, pair } = intent.request;
    const { oid, size, filledSize, averagePrice } = result.data;
    const terms = closingTerms(pair, payload.side);
    const placed = { order: { kind: 'filled' as const, oid, filledSize, averagePrice }, exits: [] };
    const report = reportOf(placed, { size, price: payload.price }, terms);
    if (compare(filledSize, size) === 0) await endExits(deps.db, { id: intent.id, wallet, pair });
    return succeed(deps.db, intent, shownOrder(intent, terms, report));
  },
});

/** A reduce-only order shrinks to the position and never reverses it, so it may be larger than what reads show by then. */
const UPPER_BOUND = '2';
/** USD at the mid price. Below it an order may be worth less than the minimum at its limit price. See venues/exchange.md#minimum-order. */
const LEAST_VALUE = '20';
/** USD at the mid price. Above it an order may be worth more than the maximum. */
const MOST_VALUE = '5000000';

/** The size of an order that closes a position of this size, or one that has grown since, within the limits of the venue. */
function boundOf(size: string, price: string, { asset, mid }: Market): string {
  const bound = times(size, UPPER_BOUND);
  if (compare(times(bound, price), MOST_VALUE) > 0) return size;
  const least = dividedBy(LEAST_VALUE, mid, asset.sizeDecimals, 'up');
  return compare(bound, least) < 0 ? least : bound;
}

const sentSize = z.object({ size: z.string() });

/**
 * The order that closes a position of this signed size, or one that has grown since it was read. It is larger than the one of an `earlier` attempt,
 * which the venue rejected: all have one client order id, and the size distinguishes their records.
 */
function closingOrder(
  intentId: IntentId,
  size: string,
  market: Market,
  { slippage, earlier }: { slippage: string; earlier: string | null },
): OrderTerms | { fail: Problem } {
  const { asset } = market;
  const side: Side = isPositive(size) ? 'sell' : 'buy';
  const price = marketPrice(asset.grid, side, market.mid, slippage);
  if (price === null) return invalidOrder('invalid_price');
  const bound = boundOf(absolute(size), price, market);
  const isLarger = earlier === null || compare(bound, earlier) > 0;
  return {
    asset: asset.id,
    side,
    price,
    size: isLarger ? bound : plus(earlier, ofNumber(10 ** -asset.sizeDecimals)),
    reduceOnly: true,
    cloid: cloidOf(intentId),
    timeInForce: 'ioc',
  };
}

/** What a closing did. `size`: the position before it; what is left of it is `size` less `filledSize`. */
type Closed = { oid: number; size: string; filledSize: string; averagePrice: string | null };

/**
 * Finds a closing in the venue's records and proves by its own executions what it left: their `startPosition` is the
 * position as the venue knew it, whatever other reads show. While the record is there and the executions are not, nothing is
 * decided. The executions of an order that never rests happen in one block, so one of them stands for all being shown.
 */
async function findClosed(
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
async function readClosed(
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
