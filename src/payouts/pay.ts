import { z } from 'zod';
import { defineProcessorIntent, type ProcessorDeps } from '../intents/replay.ts';
import { getPayoutStep, payoutStepRow } from './queries.ts';
import { recordPayout } from './store.ts';

/** Pays out one payout from the trader's account to its bank, with the intent's id as idempotency key. */
export const pay = defineProcessorIntent({
  kind: 'payouts/pay',
  retention: 'with_money',
  request: z.object({ payout_id: z.string() }),
  payload: z.object({ transfer: payoutStepRow }),

  prepare: async ({ request }, { db }: ProcessorDeps) => ({
    send: { transfer: await getPayoutStep(db, request.payout_id) },
  }),

  call: ({ transfer }, processor, key) => processor.payOut(transfer, key),

  record: ({ intent, payload }, made, { db }) => recordPayout(db, intent, payload.transfer.payoutId, made),
});
