import type { Call, Reported, Route } from '../upstream.ts';
import { type Api, type Form, metadataOf } from './form.ts';
import { isMagicBuyer, SOON_MS } from './magic.ts';
import { type Account, missing, newObjectId, nowS, rejected, type VerificationSession, type World } from './world.ts';

/** Verification sessions and connected accounts of the API. */
export const peopleRoutes = (world: World, { get, post }: Api): Route[] => [
  post('/v1/identity/verification_sessions', (form, call) => createSession(world, form, call)),
  get('/v1/identity/verification_sessions/:id', ({ params }) => shown(world.sessions.get(params.id ?? ''))),
  post('/v1/accounts', (form, call) => createAccount(world, form, call)),
  get('/v1/accounts/:id', ({ params }) => {
    const account = world.accounts.get(params.id ?? '');
    return account?.isGone ? rejected(403, 'account_invalid') : shown(account);
  }),
  post('/v1/account_links', (form) => createLink(world, form)),
];

/** The response for an object, or for an unknown one. */
export const shown = (object: object | undefined): Reported =>
  object ? { status: 200, body: { ...object } } : missing();

/** The idempotency key of a call; `otherwise` without one. */
export const keyOf = ({ headers }: Call, otherwise: string) => String(headers['idempotency-key'] ?? otherwise);

function createSession(world: World, form: Form, call: Call): Reported {
  const id = newObjectId('vs');
  const session: VerificationSession = {
    id,
    object: 'identity.verification_session',
    status: 'requires_input',
    client_secret: `${id}_secret`,
    url: pageUrl(world, `verify/${id}`, { return_url: form.get('return_url') }),
    last_error: null,
    created: nowS(),
    metadata: metadataOf(form),
  };
  world.sessions.set(id, session);
  world.ledger.record({ key: keyOf(call, id), kind: 'verification', detail: { id } });
  world.emit('identity.verification_session.created', session);
  if (isMagicBuyer(world, session.metadata.user_id))
    world.after(SOON_MS, () => moveSession(world, session, 'verified'));
  return { status: 200, body: { ...session } };
}

/**
 * Sets the status of a verification: `verified`, `processing`, `canceled`, or `requires_input` with the failure's
 * reason.
 */
export function moveSession(
  world: World,
  session: VerificationSession,
  status: string,
  reason = 'document_unverified_other',
): void {
  session.status = status;
  session.last_error = status === 'requires_input' ? { code: reason, reason } : null;
  if (status === 'verified' || status === 'canceled') Object.assign(session, { url: null, client_secret: null });
  world.emit(`identity.verification_session.${status}`, session);
}

function createAccount(world: World, form: Form, call: Call): Reported {
  const country = form.get('country') ?? world.settings.country;
  if (country !== world.settings.country && form.get('tos_acceptance[service_agreement]') !== 'recipient')
    return rejected(400, 'country_unsupported');
  const id = newObjectId('acct');
  const account: Account = {
    id,
    object: 'account',
    country,
    payouts_enabled: false,
    capabilities: { transfers: 'inactive' },
    charges_enabled: false,
    details_submitted: false,
    external_accounts: { object: 'list', data: [] },
    metadata: metadataOf(form),
    balances: {},
  };
  world.accounts.set(id, account);
  world.ledger.record({ key: keyOf(call, id), kind: 'account', detail: { id } });
  if (isMagicBuyer(world, account.metadata.user_id)) world.after(SOON_MS, () => onboard(world, account));
  return { status: 200, body: { ...account } };
}

/** Completes the onboarding of a connected account. */
export function onboard(world: World, account: Account): void {
  Object.assign(account, { payouts_enabled: true, charges_enabled: true, details_submitted: true });
  account.capabilities.transfers = 'active';
  account.external_accounts.data = [bankOf(account, 1)];
  world.emit('account.updated', account, account.id);
}

/** The user of a connected account names another bank account, which looks the same, or (null) removes the one that it has. */
export function changeBank(world: World, account: Account, nth: number | null): void {
  account.external_accounts.data = nth === null ? [] : [bankOf(account, nth)];
  world.emit('account.updated', account, account.id);
}

const bankOf = ({ id }: Account, nth: number) => ({
  id: newObjectId('ba'),
  object: 'bank_account',
  bank_name: 'SANDBOX TEST BANK',
  last4: '6789',
  fingerprint: `${id}_${nth}`,
});

/** The processor stops the payouts of a connected account. */
export function restrict(world: World, account: Account): void {
  account.payouts_enabled = false;
  world.emit('account.updated', account, account.id);
}

/** Stops transfers to a connected account. What it has can still be paid out. */
export function stopTransfers(world: World, account: Account): void {
  account.capabilities.transfers = 'inactive';
  world.emit('account.updated', account, account.id);
}

/** The user of a connected account leaves the platform. */
export function deauthorize(world: World, account: Account): void {
  account.isGone = true;
  world.emit(
    'account.application.deauthorized',
    { id: 'ca_sandbox', object: 'application', name: 'Sandbox' },
    account.id,
  );
}

function createLink(world: World, form: Form): Reported {
  const account = world.accounts.get(form.get('account') ?? '');
  if (!account) return missing();
  const ways = { return_url: form.get('return_url'), cancel_url: form.get('refresh_url') };
  const url = pageUrl(world, `onboard/${account.id}`, ways);
  return { status: 200, body: { object: 'account_link', created: nowS(), expires_at: nowS() + 300, url } };
}

/** The address of a page, with the ways back that the caller gave. */
function pageUrl(world: World, page: string, ways: Record<string, string | null>): string {
  const url = new URL(`${world.baseUrl()}/sandbox/${page}`);
  for (const [name, way] of Object.entries(ways)) if (way !== null) url.searchParams.set(name, way);
  return url.href;
}
