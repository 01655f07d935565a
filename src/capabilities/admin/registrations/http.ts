import type { Config } from '../../../config.ts';
import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { hotkeyOf } from '../../../kernel/ids.ts';
import { operatorName } from '../../../kernel/principal.ts';
import type { VenueReads } from '../../../venues/reads.ts';
import { attachToRegistration } from '../../accounts/commands.ts';
import { findRegistration } from '../../accounts/queries.ts';
import { getMade } from '../../accounts/read-model.ts';

type Deps = { config: Pick<Config, 'NETVENUE_ENTITY_HOTKEY'>; db: Db; reads: VenueReads };

/** Handles `POST /v2/admin/registrations/{intent_id}/attach`: give a partner the subaccount that its registration has made. */
export const attachRegistration: Handler<'attachRegistration', Deps> = async (call) => {
  const { deps, principal, path, body, commit } = call;
  const registration = await findRegistration(deps.db, path.intent_id);
  if (!registration) throw new ApiError('INTENT_UNKNOWN', { effect: 'none' });
  const entity = registration.entity ?? deps.config.NETVENUE_ENTITY_HOTKEY;
  const made = await getMade(deps.reads, registration.subaccount, hotkeyOf(entity, body.subaccount_id));
  const attached = { ...made, subaccountId: body.subaccount_id };
  return commit(async (db) => {
    const recovery = { operator: operatorName(principal), reason: body.reason };
    await attachToRegistration(db, path.intent_id, recovery, entity, attached);
    const { assetClass: asset_class, accountSize: account_size, subaccountId: subaccount_id } = attached;
    const subaccount = { subaccount_id, asset_class, account_size };
    return { status: 200, body: { intent_id: path.intent_id, partner_id: registration.owner, subaccount } };
  });
};
