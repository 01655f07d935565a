import { z } from 'zod';
import { defineProcessorIntent, type ProcessorDeps } from '../intents/replay.ts';
import { getPayoutStep, payoutStepRow } from './queries.ts';
import { recordTransfer } from './store.ts';

type Deps = ProcessorDeps & { config: { ACCOUNT_DEADLINE_MS: number } };

/** Transfers the money of one payout to the trader's account, with the intent's id as idempotency key. */
export const submit = defineProcessorIntent({
  kind: 'payouts/submit',
  retention: 'with_money',
  request: z.object({ payout_id: z.string() }),
  payload: z.object({ transfer: payoutStepRow }),

  prepare: async ({ request }, { db }: Deps) => ({ send: { transfer: await getPayoutStep(db, request.payout_id) } }),

  call: ({ transfer }, processor, key) => processor.transfer(transfer, key),

  record: ({ intent, payload: { transfer } }, made, { db, config }) =>
    recordTransfer(db, intent, { payoutId: transfer.payoutId, deadlineMs: config.ACCOUNT_DEADLINE_MS }, made),
});
