import type { Processor } from '../../adapters/processor/types.ts';
import { keepLostMoney } from '../../capabilities/payments/commands.ts';
import { submitLostTransfers } from '../../capabilities/payouts/commands.ts';
import type { Db } from '../../db/pool.ts';
import type { Report } from './orders.ts';

type Sources = { db: Db; processor: Processor | null } & Report;

/**
 * Reads the processor's payments and transfers since then, keeps those that are not known here, and prints them. A payout that is still open here
 * although its transfer was made takes it up.
 */
export async function recoverMoney({ db, processor, print, printUnread }: Sources, sinceMs: number): Promise<void> {
  const money = await processor?.listMoneyMade(sinceMs);
  if (money && money.kind !== 'found') printUnread('payments and transfers');
  for (const lost of money?.kind === 'found' ? await keepLostMoney(db, money.data) : []) {
    const { kind, processor_id, subject_id, amount_cents, currency, status, user_id } = lost;
    const terms = [`${amount_cents} ${currency}`, status, user_id].filter(Boolean).join(' ');
    print(`${kind}  ${processor_id} (${subject_id})  ${terms}: not known here, see ops.lost_money`);
  }
  for (const payout of await submitLostTransfers(db))
    print(`payout  ${payout}: its transfer is looked for, never sent`);
}
