import type { AccountSeen, NewAccount, NewLink, NewTransfer, Processor } from '../../src/adapters/processor/types.ts';
import { lookUp } from '../../src/intents/carry-out.ts';
import type { Intent } from '../../src/intents/intent.ts';
import { askAgain } from '../../src/intents/keyed.ts';
import type { Task } from '../../src/intents/task.ts';
import type { Answer } from '../../src/kernel/answer.ts';
import * as record from '../../src/payouts/outcomes.ts';
import { takeOpenPayouts, takeUnfinishedAccounts } from '../../src/payouts/queries.ts';
import { processorOf, type WorkerRuntime } from '../../src/runtime.ts';

const MOST = 50; // looks per run; the processor tells nearly all by itself

/** With an intent: looks up what came of it. Without, from the crontab: looks at payouts under way and accounts unfinished. */
const reconcile: Task<{ intent_id?: string }> = async ({ intent_id }, runtime) =>
  intent_id === undefined ? lookAtOpen(runtime) : lookUpIntent(intent_id, runtime);

export default reconcile;

async function lookAtOpen({ db, processor, config }: WorkerRuntime): Promise<void> {
  if (!processor) return;
  for (const open of await takeOpenPayouts(db, config.PAYMENT_LOOK_MS / 1000, MOST)) {
    const seen = await processor.findPayout(open.processor_payout_id, open.processor_account_id);
    if (seen.kind === 'found') await record.applyPayout(db, seen.said);
  }
  for (const { processor_account_id } of await takeUnfinishedAccounts(db, config.PAYMENT_LOOK_MS / 1000, MOST)) {
    const lookedAt = Date.now();
    const seen = await processor.findAccount(processor_account_id);
    if (seen.kind === 'found') await record.applyAccount(db, seen.said, lookedAt);
  }
}

/** What the intents of payouts commit before they send; each kind has its own members. */
type Sent = { account: NewAccount; link: NewLink; transfer: NewTransfer };
type Said = AccountSeen & { url: string; transferId: string; processorPayoutId: string };
type Kind = {
  again(processor: Processor, key: string, sent: Sent): Promise<Answer<Partial<Said>>>;
  record(runtime: WorkerRuntime, intent: Intent, sent: Sent, answer: Answer<Said>): Promise<boolean>;
};

const kinds: Record<string, Kind> = {
  'payouts/account': {
    again: (processor, key, { account }) => processor.createAccount(account, key),
    record: ({ db }, intent, _sent, answer) => record.recordAccount(db, intent, answer),
  },
  'payouts/link': {
    again: (processor, key, { link }) => processor.createLink(link, key),
    record: (runtime, intent, _sent, answer) => record.recordLink(runtime, intent, answer),
  },
  'payouts/submit': {
    again: (processor, key, { transfer }) => processor.transfer(transfer, key),
    record: ({ db, config }, intent, { transfer: { payoutId } }, answer) =>
      record.recordTransfer(db, intent, { payoutId, deadlineMs: config.ACCOUNT_DEADLINE_MS }, answer),
  },
  'payouts/pay': {
    again: (processor, key, { transfer }) => processor.payOut(transfer, key),
    record: ({ db }, intent, { transfer }, answer) => record.recordPayout(db, intent, transfer.payoutId, answer),
  },
};

const lookUpIntent = (intentId: string, runtime: WorkerRuntime): Promise<void> =>
  lookUp<Sent, Said>(
    runtime,
    intentId,
    (intent, sent) =>
      askAgain(intent, async () => {
        const answer = await kindOf(intent).again(processorOf(runtime), intentId, sent);
        return answer as Answer<Said>; // as: each kind reads only the members its own request is answered with
      }),
    (intent, sent, answer) => kindOf(intent).record(runtime, intent, sent, answer),
  );

function kindOf({ kind }: Intent): Kind {
  const known = kinds[kind];
  if (!known) throw new Error(`No look-up for ${kind}`);
  return known;
}
