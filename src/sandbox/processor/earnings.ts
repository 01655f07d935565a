import type { Call, Reported, Route } from '../upstream.ts';
import { type Api, type Form, metadataOf, wholeOf } from './form.ts';
import { isMagicBuyer, SOON_MS } from './magic.ts';
import { keyOf, shown } from './people.ts';
import {
  type Account,
  type Arrival,
  missing,
  newObjectId,
  nowS,
  type Reversal,
  rejected,
  type Transfer,
  type World,
} from './world.ts';

/** Transfers to connected accounts, their reversals, and payouts of the API. */
export const earningsRoutes = (world: World, { get, post }: Api): Route[] => [
  post('/v1/transfers', (form, call) => transfer(world, form, call)),
  get('/v1/transfers', ({ query }) =>
    listed(
      [...world.transfers.values()].filter(
        ({ destination, transfer_group, created }) =>
          created >= Number(query.get('created[gte]') ?? 0) &&
          destination === (query.get('destination') ?? destination) &&
          transfer_group === (query.get('transfer_group') ?? transfer_group),
      ),
    ),
  ),
  get('/v1/transfers/:id', ({ params }) => shown(world.transfers.get(params.id ?? ''))),
  post('/v1/transfers/:id/reversals', (form, call) => reverse(world, form, call)),
  get('/v1/transfers/:id/reversals', ({ params }) =>
    listed([...world.reversals.values()].filter(({ transfer }) => transfer === params.id)),
  ),
  get('/v1/charges/:id', ({ params }) => shown(world.arrivals.get(params.id ?? ''))),
  post('/v1/payouts', (form, call) => payOut(world, form, call)),
  get('/v1/payouts', ({ headers }) =>
    listed([...world.payouts.values()].filter(({ account }) => account === headers['stripe-account'])),
  ),
  get('/v1/payouts/:id', ({ params }) => shown(world.payouts.get(params.id ?? ''))),
];

/** All of a list on one page, newest first. */
const listed = (objects: object[]): Reported => ({
  status: 200,
  body: { object: 'list', has_more: false, data: objects.toReversed() },
});

const DAY_S = 24 * 60 * 60;

function transfer(world: World, form: Form, call: Call): Reported {
  const account = world.accounts.get(form.get('destination') ?? '');
  const amount = wholeOf(form, 'amount');
  if (!account) return missing();
  if (account.isGone) return rejected(400, 'resource_missing');
  if (amount === null || amount <= 0) return rejected(400, 'parameter_invalid_integer');
  if (!account.payouts_enabled) return rejected(400, 'insufficient_capabilities_for_transfer');
  const { available } = world.settings;
  if (available !== null && amount > available) return rejected(400, 'balance_insufficient');
  if (available !== null) world.settings.available = available - amount;
  const id = newObjectId('tr');
  const currency = form.get('currency') ?? 'usd';
  const arrival = arrive(world, account, amount, currency);
  const made: Transfer = {
    id,
    object: 'transfer',
    amount,
    amount_reversed: 0,
    created: nowS(),
    currency,
    destination: account.id,
    destination_payment: arrival.id,
    metadata: metadataOf(form),
    reversed: false,
    transfer_group: form.get('transfer_group'),
  };
  world.transfers.set(id, made);
  world.ledger.record({ key: keyOf(call, id), kind: 'transfer', detail: { id, amount, destination: account.id } });
  return { status: 200, body: { ...made } };
}

const CURRENCIES: Record<string, string> = { US: 'usd', GB: 'gbp', CA: 'cad', CH: 'chf' };

/** An account has a balance in the currency of its country. Of another currency it receives nine tenths; abroad, a day later. */
function arrive(world: World, account: Account, amount: number, sent: string): Arrival {
  const isAbroad = account.country !== world.settings.country;
  const currency = CURRENCIES[account.country] ?? 'eur';
  const net = currency === sent ? amount : Math.floor(amount * 0.9);
  const balance_transaction = { net, currency, available_on: nowS() + (isAbroad ? DAY_S : 0) };
  const id = newObjectId('py');
  const arrival: Arrival = {
    id,
    object: 'charge',
    account: account.id,
    amount,
    isCredited: false,
    balance_transaction,
    refunds: [],
  };
  world.arrivals.set(id, arrival);
  if (!isAbroad) creditArrival(world, id);
  return arrival;
}

