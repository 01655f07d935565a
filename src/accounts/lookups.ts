import type { Netvenue, NewSubaccount, Subaccount } from '../adapters/netvenue/types.ts';
import type { Db } from '../db/pool.ts';
import type { Finding } from '../intents/carry-out.ts';
import { accepted, inDoubt, rejected } from '../kernel/answer.ts';
import { listOpenCreations, listOwnedSubaccounts } from './queries.ts';
import { matchCreation } from './rules.ts';

/** Looks for the subaccount that a creation in doubt may have made: by its wallet, else by size, class and time. */
export async function findCreated(
  { db, venue }: { db: Db; venue: Netvenue },
  intentId: string,
  asked: NewSubaccount,
): Promise<Finding<Subaccount>> {
  const listed = await venue.listSubaccounts();
  if (listed.kind !== 'found') return inDoubt('the subaccounts could not be listed');
  const owned = await listOwnedSubaccounts(
    db,
    listed.said.map(({ syntheticHotkey }) => syntheticHotkey),
  );
  const orphans = listed.said.filter(({ syntheticHotkey }) => !owned.has(syntheticHotkey));
  if ('exAddress' in asked) return byAddress(asked.exAddress, orphans, listed.said);
  const alike = orphans.filter(
    (orphan) => orphan.assetClass === asked.assetClass && orphan.accountSize === asked.accountSize,
  );
  const open = await listOpenCreations(db, asked.assetClass, asked.accountSize);
  const match = matchCreation(intentId, open, alike);
  if (match.kind === 'mine') return accepted(match.orphan);
  if (match.kind === 'wait') return inDoubt('another creation is under way');
  if (match.kind === 'none') return { kind: 'absent' };
  return { kind: 'undecidable', problem: { code: 'SUBACCOUNT_AMBIGUOUS' } };
}

function byAddress(exAddress: string, orphans: Subaccount[], all: Subaccount[]): Finding<Subaccount> {
  const mine = orphans.find((orphan) => orphan.exAddress === exAddress);
  if (mine) return accepted(mine);
  const taken = all.some((subaccount) => subaccount.exAddress === exAddress);
  return taken ? rejected('already_registered', 'This address already has a subaccount.') : { kind: 'absent' };
}
