import type { Processor } from '../../adapters/processor/types.ts';
import type { Db } from '../../db/pool.ts';
import { epochMs } from '../../kernel/work.ts';
import { applyAccount } from './reports/store.ts';

type Deps = {
  db: Db;
  processor: Pick<Processor, 'findAccount'>;
  config: { PAYOUT_DESTINATION_HOLD_H: number };
};

/**
 * Reads, right before money is sent, where it would go, if a new destination is held: the processor may not have reported
 * yet that the bank account was changed a moment ago. False: the processor does not show it now.
 */
export async function refreshDestination({ db, processor, config }: Deps, accountId: string): Promise<boolean> {
  if (config.PAYOUT_DESTINATION_HOLD_H === 0) return true;
  const readAt = epochMs();
  const account = await processor.findAccount(accountId);
  if (account.kind === 'found') await applyAccount(db, account.data, readAt);
  return account.kind !== 'unreadable';
}
