import { openPool } from '../../../src/db/pool.ts';
import type { Entry } from '../../../src/sandbox/ledger.ts';
import { ledgerDifferences } from '../../support/ledger.ts';
import type { Verdict } from '../verdicts.ts';
import { EARNED_CENTS, type MoneyStage } from './money-people.ts';

/** What the processor's own records and ours say of a run. Every list of offenders must be empty. */
export type MoneyAudit = {
  purchases: number;
  payouts: number;
  transfers: number;
  losses: number;
  /** Accounts at the processor to which more was transferred, or from which the bank got more, than was earned. */
  overpaid: string[];
  /** Effects that one request had twice. */
  doubled: string[];
  /** Paid payments with another number of accounts than one. */
  withoutOneAccount: string[];
  /** Accounts that may trade although their money was refunded or is disputed. */
  tradeableWithoutMoney: string[];
  /** Kept payments and payouts that serve nobody and that no operator's list shows. */
  unlisted: string[];
  /** Where the ledger differs from the processor's own records, at the end and as of three dates before it. */
  ledgerDiffers: string[];
  /** Payouts that are reported as completed although the bank does not have them, or the reverse. */
  reportedWrong: string[];
};

type PaymentRow = { id: string; pi: string; accounts: number; statuses: string[]; is_listed: boolean };
type PayoutRow = { id: string; account: string; status: string; bank_id: string | null; is_listed: boolean };

/** Compares the processor's ledger and events with our rows. */
export async function auditMoney({ stage, processor }: MoneyStage): Promise<MoneyAudit> {
  const entries = processor.ledger.entries();
  const of = (kind: string) => entries.filter((entry) => entry.kind === kind);
  const known = latestObjects(processor.events);
  const payments = await stage.rows<PaymentRow>(PAYMENTS);
  const payouts = await stage.rows<PayoutRow>(PAYOUTS);
  const paid = new Set(of('paid').map(({ key }) => key));
  const lossOf = (pi: string) => lossesOf(known, pi);
  const sentTo = (account: string) =>
    of('transfer')
      .filter(({ detail }) => detail.destination === account)
      .reduce(
        (sum, { detail }) => sum + Number(detail.amount) - Number(known.get(String(detail.id))?.amount_reversed ?? 0),
        0,
      );
  const atBank = (account: string) =>
    of('payout')
      .filter(({ detail }) => detail.account === account && !HAS_FAILED.has(statusOf(known, detail.id)))
      .reduce((sum, { detail }) => sum + Math.floor(Number(detail.amount) / (detail.currency === 'usd' ? 1 : RATE)), 0);
  const held = (account: string) =>
    processor.balance.filter((each) => each.account === account).reduce((sum, { net }) => sum + net, 0);
  const accounts = of('account').map(({ detail }) => String(detail.id));
  const isTradeable = ({ statuses }: PaymentRow) => statuses.some((status) => TRADEABLE.has(status));
  const ours = payments.filter(({ pi }) => paid.has(pi));
  return {
    purchases: paid.size,
    payouts: of('payout').length,
    transfers: of('transfer').length,
    losses: ours.filter(({ pi }) => lossOf(pi) > 0).length,
    overpaid: accounts.filter((id) => sentTo(id) > EARNED_CENTS || atBank(id) > EARNED_CENTS),
    doubled: doublesOf(entries),
    withoutOneAccount: [
      ...[...paid].filter((pi) => !payments.some((payment) => payment.pi === pi)),
      ...ours.filter(({ accounts }) => accounts !== 1).map(({ id }) => id),
    ],
    tradeableWithoutMoney: payments.filter((each) => isTradeable(each) && lossOf(each.pi) > 0).map(({ id }) => id),
    unlisted: [
      ...ours.filter((each) => !isTradeable(each) && lossOf(each.pi) < PRICE && !each.is_listed).map(({ id }) => id),
      ...accounts.filter((id) => held(id) > 0 && !payouts.some((p) => p.account === id && p.is_listed)),
    ],
    ledgerDiffers: await ledgerOf({ stage, processor }),
    reportedWrong: payouts
      .filter(
        ({ status, bank_id }) =>
          (status === 'completed') !== (statusOf(known, bank_id) === 'paid') && status !== 'reversed',
      )
      .map(({ id }) => id),
  };
}

