import { z } from 'zod';
import { defineProcessorIntent, type ProcessorDeps } from '../../intents/replay.ts';
import { idSchema } from '../../kernel/ids.ts';
import { epochMs } from '../../kernel/work.ts';
import type { Netvenue } from '../../venues/network/adapter/types.ts';
import type { EarningReads } from '../../venues/network/portfolio/read-model.ts';
import { findObstacle, getPayoutStep, payoutStepRow } from './queries.ts';
import { readAccount } from './read-account.ts';
import { readEarnings } from './read-model.ts';
import { delay, noteDelay, recordStep } from './store.ts';

type Deps = ProcessorDeps & {
  venues: { netvenue: Pick<Netvenue, 'settlements' | 'dashboard' | 'orders'> };
  config: { ACCOUNT_DEADLINE_MS: number; VENUE_READ_MS: number; PAYOUT_DESTINATION_HOLD_H: number };
};

/**
 * Transfers the money of one payout to the trader's account, with the intent's id as idempotency key. Right before, it
 * checks again what the request checked, with the earnings that the network shows now.
 */
export const submit = defineProcessorIntent({
  kind: 'payouts/submit',
  retention: 'with_money',
  request: z.object({ payout_id: idSchema.payout }),
  payload: z.object({ transfer: payoutStepRow }),

  async prepare({ id }, { db, processor, venues, config }: Deps) {
    const step = await getPayoutStep(db, id);
    const unread = await readAccount({ db, processor }, step.accountId);
    if (unread) return delay(db, id, unread);
    const limits = { timeoutMs: config.VENUE_READ_MS };
    const { netvenue } = venues;
    const reads: EarningReads = {
      settlements: (of) => netvenue.settlements(of, epochMs(), limits),
      dashboard: (account) => netvenue.dashboard(account, limits),
      networkOrders: (account) => netvenue.orders(account, limits),
    };
    const earnedCents = await readEarnings(reads, { uuid: step.subaccountUuid, hotkey: step.hotkey });
    if (earnedCents === null) return { wait: { code: 'VENUE_UNREADABLE' } };
    const holdH = config.PAYOUT_DESTINATION_HOLD_H;
    const obstacle = await findObstacle(db, step.payoutId, { earnedCents, holdH });
    return obstacle === null ? { send: { transfer: payoutStepRow.parse(step) } } : { fail: { code: obstacle } };
  },

  call: ({ transfer }, processor, key) => processor.transfer(transfer, key),

  onWait: noteDelay,
  // the processor repeats a stored rejection under the same key: the transfer is requested again by the sweep
  problemOf: (slug) => (slug === 'balance_insufficient' ? { code: 'PROCESSOR_SHORT' } : null),

  find: ({ transfer }, processor, mark) => processor.findMovement({ ...transfer, ...mark, step: 'transfer' }),

  record: ({ intent, payload: { transfer } }, made, { db, config }) =>
    recordStep(db, intent, { ...transfer, step: 'transfer', deadlineMs: config.ACCOUNT_DEADLINE_MS }, made),
});
