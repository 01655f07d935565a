import { planNextSync, recordSync } from '../../src/accounts/prop/outcomes.ts';
import { findAnyPropAccount } from '../../src/accounts/prop/queries.ts';
import type { Task } from '../../src/intents/task.ts';

/** Looks at one prop account at the network and moves it along; one that is being made is looked at until it is settled. */
const sync: Task<{ prop_account_id: string }> = async ({ prop_account_id }, { db, venues }) => {
  const account = await findAnyPropAccount(db, prop_account_id);
  if (!account?.synthetic_hotkey) return;
  const looked = await venues.netvenue.dashboard(account.synthetic_hotkey);
  const { status } = await recordSync(db, account, looked.kind === 'found' ? looked.said : null);
  if (account.status === 'provisioning' && status === 'provisioning') await planNextSync(db, account);
};

export default sync;
