import { type ControlCall, exampleOf } from './control-calls.ts';
import { calls as exchangeCalls } from './exchange/control-calls.ts';
import { magicSizes } from './exchange/magic.ts';
import { faultKinds } from './faults.ts';
import { escaped, htmlPage, htmlTable } from './html.ts';
import { calls as networkCalls } from './network/control-calls.ts';
import { magicSizes as accountSizes, magicLeverages } from './network/magic.ts';
import { calls as processorCalls } from './processor/control-calls.ts';
import { magicAmounts } from './processor/magic.ts';
import { magicEmails } from './registrar/magic.ts';

/** The upstreams that have a ledger and control calls, by their names in addresses. */
export const STEERED = ['network', 'exchange', 'registrar', 'processor'] as const;

/** The control calls of each upstream; the registrar has none of its own. */
const CALLS: Partial<Record<(typeof STEERED)[number], Record<string, ControlCall>>> = {
  network: networkCalls,
  exchange: exchangeCalls,
  processor: processorCalls,
};

/** Every control call with its address, what it does, its members and an example of its body. */
export const controlCalls = Object.entries(CALLS).flatMap(([upstream, calls]) =>
  Object.entries(calls).map(([name, call]) => ({
    method: call.reads ? 'GET' : 'POST',
    path: `/sandbox/${upstream}/${name}`,
    does: call.does,
    members: Object.entries(call.members).map(([member, [example, description]]) => ({
      ...{ name: member.replace('?', ''), optional: member.endsWith('?'), example, description },
    })),
    ...(!call.reads && { body: exampleOf(call) }),
  })),
);

/** What the sandbox offers, from the definitions of its upstreams. Addresses are relative to the service's. */
export const overview = {
  mails: '/sandbox/mails',
  pay: '/sandbox/pay/{client_secret}',
  advance: '/sandbox/clock/advance',
  upstreams: STEERED.map((name) => ({
    name,
    ledger: `/sandbox/${name}/ledger`,
    faults: `/sandbox/${name}/faults`,
  })),
  magic_values: [
    ...magicLeverages.map(({ leverage, description }) => magic('leverage of a network order', leverage, description)),
    ...magicAmounts.map(({ cents, description }) => magic('amount_cents of a checkout', cents, description)),
    ...accountSizes.map(({ size, description }) => magic('account_size of an account', size, description)),
    ...magicSizes.map(({ size, description }) => magic('size of an exchange order', size, description)),
    ...magicEmails.map(({ name, description }) => magic('email of a registration', `${name}@…`, description)),
  ],
  controls: controlCalls,
  faults: Object.entries(faultKinds).map(([kind, effect]) => ({ kind, effect })),
};

function magic(member: string, value: number | string, effect: string) {
  return { member, value: String(value), effect };
}

/** The same as a page, with a form that advances the clock. */
export const overviewPage = (): string => {
  const { upstreams, magic_values, faults } = overview;
  const ledgers = upstreams.map(({ name, ledger, faults: scripted }) => [name, link(ledger), code(`POST ${scripted}`)]);
  return htmlPage(
    'Sandbox',
    `<p>The upstreams of this service are simulated: no money is moved, and nothing is traded.
How to use it: <a href="/docs/sandbox">guide</a>.</p>
<p>${link(overview.mails)}: what the service has sent. ${code(overview.pay)}: pays a checkout.</p>
<h2>Clock</h2>
<form method="post" action="${overview.advance}">
<label>Let pass <input name="seconds" type="number" min="1" value="86400" required> seconds</label><button>Advance</button>
</form>
<h2>Upstreams</h2>
${htmlTable(['upstream', 'ledger', 'scripted faults'], ledgers)}
<h2>Magic values</h2>
${htmlTable(
  ['member', 'value', 'effect'],
  magic_values.map(({ member, value, effect }) => [escaped(member), code(value), escaped(effect)]),
)}
<h2>Control calls</h2>
${htmlTable(
  ['call', 'body', 'effect'],
  controlCalls.map(({ method, path, body, does }) => [
    code(`${method} ${path}`),
    body ? code(JSON.stringify(body)) : '',
    escaped(does),
  ]),
)}
<h2>Faults</h2>
${htmlTable(
  ['kind', 'effect'],
  faults.map(({ kind, effect }) => [code(kind), escaped(effect)]),
)}`,
  );
};

const code = (text: string) => `<code>${escaped(text)}</code>`;
const link = (path: string) => `<a href="${escaped(path)}">${escaped(path)}</a>`;
