import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import { inSnapshot } from '../../../db/snapshot.ts';
import type { PageRequest } from '../../../kernel/pages.ts';

type Schemas = components['schemas'];

const accountRow = z.custom<Schemas['LedgerAccount']>();

/** The accounts of the ledger. */
export const listAccounts = (db: Db): Promise<readonly Schemas['LedgerAccount'][]> =>
  db.any(sql.type(accountRow)`
    select a.account_id, a.account, a.payout_account, a.currency
    from ops.ledger_accounts a
    order by a.currency, a.account, a.payout_account`);

const balanceRow = z.custom<Schemas['LedgerBalance']>();

/** A balance of an account. */
export type Balance = Schemas['LedgerBalance'];

/** Two times of the ledger: by the processor's clock, and until when it was known here; absent: now. Of one app, or of all. */
type AsOf = { as_of?: string; known_at?: string; app_id?: string | null };

/** The balance of every account before a time. */
export const listBalances = (
  db: Db,
  { as_of = 'infinity', known_at = 'infinity', app_id = null }: AsOf,
): Promise<readonly Balance[]> =>
  db.any(sql.type(balanceRow)`
    select b.account, b.holder as payout_account, b.currency, b.balance
    from ledger_balances(${as_of}::timestamptz, ${known_at}::timestamptz, ${app_id}) b`);

const entryRow = z.custom<Schemas['LedgerEntry']>();

/** Which entries to list; absent: any. */
type Filter = { subject?: string | null; app_id?: string | null; account?: string | null };

/** The ids of the accounts of a kind, as an `in (…)` set: entries are filtered by it before they are joined to anything. */
const ofKind = (kind: string | null) => sql.fragment`(select a.id from ledger_accounts a where a.kind = ${kind})`;

/** The entries of the ledger, newest record first. */
export const listEntries = (
  db: Db,
  { subject = null, app_id = null, account = null, cursor, limit }: Filter & PageRequest,
): Promise<readonly Schemas['LedgerEntry'][]> =>
  db.any(sql.type(entryRow)`
    select e.id::text as entry_id, t.id::text as transaction_id, t.kind, t.subject, t.owner as app_id, t.source as processor_object, t.said_at,
      t.recorded_at, d.kind as debit, c.kind as credit, coalesce(d.holder, c.holder) as payout_account, e.currency, e.amount
    from ledger_entries e
    join ledger_transactions t on t.id = e.transaction_id
    join ledger_accounts d on d.id = e.debit_id
    join ledger_accounts c on c.id = e.credit_id
    where (${subject}::text is null or t.subject = ${subject})
      and (${app_id}::text is null or t.owner = ${app_id})
      and (${account}::text is null or e.debit_id in ${ofKind(account)} or e.credit_id in ${ofKind(account)})
      and (${cursor}::bigint is null or e.id < ${cursor}::bigint)
    order by e.id desc
    limit ${limit}`);

/** One side of an entry. Debits are positive. */
export type Line = Pick<
  Schemas['LedgerEntry'],
  'said_at' | 'recorded_at' | 'app_id' | 'transaction_id' | 'kind' | 'subject'
> &
  Omit<Balance, 'balance'> & { source: string | null; amount: number };

const lineRow = z.custom<Line>();

/** A span by the processor's clock. */
type Span = Omit<AsOf, 'as_of'> & { from: string; until: string };

/** The balances at both ends of a span and what moved within it, at most `most` lines: in one snapshot. */
export const readMonth = (db: Db, { from, until, ...of }: Span, most: number) =>
  inSnapshot(db, async (tx) => {
    const opening = await listBalances(tx, { ...of, as_of: from });
    const lines = await listLines(tx, { ...of, from, until }, most);
    return { opening, lines, closing: await listBalances(tx, { ...of, as_of: until }) };
  });

/** Both sides of the entries of a span, oldest first. */
const listLines = (
  db: Db,
  { from, until, known_at = 'infinity', app_id = null }: Span,
  most: number,
): Promise<readonly Line[]> =>
  db.any(sql.type(lineRow)`
    select l.said_at, l.recorded_at, l.owner as app_id, l.transaction_id::text, l.transaction_kind as kind, l.subject, l.source, l.account,
      l.holder as payout_account, l.currency, l.amount
    from ledger_lines l
    where l.said_at >= ${from}::timestamptz and l.said_at < ${until}::timestamptz
      and l.recorded_at <= ${known_at}::timestamptz
      and (${app_id}::text is null or l.owner = ${app_id})
    order by l.said_at, l.transaction_id, l.entry_id, l.amount desc
    limit ${most}`);
