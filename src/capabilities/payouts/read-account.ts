import type { Processor } from '../../adapters/processor/types.ts';
import type { Db } from '../../db/pool.ts';
import { epochMs } from '../../kernel/work.ts';
import { applyAccount, closeAccount } from './reports/store.ts';

const SECOND_MS = 1_000; // the processor's events say no more than the second, and those of the same one are not older

/**
 * Reads a trader's account at the processor and stores what it shows: whether it can be paid, and where its money goes. One that has left
 * the platform cannot be paid any more. The problem, if it cannot be read; else null.
 */
export async function readAccount(
  { db, processor }: { db: Db; processor: Processor },
  accountId: string,
): Promise<{ code: 'PROCESSOR_AUTH' | 'PROCESSOR_UNREADABLE' } | null> {
  const readAt = Math.floor(epochMs() / SECOND_MS) * SECOND_MS;
  const account = await processor.findAccount(accountId);
  if (account.kind === 'unreadable')
    return { code: account.why === 'processor_auth' ? 'PROCESSOR_AUTH' : 'PROCESSOR_UNREADABLE' };
  if (account.kind === 'found') await applyAccount(db, account.data, readAt);
  else await closeAccount(db, accountId, readAt);
  return null;
}
