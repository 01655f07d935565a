import type { Config } from '../../../config.ts';
import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { hotkeyOf, type PropAccountId } from '../../../kernel/ids.ts';
import { listPage } from '../../../kernel/pages.ts';
import { operatorName, type Principal } from '../../../kernel/principal.ts';
import type { VenueReads } from '../../../venues/reads.ts';
import * as recovery from '../../accounts/prop/commands.ts';
import { provisionAgain as submitProvision } from '../../accounts/prop/intents.ts';
import { findAnyPropAccount, type PropAccount, shownAccount } from '../../accounts/prop/queries.ts';
import { getMade } from '../../accounts/read-model.ts';
import { findAppEntity } from '../../apps/queries.ts';
import { listFailed } from './queries.ts';

type Deps = { config: Pick<Config, 'ACCOUNT_DEADLINE_MS' | 'NETVENUE_ENTITY_HOTKEY'>; db: Db; reads: VenueReads };

/** Handles `GET /v2/admin/prop-accounts/failed`: list every app's accounts that could not be created. */
export const listFailedAccounts: Handler<'listFailedAccounts', Deps> = ({ deps, query }) => {
  const isKnown = async (id: string) => (await findAnyPropAccount(deps.db, id)) !== null;
  const shown = { path: '/v2/admin/prop-accounts/failed', cursorOf: ({ id }: { id: string }) => id, isKnown };
  return listPage(query, shown, (page) => listFailed(deps.db, page));
};

/** Handles `POST /v2/admin/prop-accounts/{id}/abandon`: abandon an account that could not be created. */
export const abandonPropAccount: Handler<'abandonPropAccount', Deps> = ({ principal, path, body, commit }) =>
  commit(async (db) => {
    await recovery.abandonAccount(db, path.id, recoveryOf(principal, body));
    return { status: 200, body: shownAccount(await getAccount(db, path.id)) };
  });

/** Handles `POST /v2/admin/prop-accounts/{id}/provision`: create a failed account's subaccount again. */
export const provisionAgain: Handler<'provisionAgain', Deps> = ({ deps, principal, path, body, commit }) =>
  commit(async (db) => {
    await submitProvision(db, path.id, recoveryOf(principal, body), deps.config.ACCOUNT_DEADLINE_MS);
    return { status: 200, body: shownAccount(await getAccount(db, path.id)) };
  });

/** Handles `POST /v2/admin/prop-accounts/{id}/attach`: attach an existing subaccount to a failed account. */
export const attachSubaccount: Handler<'attachSubaccount', Deps> = async ({ deps, principal, path, body, commit }) => {
  const account = await getAccount(deps.db, path.id);
  const entity = (await findAppEntity(deps.db, account.owner)) ?? deps.config.NETVENUE_ENTITY_HOTKEY;
  const requested = { assetClass: account.asset_class, accountSize: account.account_size };
  const made = await getMade(deps.reads, requested, hotkeyOf(entity, body.subaccount_id));
  return commit(async (db) => {
    await recovery.attachSubaccount(db, account.id, recoveryOf(principal, body), entity, {
      ...made,
      subaccountId: body.subaccount_id,
    });
    return { status: 200, body: shownAccount(await getAccount(db, path.id)) };
  });
};

/** Handles `POST /v2/admin/prop-accounts/{id}/reinstate`: reinstate an account that a refund or dispute had stopped. */
export const reinstatePropAccount: Handler<'reinstatePropAccount', Deps> = ({ principal, path, body, commit }) =>
  commit(async (db) => {
    await recovery.reinstateAccount(db, path.id, recoveryOf(principal, body));
    return { status: 200, body: shownAccount(await getAccount(db, path.id)) };
  });

const recoveryOf = (principal: Principal, { reason }: { reason: string }) => ({
  operator: operatorName(principal),
  reason,
});

async function getAccount(db: Db, id: PropAccountId): Promise<PropAccount> {
  const account = await findAnyPropAccount(db, id);
  if (!account) throw new ApiError('V2_PROP_ACCOUNT_UNKNOWN', { effect: 'none' });
  return account;
}
