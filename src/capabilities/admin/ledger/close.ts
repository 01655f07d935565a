import { csvLine } from '../../../kernel/csv.ts';
import { decimalAmount } from '../../../kernel/currencies.ts';
import type { Balance, Line } from './queries.ts';

type Row = readonly (string | number | null)[];

const HEAD = [
  ...['row', 'currency', 'account', 'payout_account', 'kind', 'amount', 'said_at', 'recorded_at'],
  ...['app_id', 'transaction_id', 'subject', 'processor_object', 'smallest_units'],
];

/**
 * A month as a CSV file: opening balances, the total of each kind of movement by account, closing balances, then every movement.
 * Of each account and currency, the opening balance and the totals add up to the closing balance, and so do the movements.
 */
export function closeOf(opening: readonly Balance[], lines: readonly Line[], closing: readonly Balance[]): string {
  return [
    HEAD,
    ...opening.map((each) => balanceRow('opening', each)),
    ...totalsOf(lines),
    ...closing.map((each) => balanceRow('closing', each)),
    ...lines.map(lineRow),
  ]
    .map(csvLine)
    .join('');
}

const rowOf = (row: string, of: Place, kind: string | null, amount: number, more: Row): Row => [
  ...[row, of.currency, of.account, of.payout_account, kind, decimalAmount(amount, of.currency)],
  ...more,
  amount,
];

type Place = Pick<Balance, 'account' | 'payout_account' | 'currency'>;

const NONE = [null, null, null, null, null, null];

const balanceRow = (row: string, of: Balance): Row => rowOf(row, of, null, of.balance, NONE);

const lineRow = ({ said_at, recorded_at, app_id, transaction_id, subject, source, ...of }: Line): Row =>
  rowOf('movement', of, of.kind, of.amount, [said_at, recorded_at, app_id, transaction_id, subject, source]);

function totalsOf(lines: readonly Line[]): Row[] {
  const totals = new Map<string, Line>();
  for (const line of lines) {
    const key = JSON.stringify([line.currency, line.account, line.payout_account, line.kind]);
    const total = totals.get(key);
    if (total) total.amount += line.amount;
    else totals.set(key, { ...line });
  }
  return [...totals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, of]) => rowOf('total', of, of.kind, of.amount, NONE));
}
