import type { Call, Handler } from '../edge/handler.ts';
import { pendingHeaders, resultOf } from '../intents/answers.ts';
import { wholeResultOf } from '../intents/hidden.ts';
import type { Intent } from '../intents/intent.ts';
import { pageOf } from '../kernel/pages.ts';
import { userOf } from '../kernel/principal.ts';
import { Refusal } from '../kernel/refusals.ts';
import { findKycCase } from '../kyc/queries.ts';
import { processorOf } from '../runtime.ts';
import { earningsOf, getEarningAccounts } from './earnings.ts';
import {
  openConnectAccount as acceptAccount,
  submitPayout as acceptSubmission,
  askForLink,
  requestPayout as writeDown,
} from './intents.ts';
import {
  type ConnectAccount,
  findSpokenFor,
  findUserPayout,
  getConnectUrls,
  listConnectAccounts as listAccounts,
  listUserPayouts as listPayouts,
} from './queries.ts';
import { accountStatus } from './rules.ts';

const CURRENCY = 'usd'; // the network settles in dollars
const PAGE = 100;
type Linked = { onboarding_url: string };

export const listConnectAccounts: Handler<'listConnectAccounts'> = async ({ runtime, principal }) => {
  const { owner, userId } = userOf(principal);
  const accounts = await listAccounts(runtime.db, owner, userId);
  return { status: 200, body: accounts.map((account) => ({ ...account, status: accountStatus(account) })) };
};

export const openConnectAccount: Handler<'openConnectAccount'> = async (call) => {
  const { owner, userId } = userOf(call.principal);
  const who = await linker(call);
  const made = await call.settled(await acceptAccount(who, userId, call.body.country));
  if (!standsBefore(made)) resultOf(made);
  const [account] = await listAccounts(call.runtime.db, owner, userId);
  if (!account)
    return { status: 202, body: openedAccount(null, null), headers: pendingHeaders(`/v2/intents/${made.id}`) };
  const link = await call.settled(await askForLink(who, account.processor_account_id));
  const result = (await wholeResultOf(call.runtime, link)) as Linked | null; // as recordLink wrote it
  if (result) return { status: 200, body: openedAccount(account, result.onboarding_url) };
  return { status: 202, body: openedAccount(account, null), headers: pendingHeaders(`/v2/intents/${link.id}`) };
};

/** A user who has an account already goes on with it. */
const standsBefore = ({ outcome }: Intent) =>
  outcome !== null && 'problem' in outcome && outcome.problem.code === 'V2_CONNECT_ACCOUNT_EXISTS';

const openedAccount = (account: ConnectAccount | null, onboarding_url: string | null) => ({
  id: account?.id ?? null,
  processor_account_id: account?.processor_account_id ?? null,
  onboarding_url,
  status: account ? accountStatus(account) : ('pending' as const),
  payouts_enabled: account?.payouts_enabled ?? false,
  charges_enabled: account?.charges_enabled ?? false,
  details_submitted: account?.details_submitted ?? false,
});

export const renewOnboardingLink: Handler<'renewOnboardingLink'> = async (call) => {
  const { owner, userId } = userOf(call.principal);
  const who = await linker(call);
  const accounts = await listAccounts(call.runtime.db, owner, userId);
  const account = accounts.find(({ processor_account_id }) => processor_account_id === call.path.processor_account_id);
  if (!account) throw new Refusal('V2_CONNECT_ACCOUNT_UNKNOWN', { effect: 'none' });
  const intent = await call.settled(await askForLink(who, account.processor_account_id));
  const result = (await wholeResultOf(call.runtime, intent)) as Linked | null; // as recordLink wrote it
  if (result) return { status: 200, body: { onboarding_url: result.onboarding_url } };
  return {
    status: 202,
    body: { onboarding_url: null, status: 'pending' },
    headers: pendingHeaders(`/v2/intents/${intent.id}`),
  };
};

async function linker({ runtime, asking }: Pick<Call, 'runtime' | 'asking'>) {
  processorOf(runtime);
  const { return_url, refresh_url } = await getConnectUrls(runtime.db, asking.owner);
  if (!return_url || !refresh_url) throw new Refusal('V2_CONNECT_URLS_NOT_CONFIGURED', { effect: 'none' });
  return { accept: runtime.acceptIntent, asking, deadlineMs: runtime.config.CHECKOUT_DEADLINE_MS };
}

export const listUserPayouts: Handler<'listUserPayouts'> = async ({ runtime, principal, query }) => {
  const { owner, userId } = userOf(principal);
  const { cursor = null, limit = PAGE } = query;
  const found = await listPayouts(runtime.db, owner, userId, { cursor, limit: limit + 1 });
  return pageOf(found, { path: '/v2/payouts', cursor: 'cursor', limit });
};

export const estimatePayout: Handler<'estimatePayout'> = async ({ runtime, principal, header }) => {
  const accounts = await getEarningAccounts(runtime.db, userOf(principal), header['X-Prop-Account']);
  const earned = await earningsOf(runtime.reads, accounts);
  const spokenFor = await findSpokenFor(
    runtime.db,
    accounts.map(({ id }) => id),
  );
  const cents = Math.max(0, earned - spokenFor);
  return {
    status: 200,
    body: { amount_usd: cents / 100, amount_cents: cents, currency: CURRENCY, available: cents > 0 },
  };
};

export const requestPayout: Handler<'requestPayout'> = async ({ runtime, principal, body }) => {
  const user = userOf(principal);
  processorOf(runtime);
  const verification = await findKycCase(runtime.db, user.owner, user.userId);
  if (verification?.status !== 'verified') throw new Refusal('V2_KYC_REQUIRED', { effect: 'none' });
  const [target] = await listAccounts(runtime.db, user.owner, user.userId);
  if (!target?.payouts_enabled) throw new Refusal('V2_PAYOUT_ACCOUNT_NOT_READY', { effect: 'none' });
  const [account, another] = await getEarningAccounts(runtime.db, user, body.prop_account_id);
  if (!account || another) throw new Refusal('V2_ACCOUNT_NOT_FUNDED', { effect: 'none' });
  const id = await writeDown(runtime.db, {
    accountId: account.id,
    connectAccountId: target.id,
    amountCents: body.amount_cents,
    currency: CURRENCY,
    earnedCents: await earningsOf(runtime.reads, [account]),
  });
  return { status: 200, body: await getUserPayout(runtime.db, user, id) };
};

export const submitPayout: Handler<'submitPayout'> = async (call) => {
  const user = userOf(call.principal);
  const { db, config } = call.runtime;
  processorOf(call.runtime);
  const who = { asking: call.asking, deadlineMs: config.CHECKOUT_DEADLINE_MS };
  const intent = await call.settled(await acceptSubmission(db, who, user.userId, call.path.payout_id));
  const isSent = resultOf(intent) !== null;
  const payout = await getUserPayout(db, user, call.path.payout_id);
  if (isSent) return { status: 200, body: payout };
  return { status: 202, body: payout, headers: pendingHeaders(`/v2/intents/${intent.id}`) };
};

async function getUserPayout(db: Call['runtime']['db'], user: { owner: string; userId: string }, id: string) {
  const payout = await findUserPayout(db, user.owner, user.userId, id);
  if (!payout) throw new Refusal('V2_PAYOUT_UNKNOWN');
  return payout;
}
