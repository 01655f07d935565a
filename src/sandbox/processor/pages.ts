import type { Reported, Route } from '../upstream.ts';
import { decline, succeed } from './payments.ts';
import { moveSession, onboard } from './people.ts';
import type { World } from './world.ts';

/**
 * The pages for the user's browser: pay, verify the identity, connect a bank account. Plain forms without scripts or
 * external resources. A GET has no effect.
 */
export const pageRoutes = (world: World): Route[] => [
  ...page('/sandbox/pay/:id', {
    find: (secret) => world.payments.get(secret.split('_secret_')[0] ?? ''),
    isFor: (payment, secret) => payment.client_secret === secret,
    title: (payment) => `Pay ${(payment.amount / 100).toFixed(2)} ${payment.currency.toUpperCase()}`,
    state: ({ status }) => status,
    buttons: { pay: 'Pay', decline: 'Decline the card' },
    press: (payment, button) => void (button === 'pay' ? succeed(world, payment) : decline(world, payment)),
  }),
  ...page('/sandbox/verify/:id', {
    find: (id) => world.sessions.get(id),
    isFor: () => true,
    title: () => 'Verify your identity',
    state: ({ status }) => status,
    buttons: { verified: 'Pass the check', requires_input: 'Fail the check' },
    press: (session, button) => moveSession(world, session, button === 'verified' ? 'verified' : 'requires_input'),
  }),
  ...page('/sandbox/onboard/:id', {
    find: (id) => world.accounts.get(id),
    isFor: () => true,
    title: () => 'Connect a bank account',
    state: ({ payouts_enabled }) => (payouts_enabled ? 'payouts are enabled' : 'details are missing'),
    buttons: { connect: 'Connect the test bank' },
    press: (account) => onboard(world, account),
  }),
];

type Page<T> = {
  find(id: string): T | undefined;
  isFor(object: T, id: string): boolean;
  title(object: T): string;
  state(object: T): string;
  buttons: Record<string, string>;
  press(object: T, button: string): void;
};

function page<T>(path: string, { find, isFor, title, state, buttons, press }: Page<T>): Route[] {
  const about = (id = '', pressed?: (object: T) => void): Reported => {
    const object = find(id);
    if (object === undefined || !isFor(object, id))
      return { status: 404, page: true, body: html('Not found', 'unknown', {}) };
    pressed?.(object);
    return { status: 200, page: true, body: html(title(object), state(object), buttons) };
  };
  return [
    { method: 'GET', path, response: ({ params }) => about(params.id) },
    {
      method: 'POST',
      path,
      response: ({ params, text }) => {
        const button = new URLSearchParams(text).get('do') ?? '';
        return about(params.id, (object) => Object.hasOwn(buttons, button) && press(object, button));
      },
    },
  ];
}

const html = (title: string, state: string, buttons: Record<string, string>): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} (sandbox)</title>
<style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:30rem;margin:3rem auto;padding:0 1rem}button{font:inherit;padding:.6rem 1rem;margin:.5rem .5rem 0 0}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>This is the sandbox: no money is moved and no identity is checked.</p>
<p role="status">State: <strong>${state}</strong></p>
<form method="post">${Object.entries(buttons)
  .map(([name, label]) => `<button name="do" value="${name}">${label}</button>`)
  .join('')}</form>
</main>
</body>
</html>
`;
