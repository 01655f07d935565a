import type { Handler } from '../../../contract/handler.ts';
import type { SubmitDeps } from '../../../intents/accept.ts';
import { spendDaily } from '../../../intents/daily-budgets.ts';
import type { Until } from '../../../intents/follow.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { listPage } from '../../../kernel/pages.ts';
import { appOf, userOf } from '../../../kernel/principal.ts';
import type { VenueReads } from '../../../venues/reads.ts';
import type { NewFreeAccount } from './intents.ts';
import { openFreeAccount as acceptFreeAccount } from './intents.ts';
import {
  findAccountOfIntent,
  findAnyPropAccount,
  findPropAccount,
  listPropAccounts as listAccounts,
  listFailedAccounts,
  opensFreeAccount,
  type PropAccount,
  shownAccount,
} from './queries.ts';
import { recordSync } from './store.ts';

type Deps = SubmitDeps<'acceptFreeAccount', NewFreeAccount, 'ACCOUNT_DEADLINE_MS'> & {
  reads: VenueReads;
  until: Until;
};

/** Handles `POST /v2/payments/free`: open a free account. */
export const openFreeAccount: Handler<'openFreeAccount', Deps> = async (call) => {
  const { acceptFreeAccount: accept, config, db, until } = call.deps;
  const { owner, userId } = userOf(call.principal);
  if (await opensFreeAccount(db, userId, call.body)) await spendDaily(call, { free_accounts: owner });
  const context = { accept, context: call.context, deadlineMs: config.ACCOUNT_DEADLINE_MS };
  const accepted = await acceptFreeAccount(context, userId, call.body);
  call.submitted(accepted);
  const opened = await findAccountOfIntent(db, accepted.id);
  if (!opened) throw new Error('An accepted creation has no account');
  const account = await until(opened.id, call.waitMs(), async () => {
    const row = (await findAnyPropAccount(db, opened.id)) ?? opened; // an operator may have its subaccount requested again by another intent
    return { row, ended: row.status !== 'provisioning' };
  });
  return { status: 200, body: shownAccount(account) };
};

/** Handles `GET /v2/payments/prop-accounts`: list the user's prop accounts. */
export const listPropAccounts: Handler<'listPropAccounts', Deps> = async ({ deps, principal, query }) => {
  const { owner, userId } = userOf(principal);
  const isKnown = async (id: string) => (await findPropAccount(deps.db, owner, userId, id)) !== null;
  const shown = { path: '/v2/payments/prop-accounts', cursorOf: ({ id }: PropAccount) => id, isKnown };
  const page = await listPage(query, shown, (wanted) => listAccounts(deps.db, owner, userId, wanted));
  return { ...page, body: page.body.map(shownAccount) };
};

/** Handles `GET /v2/payments/prop-accounts/{id}`: read a prop account. */
export const getPropAccount: Handler<'getPropAccount', Deps> = async ({ deps, principal, path }) => {
  const { owner, userId } = userOf(principal);
  const account = await findPropAccount(deps.db, owner, userId, path.id);
  if (!account) throw new ApiError('V2_PROP_ACCOUNT_UNKNOWN');
  return { status: 200, body: shownAccount(account) };
};

/**
 * Handles `GET /v2/payments/prop-accounts/failed`: list accounts that could not be created. It is here, not in `admin`, because the specification
 * names one path for apps and operators.
 */
export const listFailedPropAccounts: Handler<'listFailedPropAccounts', Deps> = async ({ deps, principal, query }) => {
  const owner = principal.kind === 'admin' ? null : appOf(principal).owner;
  const isKnown = async (id: string) => {
    const account = await findAnyPropAccount(deps.db, id);
    return account !== null && (owner === null || account.owner === owner);
  };
  const shown = { path: '/v2/payments/prop-accounts/failed', cursorOf: ({ id }: PropAccount) => id, isKnown };
  const page = await listPage(query, shown, (wanted) => listFailedAccounts(deps.db, owner, wanted));
  return { ...page, body: page.body.map(shownAccount) };
};

/** Handles `POST /v2/lifecycle/sync/{prop_account_id}`: compare an account with the network. */
export const syncPropAccount: Handler<'syncPropAccount', Deps> = async ({ deps, principal, path }) => {
  const { owner, userId } = userOf(principal);
  const account = await findPropAccount(deps.db, owner, userId, path.prop_account_id);
  if (!account) throw new ApiError('V2_PROP_ACCOUNT_UNKNOWN');
  const { synthetic_hotkey } = account;
  const checked = synthetic_hotkey === null ? null : await deps.reads.dashboardNow(synthetic_hotkey);
  const { synced } = await recordSync(deps.db, account, checked?.kind === 'found' ? checked.data : null);
  const now = (await findPropAccount(deps.db, owner, userId, account.id)) ?? account;
  return {
    status: 200,
    body: {
      prop_account_id: now.id,
      status: now.status,
      subaccount_id: now.subaccount_id,
      synthetic_hotkey: now.synthetic_hotkey,
      synced,
    },
  };
};
