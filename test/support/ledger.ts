import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../src/db/pool.ts';
import type { BalanceTransaction } from '../../src/sandbox/processor/world.ts';

const lineRow = z.object({
  account: z.string().nullable(),
  object: z.string(),
  currency: z.string(),
  amount: z.number(),
});

/** What the ledger shows at a time by the processor's clock: the platform's balance by payment and transfer, and that of each payout account. */
const listShown = (db: Db, atS: number, subjects: string[] | null) =>
  db.any(sql.type(lineRow)`
    select case when l.account <> 'platform' then l.holder end as account,
      case when l.account = 'platform' then coalesce(p.processor_payment_intent_id, o.processor_transfer_id, l.subject) else '' end as object,
      l.currency, sum(l.amount)::bigint as amount
    from ledger_lines l
    left join payments p on p.id = l.subject
    left join payouts o on o.id = l.subject
    where l.account in ('platform', 'held', 'overdrawn')
      and l.transaction_kind not in ('fee', 'exchange')
      and l.said_at < to_timestamp(${atS + 1})
      and (${subjects === null} or l.subject = any(${sql.array(subjects ?? [], 'text')}))
    group by 1, 2, 3
    having sum(l.amount) <> 0`);

/**
 * Where the ledger and the processor's own balance transactions differ at a time (epoch seconds): the net of each payment and
 * transfer at the platform, and each payout account's balance. One line for each.
 */
export async function ledgerDifferences(
  db: Db,
  balance: readonly BalanceTransaction[],
  { atS, only }: { atS: number; only?: { subjects: string[]; isCompared(of: string): boolean } },
): Promise<string[]> {
  const shown = new Map<string, number>();
  const add = (key: string, amount: number) => shown.set(key, (shown.get(key) ?? 0) + amount);
  for (const { account, source, currency, amount, created } of balance)
    if (created <= atS) add(keyOf(account, account === null ? objectOf(source) : '', currency), amount);
  const lines = await listShown(db, atS, only?.subjects ?? null);
  for (const { account, object, currency, amount } of lines) add(keyOf(account, object, currency), -amount);
  return [...shown]
    .filter(([key, amount]) => amount !== 0 && (only?.isCompared(key.split(' ')[0] ?? '') ?? true))
    .map(([key, amount]) => `${key}: the processor has ${amount} more`);
}

const keyOf = (account: string | null, object: string, currency: string) => `${account ?? object} ${currency}`;

const objectOf = ({ id, payment_intent, transfer }: BalanceTransaction['source']): string =>
  String(payment_intent ?? transfer ?? id);
