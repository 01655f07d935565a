import type { Call, Reported, Route } from '../upstream.ts';
import { book, paged } from './balance.ts';
import { type Api, type Form, metadataOf, wholeOf } from './form.ts';
import { keyOf, shown } from './people.ts';
import {
  type Account,
  type Arrival,
  credit,
  missing,
  newObjectId,
  nowS,
  type Reversal,
  rejected,
  type Transfer,
  type World,
} from './world.ts';

/** Transfers to connected accounts and their reversals, of the API. */
export const earningsRoutes = (world: World, { get, post }: Api): Route[] => [
  post('/v1/transfers', (form, call) => transfer(world, form, call)),
  get('/v1/transfers', ({ query }) =>
    paged(
      query,
      [...world.transfers.values()].filter(
        ({ destination, transfer_group }) =>
          destination === (query.get('destination') ?? destination) &&
          transfer_group === (query.get('transfer_group') ?? transfer_group),
      ),
    ),
  ),
  get('/v1/transfers/:id', ({ params }) => shown(world.transfers.get(params.id ?? ''))),
  post('/v1/transfers/:id/reversals', (form, call) => reverse(world, form, call)),
  get('/v1/transfers/:id/reversals', ({ params, query }) =>
    paged(
      query,
      [...world.reversals.values()].filter(({ transfer }) => transfer === params.id),
    ),
  ),
  get('/v1/charges/:id', ({ params }) => shown(world.arrivals.get(params.id ?? ''))),
];

const DAY_S = 24 * 60 * 60;

function transfer(world: World, form: Form, call: Call): Reported {
  const account = world.accounts.get(form.get('destination') ?? '');
  const amount = wholeOf(form, 'amount');
  if (!account) return missing();
  if (account.isGone) return rejected(400, 'resource_missing');
  if (amount === null || amount <= 0) return rejected(400, 'parameter_invalid_integer');
  if (!account.payouts_enabled || account.capabilities.transfers !== 'active')
    return rejected(400, 'insufficient_capabilities_for_transfer');
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
  book(world, { type: 'transfer', amount: -amount, currency, source: { id, object: 'transfer', amount, currency } });
  world.ledger.record({ key: keyOf(call, id), kind: 'transfer', detail: { id, amount, destination: account.id } });
  return { status: 200, body: { ...made } };
}

const CURRENCIES: Record<string, string> = { US: 'usd', GB: 'gbp', CA: 'cad', CH: 'chf', HU: 'huf' };
const RATES: Record<string, number> = { huf: 361.37 };
const RATE = 0.9; // of every other

/** An account has a balance in the currency of its country. Another currency is converted; abroad, it is available a day later. */
function arrive(world: World, account: Account, amount: number, sent: string): Arrival {
  const isAbroad = account.country !== world.settings.country;
  const currency = CURRENCIES[account.country] ?? 'eur';
  const net = currency === sent ? amount : Math.floor(amount * (RATES[currency] ?? RATE));
  const balance_transaction = { net, currency, created: nowS(), available_on: nowS() + (isAbroad ? DAY_S : 0) };
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
  book(world, { type: 'payment', amount: net, currency, account: account.id, source: { id, object: 'charge' } });
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

/** A reversal takes its share of what the account received, in the account's currency; the last one takes the rest. */
function takeBack(world: World, { destination, destination_payment, reversed }: Transfer, cents: number) {
  const arrival = world.arrivals.get(destination_payment);
  const account = world.accounts.get(destination);
  if (!arrival || !account) return;
  const { net, currency } = arrival.balance_transaction;
  const before = arrival.refunds.reduce((total, refund) => total + refund.balance_transaction.net, 0);
  const back = reversed ? net + before : Math.floor((net * cents) / arrival.amount);
  const balance_transaction = { net: -back, currency, created: nowS() };
  const id = newObjectId('pyr');
  arrival.refunds.unshift({ id, object: 'refund', balance_transaction });
  book(world, {
    type: 'payment_refund',
    amount: -back,
    currency,
    account: account.id,
    source: { id, object: 'refund' },
  });
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

/** Reverses an amount of a transfer, or what is left of it. Null for an unknown transfer, and where less than that is left, or nothing. */
export function reverseTransfer(
  world: World,
  id: string,
  amount: unknown,
  metadata: Record<string, string> = {},
): Reversal | null {
  const made = world.transfers.get(id);
  const left = made ? made.amount - made.amount_reversed : 0;
  const cents = typeof amount === 'number' ? amount : left;
  if (!made || cents <= 0 || cents > left) return null;
  made.amount_reversed += cents;
  made.reversed = made.amount_reversed === made.amount;
  takeBack(world, made, cents);
  world.emit('transfer.reversed', made);
  const { currency } = made;
  const reversal: Reversal = {
    id: newObjectId('trr'),
    object: 'transfer_reversal',
    amount: cents,
    created: nowS(),
    currency,
    metadata,
    transfer: id,
  };
  world.reversals.set(reversal.id, reversal);
  const source = { id: reversal.id, object: 'transfer_reversal', transfer: id, amount: cents, currency };
  book(world, { type: 'transfer_refund', amount: cents, currency, source });
  return reversal;
}
