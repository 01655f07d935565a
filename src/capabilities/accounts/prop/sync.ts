import type { Logger } from 'pino';
import { eachInTurn } from '../../../db/polling.ts';
import type { Db } from '../../../db/pool.ts';
import type { AtOnce } from '../../../kernel/at-once.ts';
import type { PropAccountId } from '../../../kernel/ids.ts';
import { noteWork } from '../../../kernel/work.ts';
import type { Netvenue } from '../../../venues/network/adapter/types.ts';
import { seeBoughtAccounts } from '../../../venues/network/portfolio/commands.ts';
import { type SubaccountSyncDeps, syncSubaccounts } from '../../../venues/network/subaccounts/commands.ts';
import type { VenueReads } from '../../../venues/reads.ts';
import { findAnyPropAccount, listUnfulfilled } from './queries.ts';
import { planNextSync, queueDueSyncs, recordSync } from './store.ts';

/** The dependencies of `syncAccount`. */
export type SyncDeps = { db: Db; venues: { netvenue: Pick<Netvenue, 'dashboard'> }; syncing: AtOnce };

/**
 * Reads one prop account at the network and applies the status it shows. Schedules another sync while the account stays
 * in `provisioning`.
 */
export async function syncAccount(accountId: PropAccountId, { db, venues, syncing }: SyncDeps): Promise<void> {
  const account = await findAnyPropAccount(db, accountId);
  if (!account?.synthetic_hotkey) return;
  noteWork({ tenant: account.owner });
  const { synthetic_hotkey: trader } = account;
  const dashboard = await syncing.run(
    () => venues.netvenue.dashboard(trader),
    ({ kind }) => kind !== 'unreadable',
  );
  const { status } = await recordSync(db, account, dashboard?.kind === 'found' ? dashboard.data : null);
  if (account.status === 'provisioning' && status === 'provisioning') await planNextSync(db, account);
}

const MOST_SYNCS = 1_000; // per run: orders share the network's validator
const UNFULFILLED_MINUTES = 10;

/** The dependencies of `sweepAccounts`. */
export type SweepDeps = SubaccountSyncDeps & {
  reads: VenueReads;
  config: { LIFECYCLE_SWEEP_MS: number };
  log: Pick<Logger, 'error'>;
};

/**
 * Queues a sync of every prop account that is due. Logs an alert for each payment without a tradeable account or a refund. Syncs the subaccounts of
 * partners, and reads bought accounts that were never read. A step that fails, for example because more accounts are due than one statement can handle,
 * does not stop the others.
 */
export async function sweepAccounts({ db, config, log, venues, reads }: SweepDeps): Promise<void> {
  const steps = [
    () => queueDueSyncs(db, config.LIFECYCLE_SWEEP_MS, MOST_SYNCS),
    async () => {
      for (const { payment_id, prop_account_id, safe_action } of await listUnfulfilled(db, UNFULFILLED_MINUTES))
        log.error(
          { alert: 'paid_and_unfulfilled', payment_id, prop_account_id, safe_action },
          'operator action required',
        );
    },
    () => syncSubaccounts({ db, venues }),
    () => seeBoughtAccounts({ db, reads }),
  ];
  await eachInTurn<() => Promise<unknown>>(steps, (step) => step());
}
