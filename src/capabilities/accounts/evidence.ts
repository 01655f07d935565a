import type { Db } from '../../db/pool.ts';
import type { Finding } from '../../intents/define.ts';
import type { Hotkey, IntentId, WalletAddress } from '../../kernel/ids.ts';
import { accepted, recordedRejection, unknownEffect } from '../../kernel/upstream-result.ts';
import type { ListedSubaccount, Netvenue, NewSubaccount, Subaccount } from '../../venues/network/adapter/types.ts';
import { getCreations, listOwnedSubaccounts } from './queries.ts';
import { candidatesOf, isNewTo, isReadable, matchCreation } from './rules.ts';

/**
 * An entity at the network, and the platform's entity. Creations stored without an entity belong to the platform's.
 * `isShared`: somebody else may create subaccounts there too.
 */
type AtEntity = { db: Db; venue: Netvenue; entity: Hotkey; platform: string; isShared: boolean };

/** A creation in doubt: what it was to create, and the next id of the entity before it was sent, if that is known. */
type Creation = { id: IntentId; wanted: NewSubaccount; first_id: number | null };

/**
 * Searches for the subaccount that a creation in doubt may have created: by wallet address if it has one, else by size,
 * class and time, and only among ids that it can have got. At a shared entity a candidate may be somebody else's: operators
 * decide.
 */
export async function findCreated(at: AtEntity, creation: Creation): Promise<Finding<Subaccount>> {
  const finding = await searchCreated(at, creation);
  return finding.kind === 'accepted' && at.isShared ? AMBIGUOUS : finding;
}

/** The next id of an entity, higher than the id of any existing subaccount. Null if the id of one of them cannot be read. */
export async function readNextId(venue: Pick<Netvenue, 'listSubaccounts'>): Promise<number | null> {
  const listed = await venue.listSubaccounts();
  if (listed.kind === 'absent') return 0;
  const ids = listed.kind === 'found' ? listed.data.map(({ subaccountId }) => subaccountId) : [null];
  return ids.reduce((next: number | null, id) => (next === null || id === null ? null : Math.max(next, id + 1)), 0);
}

/** While a subaccount that may be the created one cannot be read, nothing is concluded: its absence is not proven. */
async function searchCreated(
  { db, venue, ...at }: AtEntity,
  { id: intentId, wanted, first_id }: Creation,
): Promise<Finding<Subaccount>> {
  const listed = await venue.listSubaccounts();
  if (listed.kind !== 'found') return unknownEffect('the subaccounts could not be listed');
  const hotkeys = listed.data.map(({ syntheticHotkey }) => syntheticHotkey);
  if ('exAddress' in wanted)
    return byAddress({ exAddress: wanted.exAddress, first_id }, await listOwnedSubaccounts(db, hotkeys), listed.data);
  const { open, owned } = await getCreations(db, { ...wanted, ...at }, hotkeys);
  const taken = new Set<Hotkey | null>(owned);
  const alike = listed.data.filter(
    ({ syntheticHotkey, assetClass, accountSize }) =>
      !taken.has(syntheticHotkey) &&
      (assetClass ?? wanted.assetClass) === wanted.assetClass &&
      (accountSize ?? wanted.accountSize) === wanted.accountSize,
  );
  if (!candidatesOf(open, alike).every(isReadable)) return UNREAD;
  const match = matchCreation(intentId, open, alike.filter(isReadable));
  if (match.kind === 'found') return accepted(match.orphan);
  if (match.kind === 'wait') return unknownEffect('another creation is under way');
  if (match.kind === 'none') return { kind: 'absent' };
  return AMBIGUOUS;
}

const AMBIGUOUS = { kind: 'undecidable', problem: { code: 'SUBACCOUNT_AMBIGUOUS' } } as const;
const UNREAD = unknownEffect('a listed subaccount that may be it cannot be read');

function byAddress(
  { exAddress, first_id }: { exAddress: WalletAddress; first_id: number | null },
  owned: ReadonlySet<Hotkey | null>,
  all: ListedSubaccount[],
): Finding<Subaccount> {
  const candidates = all.filter((one) => !owned.has(one.syntheticHotkey) && isNewTo({ first_id }, one));
  const created = candidates.filter(isReadable).find((one) => one.exAddress === exAddress);
  if (created) return accepted(created);
  if (candidates.some((one) => !isReadable(one) && (one.exAddress ?? exAddress) === exAddress)) return UNREAD;
  const isRegistered = all.some((one) => one.exAddress === exAddress && one.status !== 'eliminated'); // which frees its wallet
  return isRegistered ? recordedRejection(REGISTERED) : { kind: 'absent' };
}

const REGISTERED = { slug: 'already_registered', message: 'This address already has a subaccount.' };
