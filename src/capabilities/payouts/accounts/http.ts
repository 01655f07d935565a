import type { Processor } from '../../../adapters/processor/types.ts';
import type { Call, CallWith, Handler } from '../../../contract/handler.ts';
import type { NewIntent, SubmitDeps } from '../../../intents/accept.ts';
import { spendDaily } from '../../../intents/daily-budgets.ts';
import { pendingHeaders, recordedResult } from '../../../intents/follow.ts';
import type { Intent } from '../../../intents/intent.ts';
import { fullResultOf } from '../../../intents/sealed-results.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { slicePage } from '../../../kernel/pages.ts';
import { provenUserOf, userOf } from '../../../kernel/principal.ts';
import { requireValue } from '../../../kernel/require.ts';
import type { Sealer } from '../../../kernel/seal.ts';
import { detachAccount, noteLink } from '../commands.ts';
import { openConnectAccount as acceptAccount, requestFirstLink, requestLink } from '../intents.ts';
import { linkResult } from '../link.ts';
import { type ConnectAccount, findConnectAccount, getConnectUrls, hadConnectAccount } from '../queries.ts';
import { corridorOf } from '../rules.ts';

type Deps = SubmitDeps<'acceptIntent', NewIntent, 'CHECKOUT_DEADLINE_MS' | 'PROCESSOR_COUNTRY'> & {
  sealer: Sealer;
  processor: Processor | null;
};

/** Handles `GET /v2/connect/accounts`: list the user's payout accounts. */
export const listConnectAccounts: Handler<'listConnectAccounts', Deps> = async ({ deps, principal, query }) => {
  const { owner, userId } = userOf(principal);
  const account = await findConnectAccount(deps.db, owner, userId);
  return slicePage(query, { path: '/v2/connect/accounts', cursorOf: ({ id }) => id }, account ? [account] : []);
};

/** Handles `POST /v2/connect/accounts`: begin to connect a bank account. */
export const openConnectAccount: Handler<'openConnectAccount', Deps> = (call) => openAccount(call);

/** Handles `PUT /v2/connect/accounts/{processor_account_id}`: replace the user's payout account. */
export const replaceConnectAccount: Handler<'replaceConnectAccount', Deps> = async (call) => {
  const { owner, userId } = provenUserOf(call.principal);
  const { processor_account_id: replaces } = call.path;
  if (!(await hadConnectAccount(call.deps.db, owner, userId, replaces)))
    throw new ApiError('V2_CONNECT_ACCOUNT_UNKNOWN', { effect: 'none' });
  return openAccount(call, replaces);
};

/** Opens an account beside none, or in the place of another one, and begins its onboarding. */
async function openAccount(call: Opening, replaces?: string) {
  const { owner, userId, sessionId } = provenUserOf(call.principal);
  const { country } = call.body;
  const corridor = requireValue(corridorOf(country, call.deps.config.PROCESSOR_COUNTRY), 'V2_COUNTRY_UNSUPPORTED', {
    effect: 'none',
  });
  const context = await linker(call);
  await spendDaily(call, { payout_accounts_per_user: userId });
  const made = await call.settled(
    await acceptAccount(context, {
      user_id: userId,
      country,
      is_abroad: corridor === 'abroad',
      session_id: sessionId,
      ...(replaces !== undefined && { replaces }),
    }),
  );
  const isPresent = replaces === undefined && hadAccount(made);
  const opened = isPresent ? null : recordedResult(made); // which throws its problem
  const hasEnded = isPresent || opened !== null;
  const id = opened?.processor_account_id;
  const attached = replaces === undefined || hasEnded ? await findConnectAccount(call.deps.db, owner, userId) : null;
  const account = attached?.processor_account_id === replaces ? null : attached;
  if (hasEnded && (!account || account.processor_account_id !== id)) await requireSame(call, account, id);
  if (!account) return pending(made, openedAccount(null, null));
  const throwWithEffect = (error: unknown) => {
    throw made.state === 'succeeded' && error instanceof ApiError ? withoutLink(error) : error;
  };
  await noteLink(call.deps.db, account.processor_account_id, sessionId).catch(throwWithEffect);
  const link = await call.settled(await requestFirstLink(context, account.processor_account_id));
  const result = await fullResultOf(call.deps, link, linkResult).catch(throwWithEffect);
  if (result) return { status: 200 as const, body: openedAccount(account, result.onboarding_url) };
  return pending(link, openedAccount(account, null));
}

const pending = <Body>(intent: Intent, body: Body) => ({
  status: 202 as const,
  body,
  headers: pendingHeaders(`/v2/intents/${intent.id}`, intent),
});

type Opening = Pick<
  Call<'openConnectAccount', Deps>,
  'body' | 'deps' | 'principal' | 'context' | 'throttle' | 'settled'
>;

/** Whether the user already had an account; the request continues with that one. */
const hadAccount = ({ outcome }: Intent) =>
  outcome !== null && 'problem' in outcome && outcome.problem.code === 'V2_CONNECT_ACCOUNT_EXISTS';

/**
 * Throws where the account that this request opened, or found, has been detached since, and where the user's is in another country.
 * `id`: the account that it opened, if it did.
 */
async function requireSame({ deps, principal, body }: Opening, account: ConnectAccount | null, id: unknown) {
  const { owner, userId } = userOf(principal);
  const wasOpened = typeof id === 'string' && (await hadConnectAccount(deps.db, owner, userId, id));
  if (!account || wasOpened)
    throw new ApiError('V2_CONNECT_ACCOUNT_UNKNOWN', { message: DETACHED, effect: wasOpened ? 'done' : 'none' });
  if (account.country !== null && account.country !== body.country)
    throw new ApiError('V2_CONNECT_ACCOUNT_EXISTS', { message: elsewhere(account.country), effect: 'none' });
}

const DETACHED =
  'The payout account of this request has been detached since; another request, under a new key, opens another.';
const elsewhere = (country: string) =>
  `The user already has a payout account, in ${country}; PUT /v2/connect/accounts/{processor_account_id} replaces it.`;

/** The account was opened; the request for its link had no effect, or an unknown one. */
const withoutLink = ({ code, details }: ApiError) => new ApiError(code, { ...details, effect: 'done' });

const openedAccount = (account: ConnectAccount | null, onboarding_url: string | null) => ({
  id: account?.id ?? null,
  processor_account_id: account?.processor_account_id ?? null,
  onboarding_url,
  status: account?.status ?? ('pending' as const),
  payouts_enabled: account?.payouts_enabled ?? false,
  charges_enabled: account?.charges_enabled ?? false,
  details_submitted: account?.details_submitted ?? false,
});

/** Handles `POST /v2/connect/accounts/{processor_account_id}/onboarding-link`: create a new onboarding link. */
export const renewOnboardingLink: Handler<'renewOnboardingLink', Deps> = async (call) => {
  const { owner, userId, sessionId } = provenUserOf(call.principal);
  const context = await linker(call);
  const { processor_account_id: id } = call.path;
  const account = await findConnectAccount(call.deps.db, owner, userId);
  if (account?.processor_account_id !== id) throw new ApiError('V2_CONNECT_ACCOUNT_UNKNOWN', { effect: 'none' });
  await noteLink(call.deps.db, id, sessionId);
  const intent = await call.settled(await requestLink(context, id));
  const result = await fullResultOf(call.deps, intent, linkResult);
  if (result) return { status: 200, body: { onboarding_url: result.onboarding_url } };
  return pending(intent, { onboarding_url: null, status: 'pending' as const });
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
