import { z } from 'zod';
import { defineProcessorIntent, type ProcessorDeps } from '../intents/replay.ts';
import { getPayoutStep } from './queries.ts';
import { recordReversal } from './store.ts';

const reversal = z.object({ payoutId: z.string(), transferId: z.string(), amountCents: z.number() });

/** Takes the money of one payout back from the trader's account, with the intent's id as idempotency key. */
export const reverse = defineProcessorIntent({
  kind: 'payouts/reverse',
  retention: 'with_money',
  request: z.object({ payout_id: z.string() }),
  payload: z.object({ reversal }),

  prepare: async ({ id }, { db }: ProcessorDeps) => ({
    send: { reversal: reversal.parse(await getPayoutStep(db, id)) },
  }),

  call: (payload, processor, key) => processor.reverse(payload.reversal, key),

  record: ({ intent, payload }, made, { db }) => recordReversal(db, intent, payload.reversal.payoutId, made),
});