/** The dates are those at which a quarter, a half and three quarters of the changes of balances had happened. */
async function ledgerOf({ stage, processor }: MoneyStage): Promise<string[]> {
  const { balance } = processor;
  const dates = [0.25, 0.5, 0.75, 1].map((share) => balance[Math.ceil(balance.length * share) - 1]?.created ?? 0);
  const db = await openPool(String(stage.settings.DATABASE_URL), 1, () => {});
  try {
    const found: string[] = [];
    for (const atS of dates)
      for (const line of await ledgerDifferences(db, balance, { atS })) found.push(`${atS}: ${line}`);
    return found;
  } finally {
    await db.end();
  }
}

const RATE = 0.9; // of the sandbox
const PRICE = 19_900;
const TRADEABLE = new Set(['evaluation', 'funded']);
const HAS_FAILED = new Set(['failed', 'canceled']);
const GIVES_BACK = new Set(['won', 'warning_closed', 'failed', 'canceled']);

type KnownMoney = Map<string, Record<string, unknown>>;

/** The processor's objects by id, as its latest event about each shows them. */
function latestObjects(events: MoneyStage['processor']['events']): KnownMoney {
  const known: KnownMoney = new Map();
  for (const { data } of events) {
    const object = data.object as Record<string, unknown>; // as: the sandbox writes objects
    known.set(String(object.id), object);
  }
  return known;
}

const statusOf = (known: KnownMoney, id: unknown): string => String(known.get(String(id))?.status ?? 'unknown');

/** What refunds and disputes take of a payment, in cents. */
const lossesOf = (known: KnownMoney, pi: string): number =>
  [...known.values()]
    .filter(({ object, payment_intent, status }) => {
      const isLoss = object === 'refund' || object === 'dispute';
      return isLoss && payment_intent === pi && !GIVES_BACK.has(String(status));
    })
    .reduce((sum, { amount }) => sum + Number(amount), 0);

function doublesOf(entries: readonly Entry[]): string[] {
  const seen = new Set<string>();
  return entries
    .map(({ key, kind }) => `${kind} ${key}`)
    .filter((name) => {
      const isAgain = seen.has(name);
      seen.add(name);
      return isAgain;
    });
}

const PAYMENTS = `
  select p.id, p.processor_payment_intent_id as pi, count(a.id)::integer as accounts, array_agg(coalesce(a.status, 'none')) as statuses,
    p.id in (select u.payment_id from ops.list_paid_without_account(0) u) as is_listed
  from payments p
  left join prop_accounts a on a.payment_id = p.id
  where p.processor_payment_intent_id is not null
  group by p.id`;

const PAYOUTS = `
  select p.id, c.processor_account_id as account, p.status,
    (select s.processor_id from payout_steps s where s.payout_id = p.id and s.step = 'payout' order by s.position desc limit 1) as bank_id,
    p.id in (select l.payout_id from ops.list_stranded_payouts() l) as is_listed
  from payouts p
  join connect_accounts c on c.id = p.connect_account_id`;

/** The promises about money. */
export function moneyVerdicts(audit: MoneyAudit, harms: { kills: number; lost: number }): Verdict[] {
  const scale = `${audit.purchases} purchases, ${audit.transfers} transfers, ${audit.payouts} payouts to banks, ${audit.losses} payments with losses; ${harms.kills} kills, ${harms.lost} responses lost, the key rotated`;
  const verdict = (text: string, offenders: string[], figure = ''): Verdict => ({
    promise: 'R12',
    text,
    figure: `${figure}${offenders.length}${offenders.length > 0 ? ` (${offenders.slice(0, 5).join(', ')})` : ''}`,
    bound: '0',
    kept: offenders.length === 0,
  });
  return [
    verdict('accounts paid more than they earned, on the processor’s ledger', audit.overpaid, `${scale}: `),
    verdict('effects that happened twice', audit.doubled),
    verdict('paid payments without exactly one account', audit.withoutOneAccount),
    verdict('tradeable accounts without their money', audit.tradeableWithoutMoney),
    verdict('kept money that no list shows', audit.unlisted),
    verdict('balances of the ledger that differ from the processor’s, now and as of three dates', audit.ledgerDiffers),
    verdict('payouts reported wrongly', audit.reportedWrong),
  ];
}
