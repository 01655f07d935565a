import type { Call, Reported, Route } from '../upstream.ts';
import { book, paged } from './balance.ts';
import { type Api, type Form, metadataOf, wholeOf } from './form.ts';
import { isMagicBuyer, SOON_MS } from './magic.ts';
import { keyOf, shown } from './people.ts';
import { type Account, credit, missing, newObjectId, nowS, type Payout, rejected, type World } from './world.ts';

/** Payouts of connected accounts to their banks, of the API. */
export const bankRoutes = (world: World, { get, post }: Api): Route[] => [
  post('/v1/payouts', (form, call) => payOut(world, form, call)),
  get('/v1/payouts', ({ headers, query }) =>
    paged(
      query,
      [...world.payouts.values()].filter(({ account }) => account === headers['stripe-account']),
    ),
  ),
  get('/v1/payouts/:id', ({ params }) => shown(world.payouts.get(params.id ?? ''))),
];

const WHOLE = new Set(['huf', 'twd']); // in payouts (docs.stripe.com/currencies#special-cases)

function payOut(world: World, form: Form, call: Call): Reported {
  const account = world.accounts.get(String(call.headers['stripe-account'] ?? ''));
  const amount = wholeOf(form, 'amount');
  if (!account) return missing();
  const currency = form.get('currency') ?? 'usd';
  if (amount === null || amount > (account.balances[currency] ?? 0)) return rejected(400, 'balance_insufficient');
  if (amount < world.settings.leastPayout) return rejected(400, 'amount_too_small');
  if (WHOLE.has(currency) && amount % 100 !== 0) return rejected(400, 'parameter_invalid_integer');
  credit(account, -amount, currency);
  const id = newObjectId('po');
  book(world, { type: 'payout', amount: -amount, currency, account: account.id, source: { id, object: 'payout' } });
  const payout = {
    id,
    object: 'payout' as const,
    amount,
    created: nowS(),
    currency,
    status: 'pending',
    failure_code: null,
    metadata: metadataOf(form),
    account: account.id,
    reversed_by: null,
    original_payout: null,
  };
  world.payouts.set(id, payout);
  world.ledger.record({ key: keyOf(call, id), kind: 'payout', detail: { id, amount, currency, account: account.id } });
  world.emit('payout.created', payout, account.id);
  if (isMagicBuyer(world, account.metadata.user_id)) world.after(SOON_MS, () => movePayout(world, id, 'paid'));
  return { status: 200, body: { ...payout } };
}

/** The bank's result of a payout. `failed` may follow `paid`. What fails is in the account's balance again. */
export function movePayout(world: World, id: string, status: 'in_transit' | 'paid' | 'failed' | 'canceled'): boolean {
  const payout = world.payouts.get(id);
  const account = world.accounts.get(payout?.account ?? '');
  if (!payout || !account || payout.status === 'failed' || payout.status === 'canceled') return false;
  if (status === 'failed' || status === 'canceled') comeBack(world, account, payout, 'payout_failure');
  payout.status = status;
  payout.failure_code = status === 'failed' ? 'account_closed' : null;
  world.emit(`payout.${status === 'in_transit' ? 'updated' : status}`, payout, payout.account);
  return true;
}

function comeBack(world: World, account: Account, { id, amount, currency }: Payout, type: string): void {
  credit(account, amount, currency);
  book(world, { type, amount, currency, account: account.id, source: { id, object: 'payout' } });
}

/** Takes a paid payout back from the bank: by another payout, of the negative amount, which the bank then pays. */
export function reversePayout(world: World, id: string): boolean {
  const original = world.payouts.get(id);
  const account = world.accounts.get(original?.account ?? '');
  if (original?.status !== 'paid' || !account || original.reversed_by !== null) return false;
  const reversing = {
    ...original,
    id: newObjectId('po'),
    created: nowS(),
    amount: -original.amount,
    original_payout: id,
    metadata: {},
  };
  original.reversed_by = reversing.id;
  world.payouts.set(reversing.id, reversing);
  world.emit('payout.updated', original, account.id);
  world.emit('payout.created', { ...reversing, status: 'pending' }, account.id);
  comeBack(world, account, original, 'payout');
  world.emit('payout.paid', reversing, account.id);
  return true;
}

/** Other software takes an amount from an account, or with a negative one adds it. False for an unknown account. */
export function debit(world: World, id: string, amount: number, currency: string): boolean {
  const account = world.accounts.get(id);
  if (!account) return false;
  credit(account, -amount, currency);
  book(world, {
    type: 'adjustment',
    amount: -amount,
    currency,
    account: id,
    source: { id: newObjectId('ad'), object: 'adjustment' },
  });
  return true;
}