/** What an account received becomes available. */
export function creditArrival(world: World, id: string): boolean {
  const arrival = world.arrivals.get(id);
  const account = world.accounts.get(arrival?.account ?? '');
  if (!arrival || !account || arrival.isCredited) return false;
  arrival.isCredited = true;
  arrival.balance_transaction.available_on = Math.min(arrival.balance_transaction.available_on, nowS());
  const back = arrival.refunds.reduce((total, refund) => total + refund.balance_transaction.net, 0);
  credit(account, arrival.balance_transaction.net + back, arrival.balance_transaction.currency);
  return true;
}

const credit = ({ balances }: Account, amount: number, currency: string) => {
  balances[currency] = (balances[currency] ?? 0) + amount;
};

/** A reversal takes its share of what the account received, in the account's currency; the last one takes the rest. */
function takeBack(world: World, { destination, destination_payment, reversed }: Transfer, cents: number) {
  const arrival = world.arrivals.get(destination_payment);
  const account = world.accounts.get(destination);
  if (!arrival || !account) return;
  const { net, currency } = arrival.balance_transaction;
  const before = arrival.refunds.reduce((total, refund) => total + refund.balance_transaction.net, 0);
  const back = reversed ? net + before : Math.floor((net * cents) / arrival.amount);
  const balance_transaction = { net: -back, currency };
  arrival.refunds.unshift({ id: newObjectId('pyr'), object: 'refund', balance_transaction });
  if (arrival.isCredited) credit(account, -back, currency);
}

function reverse(world: World, form: Form, call: Call): Reported {
  const id = call.params.id ?? '';
  const amount = wholeOf(form, 'amount');
  const made = world.transfers.get(id);
  if (!made) return missing();
  if (amount === null || amount <= 0 || amount > made.amount - made.amount_reversed)
    return rejected(400, 'parameter_invalid_integer');
  const reversal = reverseTransfer(world, id, amount, metadataOf(form));
  world.ledger.record({
    key: keyOf(call, String(reversal?.id)),
    kind: 'reversal',
    detail: { id: reversal?.id, transfer: id, amount },
  });
  return { status: 200, body: { ...reversal } };
}

function payOut(world: World, form: Form, call: Call): Reported {
  const account = world.accounts.get(String(call.headers['stripe-account'] ?? ''));
  const amount = wholeOf(form, 'amount');
  if (!account) return missing();
  if (account.isGone) return rejected(403, 'account_invalid');
  const currency = form.get('currency') ?? 'usd';
  if (amount === null || amount > (account.balances[currency] ?? 0)) return rejected(400, 'balance_insufficient');
  credit(account, -amount, currency);
  const id = newObjectId('po');
  const payout = {
    id,
    object: 'payout' as const,
    amount,
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
  if (status === 'failed' || status === 'canceled') credit(account, payout.amount, payout.currency);
  payout.status = status;
  payout.failure_code = status === 'failed' ? 'account_closed' : null;
  world.emit(`payout.${status === 'in_transit' ? 'updated' : status}`, payout, payout.account);
  return true;
}

/** Takes a paid payout back from the bank: by another payout, of the negative amount, which the bank then pays. */
export function reversePayout(world: World, id: string): boolean {
  const original = world.payouts.get(id);
  const account = world.accounts.get(original?.account ?? '');
  if (original?.status !== 'paid' || !account || original.reversed_by !== null) return false;
  const reversing = { ...original, id: newObjectId('po'), amount: -original.amount, original_payout: id, metadata: {} };
  original.reversed_by = reversing.id;
  world.payouts.set(reversing.id, reversing);
  world.emit('payout.updated', original, account.id);
  world.emit('payout.created', { ...reversing, status: 'pending' }, account.id);
  credit(account, original.amount, original.currency);
  world.emit('payout.paid', reversing, account.id);
  return true;
}

/** Reverses an amount of a transfer, or what is left of it. Null for an unknown transfer. */
export function reverseTransfer(
  world: World,
  id: string,
  amount: unknown,
  metadata: Record<string, string> = {},
): Reversal | null {
  const made = world.transfers.get(id);
  if (!made) return null;
  const cents = typeof amount === 'number' ? amount : made.amount - made.amount_reversed;
  made.amount_reversed += cents;
  made.reversed = made.amount_reversed === made.amount;
  takeBack(world, made, cents);
  world.emit('transfer.reversed', made);
  const { currency } = made;
  const reversal: Reversal = {
    id: newObjectId('trr'),
    object: 'transfer_reversal',
    amount: cents,
    currency,
    metadata,
    transfer: id,
  };
  world.reversals.set(reversal.id, reversal);
  return reversal;
}
