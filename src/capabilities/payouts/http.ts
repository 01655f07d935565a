import type { Processor } from '../../adapters/processor/types.ts';
import type { CallWith, Handler } from '../../contract/handler.ts';
import type { NewIntent, SubmitDeps } from '../../intents/accept.ts';
import { spendDaily } from '../../intents/daily-budgets.ts';
import { hasSucceeded, pendingHeaders } from '../../intents/follow.ts';
import type { Intent } from '../../intents/intent.ts';
import { fullResultOf } from '../../intents/sealed-results.ts';
import { submitted } from '../../intents/submitted.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { OwnerId, PayoutId, PropAccountId, UserId } from '../../kernel/ids.ts';
import { listPage, slicePage } from '../../kernel/pages.ts';
import { provenUserOf, userOf } from '../../kernel/principal.ts';
import { requireValue } from '../../kernel/require.ts';
import type { Sealer } from '../../kernel/seal.ts';
import type { VenueReads } from '../../venues/reads.ts';
import { findKycCase } from '../kyc/queries.ts';
import {
  detachAccount,
  noteLink,
  cancelPayout as recordCancellation,
  requestPayout as recordRequest,
} from './commands.ts';
import {
  openConnectAccount as acceptAccount,
  submitPayout as acceptSubmission,
  requestFirstLink,
  requestLink,
} from './intents.ts';
import { linkResult } from './link.ts';
import {
  type ConnectAccount,
  findAccountOfPayout,
  findUserPayout,
  getConnectUrls,
  listConnectAccounts as listAccounts,
  listUserPayouts as listPayouts,
  sumReservedCents,
} from './queries.ts';
import { earningsOf, getEarningAccounts } from './read-model.ts';
import { accountStatus, corridorOf } from './rules.ts';

type Deps = SubmitDeps<
  'acceptIntent',
  NewIntent,
  'CHECKOUT_DEADLINE_MS' | 'PROCESSOR_COUNTRY' | 'PAYOUT_DESTINATION_HOLD_H'
> & {
  sealer: Sealer;
  reads: VenueReads;
  processor: Processor | null;
};

const CURRENCY = 'usd'; // the network settles in dollars

/** Handles `GET /v2/connect/accounts`: list the user's payout accounts. */
export const listConnectAccounts: Handler<'listConnectAccounts', Deps> = async ({ deps, principal, query }) => {
  const { owner, userId } = userOf(principal);
  const accounts = (await listAccounts(deps.db, owner, userId)).map((account) => ({
    ...account,
    status: accountStatus(account),
  }));
  return slicePage(query, { path: '/v2/connect/accounts', cursorOf: ({ id }) => id }, accounts);
};

/** Handles `POST /v2/connect/accounts`: begin to connect a bank account. */
export const openConnectAccount: Handler<'openConnectAccount', Deps> = async (call) => {
  const { owner, userId, sessionId } = provenUserOf(call.principal);
  const { country } = call.body;
  const corridor = requireValue(corridorOf(country, call.deps.config.PROCESSOR_COUNTRY), 'V2_COUNTRY_UNSUPPORTED', {
    effect: 'none',
  });
  const context = await linker(call);
  await spendDaily(call, { payout_accounts_per_user: userId });
  const made = await call.settled(
    await acceptAccount(context, userId, { country, isAbroad: corridor === 'abroad', sessionId }),
  );
  if (!hadAccount(made)) hasSucceeded(made); // throws its problem
  const [account] = await listAccounts(call.deps.db, owner, userId);
  if (!account)
    return { status: 202, body: openedAccount(null, null), headers: pendingHeaders(`/v2/intents/${made.id}`, made) };
  await noteLink(call.deps.db, account.processor_account_id, sessionId);
  const link = await call.settled(await requestFirstLink(context, account.processor_account_id));
  const result = await fullResultOf(call.deps, link, linkResult).catch((error: unknown) => {
    throw made.state === 'succeeded' && error instanceof ApiError ? withoutLink(error) : error;
  });
  if (result) return { status: 200, body: openedAccount(account, result.onboarding_url) };
  return { status: 202, body: openedAccount(account, null), headers: pendingHeaders(`/v2/intents/${link.id}`, link) };
};

