import type { Logger } from 'pino';
import type { Processor } from '../../adapters/processor/types.ts';
import type { Db } from '../../db/pool.ts';
import { listOwnAccounts } from './commands.ts';

type Sources = { db: Db; processor: Pick<Processor, 'findOwnAccount'>; log: Pick<Logger, 'error' | 'warn'> };

/**
 * Whether the key of this process is of another account, or mode, of the processor than that in which the payments and payouts of this database
 * are: there none of them exist, so that each would be taken for gone or never made. Says so by an alert. The first account counts as ours.
 * False where it cannot be read.
 */
export async function isOfAnother({ db, processor, log }: Sources): Promise<boolean> {
  const own = await processor.findOwnAccount();
  if (own.kind !== 'found') {
    log.warn({ result: own }, 'the account at the processor was not compared with the database');
    return false;
  }
  const known = await listOwnAccounts(db, own.data);
  const isKnown = known.some(({ id, is_live }) => id === own.data.id && is_live === own.data.isLive);
  if (!isKnown)
    log.error(
      { alert: 'processor_unknown', account: own.data, known_accounts: known },
      'PROCESSOR_SECRET_KEY: the payments of this database are in another account; nothing is sent to the processor',
    );
  return !isKnown;
}
