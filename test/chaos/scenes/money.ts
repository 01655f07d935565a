import { setTimeout as sleep } from 'node:timers/promises';
import { startProcessorUpstream } from '../../../src/sandbox/processor/index.ts';
import { PROCESSOR, WEBHOOK } from '../../support/money.ts';
import { until } from '../../support/processes.ts';
import { allSettled, openStage } from '../stage.ts';
import { auditMoney, type MoneyAudit } from './money-audit.ts';
import { bank, harmMeanwhile, type MoneyHarms, type MoneySize, pump } from './money-harms.ts';
import {
  type Bought,
  buy,
  control,
  EARNED_CENTS,
  earn,
  type MoneyStage,
  makeTraders,
  type Trader,
} from './money-people.ts';

const LOST_NOTIFICATIONS = 0.1;
const SETTLE_MS = 300_000;
const LONGEST_WAIT_MS = 20_000;
const PAID_WITHIN_MS = 60_000;
/** Settings under which what is lost about money is found soon. */
export const SOON = {
  PAYMENT_RECONCILE_MS: '1000',
  CHECKOUT_DEADLINE_MS: '20000',
  THROTTLE_SCALE: '1000',
  NETVENUE_PATIENCE_MS: '1000',
  NETVENUE_IN_FLIGHT_MS: '2000',
};

/** Responses that are lost, on both legs of a payout and elsewhere, and requests that fail. */
const FAULTS = [
  { kind: 'accept_then_drop', route: 'POST /v1/payment_intents', rate: 0.1 },
  { kind: 'accept_then_drop', route: 'POST /v1/transfers', rate: 0.2 },
  { kind: 'accept_then_drop', route: 'POST /v1/payouts', rate: 0.2 },
  { kind: 'accept_then_drop', route: 'POST /v1/accounts', rate: 0.05 },
  { kind: 'status_500', route: 'POST /v1/', rate: 0.05 },
  { kind: 'reset', route: '/v1/', rate: 0.03 },
] as const;

/**
 * Purchases and payouts by traders who ask for their money at every chance, while workers are killed, responses and
 * notifications are lost, the processor's key is rotated, banks reject payouts, transfers are reversed in part, and
 * payments are refunded or disputed. Compared with the processor's records once everything has settled.
 */
export async function payUnderHarm(size: MoneySize): Promise<{ audit: MoneyAudit; harms: MoneyHarms }> {
  const processor = await startProcessorUpstream(PROCESSOR);
  const stage = await openStage({
    workers: size.workers,
    settings: {
      ...SOON,
      PROCESSOR_URL: processor.url,
      PROCESSOR_SECRET_KEY: PROCESSOR.secretKey,
      PROCESSOR_WEBHOOK_SECRET: PROCESSOR.notificationSecret,
    },
  });
  const money = { stage, processor };
  const background = new AbortController();
  const helpers = [pump(money, background.signal), bank(money, size.seed, background.signal)];
  try {
    processor.notifications.to(stage.web.url + WEBHOOK);
    const traders = await makeTraders(money, size.traders);
    Object.assign(processor.notifications.travel, { lose: LOST_NOTIFICATIONS, shuffleMs: 50 });
    for (const [n, fault] of FAULTS.entries()) processor.faults.add({ ...fault, seed: size.seed + n });
    const rotation = Promise.withResolvers<void>();
    const isForLater = ({ n }: Trader) => n % 2 === 1 && size.traders <= size.atOnce;
    const ready = (trader: Trader) => isForLater(trader) && Promise.race([rotation.promise, sleep(LONGEST_WAIT_MS)]);
    const lives = inTurn(traders, size.atOnce, (trader) => live(money, trader, () => ready(trader)));
    const harms = await harmMeanwhile(money, size, lives, rotation.resolve);
    await lives;
    processor.faults.clear();
    Object.assign(processor.notifications.travel, { lose: 0 });
    await settled(money);
    return { audit: await auditMoney(money), harms };
  } finally {
    background.abort();
    await Promise.all(helpers);
    await processor.notifications.close();
    await stage.close();
    await processor.close();
  }
}

/** Runs one life after the other, some at once. */
async function inTurn(traders: Trader[], atOnce: number, act: (trader: Trader) => Promise<void>): Promise<void> {
  const left = [...traders];
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) await act(next);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

