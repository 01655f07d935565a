import type { Call, Reported, Route } from '../upstream.ts';
import { type Api, type Form, metadataOf, wholeOf } from './form.ts';
import { type Account, missing, newObjectId, nowS, rejected, type VerificationSession, type World } from './world.ts';

/** Verification sessions, connected accounts, transfers and payouts of the API. */
export const peopleRoutes = (world: World, { get, post }: Api): Route[] => [
  post('/v1/identity/verification_sessions', (form, call) => createSession(world, form, call)),
  get('/v1/identity/verification_sessions/:id', ({ params }) => shown(world.sessions.get(params.id ?? ''))),
  post('/v1/accounts', (form, call) => createAccount(world, form, call)),
  get('/v1/accounts/:id', ({ params }) => shown(world.accounts.get(params.id ?? ''))),
  post('/v1/account_links', (form) => createLink(world, form)),
  post('/v1/transfers', (form, call) => transfer(world, form, call)),
  post('/v1/payouts', (form, call) => payOut(world, form, call)),
  get('/v1/payouts/:id', ({ params }) => shown(world.payouts.get(params.id ?? ''))),
];

const shown = (object: object | undefined): Reported => (object ? { status: 200, body: { ...object } } : missing());

const keyOf = ({ headers }: Call, otherwise: string) => String(headers['idempotency-key'] ?? otherwise);

function createSession(world: World, form: Form, call: Call): Reported {
  const id = newObjectId('vs');
  const session: VerificationSession = {
    id,
    object: 'identity.verification_session',
    status: 'requires_input',
    client_secret: `${id}_secret`,
    url: `${world.baseUrl()}/sandbox/verify/${id}`,
    last_error: null,
    created: nowS(),
    metadata: metadataOf(form),
  };
  world.sessions.set(id, session);
  world.ledger.record({ key: keyOf(call, id), kind: 'verification', detail: { id } });
  world.emit('identity.verification_session.created', session);
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
  const id = newObjectId('acct');
  const account: Account = {
    id,
    object: 'account',
    country: form.get('country') ?? 'US',
    payouts_enabled: false,
    charges_enabled: false,
    details_submitted: false,
    external_accounts: { object: 'list', data: [] },
    metadata: metadataOf(form),
    balance: 0,
  };
  world.accounts.set(id, account);
  world.ledger.record({ key: keyOf(call, id), kind: 'account', detail: { id } });
  return { status: 200, body: { ...account } };
}

/** Completes the onboarding of a connected account. */
export function onboard(world: World, account: Account): void {
  Object.assign(account, { payouts_enabled: true, charges_enabled: true, details_submitted: true });
  account.external_accounts.data = [{ object: 'bank_account', bank_name: 'SANDBOX TEST BANK', last4: '6789' }];
  world.emit('account.updated', account, account.id);
}

function createLink(world: World, form: Form): Reported {
  const account = world.accounts.get(form.get('account') ?? '');
  if (!account) return missing();
  const url = `${world.baseUrl()}/sandbox/onboard/${account.id}`;
  return { status: 200, body: { object: 'account_link', created: nowS(), expires_at: nowS() + 300, url } };
}

function transfer(world: World, form: Form, call: Call): Reported {
  const account = world.accounts.get(form.get('destination') ?? '');
  const amount = wholeOf(form, 'amount');
  if (!account) return missing();
  if (amount === null || amount <= 0) return rejected(400, 'parameter_invalid_integer');
  if (!account.payouts_enabled) return rejected(400, 'insufficient_capabilities_for_transfer');
  const id = newObjectId('tr');
  account.balance += amount;
  const made = {
    id,
    object: 'transfer' as const,
    amount,
    currency: form.get('currency') ?? 'usd',
    destination: account.id,
    metadata: metadataOf(form),
  };
  world.transfers.set(id, made);
  world.ledger.record({ key: keyOf(call, id), kind: 'transfer', detail: { id, amount, destination: account.id } });
  return { status: 200, body: made };
}

function payOut(world: World, form: Form, call: Call): Reported {
  const account = world.accounts.get(String(call.headers['stripe-account'] ?? ''));
  const amount = wholeOf(form, 'amount');
  if (!account) return missing();
  if (amount === null || amount > account.balance) return rejected(400, 'balance_insufficient');
  account.balance -= amount;
  const id = newObjectId('po');
  const payout = {
    id,
    object: 'payout' as const,
    amount,
    currency: form.get('currency') ?? 'usd',
    status: 'pending',
    failure_code: null,
    metadata: metadataOf(form),
    account: account.id,
  };
  world.payouts.set(id, payout);
  world.ledger.record({ key: keyOf(call, id), kind: 'payout', detail: { id, amount, account: account.id } });
  world.emit('payout.created', payout, account.id);
  return { status: 200, body: { ...payout } };
}

/** The bank's result of a payout: `paid` or `failed`. `failed` may follow `paid`. */
export function movePayout(world: World, id: string, status: 'paid' | 'failed'): boolean {
  const payout = world.payouts.get(id);
  if (!payout) return false;
  payout.status = status;
  payout.failure_code = status === 'failed' ? 'account_closed' : null;
  world.emit(`payout.${status}`, payout, payout.account);
  return true;
}

/** Reverses a transfer. */
export function reverseTransfer(world: World, id: string): boolean {
  const made = world.transfers.get(id);
  if (made) world.emit('transfer.reversed', made);
  return made !== undefined;
}
