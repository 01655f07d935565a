import type { Config } from '../../../config.ts';
import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { type Hotkey, hotkeyOf } from '../../../kernel/ids.ts';
import { operatorName } from '../../../kernel/principal.ts';
import type { VenueReads } from '../../../venues/reads.ts';
import { attachToRegistration, type LinkedSubaccount } from '../../accounts/commands.ts';
import { findRegistration, type Registration } from '../../accounts/queries.ts';

type Deps = { config: Pick<Config, 'NETVENUE_ENTITY_HOTKEY'>; db: Db; reads: VenueReads };

/** Handles `POST /v2/admin/registrations/{intent_id}/attach`: give a partner the subaccount that its registration has made. */
export const attachRegistration: Handler<'attachRegistration', Deps> = async (call) => {
  const { deps, principal, path, body, commit } = call;
  const registration = await findRegistration(deps.db, path.intent_id);
  if (!registration) throw new ApiError('INTENT_UNKNOWN', { effect: 'none' });
  const entity = registration.entity ?? deps.config.NETVENUE_ENTITY_HOTKEY;
  const made = await findRequested(deps, registration.subaccount, hotkeyOf(entity, body.subaccount_id));
  const attached = { ...made, subaccountId: body.subaccount_id };
  return commit(async (db) => {
    const recovery = { operator: operatorName(principal), reason: body.reason };
    await attachToRegistration(db, path.intent_id, recovery, entity, attached);
    const { assetClass: asset_class, accountSize: account_size, subaccountId: subaccount_id } = attached;
    const subaccount = { subaccount_id, asset_class, account_size };
    return { status: 200, body: { intent_id: path.intent_id, partner_id: registration.owner, subaccount } };
  });
};

/**
 * The subaccount in the form the network shows. Throws VENUE_UNREADABLE if it cannot be read, and V2_SUBACCOUNT_INVALID if
 * it is not what was requested: another size, another class or, of a linked one, another wallet.
 */
async function findRequested(
  { reads }: Deps,
  requested: Registration['subaccount'],
  syntheticHotkey: Hotkey,
): Promise<Omit<LinkedSubaccount, 'subaccountId'>> {
  const dashboard = await reads.dashboard(syntheticHotkey);
  if (dashboard.kind === 'unreadable') throw new ApiError('VENUE_UNREADABLE', { effect: 'none' });
  const shown = dashboard.kind === 'found' ? dashboard.data : null;
  const isAlike =
    'exAddress' in requested ? shown?.exAddress === requested.exAddress : shown?.assetClass === requested.assetClass;
  if (!shown?.assetClass || !isAlike || shown.accountSize !== requested.accountSize)
    throw new ApiError('V2_SUBACCOUNT_INVALID', { effect: 'none' });
  const { subaccountUuid, assetClass, accountSize, status, exAddress, payoutAddress } = shown;
  return { syntheticHotkey, subaccountUuid, assetClass, accountSize, status, exAddress, payoutAddress };
}
