import type { NewTransfer } from '../../src/adapters/processor/types.ts';
import { carryOut } from '../../src/intents/carry-out.ts';
import type { Task } from '../../src/intents/task.ts';
import { recordPayout } from '../../src/payouts/outcomes.ts';
import { getPayoutStep } from '../../src/payouts/queries.ts';
import { processorOf } from '../../src/runtime.ts';

/** Sends the money of one payout on from the trader's account to its bank, under the intent's id as idempotency key. */
const pay: Task = ({ intent_id }, runtime) =>
  carryOut<{ transfer: NewTransfer }, { processorPayoutId: string }>(runtime, intent_id, {
    prepare: async ({ asked }) => ({ send: { transfer: await getPayoutStep(runtime.db, String(asked.payout_id)) } }),
    send: ({ transfer }) => processorOf(runtime).payOut(transfer, intent_id),
    record: (intent, { transfer }, answer) => recordPayout(runtime.db, intent, transfer.payoutId, answer),
  });

export default pay;
