import type { Call, Reported, Route } from '../upstream.ts';
import type { Notifier } from './notifier.ts';
import { decline, dispute, giveBack, succeed } from './payments.ts';
import { movePayout, moveSession, onboard, reverseTransfer } from './people.ts';
import type { World } from './world.ts';

/** Control routes that move payments, verifications, accounts and payouts, and set the delivery of notifications. */
export const controls = (world: World, notifications: Notifier): Route[] => [
  control('payment', ({ id, to }) => movePayment(world, String(id), String(to))),
  control('verification', ({ id, to }) => {
    const session = world.sessions.get(String(id));
    if (session) moveSession(world, session, String(to));
    return session !== undefined;
  }),
  control('account', ({ id }) => {
    const account = world.accounts.get(String(id));
    if (account) onboard(world, account);
    return account !== undefined;
  }),
  control('payout', ({ id, to }) => (to === 'paid' || to === 'failed') && movePayout(world, String(id), to)),
  control('transfer', ({ id }) => reverseTransfer(world, String(id))),
  control('notifications', (travel) => {
    Object.assign(notifications.travel, travel);
    return true;
  }),
  { method: 'GET', path: '/control/events', response: () => ({ status: 200, body: world.events }) },
];

/** `{id, to}` with `succeeded`, `declined`, `refunded` or `disputed`. */
function movePayment(world: World, id: string, to: string): boolean {
  const payment = world.payments.get(id);
  if (!payment) return false;
  if (to === 'succeeded') return succeed(world, payment);
  if (to === 'declined') return decline(world, payment);
  if (to === 'refunded') giveBack(world, payment, payment.amount);
  else if (to === 'disputed') dispute(world, payment);
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
