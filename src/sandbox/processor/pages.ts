import { escaped, htmlPage } from '../html.ts';
import type { Call, Reported, Route } from '../upstream.ts';
import { decline, succeed } from './payments.ts';
import { moveSession, onboard } from './people.ts';
import type { World } from './world.ts';

/**
 * The pages for the user's browser: pay, verify the identity, connect a bank account. Plain forms without scripts or
 * external resources. A GET has no effect. A page that is opened with `return_url` goes there after the user's choice,
 * with its result in the query; `cancel_url` is where its link to cancel leads.
 */
export const pageRoutes = (world: World): Route[] => [
  ...page('/sandbox/pay/:id', {
    find: (secret) => world.payments.get(secret.split('_secret_')[0] ?? ''),
    isFor: (payment, secret) => payment.client_secret === secret,
    title: (payment) => `Pay ${(payment.amount / 100).toFixed(2)} ${payment.currency.toUpperCase()}`,
    state: ({ status }) => status,
    buttons: { pay: 'Pay', decline: 'Decline the card' },
    press: (payment, button) => void (button === 'pay' ? succeed(world, payment) : decline(world, payment)),
    result: ({ id, client_secret, status }) => ({
      payment_intent: id,
      payment_intent_client_secret: client_secret,
      redirect_status: status === 'succeeded' ? 'succeeded' : 'failed',
    }),
  }),
  ...page('/sandbox/verify/:id', {
    find: (id) => world.sessions.get(id),
    isFor: () => true,
    title: () => 'Verify your identity',
    state: ({ status }) => status,
    buttons: { verified: 'Pass the check', requires_input: 'Fail the check' },
    press: (session, button) => moveSession(world, session, button === 'verified' ? 'verified' : 'requires_input'),
    result: () => ({}),
  }),
  ...page('/sandbox/onboard/:id', {
    find: (id) => world.accounts.get(id),
    isFor: () => true,
    title: () => 'Connect a bank account',
    state: ({ payouts_enabled }) => (payouts_enabled ? 'payouts are enabled' : 'details are missing'),
    buttons: { connect: 'Connect the test bank' },
    press: (account) => onboard(world, account),
    result: () => ({}),
  }),
];

type Page<T> = {
  find(id: string): T | undefined;
  isFor(object: T, id: string): boolean;
  title(object: T): string;
  state(object: T): string;
  buttons: Record<string, string>;
  press(object: T, button: string): void;
  /** What the address to return to learns, in its query. */
  result(object: T): Record<string, string>;
};

function page<T>(path: string, { find, isFor, title, state, buttons, press, result }: Page<T>): Route[] {
  const response = ({ params, query }: Call, button?: string): Reported => {
    const { id = '' } = params;
    const object = find(id);
    if (object === undefined || !isFor(object, id))
      return { status: 404, page: true, body: htmlPage('Not found', '<p>Nothing is known by this address.</p>') };
    if (button !== undefined && Object.hasOwn(buttons, button)) {
      press(object, button);
      const back = wayBack(query, 'return_url');
      if (back) return { status: 303, headers: { location: withQuery(back, result(object)) }, page: true, body: '' };
    }
    const cancel = wayBack(query, 'cancel_url');
    return { status: 200, page: true, body: htmlPage(title(object), content(state(object), buttons, cancel)) };
  };
  return [
    { method: 'GET', path, response: (call) => response(call) },
    { method: 'POST', path, response: (call) => response(call, new URLSearchParams(call.text).get('do') ?? '') },
  ];
}

/** An address of the web in a page's query, or null. */
const wayBack = (query: URLSearchParams, name: string): URL | null => {
  const given = URL.parse(query.get(name) ?? '');
  return given && /^https?:$/.test(given.protocol) ? given : null;
};

function withQuery(address: URL, members: Record<string, string>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(members)) url.searchParams.set(name, value);
  return url.href;
}

const content = (state: string, buttons: Record<string, string>, cancel: URL | null): string => `
<p>This is the sandbox: no money is moved and no identity is checked.</p>
<p role="status">State: <strong>${escaped(state)}</strong></p>
<form method="post">${Object.entries(buttons)
  .map(([name, label]) => `<button name="do" value="${escaped(name)}">${escaped(label)}</button>`)
  .join('')}</form>
${cancel ? `<p><a href="${escaped(cancel.href)}">Cancel and go back</a></p>` : ''}`;
