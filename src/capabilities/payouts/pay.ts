import { z } from 'zod';
import { defineProcessorIntent, type ProcessorDeps } from '../../intents/replay.ts';
import { idSchema } from '../../kernel/ids.ts';
import { found } from '../../kernel/upstream-result.ts';
import { findObstacle, getPayoutStep, payoutStepRow } from './queries.ts';
import { recordPayout } from './store.ts';

/**
 * Pays out one payout from the trader's account to its bank, with the intent's id as idempotency key. Right before, it
 * checks again what the request checked, except the amount: that has left the platform already.
 */
export const pay = defineProcessorIntent({
  kind: 'payouts/pay',
  retention: 'with_money',
  request: z.object({ payout_id: idSchema.payout }),
  payload: z.object({ transfer: payoutStepRow }),

  async prepare({ id }, { db }: ProcessorDeps) {
    const step = await getPayoutStep(db, id);
    const obstacle = await findObstacle(db, step.payoutId, null);
    return obstacle === null ? { send: { transfer: step } } : { fail: { code: obstacle } };
  },

  call: ({ transfer }, processor, key) => processor.payOut(transfer, key),

  async find({ transfer }, processor, mark) {
    const seen = await processor.findMovement({ ...transfer, ...mark, step: 'payout' });
    return seen.kind === 'found' ? found({ processorPayoutId: seen.data.id }) : seen;
  },

  record: ({ intent, payload }, made, { db }) => recordPayout(db, intent, payload.transfer.payoutId, made),
});