/** Buys, earns, asks for the money at every chance once it is `ready`, and suffers what its number says. */
export async function live(money: MoneyStage, trader: Trader, ready: () => unknown): Promise<void> {
  const { processor } = money;
  const bought = await buy(money, trader);
  if (!(await earn(money, trader, bought))) return;
  const lose = (to: string, amount?: number) =>
    control(processor, 'payment', { id: bought.processorId, to, ...(amount && { amount }) });
  const n = trader.n % 8;
  if (n === 1) await lose('disputed');
  await ready();
  const paying = askForMoney(trader);
  if (n === 2) await lose('refunded', 100);
  if (n === 3) await winDispute(money, bought);
  await paying;
  if (n === 4) await reversePart(money, trader);
  if (n === 5) await lose('refunded');
}

/** A dispute that the platform wins: its events may arrive in either order. */
async function winDispute({ processor }: MoneyStage, { processorId }: Bought): Promise<void> {
  await control(processor, 'payment', { id: processorId, to: 'disputed' });
  const made = processor.events.findLast(({ type, data }) => {
    return type === 'charge.dispute.created' && Object(data.object).payment_intent === processorId;
  });
  await control(processor, 'dispute', { id: Object(made?.data.object).id, to: 'won' });
}

/** The processor takes half of a transfer back; the trader asks for it again. */
async function reversePart({ processor, stage }: MoneyStage, trader: Trader): Promise<void> {
  const [row] = await stage.rows<{ id: string }>(
    `select processor_transfer_id as id from payouts where user_id = $1 and processor_transfer_id is not null limit 1`,
    [trader.userId],
  );
  if (!row) return;
  await control(processor, 'transfer', { id: row.id, amount: EARNED_CENTS / 2 });
  await askForMoney(trader, 1_500);
}

type Payout = { id: string; status: string; amount_cents: number };

/** Requests and submits whatever the service allows, until everything earned is paid or nothing more is given. */
export async function askForMoney({ ask }: Trader, withinMs = PAID_WITHIN_MS): Promise<void> {
  for (const end = Date.now() + withinMs; Date.now() < end; await sleep(250)) {
    const isOver = await askOnce(ask).catch(() => false); // the connection to web may be lost
    if (isOver) return;
  }
}

async function askOnce(ask: Trader['ask']): Promise<boolean> {
  const requested = await ask('POST', '/v2/payouts/request', { json: { amount_cents: EARNED_CENTS } });
  const { body: estimate } = await ask('GET', '/v2/payouts/estimate');
  if (estimate.available) await ask('POST', '/v2/payouts/request', { json: { amount_cents: estimate.amount_cents } });
  const { body: payouts } = await ask('GET', '/v2/payouts');
  const open = payouts.filter(({ status }: Payout) => status === 'pending' || status === 'failed');
  for (const { id } of open) await ask('POST', `/v2/payouts/${id}/submit`, { headers: { Prefer: 'wait=2' } });
  const isDone = payouts.length > 0 && payouts.every(({ status }: Payout) => status === 'completed');
  return (
    isDone ||
    requested.body.error?.code === 'V2_PAYMENT_RETURNED' ||
    requested.body.error?.code === 'V2_ACCOUNT_NOT_FUNDED'
  );
}

/** Intents that move no orders: orders of a restored database may be in doubt for as long as their venue shows nothing of them. */
const OF_MONEY = 'venue_of(kind) is null';

/** Waits until no intent, event, job or payout is under way, and the list of events was read to its end since. */
export async function settled({ stage, processor }: MoneyStage): Promise<void> {
  await allSettled(stage, SETTLE_MS, OF_MONEY);
  const [{ now } = { now: '' }] = await stage.rows<{ now: string }>('select now()::text as now');
  await until(
    'everything about money settled',
    async () => {
      const [row] = await stage.rows<{ open: number }>(OPEN, [now]);
      return (row?.open === 0 && processor.events.length > 0) || null;
    },
    SETTLE_MS,
  );
  await allSettled(stage, SETTLE_MS, OF_MONEY);
  await until(
    'every paid payout read again',
    async () => {
      const [row] = await stage.rows<{ open: number }>(UNREAD, [now]);
      return row?.open === 0 || null;
    },
    SETTLE_MS,
  );
  await allSettled(stage, SETTLE_MS, OF_MONEY);
}

const UNREAD = `
  select count(*)::integer as open
  from payout_steps
  where step = 'payout' and state = 'done' and coalesce(reconciled_at, '-infinity') < $1::timestamptz - interval '7 hours'`;

const OPEN = `
  select (select count(*) from processor_events where acted_at is null)::integer
    + (select count(*) from payout_steps where state in ('under_way', 'sent'))::integer
    + (select count(*) from payouts where is_unread)::integer
    + (select count(*) from prop_accounts where status = 'provisioning')::integer
    + (select count(*) from queue_jobs where task like 'pay%/notified')::integer
    + (select count(*) from processor_cursor where not (is_read and opened_at > $1::timestamptz))::integer as open`;
