import type { Logger } from 'pino';
import type { EventPage, Fact, PayoutSeen, Processor, ProcessorEvent } from '../../adapters/processor/types.ts';
import { eachDue, eachInTurn } from '../../db/polling.ts';
import type { Db } from '../../db/pool.ts';
import type { ReadResult } from '../../kernel/upstream-result.ts';
import { epochMs, readingTime } from '../../kernel/work.ts';
import { takeEvents } from '../payments/commands.ts';
import { listStranded } from './queries.ts';
import { readAccount } from './read-account.ts';
import { applyPayout } from './reports/store.ts';
import * as store from './store.ts';

const MOST = 50; // reads per run; the processor notifies of nearly every change
const DAY_MS = 24 * 60 * 60 * 1000;
const PAID_SPAN_MS = 11 * DAY_MS; // paid ones are read again for ten days
const MOST_PAGES = 10; // 1,000 events of one account
const SENT = ['pending', 'in_transit'];
const PAID_AGAIN = { everyS: 6 * 60 * 60, most: MOST }; // its one notification of a return may be lost
const ACCOUNT_AGAIN = { everyS: 24 * 60 * 60, most: MOST };

/** What the sweep of payouts needs. */
export type SweepDeps = {
  db: Db;
  processor: Processor;
  config: { PAYMENT_RECONCILE_MS: number; ACCOUNT_DEADLINE_MS: number };
  log: Pick<Logger, 'error'>;
};

/**
 * Pays out what has become available at traders' accounts. Reads at the processor the payouts in progress, those paid in the last ten days, the
 * accounts with their events, and what transfers and reversals moved there, and applies what it finds. A row that cannot be recorded does not hold up
 * the others. Logs an alert for each payout whose money is stranded.
 */
export async function sweepPayouts(deps: SweepDeps): Promise<void> {
  const { db, processor, config, log } = deps;
  const pace = paceOf(config);
  const steps = [
    () => store.payWaiting(db, MOST, config.ACCOUNT_DEADLINE_MS), // first, because reads may take long
    () => readBankPayouts(deps),
    () => eachDue(db, store.unfinishedAccounts, pace, ({ processor_account_id: id }) => readAccount(deps, id)),
    () =>
      eachDue(db, store.attachedAccounts, ACCOUNT_AGAIN, async ({ processor_account_id: account }) => {
        await readAccount(deps, account);
        await takeAccountEvents(deps, account, 2 * DAY_MS);
      }),
    () =>
      eachDue(db, store.unreadArrivals, pace, async ({ id, processor_account_id: account, processor_transfer_id }) => {
        const holding = await processor.findHolding(processor_transfer_id, account);
        if (holding.kind === 'found') await store.noteHolding(db, id, account, holding.data);
      }),
    async () => {
      for (const { payout_id, safe_action } of await listStranded(db))
        log.error({ alert: 'payout_stranded', payout_id, safe_action }, 'operator action required');
    },
  ];
  await eachInTurn(steps, (step) => step());
}

/** Reads the payouts that banks have not reported, and those that they paid in the last days: a bank may have returned one since. */
export async function readBankPayouts(deps: Omit<SweepDeps, 'log'>): Promise<void> {
  const kinds = [
    () => eachDue(deps.db, store.sentPayouts, paceOf(deps.config), (payout) => readPayout(deps, payout, SENT)),
    () => eachDue(deps.db, store.paidPayouts, PAID_AGAIN, (payout) => readPayout(deps, payout, ['paid'])),
  ];
  await eachInTurn(kinds, (read) => read());
}

const paceOf = ({ PAYMENT_RECONCILE_MS }: SweepDeps['config']) => ({ everyS: PAYMENT_RECONCILE_MS / 1000, most: MOST });

/**
 * Applies the state of a payout that has changed, dated by the account's events, else by the time of the read. If another payout takes it back from
 * the bank, applies the state of that one next.
 */
async function readPayout(
  deps: Omit<SweepDeps, 'log'>,
  { processor_id, processor_account_id: account }: { processor_id: string; processor_account_id: string },
  known: readonly string[],
): Promise<void> {
  const { db, processor } = deps;
  const readAt = readingTime();
  const payout = await processor.findPayout(processor_id, account);
  if (payout.kind !== 'found') return;
  const { status, reversedBy } = payout.data;
  if (known.includes(status) && reversedBy === null) return;
  const listed = await takeAccountEvents(deps, account, PAID_SPAN_MS);
  const changedAt = listed.find(({ fact }) => isAbout(fact, payout.data))?.atMs ?? readAt;
  await applyPayout(db, account, payout.data, changedAt);
  if (reversedBy === null) return;
  const reversal = await processor.findPayout(reversedBy, account);
  if (reversal.kind === 'found') await applyPayout(db, account, reversal.data, changedAt);
}

/** Whether an event reports what was read of a payout: its status, or the payout that took it back. */
const isAbout = (fact: Fact, { processorPayoutId, status, reversedBy }: PayoutSeen): boolean =>
  fact.about === 'payout' &&
  (reversedBy === null
    ? fact.processorPayoutId === processorPayoutId && fact.status === status
    : fact.processorPayoutId === reversedBy && fact.status === 'paid');

/** Takes the events of an account that were not delivered, as those of the platform are. Returns all of the span. */
async function takeAccountEvents(
  { db, processor }: Pick<SweepDeps, 'db' | 'processor'>,
  account: string,
  spanMs: number,
): Promise<readonly ProcessorEvent[]> {
  const events: ProcessorEvent[] = [];
  let after: string | null = null;
  for (let n = 0; n < MOST_PAGES; n += 1) {
    const page: ReadResult<EventPage> = await processor.listEvents(epochMs() - spanMs, after, account);
    if (page.kind !== 'found') break;
    events.push(...page.data.events);
    after = page.data.next;
    if (after === null) break;
  }
  if (events.length > 0) await takeEvents(db, events, 'listed');
  return events;
}
