import type { Config } from '../../../config.ts';
import type { Call, Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { hotkeyOf, type PropAccountId } from '../../../kernel/ids.ts';
import { listPage } from '../../../kernel/pages.ts';
import { operatorName } from '../../../kernel/principal.ts';
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
export const abandonPropAccount: Handler<'abandonPropAccount', Deps> = (call) =>
  recovered(call, (db, by) => recovery.abandonAccount(db, call.path.id, by));

/** Handles `POST /v2/admin/prop-accounts/{id}/provision`: create a failed account's subaccount again. */
export const provisionAgain: Handler<'provisionAgain', Deps> = (call) =>
  recovered(call, (db, by) => submitProvision(db, call.path.id, by, call.deps.config.ACCOUNT_DEADLINE_MS));

/** Handles `POST /v2/admin/prop-accounts/{id}/attach`: attach an existing subaccount to a failed account. */
export const attachSubaccount: Handler<'attachSubaccount', Deps> = async (call) => {
  const { deps, path } = call;
  const { subaccount_id: subaccountId } = call.body;
  const { id, owner, asset_class: assetClass, account_size: accountSize } = await getAccount(deps.db, path.id);
  const entity = (await findAppEntity(deps.db, owner)) ?? deps.config.NETVENUE_ENTITY_HOTKEY;
  const made = await getMade(deps.reads, { assetClass, accountSize }, hotkeyOf(entity, subaccountId));
  return recovered(call, (db, by) => recovery.attachSubaccount(db, id, by, entity, { ...made, subaccountId }));
};

/** Handles `POST /v2/admin/prop-accounts/{id}/reinstate`: reinstate an account that a refund or dispute had stopped. */
export const reinstatePropAccount: Handler<'reinstatePropAccount', Deps> = (call) =>
  recovered(call, (db, by) => recovery.reinstateAccount(db, call.path.id, by));

type Recovering = Pick<Call<'abandonPropAccount', Deps>, 'principal' | 'path' | 'body' | 'commit'>;

/** Commits a recovery by the operator, and returns the account as it is then. */
const recovered = (
  { principal, path, body: { reason }, commit }: Recovering,
  act: (db: Db, by: recovery.Recovery) => Promise<void>,
) =>
  commit(async (db) => {
    await act(db, { operator: operatorName(principal), reason });
    return { status: 200 as const, body: shownAccount(await getAccount(db, path.id)) };
  });

async function getAccount(db: Db, id: PropAccountId): Promise<PropAccount> {
  const account = await findAnyPropAccount(db, id);
  if (!account) throw new ApiError('V2_PROP_ACCOUNT_UNKNOWN', { effect: 'none' });
  return account;
}
