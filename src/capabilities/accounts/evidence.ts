import type { Db } from '../../db/pool.ts';
import type { Finding } from '../../intents/define.ts';
import type { Hotkey, IntentId, WalletAddress } from '../../kernel/ids.ts';
import { accepted, recordedRejection, unknownEffect } from '../../kernel/upstream-result.ts';
import type { Netvenue, NewSubaccount, Subaccount } from '../../venues/network/adapter/types.ts';
import { getCreations, listOwnedSubaccounts } from './queries.ts';
import { matchCreation } from './rules.ts';

/** An entity at the network, and the platform's entity. Creations stored without an entity belong to the platform's. */
type AtEntity = { db: Db; venue: Netvenue; entity: Hotkey; platform: string };

/**
 * Searches for the subaccount that a creation in doubt may have created: by wallet address if it has one, else by size,
 * class and time.
 */
export async function findCreated(
  { db, venue, ...at }: AtEntity,
  intentId: IntentId,
  wanted: NewSubaccount,
): Promise<Finding<Subaccount>> {
  const listed = await venue.listSubaccounts();
  if (listed.kind !== 'found') return unknownEffect('the subaccounts could not be listed');
  const hotkeys = listed.data.map(({ syntheticHotkey }) => syntheticHotkey);
  if ('exAddress' in wanted) return byAddress(wanted.exAddress, await listOwnedSubaccounts(db, hotkeys), listed.data);
  const { open, owned } = await getCreations(db, { ...wanted, ...at }, hotkeys);
  const taken = new Set(owned);
  const alike = listed.data.filter(
    ({ syntheticHotkey, assetClass, accountSize }) =>
      !taken.has(syntheticHotkey) && assetClass === wanted.assetClass && accountSize === wanted.accountSize,
  );
  const match = matchCreation(intentId, open, alike);
  if (match.kind === 'found') return accepted(match.orphan);
  if (match.kind === 'wait') return unknownEffect('another creation is under way');
  if (match.kind === 'none') return { kind: 'absent' };
  return { kind: 'undecidable', problem: { code: 'SUBACCOUNT_AMBIGUOUS' } };
}

function byAddress(exAddress: WalletAddress, owned: ReadonlySet<Hotkey>, all: Subaccount[]): Finding<Subaccount> {
  const alike = all.filter((subaccount) => subaccount.exAddress === exAddress);
  const created = alike.find(({ syntheticHotkey }) => !owned.has(syntheticHotkey));
  if (created) return accepted(created);
  return alike.length > 0 ? recordedRejection(REGISTERED) : { kind: 'absent' };
}

const REGISTERED = { slug: 'already_registered', message: 'This address already has a subaccount.' };
