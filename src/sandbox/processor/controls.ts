import { type Body, routesOf } from '../control-calls.ts';
import type { Reported, Route } from '../upstream.ts';
import { debit, movePayout, reversePayout } from './bank.ts';
import { calls } from './control-calls.ts';
import { creditArrival, reverseTransfer } from './earnings.ts';
import type { Notifier } from './notifier.ts';
import { decline, dispute, giveBack, moveDispute, moveRefund, refundedOf, succeed } from './payments.ts';
import { changeBank, deauthorize, moveSession, onboard, restrict, stopTransfers } from './people.ts';
import type { World } from './world.ts';

/** The routes of the control calls. */
export const controls = (world: World, notifications: Notifier, forgetKeys: () => void): Route[] =>
  routesOf(calls, {
    payment: ({ id, to, ...received }) => done(movePayment(world, String(id), String(to), received)),
    refund: ({ id, to }) => done(moveRefund(world, String(id), String(to))),
    dispute: ({ id, to }) => done(moveDispute(world, String(id), String(to))),
    verification({ id, to }) {
      const session = world.sessions.get(String(id));
      if (session) moveSession(world, session, String(to));
      return done(session !== undefined);
    },
    account({ id, to }) {
      const account = world.accounts.get(String(id));
      if (account && to === 'restricted') restrict(world, account);
      else if (account && to === 'untransferable') stopTransfers(world, account);
      else if (account && to === 'deauthorized') deauthorize(world, account);
      else if (account && to === 'moved') changeBank(world, account, 2);
      else if (account && to === 'bankless') changeBank(world, account, null);
      else if (account) onboard(world, account);
      return done(account !== undefined);
    },
    payout: ({ id, to }) =>
      done(
        to === 'reversed' ? reversePayout(world, String(id)) : isPayoutStatus(to) && movePayout(world, String(id), to),
      ),
    transfer: ({ id, amount }) => done(reverseTransfer(world, String(id), amount) !== null),
    debit: ({ id, amount, currency }) => done(debit(world, String(id), Number(amount), String(currency))),
    arrival: ({ id }) => done(creditArrival(world, String(id))),
    'forget-keys'() {
      forgetKeys();
      return done(true);
    },
    settings(settings) {
      Object.assign(world.settings, settings);
      return done(true);
    },
    notifications(travel) {
      Object.assign(notifications.travel, travel);
      return done(true);
    },
    events: () => ({ status: 200, body: world.events }),
  });

const isPayoutStatus = (to: unknown) => to === 'in_transit' || to === 'paid' || to === 'failed' || to === 'canceled';

function movePayment(world: World, id: string, to: string, received: Body): boolean {
  const payment = world.payments.get(id);
  if (!payment) return false;
  if (to === 'succeeded') return succeed(world, payment, received);
  if (to === 'declined') return decline(world, payment);
  const { amount } = received;
  const left = payment.amount_received - refundedOf(world, id);
  const cents = typeof amount === 'number' ? amount : left;
  if (payment.charged === null || (to === 'refunded' && (cents <= 0 || cents > left))) return false;
  if (to === 'refunded') giveBack(world, payment, cents);
  else if (to === 'disputed') dispute(world, payment, cents);
  else if (to === 'inquired') dispute(world, payment, cents, 'warning_needs_response');
  else return false;
  return true;
}

const done = (isDone: boolean): Reported =>
  isDone
    ? { status: 200, body: { done: true } }
    : { status: 400, body: { error: 'no such object, or no such transition' } };
