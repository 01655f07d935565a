import { sql } from 'slonik';
import type { Db } from '../../db/pool.ts';
import type { Claim } from '../../intents/intent.ts';
import { settleBy } from '../../intents/settle.ts';
import type { Hotkey } from '../../kernel/ids.ts';
import type { NewSubaccount, Subaccount } from '../../venues/network/adapter/types.ts';

/**
 * Ends a creation with the subaccount that the network created under an entity. False: the claim is lost, and nothing
 * was written.
 */
export function recordSubaccount(
  db: Db,
  intent: Claim,
  wanted: NewSubaccount,
  entityHotkey: Hotkey,
  { proof, ...made }: Subaccount & { proof: string | null },
): Promise<boolean> {
  const outcome = { result: shown(made) };
  const members = { ...subaccountMembers(made, entityHotkey), ...addressesOf(wanted), link_proof: proof };
  return settleBy(db, 'record_subaccount', intent, {
    ending: 'succeeded',
    by: sql.fragment`record_subaccount(${intent.id}, ${intent.fence}, ${JSON.stringify(outcome)}::jsonb, ${JSON.stringify(members)}::jsonb)`,
  });
}

const addressesOf = (wanted: NewSubaccount) =>
  'exAddress' in wanted ? { ex_address: wanted.exAddress, payout_address: wanted.payoutAddress ?? null } : {};

const shown = ({ subaccountId, assetClass, accountSize, status }: Subaccount) => ({
  subaccount: { subaccount_id: subaccountId, asset_class: assetClass, account_size: accountSize },
  message:
    status === 'active'
      ? 'The subaccount is ready.'
      : 'The subaccount is created; the network activates it shortly. Orders wait for that until their deadline.',
});

/** The members of a network subaccount that are stored. */
export type MadeSubaccount = Pick<
  Subaccount,
  'syntheticHotkey' | 'subaccountId' | 'subaccountUuid' | 'assetClass' | 'accountSize' | 'status'
>;

/** A subaccount under the column names of its row. */
export const subaccountMembers = (made: MadeSubaccount, entityHotkey: Hotkey) => ({
  synthetic_hotkey: made.syntheticHotkey,
  entity_hotkey: entityHotkey,
  subaccount_id: made.subaccountId,
  subaccount_uuid: made.subaccountUuid,
  asset_class: made.assetClass,
  account_size: made.accountSize,
  status: made.status,
});