/** Whether the user already had an account; the request continues with that one. */
const hadAccount = ({ outcome }: Intent) =>
  outcome !== null && 'problem' in outcome && outcome.problem.code === 'V2_CONNECT_ACCOUNT_EXISTS';

/** The account was opened; the request for its link had no effect, or an unknown one. */
const withoutLink = ({ code, details }: ApiError) => new ApiError(code, { ...details, effect: 'done' });

const openedAccount = (account: ConnectAccount | null, onboarding_url: string | null) => ({
  id: account?.id ?? null,
  processor_account_id: account?.processor_account_id ?? null,
  onboarding_url,
  status: account ? accountStatus(account) : ('pending' as const),
  payouts_enabled: account?.payouts_enabled ?? false,
  charges_enabled: account?.charges_enabled ?? false,
  details_submitted: account?.details_submitted ?? false,
});

/** Handles `POST /v2/connect/accounts/{processor_account_id}/onboarding-link`: create a new onboarding link. */
export const renewOnboardingLink: Handler<'renewOnboardingLink', Deps> = async (call) => {
  const { owner, userId, sessionId } = provenUserOf(call.principal);
  const context = await linker(call);
  const accounts = await listAccounts(call.deps.db, owner, userId);
  const account = accounts.find(({ processor_account_id }) => processor_account_id === call.path.processor_account_id);
  if (!account) throw new ApiError('V2_CONNECT_ACCOUNT_UNKNOWN', { effect: 'none' });
  await noteLink(call.deps.db, account.processor_account_id, sessionId);
  const intent = await call.settled(await requestLink(context, account.processor_account_id));
  const result = await fullResultOf(call.deps, intent, linkResult);
  if (result) return { status: 200, body: { onboarding_url: result.onboarding_url } };
  return {
    status: 202,
    body: { onboarding_url: null, status: 'pending' },
    headers: pendingHeaders(`/v2/intents/${intent.id}`, intent),
  };
};

/** Handles `DELETE /v2/connect/accounts/{processor_account_id}`: detach the user's payout account. */
export const detachConnectAccount: Handler<'detachConnectAccount', Deps> = ({ principal, path, commit }) => {
  const { owner, userId } = provenUserOf(principal);
  return commit(async (db) => {
    await detachAccount(db, owner, userId, path.processor_account_id);
    return { status: 200, body: { detached: true } };
  });
};

async function linker({ deps, context }: Pick<CallWith<Deps>, 'deps' | 'context'>) {
  requireValue(deps.processor, 'V2_PAYMENTS_NOT_CONFIGURED', { effect: 'none' });
  const { return_url, refresh_url } = await getConnectUrls(deps.db, context.owner);
  if (!return_url || !refresh_url) throw new ApiError('V2_CONNECT_URLS_NOT_CONFIGURED', { effect: 'none' });
  return { accept: deps.acceptIntent, context, deadlineMs: deps.config.CHECKOUT_DEADLINE_MS };
}

/** Handles `GET /v2/payouts`: list the user's payouts. */
export const listUserPayouts: Handler<'listUserPayouts', Deps> = ({ deps, principal, query }) => {
  const { owner, userId } = userOf(principal);
  const isKnown = async (id: string) => (await findUserPayout(deps.db, owner, userId, id)) !== null;
  return listPage(query, { path: '/v2/payouts', cursorOf: ({ id }) => id, isKnown }, (page) =>
    listPayouts(deps.db, owner, userId, page),
  );
};

/** Handles `GET /v2/payouts/estimate`: estimate what can be paid out. */
export const estimatePayout: Handler<'estimatePayout', Deps> = async ({ deps, principal, header }) => {
  const accounts = await getEarningAccounts(deps.db, userOf(principal), header['X-Prop-Account']);
  const earned = await earningsOf(deps.reads, accounts);
  const reservedCents = await sumReservedCents(
    deps.db,
    accounts.map(({ id }) => id),
  );
  const cents = Math.max(0, earned - reservedCents);
  return {
    status: 200,
    body: { amount_usd: cents / 100, amount_cents: cents, currency: CURRENCY, available: cents > 0 },
  };
};

