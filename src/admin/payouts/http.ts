import { z } from 'zod';
import type { Processor } from '../../adapters/processor/types.ts';
import type { Config } from '../../config.ts';
import type { Db } from '../../db/pool.ts';
import type { Handler } from '../../edge/handler.ts';
import { pendingHeaders, resultOf } from '../../intents/follow.ts';
import { operatorName } from '../../kernel/principal.ts';
import { requireValue } from '../../kernel/require.ts';
import { reversePayout as submitReversal } from '../../payouts/intents.ts';
import { listStranded } from '../../payouts/queries.ts';

type Deps = { config: Pick<Config, 'CHECKOUT_DEADLINE_MS'>; db: Db; processor: Processor | null };

/** Handles `GET /v2/admin/payouts/stranded`: list payouts whose money is stranded. */
export const listStrandedPayouts: Handler<'listStrandedPayouts', Deps> = async ({ deps }) => ({
  status: 200,
  body: [...(await listStranded(deps.db))],
});

/** Handles `POST /v2/admin/payouts/{payout_id}/reverse`: reverse the transfer of a payout. */
export const reversePayout: Handler<'reversePayout', Deps> = async (call) => {
  const { db, config } = call.deps;
  requireValue(call.deps.processor, 'V2_PAYMENTS_NOT_CONFIGURED', { effect: 'none' });
  const { payout_id } = call.path;
  const operator = operatorName(call.principal);
  const context = { db, operator, requestId: call.requestId, deadlineMs: config.CHECKOUT_DEADLINE_MS };
  const intent = await call.settled(await submitReversal(context, payout_id, call.body.reason));
  const result = resultOf(intent, z.object({ processor_reversal_id: z.string() }));
  if (result) return { status: 200, body: { payout_id, status: 'reversed', ...result } };
  return {
    status: 202,
    body: { payout_id, status: 'pending', processor_reversal_id: null },
    headers: pendingHeaders('/v2/admin/payouts/stranded'),
  };
};
