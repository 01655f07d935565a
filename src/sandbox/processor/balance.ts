import type { Call, Reported, Route } from '../upstream.ts';
import type { Api } from './form.ts';
import { type BalanceTransaction, newObjectId, nowS, type World } from './world.ts';

/** Balances and what changed them, of the API. */
export const balanceRoutes = (world: World, { get }: Api): Route[] => [
  get('/v1/balance', ({ headers }) => ({ status: 200, body: balanceOf(world, accountOf(headers)) })),
  get('/v1/balance_transactions', ({ query, headers }) => {
    const account = accountOf(headers);
    return paged(
      query,
      world.balance.filter((each) => each.account === account).map(({ account: _, ...shown }) => shown),
    );
  }),
];

const accountOf = (headers: Call['headers']): string | null => {
  const account = headers['stripe-account'];
  return account === undefined ? null : String(account);
};

const MOST = 100;

/** A page of a list, newest first, created since `created[gte]`, after `starting_after`. */
export function paged(query: Call['query'], objects: readonly { id: string; created?: number }[]): Reported {
  const since = Number(query.get('created[gte]') ?? 0);
  const newestFirst = objects.filter(({ created = 0 }) => created >= since).toReversed();
  const after = newestFirst.findIndex(({ id }) => id === query.get('starting_after')) + 1;
  const end = after + Math.min(MOST, Number(query.get('limit') ?? 10));
  const data = newestFirst.slice(after, end);
  return { status: 200, body: { object: 'list', has_more: end < newestFirst.length, data } };
}

/** What the processor holds: available, and pending what connected accounts have received and cannot pay out yet. */
function balanceOf(world: World, account: string | null) {
  const totals = new Map<string, number>();
  for (const each of world.balance)
    if (each.account === account) totals.set(each.currency, (totals.get(each.currency) ?? 0) + each.net);
  const pending = new Map<string, number>();
  for (const { balance_transaction: received, refunds, ...arrival } of world.arrivals.values()) {
    if (arrival.account !== account || arrival.isCredited) continue;
    const net = refunds.reduce((left, refund) => left + refund.balance_transaction.net, received.net);
    pending.set(received.currency, (pending.get(received.currency) ?? 0) + net);
  }
  const amounts = (of: (currency: string, total: number) => number) =>
    [...totals].map(([currency, total]) => ({ currency, amount: of(currency, total) }));
  return {
    object: 'balance',
    available: amounts((currency, total) => total - (pending.get(currency) ?? 0)),
    pending: amounts((currency) => pending.get(currency) ?? 0),
  };
}

const RATE = 0.9;

/** Changes a balance. A platform that settles in one currency converts. Returns by how much. */
export function book(
  world: World,
  { amount, currency, fee = 0, account = null, ...change }: Change & { account?: string | null },
): number {
  const { settles } = world.settings;
  const isConverted = account === null && settles !== null && settles !== currency;
  const booked = isConverted ? Math.trunc(amount * RATE) : amount;
  world.balance.push({
    id: newObjectId('txn'),
    object: 'balance_transaction',
    account,
    amount: booked,
    fee,
    net: booked - fee,
    currency: isConverted ? settles : currency,
    exchange_rate: isConverted ? RATE : null,
    created: nowS(),
    ...change,
  });
  return booked;
}

type Change = Pick<BalanceTransaction, 'amount' | 'currency' | 'type' | 'source'> & { fee?: number };
