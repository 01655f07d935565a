import type { Call, Reported, Route } from '../upstream.ts';
import { debit, movePayout, reversePayout } from './bank.ts';
import { creditArrival, reverseTransfer } from './earnings.ts';
import type { Notifier } from './notifier.ts';
import { decline, dispute, giveBack, moveDispute, moveRefund, refundedOf, succeed } from './payments.ts';
import { deauthorize, moveSession, onboard, restrict } from './people.ts';
import type { World } from './world.ts';

/**
 * Control routes that move payments, verifications, accounts and payouts, set the delivery of notifications, and forget
 * all idempotency keys.
 */
export const controls = (world: World, notifications: Notifier, forgetKeys: () => void): Route[] => [
  control('payment', ({ id, to, ...received }) => movePayment(world, String(id), String(to), received)),
  control('refund', ({ id, to }) => moveRefund(world, String(id), String(to))),
  control('dispute', ({ id, to }) => moveDispute(world, String(id), String(to))),
  control('verification', ({ id, to }) => {
    const session = world.sessions.get(String(id));
    if (session) moveSession(world, session, String(to));
    return session !== undefined;
  }),
  control('account', ({ id, to }) => {
    const account = world.accounts.get(String(id));
    if (account && to === 'restricted') restrict(world, account);
    else if (account && to === 'deauthorized') deauthorize(world, account);
    else if (account) onboard(world, account);
    return account !== undefined;
  }),
  control('payout', ({ id, to }) =>
    to === 'reversed' ? reversePayout(world, String(id)) : isPayoutStatus(to) && movePayout(world, String(id), to),
  ),
  control('transfer', ({ id, amount }) => reverseTransfer(world, String(id), amount) !== null),
  control('debit', ({ id, amount, currency }) => debit(world, String(id), Number(amount), String(currency))),
  control('arrival', ({ id }) => creditArrival(world, String(id))),
  control('forget-keys', () => {
    forgetKeys();
    return true;
  }),
  control('settings', (settings) => {
    Object.assign(world.settings, settings);
    return true;
  }),
  control('notifications', (travel) => {
    Object.assign(notifications.travel, travel);
    return true;
  }),
  { method: 'GET', path: '/control/events', response: () => ({ status: 200, body: world.events }) },
];

const isPayoutStatus = (to: unknown) => to === 'in_transit' || to === 'paid' || to === 'failed' || to === 'canceled';

/**
 * `{id, to}` with `succeeded`, `declined`, `refunded`, `disputed` or `inquired`; all but `declined` with an `amount`, or
 * the whole; `succeeded` also with a `currency`.
 */
function movePayment(world: World, id: string, to: string, received: Body): boolean {
  const payment = world.payments.get(id);
  if (!payment) return false;
  if (to === 'succeeded') return succeed(world, payment, received);
  if (to === 'declined') return decline(world, payment);
  const { amount } = received;
  const cents = typeof amount === 'number' ? amount : payment.amount - refundedOf(world, id);
  if (to === 'refunded') giveBack(world, payment, cents);
  else if (to === 'disputed') dispute(world, payment, cents);
  else if (to === 'inquired') dispute(world, payment, cents, 'warning_needs_response');
  else return false;
  return true;
}

type Body = Record<string, unknown>;

const control = (name: string, act: (body: Body) => boolean): Route => ({
  method: 'POST',
  path: `/control/${name}`,
  response: ({ json }: Call): Reported =>
    act(Object(json) as Body) // as: every member is checked or converted
      ? { status: 200, body: { done: true } }
      : { status: 400, body: { error: 'no such object, or no such transition' } },
});
