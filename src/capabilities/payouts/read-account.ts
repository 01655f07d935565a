import type { Processor } from '../../adapters/processor/types.ts';
import type { Db } from '../../db/pool.ts';
import { readingTime } from '../../kernel/work.ts';
import { applyAccount, closeAccount } from './reports/store.ts';

/**
 * Reads a trader's account at the processor and stores what it shows: whether it can be paid, and where its money goes. One that has left
 * the platform cannot be paid any more. The problem, if it cannot be read; else null.
 */
export async function readAccount(
  { db, processor }: { db: Db; processor: Processor },
  accountId: string,
): Promise<{ code: 'PROCESSOR_AUTH' | 'PROCESSOR_UNREADABLE' } | null> {
  const readAt = readingTime();
  const account = await processor.findAccount(accountId);
  if (account.kind === 'unreadable')
    return { code: account.why === 'processor_auth' ? 'PROCESSOR_AUTH' : 'PROCESSOR_UNREADABLE' };
  if (account.kind === 'found') await applyAccount(db, account.data, readAt);
  else await closeAccount(db, accountId, readAt);
  return null;
}
