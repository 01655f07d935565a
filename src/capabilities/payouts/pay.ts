import { z } from 'zod';
import { defineProcessorIntent, type ProcessorDeps } from '../../intents/replay.ts';
import { idSchema } from '../../kernel/ids.ts';
import { absent } from '../../kernel/upstream-result.ts';
import { findObstacle, getPayoutStep, isAtBank, payoutStepRow } from './queries.ts';
import { readAccount } from './read-account.ts';
import { delay, fixBankLeg, noteDelay, recordStep } from './store.ts';

type Deps = ProcessorDeps & { config: { PAYOUT_DESTINATION_HOLD_H: number } };

/**
 * Pays out one payout from the trader's account to its bank, with the intent's id as idempotency key: what that account
 * holds of the payout's transfer now, in the account's currency. Right before, it checks again what the request checked,
 * except the amount: that has left the platform already. A leg of unknown effect is repeated only while the account still
 * holds its amount and the bank has kept no earlier one.
 */
export const pay = defineProcessorIntent({
  kind: 'payouts/pay',
  retention: 'with_money',
  request: z.object({ payout_id: idSchema.payout }),
  payload: z.object({ transfer: payoutStepRow }),

  async prepare({ id, presumed_sent_at }, { db, processor, config }: Deps) {
    const step = await getPayoutStep(db, id);
    const unread = await readAccount({ db, processor }, step.accountId);
    if (unread) return delay(db, id, unread);
    const holding = await processor.findHolding(step.transferId ?? '', step.accountId);
    const holdH = config.PAYOUT_DESTINATION_HOLD_H;
    const obstacle = await findObstacle(db, step.payoutId, { earnedCents: null, holdH }); // after what waits for the processor
    if (obstacle !== null) return { fail: { code: obstacle } };
    const verdict = holding.kind === 'found' ? await fixBankLeg(db, id, holding.data) : 'unreadable';
    if (verdict === 'fixed') return { send: { transfer: payoutStepRow.parse(await getPayoutStep(db, id)) } };
    if (verdict === 'reversed') return { fail: { code: 'V2_PAYOUT_REVERSED' } };
    if (verdict === 'later' && presumed_sent_at === null) return { fail: { code: 'V2_PAYOUT_NOT_AVAILABLE' } };
    return delay(db, id, { code: 'PROCESSOR_UNREADABLE' });
  },

  call: ({ transfer }, processor, key) => processor.payOut(transfer, key),

  onWait: noteDelay,

  find: ({ transfer }, processor, mark) => processor.findMovement({ ...transfer, ...mark, step: 'payout' }),

  async mayRepeat({ transfer }, { db, processor }) {
    if (await isAtBank(db, transfer.payoutId)) return absent;
    const holding = await processor.findHolding(transfer.transferId ?? '', transfer.accountId);
    if (holding.kind !== 'found') return holding;
    const { heldCents, currency } = holding.data;
    return heldCents >= transfer.amountCents && currency === transfer.currency ? holding : absent;
  },

  record: ({ intent, payload: { transfer } }, made, { db }) =>
    recordStep(db, intent, { payoutId: transfer.payoutId, step: 'payout' }, made),
});
