import { isAdvance, NOT_SECONDS } from './control.ts';
import { scriptedFaults } from './faults.ts';
import { forward } from './forward.ts';
import { htmlPage } from './html.ts';
import type { MailUpstream } from './mail.ts';
import { mailResponse, mailsResponse } from './mailbox.ts';
import { overview, overviewPage, STEERED } from './overview.ts';
import { type Call, type Reported, type Route, responder, wantsPage } from './upstream.ts';

/** What the site shows and steers: the control addresses of the upstreams, and how time passes for the database. */
export type Sited = {
  controls: Record<(typeof STEERED)[number], string>;
  processorUrl: string;
  mails: MailUpstream['mails'];
  advanceDatabase(seconds: number): Promise<void>;
  /** Lets time pass for one prop account: its subaccount at the network, undefined if it has none; null if there is no such account. */
  advanceAccount(account: string, seconds: number): Promise<Subaccount | undefined | null>;
};

/** A subaccount of the network, by its entity and number. */
export type Subaccount = { entity: string; subaccount_id: number };

/** Responds to requests for paths below `/sandbox`, so that a team needs no address but the service's. */
export const sandboxSite = (sited: Sited) => responder(routesOf(sited), scriptedFaults());

const routesOf = (sited: Sited): Route[] => [
  get('/sandbox', (call) =>
    wantsPage(call) ? { status: 200, page: true, body: overviewPage() } : { status: 200, body: overview },
  ),
  get('/sandbox/mails', (call) => mailsResponse(sited.mails(call.query.get('to') || undefined), call)),
  get('/sandbox/mails/:seq', (call) => mailResponse(sited.mails(), call)),
  { method: 'POST', path: '/sandbox/clock/advance', response: (call) => advance(sited, call) },
  ...['pay', 'verify', 'onboard'].flatMap((page) =>
    ['GET', 'POST'].map((method) => ({
      method,
      path: `/sandbox/${page}/:id`,
      response: (call: Call) =>
        forward(`${sited.processorUrl}/sandbox/${page}/${encodeURIComponent(call.params.id ?? '')}`, method, call),
    })),
  ),
  ...STEERED.flatMap((name) =>
    ['GET', 'POST', 'DELETE'].map((method) => ({
      method,
      path: `/sandbox/${name}/:control`,
      response: (call: Call) =>
        forward(`${sited.controls[name]}/${encodeURIComponent(call.params.control ?? '')}`, method, call),
    })),
  ),
];

const get = (path: string, response: Route['response']): Route => ({ method: 'GET', path, response });

/**
 * Lets time pass for the database, then for the upstreams: in between a record of ours is older than theirs, so that
 * a look-up takes theirs for later than the request. `{"seconds"}` as JSON or a form.
 */
async function advance(sited: Sited, call: Call): Promise<Reported> {
  const { controls, advanceDatabase } = sited;
  const { seconds, account } = Object(call.json) as { seconds?: unknown; account?: unknown }; // as: checked here
  const given = seconds ?? Number(new URLSearchParams(call.text).get('seconds'));
  if (!isAdvance(given)) return { status: 400, body: { error: NOT_SECONDS } };
  if (account !== undefined) return advanceOne(sited, String(account), given, call);
  await advanceDatabase(given);
  for (const name of STEERED) {
    const text = JSON.stringify({ seconds: given });
    const { status } = await forward(`${controls[name]}/advance`, 'POST', {
      ...call,
      query: new URLSearchParams(),
      text,
    });
    if (status !== 200) return { status: 502, body: { error: `the ${name} of the sandbox did not advance` } };
  }
  if (!wantsPage(call)) return { status: 200, body: { advanced_s: given } };
  const content = `<p role="status">${given} seconds have passed.</p><p><a href="/sandbox">Sandbox</a></p>`;
  return { status: 200, page: true, body: htmlPage('Clock', content) };
}

/** The same for one account. */
async function advanceOne(
  { controls, advanceAccount }: Sited,
  account: string,
  seconds: number,
  call: Call,
): Promise<Reported> {
  const subaccount = await advanceAccount(account, seconds);
  if (subaccount === null) return { status: 404, body: { error: 'no such account' } };
  if (subaccount === undefined) return { status: 200, body: { advanced_s: seconds, account } };
  const text = JSON.stringify({ ...subaccount, seconds });
  const { status } = await forward(`${controls.network}/age`, 'POST', { ...call, query: new URLSearchParams(), text });
  if (status !== 200) return { status: 502, body: { error: 'the network of the sandbox did not advance' } };
  return { status: 200, body: { advanced_s: seconds, account } };
}