/** Handles `POST /v2/payouts/request`: request a payout. */
export const requestPayout: Handler<'requestPayout', Deps> = async ({ deps, principal, body, commit }) => {
  const user = userOf(principal);
  requireValue(deps.processor, 'V2_PAYMENTS_NOT_CONFIGURED', { effect: 'none' });
  const verification = await findKycCase(deps.db, user.owner, user.userId);
  if (verification?.status !== 'verified') throw new ApiError('V2_KYC_REQUIRED', { effect: 'none' });
  const [target] = await listAccounts(deps.db, user.owner, user.userId);
  if (!target?.payouts_enabled) throw new ApiError('V2_PAYOUT_ACCOUNT_NOT_READY', { effect: 'none' });
  const [account, another] = await getEarningAccounts(deps.db, user, body.prop_account_id);
  if (!account || another) throw new ApiError('V2_ACCOUNT_NOT_FUNDED', { effect: 'none' });
  const earnedCents = await earningsOf(deps.reads, [account]);
  return commit(async (db) => {
    const id = await recordRequest(db, {
      accountId: account.id,
      connectAccountId: target.id,
      amountCents: body.amount_cents,
      currency: CURRENCY,
      earnedCents,
      sessionId: user.sessionId,
    });
    return { status: 200, body: await getUserPayout(db, user, id) };
  });
};

/** Handles `POST /v2/payouts/{payout_id}/submit`: submit a payout. */
export const submitPayout: Handler<'submitPayout', Deps> = async (call) => {
  const user = provenUserOf(call.principal);
  const { db, config } = call.deps;
  requireValue(call.deps.processor, 'V2_PAYMENTS_NOT_CONFIGURED', { effect: 'none' });
  const { payout_id: id } = call.path;
  const account = await findAccountOfPayout(db, user.owner, user.userId, id);
  if (account === null) throw new ApiError('V2_PAYOUT_UNKNOWN', { effect: 'none' });
  const earnedCents = await earnedByAccount(call.deps, user, account);
  const context = { context: call.context, deadlineMs: config.CHECKOUT_DEADLINE_MS };
  const { accepted } = await submitted(call, async (tx) => {
    const accepted = await acceptSubmission(tx, context, user.userId, {
      id,
      earnedCents,
      holdH: config.PAYOUT_DESTINATION_HOLD_H,
      sessionId: user.sessionId,
    });
    const body = await getUserPayout(tx, user, id);
    return { accepted, pending: { status: 202 as const, body, headers: pendingHeaders(`/v2/intents/${accepted.id}`) } };
  });
  const intent = await call.settled(accepted);
  const payout = await getUserPayout(db, user, id);
  if (payout.status !== 'delayed' && hasSucceeded(intent)) return { status: 200, body: payout };
  return { status: 202, body: payout, headers: pendingHeaders(`/v2/intents/${accepted.id}`, intent) };
};

/** Handles `POST /v2/payouts/{payout_id}/cancel`: cancel a payout of which no money has moved. */
export const cancelPayout: Handler<'cancelPayout', Deps> = async ({ principal, path, commit }) => {
  const user = userOf(principal);
  return commit(async (db) => {
    await recordCancellation(db, user, path.payout_id);
    return { status: 200, body: await getUserPayout(db, user, path.payout_id) };
  });
};

/** What an account has earned; 0 unless it is funded, and then the submission is rejected for that. */
const earnedByAccount = async ({ db, reads }: Pick<Deps, 'db' | 'reads'>, user: User, account: PropAccountId) =>
  earningsOf(reads, await getEarningAccounts(db, user, account));

type User = { owner: OwnerId; userId: UserId };

async function getUserPayout(db: Deps['db'], user: User, id: PayoutId) {
  const payout = await findUserPayout(db, user.owner, user.userId, id);
  if (!payout) throw new ApiError('V2_PAYOUT_UNKNOWN');
  return payout;
}
