import type { Exvenue, Fill, OrderRecord } from '../../adapters/exvenue/types.ts';
import type { Finding } from '../../intents/carry-out.ts';
import { type Accepted, accepted, inDoubt, type Rejected, rejected } from '../../kernel/answer.ts';
import { dividedBy, isPositive, plus, times } from '../../kernel/decimals.ts';

/** What is known of one order at the exchange, from its first answer or a later look. A price nobody tells any more is null. */
export type OrderFact =
  | { kind: 'resting'; oid: number }
  | { kind: 'filled'; oid: number; filledSize: string; averagePrice: string | null }
  | { kind: 'cancelled'; oid: number };

const NOTHING_MATCHED = rejected('no_match', 'Nothing in the book matched the order at its price.');
const PRICE_PLACES = 10;

/** An order to be looked for. `sinceMs`: when it was sent. `expired`: its bytes cannot land any more. */
export type OrderSought = { account: string; cloid: string; coin: string; sinceMs: number; expired: boolean };

/**
 * Looks for an order by its cloid: in the venue's record of orders, and once its bytes have expired among executions and the
 * open ones too. From then on `absent` says that all of them could be read and none holds it, since a busy account's record
 * alone is too short to prove that; before, those dear looks would prove nothing, and `absent` only says that it is not there yet.
 */
export async function findOrder(exvenue: Exvenue, sought: OrderSought): Promise<Finding<OrderFact>> {
  const { account, cloid, coin, sinceMs, expired } = sought;
  const status = await exvenue.orderStatus(account, cloid);
  if (status.kind === 'unreadable') return inDoubt(status.why);
  if (status.kind === 'found' && !mayHaveFilled(status.said)) return factOf(status.said, []);
  if (status.kind === 'absent' && !expired) return ABSENT;
  const fills = await exvenue.fills(account, { fromMs: sinceMs - CLOCK_SKEW_MS });
  if (fills.kind === 'unreadable') return inDoubt(fills.why);
  const all = fills.kind === 'found' ? fills.said : [];
  if (status.kind === 'found')
    return factOf(
      status.said,
      all.filter(({ oid }) => oid === status.said.order.oid),
    );
  const own = all.filter((fill) => fill.cloid === cloid);
  const [fill] = own;
  if (fill) return filledBy(fill.oid, own);
  const open = await exvenue.openOrders(account, dexOf(coin));
  if (open.kind === 'unreadable') return inDoubt(open.why);
  const order = open.kind === 'found' && open.said.find((candidate) => candidate.cloid === cloid);
  return order ? accepted({ kind: 'resting', oid: order.oid }) : ABSENT;
}

const ABSENT = { kind: 'absent' } as const;

const mayHaveFilled = ({ state }: OrderRecord) => state === 'filled' || state === 'cancelled';

const CLOCK_SKEW_MS = 60_000;

/** The dex a coin is traded on: `xyz:TSLA` on xyz, others on the venue's own. */
export const dexOf = (coin: string): string => (coin.includes(':') ? (coin.split(':')[0] ?? '') : '');

function factOf({ order, state, refused }: OrderRecord, fills: Fill[]): Accepted<OrderFact> | Rejected {
  const { oid, originalSize, timeInForce } = order;
  if (state === 'rejected') return refused ?? rejected('rejected_by_venue', 'The venue refused the order.');
  if (state === 'open' || state === 'triggered' || state === 'unknown') return accepted({ kind: 'resting', oid });
  if (fills.length > 0) return filledBy(oid, fills);
  if (state === 'filled') return accepted({ kind: 'filled', oid, filledSize: originalSize, averagePrice: null });
  return timeInForce === 'ioc' ? NOTHING_MATCHED : accepted({ kind: 'cancelled', oid });
}

function filledBy(oid: number, fills: Fill[]): Accepted<OrderFact> {
  const filledSize = fills.reduce((sum, fill) => plus(sum, fill.size), '0');
  const value = fills.reduce((sum, fill) => plus(sum, times(fill.price, fill.size)), '0');
  const averagePrice = isPositive(filledSize) ? dividedBy(value, filledSize, PRICE_PLACES, 'down') : null;
  return accepted({ kind: 'filled', oid, filledSize, averagePrice });
}
