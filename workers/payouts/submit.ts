import type { NewTransfer } from '../../src/adapters/processor/types.ts';
import { carryOut } from '../../src/intents/carry-out.ts';
import type { Task } from '../../src/intents/task.ts';
import { recordTransfer } from '../../src/payouts/outcomes.ts';
import { getPayoutStep } from '../../src/payouts/queries.ts';
import { processorOf } from '../../src/runtime.ts';

/** Moves the money of one payout to the trader's account, under the intent's id as idempotency key. */
const submit: Task = ({ intent_id }, runtime) =>
  carryOut<{ transfer: NewTransfer }, { transferId: string }>(runtime, intent_id, {
    prepare: async ({ asked }) => ({ send: { transfer: await getPayoutStep(runtime.db, String(asked.payout_id)) } }),
    send: ({ transfer }) => processorOf(runtime).transfer(transfer, intent_id),
    record: (intent, { transfer: { payoutId } }, answer) =>
      recordTransfer(runtime.db, intent, { payoutId, deadlineMs: runtime.config.ACCOUNT_DEADLINE_MS }, answer),
  });

export default submit;
