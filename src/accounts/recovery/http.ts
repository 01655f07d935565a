import { findOwnEntity } from '../../apps/network/queries.ts';
import type { Call, Handler } from '../../edge/handler.ts';
import { itemsOf } from '../../kernel/pages.ts';
import { operatorName } from '../../kernel/principal.ts';
import { Refusal } from '../../kernel/refusals.ts';
import * as recovery from '../prop/intents.ts';
import { findAnyPropAccount, type PropAccount } from '../prop/queries.ts';
import { shownAccount } from '../prop/views.ts';
import { listFailed } from './queries.ts';

const DEFAULT_PAGE = 50;

export const listFailedAccounts: Handler<'listFailedAccounts'> = async ({ runtime, query }) => {
  const { cursor = null, limit = DEFAULT_PAGE } = query;
  const found = await listFailed(runtime.db, cursor, limit + 1);
  return itemsOf(found, { path: '/v2/admin/prop-accounts/failed', limit, cursorOf: ({ id }) => id });
};

export const giveUpPropAccount: Handler<'giveUpPropAccount'> = async ({ runtime, principal, path, body }) => {
  await recovery.giveUpAccount(runtime.db, path.id, operatorName(principal), body.reason);
  return { status: 200, body: shownAccount(await getAccount(runtime, path.id)) };
};

export const provisionAgain: Handler<'provisionAgain'> = async ({ runtime, principal, path }) => {
  await recovery.provisionAgain(runtime.db, path.id, operatorName(principal), runtime.config.ACCOUNT_DEADLINE_MS);
  return { status: 200, body: shownAccount(await getAccount(runtime, path.id)) };
};

export const attachSubaccount: Handler<'attachSubaccount'> = async ({ runtime, principal, path, body }) => {
  const account = await getAccount(runtime, path.id);
  const entity = (await findOwnEntity(runtime.db, account.owner)) ?? runtime.config.NETVENUE_ENTITY_HOTKEY;
  const made = await findFitting(runtime, account, `${entity}_${body.subaccount_id}`);
  await recovery.attachSubaccount(runtime.db, account.id, operatorName(principal), entity, {
    ...made,
    subaccountId: body.subaccount_id,
  });
  return { status: 200, body: shownAccount(await getAccount(runtime, path.id)) };
};

export const reinstatePropAccount: Handler<'reinstatePropAccount'> = async ({ runtime, principal, path }) => {
  await recovery.reinstateAccount(runtime.db, path.id, operatorName(principal));
  return { status: 200, body: shownAccount(await getAccount(runtime, path.id)) };
};

type Runtime = Pick<Call['runtime'], 'db' | 'reads'>;

async function getAccount({ db }: Pick<Runtime, 'db'>, id: string): Promise<PropAccount> {
  const account = await findAnyPropAccount(db, id);
  if (!account) throw new Refusal('V2_PROP_ACCOUNT_UNKNOWN', { effect: 'none' });
  return account;
}

/** The subaccount as the network shows it. Refuses one of another class or size, or that cannot be looked at. */
async function findFitting({ reads }: Runtime, account: PropAccount, syntheticHotkey: string) {
  const looked = await reads.dashboard(syntheticHotkey);
  if (looked.kind === 'unreadable') throw new Refusal('VENUE_UNREADABLE', { effect: 'none' });
  const shown = looked.kind === 'found' ? looked.said : null;
  if (shown?.assetClass !== account.asset_class || shown.accountSize !== account.account_size)
    throw new Refusal('V2_SUBACCOUNT_UNFIT', { effect: 'none' });
  return {
    syntheticHotkey,
    subaccountUuid: shown.subaccountUuid,
    assetClass: account.asset_class,
    accountSize: account.account_size,
    status: shown.status,
  };
}
