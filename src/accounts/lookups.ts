import type { Netvenue, NewSubaccount, Subaccount } from '../adapters/netvenue/types.ts';
import type { Db } from '../db/pool.ts';
import type { Finding } from '../intents/carry-out.ts';
import { accepted, inDoubt, rejected } from '../kernel/answer.ts';
import { getCreations, listOwnedSubaccounts } from './queries.ts';
import { matchCreation } from './rules.ts';

/** Looks for the subaccount that a creation in doubt may have made: by its wallet, else by size, class and time. */
export async function findCreated(
  { db, venue, ...at }: { db: Db; venue: Netvenue; entity: string; platform: string },
  intentId: string,
  asked: NewSubaccount,
): Promise<Finding<Subaccount>> {
  const listed = await venue.listSubaccounts();
  if (listed.kind !== 'found') return inDoubt('the subaccounts could not be listed');
  const hotkeys = listed.said.map(({ syntheticHotkey }) => syntheticHotkey);
  if ('exAddress' in asked) return byAddress(asked.exAddress, await listOwnedSubaccounts(db, hotkeys), listed.said);
  const { open, owned } = await getCreations(db, { ...asked, ...at }, hotkeys);
  const taken = new Set(owned);
  const alike = listed.said.filter(
    ({ syntheticHotkey, assetClass, accountSize }) =>
      !taken.has(syntheticHotkey) && assetClass === asked.assetClass && accountSize === asked.accountSize,
  );
  const match = matchCreation(intentId, open, alike);
  if (match.kind === 'mine') return accepted(match.orphan);
  if (match.kind === 'wait') return inDoubt('another creation is under way');
  if (match.kind === 'none') return { kind: 'absent' };
  return { kind: 'undecidable', problem: { code: 'SUBACCOUNT_AMBIGUOUS' } };
}

function byAddress(exAddress: string, owned: ReadonlySet<string>, all: Subaccount[]): Finding<Subaccount> {
  const alike = all.filter((subaccount) => subaccount.exAddress === exAddress);
  const mine = alike.find(({ syntheticHotkey }) => !owned.has(syntheticHotkey));
  if (mine) return accepted(mine);
  return alike.length > 0
    ? rejected('already_registered', 'This address already has a subaccount.')
    : { kind: 'absent' };
}
