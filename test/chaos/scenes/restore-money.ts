import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessorUpstream, startProcessorUpstream } from '../../../src/sandbox/processor/index.ts';
import { PROCESSOR, tier25k, WEBHOOK } from '../../support/money.ts';
import { until } from '../../support/processes.ts';
import type { Stage } from '../stage.ts';
import { askForMoney, settled } from './money.ts';
import { auditMoney } from './money-audit.ts';
import { pump } from './money-harms.ts';
import { buy, control, EARNED_CENTS, earn, type MoneyStage, makeTraders, type Trader } from './money-people.ts';

const EACH = 5;
const PAID_WITHIN_MS = 60_000;
const ASKED_AGAIN_MS = 2_000;
const LATER = { Prefer: 'respond-async' };

/**
 * Traders whose money moves around a backup. `queued` and `late` are paid out, with their request in the backup or after it; `buying` and
 * `lost` buy an account, with their checkout in the backup or after it.
 */
type Groups = Record<'queued' | 'late' | 'buying' | 'lost', Trader[]>;

/** What came of money, by the processor's ledger: movements from after the backup, new ones after the restore, and what is wrong. */
export type RestoredMoney = { moved: number; added: number; wrong: string[] };

/** The money of a database that is restored, in the order in which the scene calls it. */
export type Money = {
  settings: Record<string, string>;
  /** Lets traders earn. */
  begin(stage: Stage): Promise<void>;
  /** Queues payouts and checkouts, while no worker runs. Then comes the backup. */
  queue(): Promise<void>;
  /** Lets what is queued and more be paid, until everything is settled. */
  pay(): Promise<void>;
  /** Counts the movements. */
  count(): number;
  /** Settles after the restore, lets everyone ask for their money again, and compares. */
  judge(): Promise<string[]>;
  close(): Promise<void>;
};

/** Starts a processor for a stage that is opened with its `settings`. */
export async function openMoney(): Promise<Money> {
  const processor = await startProcessorUpstream(PROCESSOR);
  const background = new AbortController();
  let helpers: Promise<void>[] = [];
  let money: MoneyStage;
  let groups: Groups;
  const checkouts = new Map<Trader, string>();
  return {
    settings: {
      PROCESSOR_URL: processor.url,
      PROCESSOR_SECRET_KEY: PROCESSOR.secretKey,
      PROCESSOR_WEBHOOK_SECRET: PROCESSOR.notificationSecret,
      PAYMENT_RECONCILE_MS: '1000',
      CHECKOUT_DEADLINE_MS: '20000',
      THROTTLE_SCALE: '1000',
    },
    async begin(stage) {
      money = { stage, processor };
      processor.notifications.to(stage.web.url + WEBHOOK);
      helpers = [pump(money, background.signal), payBanks(processor, background.signal)];
      const traders = await makeTraders(money, 4 * EACH);
      const group = (n: number) => traders.slice(n * EACH, (n + 1) * EACH);
      groups = { queued: group(0), late: group(1), buying: group(2), lost: group(3) };
      await Promise.all(
        [...groups.queued, ...groups.late].map(async (trader) => earn(money, trader, await buy(money, trader))),
      );
      await settled(money);
    },
    async queue() {
      for (const { ask } of groups.queued) {
        const { body } = await ask('POST', '/v2/payouts/request', { json: { amount_cents: EARNED_CENTS } });
        await ask('POST', `/v2/payouts/${body.id}/submit`, { headers: LATER });
      }
      for (const trader of groups.buying) {
        const { body } = await trader.ask('POST', '/v2/payments/checkout', { json: tier25k, headers: LATER });
        checkouts.set(trader, body.payment_id);
      }
    },
    async pay() {
      const bought = [...checkouts].map(async ([trader, paymentId]) => {
        const id = await until('a payment', async () => paymentOf(trader, paymentId), PAID_WITHIN_MS);
        await control(processor, 'payment', { id, to: 'succeeded' });
      });
      const lost = groups.lost.map((trader) => buy(money, trader));
      const late = groups.late.map((trader) => askForMoney(trader));
      await Promise.all([...bought, ...lost, ...late]);
      await settled(money);
    },
    count: () => processor.ledger.entries().length,
    async judge() {
      await settled(money);
      await Promise.all([...groups.queued, ...groups.late].map((trader) => askForMoney(trader, ASKED_AGAIN_MS)));
      await settled(money);
      return listWrong(money);
    },
    async close() {
      background.abort();
      await Promise.all(helpers);
      await processor.notifications.close();
      await processor.close();
    },
  };
}

async function paymentOf({ ask }: Trader, paymentId: string): Promise<string | null> {
  const { body } = await ask('GET', `/v2/payments/${paymentId}`);
  return body.processor_payment_intent_id;
}

/** Every bank accepts every payout. What accounts abroad received becomes available. */
async function payBanks(processor: ProcessorUpstream, stopping: AbortSignal): Promise<void> {
  for (let next = 0; !stopping.aborted; await sleep(50)) {
    for (const [id, { isCredited }] of processor.arrivals) if (!isCredited) await control(processor, 'arrival', { id });
    for (; next < processor.events.length; next += 1) {
      const event = processor.events[next];
      if (event?.type !== 'payout.created') continue;
      await control(processor, 'payout', { id: Object(event.data.object).id, to: 'paid' });
    }
  }
}

/** What the processor's ledger and our rows say differently. A payment or transfer whose row is lost must be listed for operators. */
async function listWrong(money: MoneyStage): Promise<string[]> {
  const { stage, processor } = money;
  const audit = await auditMoney(money);
  const lost = await stage.rows<{ id: string }>('select processor_id as id from ops.lost_money');
  const known = await stage.rows<{ id: string }>('select processor_transfer_id as id from payouts');
  const listed = new Set(lost.map(({ id }) => id));
  const accounted = new Set([...lost, ...known].map(({ id }) => id));
  const transfers = processor.ledger.entries().filter(({ kind }) => kind === 'transfer');
  const named = (what: string, offenders: string[]) => offenders.map((id) => `${what} ${id}`);
  return [
    ...named('paid twice', audit.overpaid),
    ...named('done twice', audit.doubled),
    ...named(
      'other than one account',
      audit.withoutOneAccount.filter((id) => !listed.has(id)),
    ),
    ...named('unlisted', audit.unlisted),
    ...named(
      'unlisted',
      transfers.flatMap(({ detail }) => (accounted.has(String(detail.id)) ? [] : String(detail.id))),
    ),
    ...named('reported wrongly', audit.reportedWrong),
  ];
}
